//! Recordings; see the crate's documentation.

mod channels;
mod item;
mod reader;
mod recorder;
mod scan;
mod texts;

pub use item::{Item, RecordedPicture};
pub use reader::{Items, Recording};
pub use recorder::{CHUNK_SECS, Recorder, RecordingInfo};

/// File name of a recording in a run folder.
pub const RECORDING_FILE: &str = "recording.mcap";
