//! One robot in one scene that people or programs command while others watch.
//!
//! **What it does.** A [`Session`] owns a robot and its world on a thread of its own. Orders
//! ([`Command`]) come from any thread: carry out a text, call one skill, move the tool a little,
//! pause, go on to the next step, stop, reset, approve, cause a fault, move an object. Observers
//! get a [`Subscription`]: status, events of the run, and positions, as often as they ask. Past
//! positions are kept ([`History`]), so that observers can look back. The live page and other
//! front ends use this crate.
//!
//! **What it does not do.** It opens no socket and has no access control: the front end decides who
//! may give orders.
//!
//! **Robots and worlds.** A [`Backend`] builds what a session commands. [`SimBackend`] puts one
//! robot into simulated scenes, one after the other. With the feature `franka`, `real` has the
//! backend that connects to a real arm, and the parts of a single run with one: connection,
//! perception, recording.
//!
//! **Where to enter.** [`Session::start`], [`Session::command`], [`Session::subscribe`]; inside,
//! `worker` (the thread), `pacing` (pause, speed, stop), `session_state` (state that everybody
//! reads), `pending_questions` (questions that wait for an answer).
//!
//! # Time
//!
//! Simulated time passes only while the robot does something or while moved objects come to rest.
//! It is throttled to real time or a multiple of it; a pause holds it. Throttling never changes
//! what happens, only when it is seen.
//!
//! A real robot ([`Hardware`]) has its own time. It is shown whether or not somebody commands it. A
//! pause holds it before its next motion; a stop goes to the robot directly, even when nothing is
//! under way. The session cannot disturb, repair or rehearse it; a reset reconnects to it.
//!
//! # Invariants
//!
//! - One job at a time: an order that would move the robot is rejected while another runs.
//! - A stop needs no free thread: it cancels the job at the world's next step, even during a pause
//!   or an approval, and the arm then holds its position.
//! - No observer can slow the robot down. A slow one misses positions, not events; one that is far
//!   too slow gets the number of events it missed.
//! - Memory is bounded: old events of a long run are dropped, its positions are thinned.
//! - A rejected order changes nothing.
//! - A skill called by hand waits for approval where the same step of a plan would.
//! - The judge of a task sees the world's true state, the planners do not see the judge: its
//!   verdict comes when the run is over.
//!
//! # The libraries behind it
//!
//! `tokio` for two channels (`sync` only, no runtime): observers may wait for news in async code,
//! the simulating thread need not. `parking_lot` has locks without poisoning: after a panic the
//! state can still be shown and stopped.

mod backend;
mod camera;
mod command;
mod consent;
mod disturb;
mod entry;
mod export;
mod frames;
mod hardware;
mod history;
mod jobs;
mod manual;
mod options;
mod outcome;
mod pacing;
mod pending_questions;
mod placing;
mod prepared;
#[cfg(all(feature = "franka", target_os = "linux"))]
pub mod real;
mod repeated;
mod run;
mod run_store;
mod session;
mod session_state;
mod shared;
mod shot;
mod sim;
mod status;
mod subscription;
mod verdict;
mod worker;

pub use backend::{Backend, Catalogue, Listen, LoadedScene, Prepare, TaskEntry};
pub use command::{Command, RunOrder};
pub use entry::{Entry, LogEntry};
pub use export::{Export, MakeExport, Wanted};
pub use hardware::{Consent, Hardware, RobotState};
pub use history::History;
pub use options::{PlannerMaker, SkillMaker, StartScene, StationOptions};
pub use outcome::{Outcome, Refusal, RefusalKind, Reply, Ticket};
pub use prepared::{Prepared, SetupFailure};
pub use repeated::Repeated;
pub use session::{NoRecording, Session};
pub use shot::{NodePose, Shot};
pub use sim::SimBackend;
pub use status::{Doing, Flow, Pending, Status};
pub use subscription::{News, Subscription};
pub use verdict::{Judge, Verdict};
