//! Sources of task instances: a task file or a problem of another benchmark.

use regrasp_policy::PolicyTerms;
use regrasp_scene::{ContentHashes, Task, TaskInstance};

/// A task that gives one instance per seed. All instances have the same objects and joints.
pub trait DrawnTask: Send + Sync {
    /// Name, unique among the tasks of a run.
    fn name(&self) -> &str;

    /// Description in one sentence, if any.
    fn description(&self) -> Option<&str> {
        None
    }

    /// Terms of another benchmark for policies on an instance; `None` for tasks of Regrasp.
    fn terms(&self, _instance: &TaskInstance) -> Option<PolicyTerms> {
        None
    }

    /// Returns a text that changes whenever the task does. `hashes` are shared by all tasks of a
    /// run.
    ///
    /// The default implementation serializes the instances of three seeds: the baseline shows the
    /// fixed part, the others the randomized part.
    ///
    /// # Errors
    ///
    /// One sentence on why the task cannot be used.
    fn identity(&self, hashes: &mut ContentHashes) -> Result<String, String> {
        let mut text = String::new();
        for seed in 0..3 {
            match self.draw(seed) {
                Ok(instance) => {
                    text += &instance.canonical(hashes).map_err(|e| e.to_string())?;
                    text.push('\n');
                }
                Err(error) if seed == 0 => return Err(error),
                // Reported when that episode is run.
                Err(_) => {}
            }
        }
        Ok(text)
    }

    /// Reads everything that draws need. Called once before the first episode of the task. The
    /// default does nothing.
    ///
    /// # Errors
    ///
    /// One sentence on why the task cannot be used.
    fn prepare(&self) -> Result<(), String> {
        Ok(())
    }

    /// Frees everything that was prepared, after the last episode and once another task is
    /// prepared.
    fn release(&self) {}

    /// Draws the instance of a seed; deterministic.
    ///
    /// # Errors
    ///
    /// One sentence on why no instance could be drawn.
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
