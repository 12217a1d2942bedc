//! Random values of faults.

use std::f64::consts::TAU;
use std::hash::Hasher as _;

use fnv::FnvHasher;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use regrasp_api::ObjectId;

/// Draws magnitudes and times of faults for one episode.
pub struct Draw {
    rng: ChaCha8Rng,
    /// Object of the task.
    pub object: ObjectId,
}

impl Draw {
    /// Creates the generator for one seed of one class. Classes have independent random streams.
    pub fn new(class: &str, seed: u64, object: &str) -> Self {
        // By name, so that the draws of a class do not depend on the other classes.
        let mut hash = FnvHasher::default();
        hash.write(class.as_bytes());
        Self {
            rng: ChaCha8Rng::seed_from_u64(hash.finish() ^ seed),
            object: ObjectId::new(object),
        }
    }

    /// Draws a number between `low` and `high`.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.rng.random::<f64>()
    }

    /// Draws a boolean with equal probabilities.
    pub fn coin(&mut self) -> bool {
        self.rng.random::<f64>() < 0.5
    }

    /// Draws one of `choices`.
    pub fn one_of<T: Clone>(&mut self, choices: &[T]) -> T {
        choices[self.rng.random_range(0..choices.len())].clone()
    }

    /// Draws a horizontal vector with a length between `low_m` and `high_m`, m.
    pub fn shift(&mut self, low_m: f64, high_m: f64) -> [f64; 2] {
        let (length_m, angle) = (self.between(low_m, high_m), self.between(0.0, TAU));
        [length_m * angle.cos(), length_m * angle.sin()]
    }

    /// Returns the object of the task.
    pub fn object(&self) -> ObjectId {
        self.object.clone()
    }
}
