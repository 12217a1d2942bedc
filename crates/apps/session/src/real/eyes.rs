//! Perception of a real cell.

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
        /// Time to wait for a new line when perceiving, s.
        wait_secs: f64,
    },
    /// Colour and depth pictures of the cameras in a file.
    Rgbd(PathBuf),
}

impl EyeSource {
    /// Name in the catalogue of a session.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Percepts { .. } => "percepts",
            Self::Rgbd(_) => "rgbd",
        }
    }
}

/// Perception of the cell, and the pose of a camera on the hand.
pub struct Eyes {
    /// Perception of the cell.
    pub perception: Box<dyn Perception>,
    /// Pose of the camera on the hand, if there is one.
    pub tool_from_camera: Option<Pose>,
}

impl Eyes {
    /// Opens a source without perceiving, so that an invalid file is found before connecting.
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
