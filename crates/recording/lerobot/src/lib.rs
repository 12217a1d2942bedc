//! Data sets of demonstrations in LeRobot's format, version 3.0.
//!
//! **Purpose.** A `DatasetWriter` takes episodes one after the other: states, actions and pictures
//! at a constant rate, the text of the task, and the end. `finish` turns the folder into a data set
//! that `lerobot` loads.
//!
//! **Out of scope.** The crate does not depend on robots, recordings or scenes: the caller defines
//! the state and the action.
//!
//! **Entry points.** [`DatasetSpec`], `DatasetWriter` (feature `write`). Internally: `info`
//! (features of the data set), `stats`, `stage` (episodes before the data set is complete),
//! `tables` (Parquet).
//!
//! # The folder
//!
//! Each added episode gets its own folder below `.staged` once it is complete, so that a killed
//! process loses only the episode that it was adding. At the end, the episodes are joined without
//! encoding pictures again, because video streams can be concatenated. `meta/info.json`, which
//! marks the folder as a data set, is written last.
//!
//! # Invariants
//!
//! - A staged episode is never overwritten. It is identified by its source.
//! - `timestamp` is the index of a frame in its episode divided by the rate, in videos and tables.
//! - A finished data set is not changed.
//!
//! # Dependencies
//!
//! `parquet` and `arrow` are the official crates, here without default features (snappy only). With
//! their dependencies, they are 48 crates, and therefore behind the feature `write`. Videos are
//! written by the crate `video`.

mod info;
mod stats;

#[cfg(feature = "write")]
mod error;
#[cfg(feature = "write")]
mod stage;
#[cfg(feature = "write")]
mod tables;
#[cfg(feature = "write")]
mod writer;

#[cfg(feature = "write")]
pub use error::DatasetError;
pub use info::{Camera, DatasetSpec, Ending, VERSION, info};
#[cfg(feature = "write")]
pub use stage::EpisodeWriter;
pub use stats::{ImageStats, Stats, column_stats};
#[cfg(feature = "write")]
pub use writer::{DatasetWriter, Finished};
