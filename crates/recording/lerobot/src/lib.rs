//! Data sets of demonstrations in LeRobot's format, version 3.0.
//!
//! **What it does.** A `DatasetWriter` takes episodes, one after the other: states,
//! actions and pictures at a constant rate, a task as text, and how it ended. When it is
//! finished the folder is a data set that `lerobot` loads.
//!
//! **What it does not do.** It knows no robot, no recording and no scene: whoever has those
//! says what a state is.
//!
//! **Where to enter.** [`DatasetSpec`], `DatasetWriter` (feature `write`); inside, `info`
//! (the tables' columns), `stats`, `stage` (episodes while others are still missing),
//! `tables` (Parquet).
//!
//! # The folder
//!
//! While episodes are added, each is a folder of its own below `.staged`, complete or not
//! there at all; a process that is killed has lost the episode that it was adding. When all
//! are there they are put together: pictures are not encoded again, their streams are
//! joined. `meta/info.json`, without which nobody takes the folder for a data set, comes
//! last.
//!
//! # Invariants
//!
//! - An episode that is staged is never written again: its source names it.
//! - `timestamp` is the index of a frame in its episode over the rate, in video and tables.
//! - A folder that is a data set is not changed.
//!
//! # The libraries behind it
//!
//! `parquet` and `arrow`, the makers' own, without default features (snappy only): 48 crates
//! behind the feature `write`. Videos are those of the crate `video`.

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
pub use stats::{ImageStats, Stats, column_stats};
#[cfg(feature = "write")]
pub use writer::{DatasetWriter, EpisodeWriter, Finished};
