//! Consumers of a run's events: run folders that stay readable at any moment, and
//! the log lines of the console.
//!
//! Where to enter: [`RunFolder::create`] starts a folder and hands out a
//! [`RunSink`] for the robot; [`read_run`] reads a folder back, also one whose run
//! was killed, and [`Run::story`] tells it. [`Cues`] and
//! [`key_moments`] say what to write on pictures of it. [`ConsoleSink`] writes the `PLAN:` and `EXECUTE:` lines.
//!
//! What this crate does not do: it takes no part in a run. A sink never fails the
//! episode; it keeps its first error for its owner (`take_error`).
//!
//! # A run folder
//!
//! | file | holds | written |
//! |---|---|---|
//! | `episode.json` | [`EpisodeInfo`] | at the start, atomically |
//! | `events.jsonl` | one [`regrasp_api::StampedEvent`] a line | line by line, flushed after each |
//! | `result.json` | [`regrasp_api::EpisodeResult`] | at the end, atomically |
//!
//! Invariants: a file that is written atomically is either absent or complete; a
//! line of `events.jsonl` that ends with a newline is complete; a folder without
//! `result.json` is a run that was killed.

mod console;
mod cues;
mod error;
mod files;
mod reader;
mod run_folder;
mod story;

pub use console::ConsoleSink;
pub use cues::{Cue, Cues, Moment, key_moments};
pub use error::RecordError;
pub use reader::{Run, SkippedLine, read_run};
pub use run_folder::{EpisodeInfo, RunFolder, RunSink};
