//! Tasks as environments for reinforcement learning.
//!
//! **Purpose.** [`Env`] is a single task: `reset` draws an instance and sets up the robot in it;
//! `step` executes an action for one control period and returns observation, reward, and whether
//! the task's success condition holds. [`Envs`] runs many of them on threads.
//!
//! **Out of scope.** Learning algorithms, Python bindings, planning and skills.
//!
//! **Entry points.** [`Env::new`], [`Env::reset`], [`Env::step`].
//!
//! # Invariants
//!
//! - The same task, options, seed and actions give the same bits, with one environment or many.
//! - Success is the verdict of the benchmark's judge for the same instant: the task's condition on
//!   the ground truth. It never depends on the reward.
//! - After the end of an episode, an environment rejects actions until it is reset.
//!
//! # Observations
//!
//! The modes with state return ground truth (exact poses and joints), as those of other benchmarks
//! do. Results of policies that use it cannot be compared with those of a robot with perception.
//! The other modes return proprioception and pictures.
//!
//! # Dependencies
//!
//! `rayon` steps many environments in parallel; motion planning depends on it anyway. `strum`
//! derives the names of modes.

mod control;
mod env;
mod episode;
mod error;
mod layout;
mod many;
mod observe;
mod options;
mod progress;
mod reset;
mod step;

pub use control::Space;
pub use env::Env;
pub use error::EnvError;
pub(crate) use error::Result;
pub use layout::Layout;
pub use many::{Autoreset, Batch, Envs};
pub use observe::{Observed, Picture};
pub use options::{ControlMode, EnvOptions, ObsMode, RewardMode, mode};
pub use progress::progress;
pub use reset::ResetOptions;
pub use step::{Info, Stepped};
