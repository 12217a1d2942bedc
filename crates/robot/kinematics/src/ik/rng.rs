//! Random numbers for the starts.

use std::f64::consts::PI;

use crate::JointLimits;

/// Range of a joint's positions, or one turn if there are no limits, rad.
pub(super) fn range_or_turn([lower, upper]: [f64; 2]) -> [f64; 2] {
    let or = |bound: f64, half_turn: f64| if bound.is_finite() { bound } else { half_turn };
    [or(lower, -PI), or(upper, PI)]
}

/// SplitMix64 (Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014).
/// It is implemented here so that answers do not change with a dependency; random starts need no
/// more than its statistical quality.
pub(super) struct Rng(pub(super) u64);

impl Rng {
    fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Draws a number uniformly from [0, 1).
    fn unit(&mut self) -> f64 {
        // The mantissa holds 53 bits.
        (self.next_u64() >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
    }

    /// A position within the limits, or within one turn if there are none.
    pub(super) fn position(&mut self, limits: &JointLimits) -> f64 {
        let [lower, upper] = range_or_turn([limits.lower, limits.upper]);
        lower + (upper - lower) * self.unit()
    }
}
