//! One robot in one scene that people or programs command while others watch.
//!
//! **What it does.** A [`Session`] owns a robot and its world on a thread of its own. Orders
//! ([`Command`]) come from anywhere: carry out a text, call one skill, move the tool by a
//! hand's breadth, pause, go on to the next step, stop, reset, approve, let something go
//! wrong, move a thing. Whoever is interested gets a [`Subscription`]: status, the events of
//! the run, and where everything is, as often as they can take it. What was seen so far is
//! kept ([`History`]), so that one can look back. The live page and other front ends are
//! consumers of this crate.
//!
//! **What it does not do.** It opens no socket and knows who is in charge of nothing: whether
//! somebody may give orders is the front end's business. It builds no world: the program
//! does, through [`Backend`].
//!
//! **Where to enter.** [`Session::start`], [`Session::command`], [`Session::subscribe`];
//! inside, `worker` (the thread), `pacing` (pause, pace, stop), `session_state` (what
//! everybody sees), `pending_questions` (what waits for an answer).
//!
//! # Time
//!
//! Simulated time passes only while the robot does something, or while things that were
//! moved come to rest. It is throttled to real time, or a multiple of it; a pause holds it.
//! Throttling never changes what happens, only when it is seen.
//!
//! A real robot ([`Hardware`]) has its own time. It is shown whether or not somebody commands it, a
//! pause holds it before its next motion, and a stop reaches it first, even when nothing is under
//! way. It cannot be disturbed, repaired or rehearsed from here; a reset connects to it again.
//!
//! # Invariants
//!
//! - One thing at a time: what would move the robot is refused while something else does.
//! - A stop needs no free thread: it cancels what runs at the world's next step, whatever the
//!   session waits for (a pause, an approval), and the arm then holds.
//! - No observer can slow the robot down. One that is slow misses positions, not events; one
//!   that is far too slow is told how many events it missed.
//! - Memory is bounded: the events and positions of a long run are thinned, oldest first.
//! - An order that is refused changes nothing.
//! - A skill that is called by hand waits for approval where the same step of a plan would.
//! - The judge of a task sees the world's truth and is seen by nobody who plans: a verdict
//!   comes when the run is over.
//!
//! # The libraries behind it
//!
//! `tokio` for two channels (`sync` only, no runtime): observers may wait for news in async
//! code, the thread that simulates need not. `parking_lot` has locks without poison: what a panic
//! leaves behind is shown and stopped like anything else.

mod backend;
mod camera;
mod command;
mod consent;
mod entry;
mod export;
mod frames;
mod hardware;
mod history;
mod jobs;
mod manual;
mod outcome;
mod pacing;
mod pending_questions;
mod placing;
mod run;
mod session;
mod session_state;
mod shared;
mod shot;
mod sink;
mod status;
mod subscription;
mod verdict;
mod worker;

pub use backend::{
    Backend, Catalogue, Disturb, Disturbed, Listen, LoadedScene, Prepared, RunOutput, SetupFailure,
    TaskEntry, View,
};
pub use command::{Command, RunOrder};
pub use entry::{Entry, LogEntry};
pub use export::{Export, MakeExport, Wanted};
pub use hardware::{Consent, Hardware, RobotState};
pub use history::History;
pub use outcome::{Outcome, Refusal, RefusalKind, Reply, Ticket};
pub use session::{NoRecording, Session, SessionError};
pub use shot::{NodePose, Shot};
pub use status::{Doing, Flow, Pending, Status};
pub use subscription::{News, Subscription};
pub use verdict::{FinishedRun, Judge, Verdict};
