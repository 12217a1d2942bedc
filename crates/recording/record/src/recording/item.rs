//! The items of a recording.

use regrasp_api::StampedEvent;
use regrasp_ground_truth::Frame;

/// Something that was recorded.
#[derive(Clone, Debug)]
pub enum Item {
    /// The world at one instant.
    Frame(Box<Frame>),
    /// Something that happened.
    Event(Box<StampedEvent>),
    /// A picture.
    Picture(RecordedPicture),
}

/// A picture that a camera of the scene took.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedPicture {
    /// The camera.
    pub camera: String,
    /// Simulated time, s.
    pub time_secs: f64,
    /// The picture.
    pub png: Vec<u8>,
}

impl Item {
    /// Simulated time, s.
    pub fn time_secs(&self) -> f64 {
        match self {
            Self::Frame(frame) => frame.time_secs,
            Self::Event(event) => event.sim_secs,
            Self::Picture(picture) => picture.time_secs,
        }
    }
}
