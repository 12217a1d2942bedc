//! Perception from pixels alone.

use std::ops::Range;
use std::sync::Arc;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;
use regrasp_api::{Cameras, Observation, PerceptionError, Pose, RgbdFrame};
use regrasp_ground_truth::GroundTruthSource;
use regrasp_rgbd_perception::{OwnBody, RgbdOptions, RgbdPerception};
use regrasp_scene::Scene;

use crate::view::{SceneView, SimCameras};
use crate::{LoadedRobot, SetupError};

/// Noise of a depth camera. The default is none.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DepthNoise {
    /// Standard deviation at a depth of 1 m, m; it grows with the square of the depth, as that of a
    /// stereo camera does. Default 0.
    pub std_at_1_m: f64,
    /// Probability that a pixel measures nothing, 0 to 1. Default 0.
    pub dropout: f64,
    /// Seed. Default 0.
    pub seed: u64,
}

struct NoisyCameras {
    inner: Box<dyn Cameras>,
    noise: DepthNoise,
}

impl Cameras for NoisyCameras {
    fn names(&self) -> Vec<String> {
        self.inner.names()
    }

    fn look(&mut self, observation: &Observation) -> Result<Vec<RgbdFrame>, PerceptionError> {
        let frames = self.inner.look(observation)?;
        Ok(self.disturbed(frames, observation))
    }

    fn measure(&mut self, observation: &Observation) -> Result<Vec<RgbdFrame>, PerceptionError> {
        let frames = self.inner.measure(observation)?;
        Ok(self.disturbed(frames, observation))
    }

    fn colour(&mut self, picture_idx: usize, pixels: &[Range<usize>], rgb: &mut [u8]) {
        self.inner.colour(picture_idx, pixels, rgb);
    }
}

impl NoisyCameras {
    fn disturbed(&self, mut frames: Vec<RgbdFrame>, observation: &Observation) -> Vec<RgbdFrame> {
        // Noise is seeded by the time, so that it needs no state.
        let seed = self.noise.seed ^ observation.time_secs.to_bits();
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        for depth in frames.iter_mut().flat_map(|f| &mut f.depth_m) {
            let drawn: f64 = rng.sample(StandardNormal);
            let is_lost = rng.random::<f64>() < self.noise.dropout;
            let d = f64::from(*depth);
            *depth = match is_lost {
                true => 0.0,
                false => (d + drawn * self.noise.std_at_1_m * d * d) as f32,
            };
        }
        frames
    }
}

impl LoadedRobot {
    /// Creates a perception that sees `truth` only through the scene's cameras.
    ///
    /// # Errors
    ///
    /// [`SetupError`] if the robot file names something that the URDF does not have.
    pub fn rgbd(
        &self,
        scene: &Scene,
        truth: Arc<dyn GroundTruthSource>,
        noise: DepthNoise,
        seed: u64,
    ) -> Result<RgbdPerception, SetupError> {
        let view = SceneView::new(self, scene)?;
        let mut cameras: Box<dyn Cameras> = Box::new(SimCameras::new(view, truth));
        if noise != DepthNoise::default() {
            cameras = Box::new(NoisyCameras {
                inner: cameras,
                noise,
            });
        }
        self.rgbd_through(cameras, &scene.world_from_base, seed)
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
