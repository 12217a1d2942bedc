//! Noise of ground-truth perception, and validation of its options.

use nalgebra::{UnitQuaternion, Vector3};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;
use regrasp_api::Pose;
use serde::{Deserialize, Serialize};

/// Errors that perception adds to ground truth. The default adds none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NoiseOptions {
    /// Standard deviation of each coordinate of a position, m. Default 0. Above some 3 mm an object
    /// that rests on another sometimes appears to hover, because its height has the same noise.
    pub position_std_m: f64,
    /// Standard deviation of the rotation about the vertical, rad. Default 0.
    pub yaw_std_rad: f64,
    /// Probability that one look misses an object, 0 to 1. Default 0.
    pub miss_probability: f64,
    /// Simulated time that one look takes, s. Default 0.
    pub latency_secs: f64,
    /// Seed of all noise. Default 0.
    pub seed: u64,
}

/// An invalid option.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("use the perception option `{field}`: it is {got}, but must be {expected}")]
pub struct NoiseError {
    /// Name of the option.
    pub field: &'static str,
    /// Value of the option.
    pub got: f64,
    /// Description of the allowed values.
    pub expected: &'static str,
}

impl NoiseOptions {
    /// Perfect perception with this seed.
    pub fn seeded(seed: u64) -> Self {
        Self {
            seed,
            ..Self::default()
        }
    }

    /// Checks every option.
    ///
    /// # Errors
    ///
    /// [`NoiseError`] for the first invalid option.
    pub fn validate(&self) -> Result<(), NoiseError> {
        const AMOUNT: &str = "a finite number that is not negative";
        const CHANCE: &str = "a number from 0 to 1";
        let any = 0.0..=f64::MAX;
        let checks = [
            ("position_std_m", self.position_std_m, any.clone(), AMOUNT),
            ("yaw_std_rad", self.yaw_std_rad, any.clone(), AMOUNT),
            ("miss_probability", self.miss_probability, 0.0..=1.0, CHANCE),
            ("latency_secs", self.latency_secs, any, AMOUNT),
        ];
        let mut checks = checks.into_iter();
        let bad = checks.find(|(_, got, range, _)| !range.contains(got));
        match bad {
            None => Ok(()),
            Some((field, got, _, expected)) => Err(NoiseError {
                field,
                got,
                expected,
            }),
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Noise {
    options: NoiseOptions,
    rng: ChaCha8Rng,
}

impl Noise {
    pub(crate) fn new(options: NoiseOptions) -> Self {
        Self {
            options,
            rng: ChaCha8Rng::seed_from_u64(options.seed),
        }
    }

    /// Returns the perceived pose of an object, or `None` if this look misses it.
    ///
    /// The number of random draws is the same in both cases, so that a missed object does not
    /// change the noise of the next ones.
    pub(crate) fn disturb(&mut self, world_from_object: &Pose) -> Option<Pose> {
        let missed = self.rng.random::<f64>() < self.options.miss_probability;
        let offset_in_world = Vector3::from_fn(|_, _| self.normal()) * self.options.position_std_m;
        let yaw_rad = self.normal() * self.options.yaw_std_rad;
        let mut seen = *world_from_object;
        seen.translation.vector += offset_in_world;
        // Without yaw noise the rotation stays exact, to the last bit.
        if self.options.yaw_std_rad > 0.0 {
            let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), yaw_rad);
            seen.rotation = turn * seen.rotation;
        }
        (!missed).then_some(seen)
    }

    pub(crate) fn position(&self) -> String {
        self.rng.get_word_pos().to_string()
    }

    pub(crate) fn seek(&mut self, position: &str) {
        if let Ok(position) = position.parse() {
            self.rng.set_word_pos(position);
        }
    }

    fn normal(&mut self) -> f64 {
        self.rng.sample(StandardNormal)
    }
}
