//! Items of a recording: frames, events and pictures.

use regrasp_api::StampedEvent;
use regrasp_ground_truth::Frame;

/// An item of a recording.
#[derive(Clone, Debug)]
pub enum Item {
    /// State of the world at one time.
    Frame(Box<Frame>),
    /// An event.
    Event(Box<StampedEvent>),
    /// A picture.
    Picture(RecordedPicture),
}

/// A picture from a camera of the scene.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedPicture {
    /// Name of the camera.
    pub camera: String,
    /// Simulated time, s.
    pub time_secs: f64,
    /// Picture as PNG.
    pub png: Vec<u8>,
}

impl Item {
    /// Simulated time of the item, s.
    pub fn time_secs(&self) -> f64 {
        match self {
            Self::Frame(frame) => frame.time_secs,
            Self::Event(event) => event.sim_secs,
            Self::Picture(picture) => picture.time_secs,
        }
    }
}
