//! Consumers of a run's events: run folders that stay readable at any moment, recordings of
//! the world as it moved, and the log lines of the console.
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
//!
//! # A recording
//!
//! The world of a run as it moved, with its events and pictures.
//!
//! **What it does.** A [`Recorder`] takes frames of the world ([`regrasp_ground_truth::FrameSink`])
//! and events ([`regrasp_api::EventSink`]) while a run goes on and writes them into one
//! MCAP file; a [`Recording`] reads them back in the order of time, from any time on, also
//! from a file whose writer was killed.
//!
//! **What it does not do.** It neither simulates nor draws. A recorder never fails the run:
//! it keeps its first error for its owner (`take_error`).
//!
//! **Where to enter.** [`Recorder::create`], [`Recording::open`].
//!
//! ## The file
//!
//! | topic | message, as JSON |
//! |---|---|
//! | `/joints` | time, step, joints measured and commanded, pose of the tool |
//! | `/gripper` | [`regrasp_ground_truth::FrameGripper`] |
//! | `/objects` | the pose of every object |
//! | `/contacts` | everything that touches |
//! | `/events` | [`regrasp_api::StampedEvent`] |
//! | `/camera/NAME` | a picture, as Foxglove's `CompressedImage` |
//!
//! The attachment `episode.json` holds [`RecordingInfo`], with the scene and the robot, so
//! that a recording can be drawn without any other file. Times are simulated times, in
//! nanoseconds from the start of the world's clock.
//!
//! ## Invariants
//!
//! - What was told more than a second of simulated time ago is in the file, and so is every
//!   event after which the run may wait for somebody: chunks are written whole, and are
//!   never longer than [`CHUNK_SECS`].
//! - The four parts of a frame have one sequence number and are in one chunk.
//! - Memory does not grow with the run, but for the index of chunks (about 200 bytes a
//!   second).
//! - A frame is read back to the last bit, but for the poses of objects and for contacts,
//!   which have single precision (0.1 µm).
//!
//! ## The libraries behind it
//!
//! The container is MCAP: it can be appended to and cut anywhere, describes its own
//! messages, and is what robotics tools open (Foxglove, Rerun, PlotJuggler, ROS 2). Its makers' crate
//! `mcap`, without its compressions, writes it; what reads it is our own (the module `scan`), since
//! recordings come from outside. `scripts/check_mcap.py` reads a recording with the makers' own
//! Python package. Messages are JSON with a schema by `schemars`, which every one of these tools can
//! plot; `crc32fast`, which `png` has in the tree anyway, guards chunks. `parking_lot` has locks
//! without poison.

mod comparison;
mod console;
mod cues;
mod error;
mod files;
mod reader;
mod recording;
mod run_folder;
mod story;

pub use comparison::{ComparedStep, Comparison};
pub use console::ConsoleSink;
pub use cues::{Cue, Cues, Moment, key_moments};
pub use error::RecordError;
pub use reader::{Run, SkippedLine, episode_result, read_run};
pub use recording::{
    CHUNK_SECS, Item, Items, RECORDING_FILE, RecordedPicture, Recorder, Recording, RecordingInfo,
};
pub use run_folder::{EpisodeInfo, RunFolder, RunSink};
