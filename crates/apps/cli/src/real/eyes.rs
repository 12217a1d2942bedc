//! What looks at a real cell.

use regrasp::Kit;
use regrasp::api::{Observation, Perception, Pose};
use regrasp_external_perception::{FrameCameras, LinePerception, PerceptOptions};

use super::EyeArguments;
use crate::error::CliError;

/// What looks at the cell, and where a camera sits in the hand, if one does.
pub(super) struct Eyes {
    pub(super) perception: Box<dyn Perception>,
    pub(super) tool_from_camera: Option<Pose>,
}

impl Eyes {
    /// Opens what the arguments name. Nothing is looked at yet, so a wrong file ends it before
    /// anybody connects.
    pub(super) fn open(eyes: &EyeArguments, kit: &Kit, seed: u64) -> Result<Self, CliError> {
        if let Some(place) = &eyes.percepts {
            let options = PerceptOptions {
                wait_secs: eyes.percepts_wait,
                ..PerceptOptions::default()
            };
            return Ok(Self {
                perception: Box::new(LinePerception::open(place, options)?),
                tool_from_camera: None,
            });
        }
        let path = eyes.rgbd.as_ref().ok_or(CliError::NoEyes)?;
        let world_from_tool = kit.world_from_tool();
        let cameras = FrameCameras::open(
            path,
            Box::new(move |now: &Observation| world_from_tool(now)),
        )?;
        let tool_from_camera = cameras.tool_from_camera();
        let world_from_base = Pose::identity();
        let perception = kit.rgbd_through(Box::new(cameras), &world_from_base, seed)?;
        Ok(Self {
            perception: Box::new(perception),
            tool_from_camera,
        })
    }
}

impl EyeArguments {
    /// What it is called by people.
    #[cfg(any(feature = "serve", feature = "mcp"))]
    pub(super) fn name(&self) -> &'static str {
        match self.percepts {
            Some(_) => "percepts",
            None => "rgbd",
        }
    }
}
