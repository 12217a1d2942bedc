//! Noise of colour and depth cameras.

use std::ops::Range;

use nalgebra::{Translation3, UnitQuaternion, Vector3};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;
use regrasp_api::{Cameras, Observation, PerceptionError, Pose, RgbdFrame};

/// Noise of a colour and depth camera. The default is none.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CameraNoise {
    /// Standard deviation of the depth at 1 m, m; it grows with the square of the depth, as that of
    /// a stereo camera does. Default 0.
    pub std_at_1_m: f64,
    /// Step between measurable depths at 1 m, m; it grows with the square of the depth. Default 0.
    pub step_at_1_m: f64,
    /// Probability that a pixel measures nothing, 0 to 1. Default 0.
    pub dropout: f64,
    /// Probability that a pixel beside a step of the depth measures nothing, 0 to 1. Default 0.
    pub edge_dropout: f64,
    /// Probability that a black or overexposed pixel measures nothing, 0 to 1; it falls to 0
    /// towards usual brightness. Default 0.
    pub dark_dropout: f64,
    /// Standard deviation of the exposure, as a fraction; drawn once for all pictures. Default 0.
    pub exposure_std: f64,
    /// Standard deviation of each colour channel's gain, as a fraction; drawn once for all
    /// pictures. Default 0.
    pub cast_std: f64,
    /// Standard deviation of each colour channel of a pixel, 0 to 1. Default 0.
    pub colour_std: f64,
    /// Error of each camera's calibrated position, m; its direction is random. Default 0.
    pub calibration_m: f64,
    /// Error of each camera's calibrated orientation, rad; its axis is random. Default 0.
    pub calibration_rad: f64,
    /// Seed. Default 0.
    pub seed: u64,
}

impl CameraNoise {
    /// Noise comparable to that of a good depth camera, calibrated by hand. The depth is that of an
    /// active stereo camera: a standard deviation of 1.5 mm at 1 m, in steps of 1 mm.
    pub fn real() -> Self {
        Self {
            std_at_1_m: 0.0015,
            step_at_1_m: 0.001,
            dropout: 0.005,
            edge_dropout: 0.5,
            dark_dropout: 0.3,
            exposure_std: 0.15,
            cast_std: 0.05,
            colour_std: 0.02,
            calibration_m: 0.002,
            calibration_rad: 0.3_f64.to_radians(),
            seed: 0,
        }
    }

    /// Returns true if nothing is disturbed.
    pub fn is_none(&self) -> bool {
        let none = Self {
            seed: self.seed,
            ..Self::default()
        };
        *self == none
    }

    /// Returns true if the depth depends on the colour, or the colour is disturbed.
    fn is_coloured(&self) -> bool {
        let depth_alone = Self {
            dark_dropout: 0.0,
            exposure_std: 0.0,
            cast_std: 0.0,
            colour_std: 0.0,
            ..*self
        };
        *self != depth_alone
    }

    fn depth(&self, frame: &mut RgbdFrame, rng: &mut impl Rng) {
        let exact = frame.depth_m.clone();
        let width = frame.view.intrinsics.width as usize;
        for (at, depth) in frame.depth_m.iter_mut().enumerate() {
            let drawn: f64 = rng.sample(StandardNormal);
            let mut dropout = self.dropout;
            if self.edge_dropout > 0.0 && is_at_edge(&exact, width, at) {
                dropout = dropout.max(self.edge_dropout);
            }
            if self.dark_dropout > 0.0 {
                dropout = dropout.max(self.dark_dropout * unusual(&frame.rgb[3 * at..3 * at + 3]));
            }
            let is_lost = rng.random::<f64>() < dropout;
            let d = f64::from(*depth);
            let noisy = d + drawn * self.std_at_1_m * d * d;
            let step = self.step_at_1_m * d * d;
            *depth = match (is_lost, step > 0.0) {
                (true, _) => 0.0,
                (false, true) => ((noisy / step).round() * step) as f32,
                (false, false) => noisy as f32,
            };
        }
    }

    fn colour(&self, frame: &mut RgbdFrame, rng: &mut impl Rng) {
        let mut of_pictures = ChaCha8Rng::seed_from_u64(self.seed);
        let mut gain = |std: f64| 1.0 + std * of_pictures.sample::<f64, _>(StandardNormal);
        let exposure = gain(self.exposure_std);
        let gains = [(); 3].map(|()| exposure * gain(self.cast_std));
        for (i, value) in frame.rgb.iter_mut().enumerate() {
            let drawn: f64 = rng.sample(StandardNormal);
            let noisy = f64::from(*value) * gains[i % 3] + 255.0 * self.colour_std * drawn;
            *value = noisy.round().clamp(0.0, 255.0) as u8;
        }
    }

    /// Pose of the calibrated camera frame in the actual camera frame.
    fn calibration(&self, camera_idx: usize) -> Pose {
        let seed = self.seed ^ (camera_idx as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut direction = || Vector3::from_fn(|_, _| rng.sample(StandardNormal)).normalize();
        Pose::from_parts(
            Translation3::from(direction() * self.calibration_m),
            UnitQuaternion::new(direction() * self.calibration_rad),
        )
    }
}

/// Returns true if a neighbour of a pixel is much nearer or farther.
fn is_at_edge(depths: &[f32], width: usize, at: usize) -> bool {
    /// Minimum step of the depth at an edge, m.
    const STEP_M: f32 = 0.02;
    let column = at % width;
    let beside = [
        (column > 0).then(|| at - 1),
        (column + 1 < width).then_some(at + 1),
        at.checked_sub(width),
        Some(at + width),
    ];
    let beside = beside.into_iter().flatten().filter_map(|i| depths.get(i));
    beside.into_iter().any(|d| (d - depths[at]).abs() > STEP_M)
}

/// Darkness or glare of a colour: 1 for black and for full white, 0 for usual brightness.
fn unusual(rgb: &[u8]) -> f64 {
    const DARK: f64 = 0.12;
    const BRIGHT: f64 = 0.97;
    let brightness = rgb.iter().map(|&c| f64::from(c)).sum::<f64>() / (3.0 * 255.0);
    let dark = (DARK - brightness) / DARK;
    let bright = (brightness - BRIGHT) / (1.0 - BRIGHT);
    dark.max(bright).max(0.0)
}

pub(crate) struct NoisyCameras {
    pub(crate) inner: Box<dyn Cameras>,
    pub(crate) noise: CameraNoise,
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
        if self.noise.is_coloured() {
            return self.look(observation);
        }
        let frames = self.inner.measure(observation)?;
        Ok(self.disturbed(frames, observation))
    }

    fn colour(&mut self, picture_idx: usize, pixels: &[Range<usize>], rgb: &mut [u8]) {
        // If the noise needs colours, `measure` has already returned those of all pixels.
        if !self.noise.is_coloured() {
            self.inner.colour(picture_idx, pixels, rgb);
        }
    }
}

impl NoisyCameras {
    fn disturbed(&self, mut frames: Vec<RgbdFrame>, observation: &Observation) -> Vec<RgbdFrame> {
        let noise = &self.noise;
        // Noise is seeded by the time, so that it needs no state.
        let seed = noise.seed ^ observation.time_secs.to_bits();
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        for (idx, frame) in frames.iter_mut().enumerate() {
            noise.depth(frame, &mut rng);
            if noise.is_coloured() {
                noise.colour(frame, &mut rng);
            }
            if noise.calibration_m > 0.0 || noise.calibration_rad > 0.0 {
                frame.view.world_from_camera *= noise.calibration(idx);
            }
        }
        frames
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use regrasp_api::{CameraView, Intrinsics};
    use regrasp_testkit::{near, within};

    /// A wall at 1 m whose right half is black, with a block at 0.5 m before its middle.
    struct Wall;

    impl Cameras for Wall {
        fn names(&self) -> Vec<String> {
            vec!["wall".into()]
        }

        fn look(&mut self, _: &Observation) -> Result<Vec<RgbdFrame>, PerceptionError> {
            let pixels = 0..100 * 100;
            let is_mid = |at: usize| (40..60).contains(&at);
            let depth_m = |i: usize| match is_mid(i % 100) && is_mid(i / 100) {
                true => 0.5,
                false => 1.0,
            };
            let rgb = |i: usize| [if i % 100 < 50 { 128 } else { 0 }; 3];
            Ok(vec![RgbdFrame {
                view: CameraView {
                    name: "wall".into(),
                    intrinsics: Intrinsics::from_vertical_fov(100, 100, 1.0),
                    world_from_camera: Pose::translation(0.3, -0.2, 0.9),
                },
                depth_m: pixels.clone().map(depth_m).collect(),
                rgb: pixels.flat_map(rgb).collect(),
            }])
        }
    }

    fn look(noise: CameraNoise) -> RgbdFrame {
        let inner = Box::new(Wall);
        let mut cameras = NoisyCameras { inner, noise };
        let frames = cameras.measure(&regrasp_testkit::observation());
        frames.expect("the wall is there").remove(0)
    }

    #[test]
    fn noise_is_as_large_as_declared_and_the_same_for_one_seed() {
        let noise = CameraNoise {
            seed: 5,
            ..CameraNoise::real()
        };
        let seen = look(noise);
        assert_eq!(seen, look(noise));
        assert_ne!(seen, look(CameraNoise { seed: 6, ..noise }));
        let lost = |columns: Range<usize>| {
            let rows = (0..30).flat_map(|row| columns.clone().map(move |c| 100 * row + c));
            let all: Vec<f32> = rows.map(|i| seen.depth_m[i]).collect();
            all.iter().filter(|d| **d == 0.0).count() as f64 / all.len() as f64
        };
        within("lost at usual brightness", lost(0..50), ..0.02);
        near("lost where it is black", lost(50..100), 0.3, 0.05);
        let errors = seen.depth_m[..3000].iter().filter(|d| **d > 0.0);
        let errors: Vec<f64> = errors.map(|d| f64::from(*d) - 1.0).collect();
        let std = (errors.iter().map(|e| e * e).sum::<f64>() / errors.len() as f64).sqrt();
        near("deviation, m", std, 0.0015, 0.0002);
        let edge: Vec<usize> = (40..60).map(|row| 100 * row + 40).collect();
        let at_edge = edge.iter().filter(|i| seen.depth_m[**i] == 0.0).count();
        within("of 20 pixels at an edge", at_edge as f64, 4.0..=16.0);
        let error = Pose::translation(0.3, -0.2, 0.9).inverse() * seen.view.world_from_camera;
        near("m off", error.translation.vector.norm(), 0.002, 1e-9);
        near(
            "degrees off",
            error.rotation.angle().to_degrees(),
            0.3,
            1e-6,
        );
    }
}
