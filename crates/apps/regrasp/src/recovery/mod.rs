//! The recovery suite of [`regrasp_bench::recovery`] with a robot: planners, strategies, episodes.

mod strategy;
mod suite;

pub use strategy::{MakePlanner, Measured, Strategy};
pub use suite::{RecoverySuite, SuiteError};
