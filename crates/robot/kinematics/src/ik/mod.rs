//! Inverse kinematics: joint positions that bring the tip of a [`Chain`] to a target.
//!
//! [`solve`] returns one answer near a seed. It is based on a numerical solver (`lm`) for any
//! chain. If a descent from the seed gets stuck and the chain is a Franka Panda, the closed form
//! gives the next start. [`PandaIk`], from [`Chain::panda_ik`], gives all answers.

mod linear;
mod lm;
mod outcome;
mod panda;
mod problem;
mod reach;
mod rng;
mod target;
#[cfg(test)]
mod tests;

pub use outcome::{IkOptions, IkOutcome};
pub use panda::{DEFAULT_SAMPLES, PandaIk, PandaQ};
pub use target::IkTarget;

use crate::Chain;

/// Finds joint positions within the limits of `chain` that bring its tip to `target`, starting at
/// `seed_q`. If that descent gets stuck, [`IkOptions::restarts`] is not 0 and the target is not
/// beyond the arm's length, further starts follow: for an [`IkTarget::Pose`] of a chain with a
/// closed form, first the closed form's solution nearest to the seed; then random configurations
/// drawn from [`IkOptions::seed`]. The answer depends on nothing else.
///
/// Seeds outside the limits are moved inside. A target that is not finite is unreachable; an entry
/// of the seed that is not finite is replaced by the middle of the joint's range.
///
/// # Panics
///
/// If `seed_q` does not have [`Chain::dof`] entries.
pub fn solve(chain: &Chain, target: &IkTarget, seed_q: &[f64], options: &IkOptions) -> IkOutcome {
    lm::solve(chain, target, seed_q, options, chain.panda_ik())
}
