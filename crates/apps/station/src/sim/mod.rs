//! A robot in simulated scenes.

mod backend;
mod disturb;
mod judge;

pub use backend::SimBackend;
