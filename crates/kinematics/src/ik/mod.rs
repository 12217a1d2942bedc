//! Inverse kinematics: joint positions that bring the tip of a [`Chain`] to a target.
//!
//! [`solve`] is the one entry. Behind it stands a numerical solver (`lm`) for any
//! chain; a closed form for arms that have one can be tried first at the same place
//! without any caller noticing.

mod linear;
mod lm;
mod options;
mod outcome;
mod problem;
mod rest;
mod rng;
mod target;
#[cfg(test)]
mod tests;

pub use options::{IkOptions, RestPosture};
pub use outcome::IkOutcome;
pub use target::IkTarget;

use crate::Chain;

/// Finds joint positions within the limits of `chain` that bring its tip to `target`,
/// starting at `seed_q` and then, if need be, at random configurations drawn from
/// [`IkOptions::seed`]. The answer depends on nothing else.
///
/// Seeds outside the limits are moved inside; a target or an entry of the seed that is
/// not finite counts as unreachable, respectively as the middle of the joint's range.
///
/// # Panics
///
/// If `seed_q`, or the rest posture in the options, has not [`Chain::dof`] entries.
pub fn solve(chain: &Chain, target: &IkTarget, seed_q: &[f64], options: &IkOptions) -> IkOutcome {
    lm::solve(chain, target, seed_q, options)
}
