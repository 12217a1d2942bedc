//! The recovery suite of [`regrasp_bench::recovery`] with a robot: planners, strategies, episodes.

mod runner;
mod strategy;

pub use regrasp_bench::recovery::RecoverySuite;
pub use runner::RecoveryRunner;
pub use strategy::{MakePlanner, Measured, Strategy};

/// Failure to run an episode of the suite.
pub type SuiteError = regrasp_bench::recovery::SuiteError<crate::EpisodeError>;
