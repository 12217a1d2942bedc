//! Recordings; see the crate's documentation.

mod channels;
mod encoder;
mod foxglove;
mod geometry;
mod item;
mod reader;
mod recorder;
mod scan;

pub use encoder::{Encoder, Message, channels};
pub use foxglove::link_frame;
pub use geometry::{BodySurface, Geometry, RecordedBody};
pub use item::{Item, RecordedPicture};
pub use reader::{Items, Recording};
pub use recorder::{CHUNK_SECS, Recorder, RecordingInfo};

/// File name of a recording in a run folder.
pub const RECORDING_FILE: &str = "recording.mcap";

fn nanoseconds(secs: f64) -> u64 {
    (secs * 1e9).round() as u64
}
