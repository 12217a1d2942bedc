//! Tasks of a run, each prepared before its first episode and released after its last.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use crate::{BenchError, DrawnTask, Key};

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
    /// Creates the list without preparing anything; `preparing` is called with each task's name
    /// later.
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
