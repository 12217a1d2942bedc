//! Consumers of a run's events: run folders, recordings of the world, and console logs.
//!
//! Entry points: [`RunFolder::create`] creates a folder, whose [`RunSink`] takes the events;
//! [`read_run`] reads a folder, including that of a killed run, and [`Run::story`] describes the
//! run. [`Cues`] and [`key_moments`] give captions for pictures of a run. [`ConsoleSink`] writes
//! the console's lines, such as `PLAN:` and `EXECUTE:`.
//!
//! A sink never fails the episode. It keeps its first error, which `take_error` returns.
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
//! run that was killed or has not ended.
//!
//! # A recording
//!
//! A recording holds the motion of the world during a run, with its events and pictures.
//!
//! **Purpose.** A [`Recorder`] takes frames ([`regrasp_ground_truth::FrameSink`]) and events
//! ([`regrasp_api::EventSink`]) during a run and writes them into one MCAP file. A [`Recording`]
//! reads them in order of time from any start time, even if the writer was killed.
//!
//! **Out of scope.** Simulation and rendering.
//!
//! **Entry points.** [`Recorder::create`], [`Recording::open`].
//!
//! ## The file
//!
//! | topic | schema, as JSON | content |
//! |---|---|---|
//! | `/state` | `regrasp.State` | time, step, gripper, contacts |
//! | `/joint_states` | `foxglove.JointStates` | measured positions and velocities |
//! | `/joint_commands` | `foxglove.JointStates` | commanded positions and velocities |
//! | `/tf` | `foxglove.FrameTransforms` | poses of links, tool point and objects |
//! | `/scene` | `foxglove.SceneUpdate` | surfaces of the bodies, when the set of objects changes |
//! | `/events` | `regrasp.Event` | [`regrasp_api::StampedEvent`] |
//! | `/log` | `foxglove.Log` | the events in words ([`regrasp_api::Event::remarks`]) |
//! | `/camera/NAME` | `foxglove.CompressedImage` | a picture |
//!
//! A frame consists of a message on each of the first four topics. A [`Geometry`] provides the
//! links and the scenery. Frames of older recordings, on the topics `/joints`, `/gripper`,
//! `/objects` and `/contacts`, can also be read.
//!
//! The attachment `episode.json` holds [`RecordingInfo`] with the scene and the robot, so that a
//! recording can be drawn without other files. Times are simulated times in nanoseconds since the
//! start of the world's clock.
//!
//! ## Invariants
//!
//! - Chunks are written as a whole and are at most [`CHUNK_SECS`] long, so that everything older
//!   than a second of simulated time is in the file. A chunk also ends with each event after which
//!   the run may wait, for example for a planner.
//! - The four messages of a frame have one sequence number and are in one chunk.
//! - Memory does not grow with the run, except for the index of chunks (about 200 bytes per
//!   second).
//! - Frames are lossless, except for object poses and contacts, which have seven decimals (0.1 µm).
//!
//! ## Dependencies
//!
//! The container format is MCAP. A truncated file remains readable, a file contains the schemas of
//! its messages, and robotics tools read it (Foxglove, Rerun, PlotJuggler, ROS 2).
//!
//! - `mcap`, the official crate, writes files and splits chunks into records. Because recordings
//!   may be untrusted, the module `scan` reads the fields of records instead.
//! - `zstd` compresses chunks, which makes them six times smaller.
//! - `schemars` derives the JSON schemas of the messages.
//! - `crc32fast`, which `png` already depends on, verifies the checksum of the attachment.
//! - `parking_lot` provides locks without poisoning.
//!
//! The crate `foxglove` is not used. It has no reader; its writer always finishes a file, so that a
//! broken recording would look complete; and its JSON does not match Foxglove's own schemas (levels
//! are words, absent numbers are null). `scripts/check_mcap.py` reads a recording with the official
//! Python package and validates it by these schemas.

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
    BodySurface, CHUNK_SECS, Encoder, Geometry, Item, Items, Message, RECORDING_FILE, RecordedBody,
    RecordedPicture, Recorder, Recording, RecordingInfo, channels, link_frame,
};
pub use run_folder::{EpisodeInfo, RunFolder, RunSink};
