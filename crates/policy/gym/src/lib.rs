//! Tasks as environments for learners, step by step.
//!
//! **What it does.** [`Env`] is one task: `reset` draws an instance and puts the robot into it,
//! `step` carries out an action for one control period and answers with observation, reward, and
//! whether the task's own success condition holds. [`Envs`] is many of them on threads.
//!
//! **What it does not do.** It knows no learner and no Python. It plans nothing and runs no skill.
//!
//! **Where to enter.** [`Env::new`], [`Env::reset`], [`Env::step`].
//!
//! # Invariants
//!
//! - The same task, options, seed and actions give the same bits, alone or among many.
//! - Success is what the benchmark's judge says of the same instant: the task's condition on the
//!   world's truth. The reward never decides it.
//! - An environment that ended takes no action before it is reset.
//!
//! # What is shown
//!
//! The state mode shows the truth (poses and joints as they are), as other benchmarks' state
//! modes do. Figures of policies that see it are not comparable with those of a robot that
//! perceives. The pixel modes show what the robot itself feels, and pictures.
//!
//! # The libraries behind it
//!
//! `rayon` steps many environments at once: the pool that motion planning has in the tree anyway.

mod control;
mod env;
mod error;
mod here;
mod layout;
mod many;
mod observe;
mod options;
mod osc;
mod progress;
mod reset;
mod step;

pub use control::Space;
pub use env::Env;
pub use error::EnvError;
pub use layout::Layout;
pub use many::{Autoreset, Batch, Envs};
pub use observe::{Observed, Picture};
pub use options::{ControlMode, EnvOptions, ObsMode, RewardMode};
pub use progress::progress;
pub use reset::ResetOptions;
pub use step::{Info, Stepped};
