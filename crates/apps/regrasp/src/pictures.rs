//! Pictures for planners that use them.

use std::sync::Arc;

use regrasp_ground_truth::GroundTruthSource;
use regrasp_rgbd_perception::CameraPictures;
use regrasp_scene::Scene;

use crate::view::{SceneView, SimCameras};
use crate::{LoadedRobot, SetupError};

/// Options of the pictures for a planner.
#[derive(Clone, Debug, PartialEq, Eq, smart_default::SmartDefault)]
pub struct PictureOptions {
    /// Names of the cameras. Default `scene`.
    #[default(vec!["scene".into()])]
    pub cameras: Vec<String>,
    /// True to draw numbers on known objects. Default false.
    pub marks: bool,
}

impl LoadedRobot {
    /// Creates a source of pictures of a scene's present state.
    ///
    /// # Errors
    ///
    /// [`SetupError`] if the scene does not have one of the cameras, or the robot file names
    /// something that the URDF does not have.
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
