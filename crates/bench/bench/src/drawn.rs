//! Sources of task instances: a task file or a problem of another benchmark. Each is prepared
//! before its first episode and released after its last.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use regrasp_policy::PolicyTerms;
use regrasp_scene::{ContentHashes, Task, TaskInstance};

use crate::{BenchError, Key};

/// A task that gives one instance per seed. All instances have the same objects and joints.
pub trait DrawnTask: Send + Sync {
    /// Name, unique among the tasks of a run.
    fn name(&self) -> &str;

    /// Description in one sentence, if any.
    fn description(&self) -> Option<&str> {
        None
    }

    /// Conditions under which another benchmark evaluates policies on an instance; `None` for tasks
    /// of Regrasp.
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
                // The episode with this seed reports the error.
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

    /// Frees everything that [`prepare`](Self::prepare) has read. Called after the last episode of
    /// the task, once another task is prepared.
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

pub(crate) struct PreparedTasks<'a> {
    tasks: BTreeMap<&'a str, PreparedTask<'a>>,
    preparing: &'a (dyn Fn(&str) + Sync),
    /// Finished tasks. Kept until another task is prepared, which may share their data.
    over: Mutex<Vec<&'a dyn DrawnTask>>,
}

struct PreparedTask<'a> {
    task: &'a dyn DrawnTask,
    n_left: AtomicUsize,
    /// Time that preparing took, or the reason why the task cannot be prepared.
    prepared: OnceLock<Result<Duration, String>>,
}

impl<'a> PreparedTasks<'a> {
    /// Creates the list without preparing anything; `preparing` is called with the name of a task
    /// when its preparation begins.
    pub(crate) fn new(
        tasks: &'a [Box<dyn DrawnTask>],
        keys: &[Key],
        preparing: &'a (dyn Fn(&str) + Sync),
    ) -> Self {
        let mut by_name = BTreeMap::new();
        for task in tasks {
            let new = PreparedTask {
                task: task.as_ref(),
                n_left: AtomicUsize::new(0),
                prepared: OnceLock::new(),
            };
            by_name.insert(task.name(), new);
        }
        for key in keys {
            if let Some(task) = by_name.get_mut(key.group.as_str()) {
                *task.n_left.get_mut() += 1;
            }
        }
        Self {
            tasks: by_name,
            preparing,
            over: Mutex::default(),
        }
    }

    /// Returns the task of that name and prepares it if necessary; `None` if there is no such task.
    /// Blocks while another thread prepares it.
    pub(crate) fn begin(&self, name: &str) -> Option<Result<&'a dyn DrawnTask, BenchError>> {
        let PreparedTask { task, prepared, .. } = self.tasks.get(name)?;
        let prepare = || {
            (self.preparing)(name);
            let began = Instant::now();
            let done = task.prepare();
            let mut over = self.over.lock().unwrap_or_else(PoisonError::into_inner);
            over.drain(..).for_each(<dyn DrawnTask>::release);
            done.map(|()| began.elapsed())
        };
        Some(match prepared.get_or_init(prepare) {
            Ok(_) => Ok(*task),
            Err(why) => Err(BenchError(why.clone())),
        })
    }

    pub(crate) fn end(&self, name: &str) {
        if let Some(PreparedTask { task, n_left, .. }) = self.tasks.get(name)
            && n_left.fetch_sub(1, Ordering::Relaxed) == 1
        {
            let mut over = self.over.lock().unwrap_or_else(PoisonError::into_inner);
            over.push(*task);
        }
    }

    pub(crate) fn took(&self) -> BTreeMap<String, Duration> {
        let took = |(name, task): (&&str, &PreparedTask<'_>)| {
            let took = task.prepared.get()?.as_ref().ok()?;
            Some(((*name).to_owned(), *took))
        };
        self.tasks.iter().filter_map(took).collect()
    }
}
