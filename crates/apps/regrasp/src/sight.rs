//! Perception from pixels alone.

use std::sync::Arc;

use regrasp_api::{Cameras, Pose};
use regrasp_ground_truth::GroundTruthSource;
use regrasp_rgbd_perception::{Catalogue, OwnBody, RgbdOptions, RgbdPerception};
use regrasp_scene::Scene;

use crate::camera_noise::{CameraNoise, NoisyCameras};
use crate::view::{SceneView, SimCameras};
use crate::{LoadedRobot, SetupError};

/// Options of perception from pixels. The defaults are exact cameras and no models.
#[derive(Clone, Debug, Default)]
pub struct SightOptions {
    /// Noise of the cameras.
    pub noise: CameraNoise,
    /// Models of objects that may be in the scene.
    pub models: Arc<Catalogue>,
}

impl SightOptions {
    /// The options with this seed of the noise.
    pub fn seeded(&self, seed: u64) -> Self {
        let mut seeded = self.clone();
        seeded.noise.seed = seed;
        seeded
    }
}

impl LoadedRobot {
    /// Creates a perception that sees `truth` only through the scene's cameras for perception.
    ///
    /// # Errors
    ///
    /// [`SetupError`] if the robot file names something that the URDF does not have, or the scene
    /// names a camera for perception that it does not have.
    pub fn rgbd(
        &self,
        scene: &Scene,
        truth: Arc<dyn GroundTruthSource>,
        options: &SightOptions,
        seed: u64,
    ) -> Result<RgbdPerception, SetupError> {
        let view = SceneView::new(self, scene)?;
        let mut seen = SimCameras::new(view, truth);
        if !scene.perception_cameras.is_empty() {
            seen = seen.only(&scene.perception_cameras)?;
        }
        let mut cameras: Box<dyn Cameras> = Box::new(seen);
        if !options.noise.is_none() {
            cameras = Box::new(NoisyCameras {
                inner: cameras,
                noise: options.noise,
            });
        }
        let eyes = self.rgbd_through(cameras, &scene.world_from_base, seed)?;
        Ok(eyes.knowing(Arc::clone(&options.models)))
    }

    /// Creates a perception that sees the workspace of a robot at `world_from_base` through any
    /// cameras.
    ///
    /// # Errors
    ///
    /// [`SetupError`] if the robot file names something that the URDF does not have.
    pub fn rgbd_through(
        &self,
        cameras: Box<dyn Cameras>,
        world_from_base: &Pose,
        seed: u64,
    ) -> Result<RgbdPerception, SetupError> {
        let body = OwnBody::new(self.looks()?, &self.file().tool_link);
        let body = body.map_err(|error| SetupError::NoSuchLink {
            user: "tool".into(),
            link: error.tool_link,
        })?;
        let options = RgbdOptions {
            workspace: self.info(world_from_base).workspace,
            seed,
            latency_secs: 0.0,
        };
        Ok(RgbdPerception::new(cameras, body, options))
    }
}
