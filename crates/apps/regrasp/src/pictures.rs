//! Pictures for planners that look for themselves.

use std::sync::Arc;

use regrasp_ground_truth::GroundTruthSource;
use regrasp_rgbd_perception::CameraPictures;
use regrasp_scene::Scene;

use crate::view::{SceneView, SimCameras};
use crate::{LoadedRobot, SetupError};

/// Which pictures a planner is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PictureOptions {
    /// The cameras that take them, by name. Default the one called `scene`.
    pub cameras: Vec<String>,
    /// True if numbers are drawn on what is known. Default false.
    pub marks: bool,
}

impl Default for PictureOptions {
    fn default() -> Self {
        Self {
            cameras: vec!["scene".into()],
            marks: false,
        }
    }
}

impl LoadedRobot {
    /// Pictures of a scene as it is whenever somebody looks.
    ///
    /// # Errors
    ///
    /// [`SetupError`] if the scene has no camera of that name, or the robot file names what
    /// the URDF has not.
    pub fn pictures(
        &self,
        scene: &Scene,
        truth: Arc<dyn GroundTruthSource>,
        options: &PictureOptions,
    ) -> Result<CameraPictures, SetupError> {
        let cameras = SimCameras::new(SceneView::new(self, scene)?, truth);
        let cameras = cameras.only(&options.cameras)?.fine();
        let pictures = CameraPictures::new(Box::new(cameras));
        Ok(match options.marks {
            true => pictures.with_marks()?,
            false => pictures,
        })
    }
}
