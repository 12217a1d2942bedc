//! View of a scene for a session.

use regrasp::SceneView;
use regrasp_api::CameraView;
use regrasp_ground_truth::{Frame, LinkPose};
use regrasp_record::{BodySurface, Geometry};
use regrasp_render::Stage;
use regrasp_session::View;

/// View of a simulated or real scene.
pub(crate) struct ShownScene(pub(crate) SceneView);

impl View for ShownScene {
    fn stage(&self, frame: &Frame) -> Stage {
        self.0.stage_from_frame(frame)
    }

    fn cameras(&self, joint_positions: &[f64], gripper_width_m: f64) -> Vec<CameraView> {
        self.0.views(joint_positions, gripper_width_m)
    }
}

impl Geometry for ShownScene {
    fn joint_names(&self) -> Vec<String> {
        self.0.joint_names()
    }

    fn surfaces(&self) -> Vec<BodySurface> {
        self.0.surfaces()
    }

    fn links(&self, frame: &Frame) -> Vec<LinkPose> {
        self.0.links(frame)
    }
}
