//! The recovery suite: every class of faults, on tasks where it strikes, and whether the
//! agent recovers or says rightly why it cannot.

mod classes;
mod draw;
mod strategy;
mod suite;

pub use classes::{Class, classes};
pub use draw::Draw;
pub use strategy::{MakePlanner, Measured, Strategy};
pub use suite::{RecoverySuite, SuiteError};
