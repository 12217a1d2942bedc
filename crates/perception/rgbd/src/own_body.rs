//! The robot's own body: its pixels in an image, and the pose of its hand.

use regrasp_api::{CameraView, Observation, Pose};
use regrasp_render::{RobotLooks, SoftwareRenderer, Stage};

/// The robot's own model.
pub struct OwnBody {
    looks: RobotLooks,
    tool_link_idx: usize,
    renderer: SoftwareRenderer,
}

/// Error for a tool link that the model lacks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("locate the hand: the robot has no link `{tool_link}`")]
pub struct OwnBodyError {
    /// Name of the missing link.
    pub tool_link: String,
}

impl OwnBody {
    /// Makes the body from the looks of the robot and the name of the link between its fingertips.
    ///
    /// # Errors
    ///
    /// [`OwnBodyError`] if the model has no such link.
    pub fn new(looks: RobotLooks, tool_link: &str) -> Result<Self, OwnBodyError> {
        let tool_link_idx = looks.link_idx(tool_link).ok_or_else(|| OwnBodyError {
            tool_link: tool_link.to_owned(),
        })?;
        Ok(Self {
            looks,
            tool_link_idx,
            renderer: SoftwareRenderer::default(),
        })
    }

    fn links(&self, observation: &Observation) -> Vec<Pose> {
        let (base, joints) = (&observation.world_from_base, &observation.joint_positions);
        (self.looks).world_from_links(base, joints, observation.gripper.width_m)
    }

    /// Pose of the tool point between the fingertips.
    pub(crate) fn world_from_tool(&self, observation: &Observation) -> Pose {
        self.links(observation)[self.tool_link_idx]
    }

    /// Depth of the robot's own surface at each pixel of each view, m; 0 where it is not visible.
    pub(crate) fn depths(
        &mut self,
        observation: &Observation,
        views: &[CameraView],
    ) -> Vec<Vec<f32>> {
        let mut stage = Stage::default();
        self.looks.add_to(&mut stage, &self.links(observation));
        let depths = views.iter().map(|v| self.renderer.depth(&stage, v));
        depths.collect()
    }
}
