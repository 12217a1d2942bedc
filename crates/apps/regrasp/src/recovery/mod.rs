//! Running the recovery suite: every class of faults of [`regrasp_bench::recovery`], whether
//! the agent recovers or says rightly why it cannot.

mod strategy;
mod suite;

pub use strategy::{MakePlanner, Measured, Strategy};
pub use suite::{RecoverySuite, SuiteError};
