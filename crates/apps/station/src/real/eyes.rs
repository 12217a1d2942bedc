//! What looks at a real cell.

use std::path::PathBuf;

use regrasp::LoadedRobot;
use regrasp_api::{Observation, Perception, Pose};
use regrasp_external_perception::{FrameCameras, LinePerception, PerceptOptions};

use super::error::RealArmError;

/// Source of the objects.
#[derive(Clone, Debug)]
pub enum EyeSource {
    /// Another process: a file to which it appends lines, or a URL.
    Percepts {
        /// File or URL.
        place: String,
        /// Time for which a look waits for a new line, s.
        wait_secs: f64,
    },
    /// Colour and depth pictures, by a file of cameras.
    Rgbd(PathBuf),
}

impl EyeSource {
    /// Its name for people.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Percepts { .. } => "percepts",
            Self::Rgbd(_) => "rgbd",
        }
    }
}

/// What looks at the cell, and where a camera sits in the hand, if one does.
pub struct Eyes {
    /// Perceives the cell.
    pub perception: Box<dyn Perception>,
    /// The camera in the hand.
    pub tool_from_camera: Option<Pose>,
}

impl Eyes {
    /// Opens a source. Nothing is looked at yet, so a wrong file ends it before anybody connects.
    ///
    /// # Errors
    ///
    /// [`RealArmError`].
    pub fn open(source: &EyeSource, loaded: &LoadedRobot, seed: u64) -> Result<Self, RealArmError> {
        let path = match source {
            EyeSource::Percepts { place, wait_secs } => {
                let options = PerceptOptions {
                    wait_secs: *wait_secs,
                    ..PerceptOptions::default()
                };
                return Ok(Self {
                    perception: Box::new(LinePerception::open(place, options)?),
                    tool_from_camera: None,
                });
            }
            EyeSource::Rgbd(path) => path,
        };
        let world_from_tool = loaded.world_from_tool();
        let tool = Box::new(move |now: &Observation| world_from_tool(now));
        let cameras = FrameCameras::open(path, tool)?;
        let tool_from_camera = cameras.tool_from_camera();
        let world_from_base = Pose::identity();
        let perception = loaded.rgbd_through(Box::new(cameras), &world_from_base, seed)?;
        Ok(Self {
            perception: Box::new(perception),
            tool_from_camera,
        })
    }
}
