//! What instances are drawn from: a task file, or another benchmark's problem.

use regrasp::policy::PolicyTerms;
use regrasp::scene::{Task, TaskInstance};

use crate::EnvError;

/// A task of which a seed gives an instance. Every instance has the same objects and joints.
pub trait Drawn: Send + Sync {
    /// Its name.
    fn name(&self) -> &str;

    /// One sentence about it, if there is one.
    fn description(&self) -> Option<&str> {
        None
    }

    /// The instance of a seed.
    ///
    /// # Errors
    ///
    /// [`EnvError`] if it cannot be drawn.
    fn draw(&self, seed: u64) -> Result<TaskInstance, EnvError>;

    /// The terms on which the benchmark that it is of lets policies do an instance.
    fn terms(&self, _instance: &TaskInstance) -> Option<PolicyTerms> {
        None
    }
}

impl Drawn for Task {
    fn name(&self) -> &str {
        self.name()
    }

    fn description(&self) -> Option<&str> {
        self.description()
    }

    fn draw(&self, seed: u64) -> Result<TaskInstance, EnvError> {
        Ok(self.instantiate(seed)?)
    }
}
