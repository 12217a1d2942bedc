//! Sources of drawn instances: a task file, or another benchmark's problem.

use regrasp_policy::PolicyTerms;
use regrasp_scene::{ContentHashes, Task, TaskInstance};

/// A task of which a seed gives an instance, wherever it comes from: a task file, or another
/// benchmark's problem. Every instance has the same objects and joints.
pub trait DrawnTask: Send + Sync {
    /// Unique among the tasks of a run.
    fn name(&self) -> &str;

    /// One sentence about it, if there is one.
    fn description(&self) -> Option<&str> {
        None
    }

    /// The terms on which the benchmark that it is of, if it is another's, lets policies do an
    /// instance.
    fn terms(&self, _instance: &TaskInstance) -> Option<PolicyTerms> {
        None
    }

    /// Text that differs whenever the task does. `hashes` are shared by all tasks of a run.
    ///
    /// Left out, it holds the instances of three seeds: the baseline shows what is fixed, the others
    /// what is drawn.
    ///
    /// # Errors
    ///
    /// Why the task cannot be used, in one sentence.
    fn identity(&self, hashes: &mut ContentHashes) -> Result<String, String> {
        let mut text = String::new();
        for seed in 0..3 {
            match self.draw(seed) {
                Ok(instance) => {
                    text += &instance.canonical(hashes).map_err(|e| e.to_string())?;
                    text.push('\n');
                }
                Err(error) if seed == 0 => return Err(error),
                // Told when that episode is to be run.
                Err(_) => {}
            }
        }
        Ok(text)
    }

    /// Reads whatever draws need, once before the first of the episodes that are run; left out, there
    /// is nothing to be read.
    ///
    /// # Errors
    ///
    /// Why the task cannot be used, in one sentence.
    fn prepare(&self) -> Result<(), String> {
        Ok(())
    }

    /// Lets go of what was prepared: no episode is left, and another task is prepared.
    fn release(&self) {}

    /// The instance of a seed, always the same.
    ///
    /// # Errors
    ///
    /// Why there is none, in one sentence.
    fn draw(&self, seed: u64) -> Result<TaskInstance, String>;
}

impl DrawnTask for Task {
    fn name(&self) -> &str {
        Self::name(self)
    }

    fn description(&self) -> Option<&str> {
        Self::description(self)
    }

    fn draw(&self, seed: u64) -> Result<TaskInstance, String> {
        self.instantiate(seed).map_err(|error| error.to_string())
    }
}
