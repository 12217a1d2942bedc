//! Consumers of a run's events: run folders, recordings of the world, and console logs.
//!
//! Entry points: [`RunFolder::create`] creates a folder and returns a [`RunSink`] for the robot;
//! [`read_run`] reads a folder, including that of a killed run, and [`Run::story`] describes it.
//! [`Cues`] and [`key_moments`] give captions for its pictures. [`ConsoleSink`] writes the `PLAN:`
//! and `EXECUTE:` lines.
//!
//! A sink only observes and never fails the episode; it keeps its first error for its owner
//! (`take_error`).
//!
//! # A run folder
//!
//! | file | content | written |
//! |---|---|---|
//! | `episode.json` | [`EpisodeInfo`] | at the start, atomically |
//! | `events.jsonl` | one [`regrasp_api::StampedEvent`] per line | line by line, flushed after each |
//! | `result.json` | [`regrasp_api::EpisodeResult`] | at the end, atomically |
//!
//! Invariants: a file that is written atomically is either absent or complete; a line of
//! `events.jsonl` that ends with a newline is complete; a folder without `result.json` belongs to a
//! killed run.
//!
//! # A recording
//!
//! A recording holds the motion of the world during a run, with its events and pictures.
//!
//! **Purpose.** A [`Recorder`] takes frames ([`regrasp_ground_truth::FrameSink`]) and events
//! ([`regrasp_api::EventSink`]) during a run and writes them into one MCAP file. A [`Recording`]
//! reads them in order of time from any start time, also if the writer was killed.
//!
//! **Out of scope.** Simulation and rendering.
//!
//! **Entry points.** [`Recorder::create`], [`Recording::open`].
//!
//! ## The file
//!
//! | topic | message, as JSON |
//! |---|---|
//! | `/joints` | time, step, measured and commanded joint positions, tool pose |
//! | `/gripper` | [`regrasp_ground_truth::FrameGripper`] |
//! | `/objects` | poses of all objects |
//! | `/contacts` | all contacts |
//! | `/events` | [`regrasp_api::StampedEvent`] |
//! | `/camera/NAME` | a picture, as Foxglove's `CompressedImage` |
//!
//! The attachment `episode.json` holds [`RecordingInfo`] with the scene and the robot, so that a
//! recording can be drawn without other files. Times are simulated times in nanoseconds since the
//! start of the world's clock.
//!
//! ## Invariants
//!
//! - Everything older than a second of simulated time is in the file, and so is every event after
//!   which the run may wait for somebody: chunks are written whole and are never longer than
//!   [`CHUNK_SECS`].
//! - The four messages of a frame have one sequence number and are in one chunk.
//! - Memory does not grow with the run, except for the index of chunks (about 200 bytes per
//!   second).
//! - Frames are lossless, except for object poses and contacts, which have single precision (0.1
//!   µm).
//!
//! ## Dependencies
//!
//! The container is MCAP: it can be appended to and truncated anywhere, describes its own messages,
//! and is read by robotics tools (Foxglove, Rerun, PlotJuggler, ROS 2). The official crate `mcap`,
//! without compression, writes it. The reader is our own (module `scan`), because recordings may be
//! untrusted. `scripts/check_mcap.py` reads a recording with the official Python package. Messages
//! are JSON with a schema by `schemars`, which all of these tools can plot. `crc32fast`, which
//! `png` already depends on, computes checksums. `parking_lot` provides locks without poisoning.

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
