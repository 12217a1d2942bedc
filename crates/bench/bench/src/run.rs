//! Runs episodes. Cancels an episode that exceeds its time limit, and all when the run is stopped.

use std::any::Any;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use regrasp_api::{CancelToken, EventSink};
use regrasp_ground_truth::Episode;
use regrasp_scene::TaskInstance;

use crate::drawn::PreparedTasks;
use crate::{
    BenchError, DrawnTask, EpisodeRecord, InfrastructureFailure, Key, Trace, Verdict, run_pool,
};

/// Connections of an episode to its runner.
pub struct Wires {
    /// Cancels the episode.
    pub cancel: CancelToken,
    /// Receives the events of the episode.
    pub sink: Box<dyn EventSink>,
}

/// Builds world, perception and planner for an instance and runs the agent.
pub type RunEpisode<'a> =
    dyn Fn(&TaskInstance, Wires) -> Result<Episode, InfrastructureFailure> + Sync + 'a;

/// Called with each judged episode, after its time is measured.
pub type Ended<'a> = dyn Fn(&TaskInstance, &Episode, &EpisodeRecord) + Sync + 'a;

/// Options of running episodes. Only `timeout` affects results.
#[derive(Clone, Debug, Default)]
pub struct RunOptions {
    /// Episodes run at the same time; 0 counts as 1.
    pub jobs: usize,
    /// Limit of one episode in real time. The episode ends at the next check of its cancel token
    /// and is counted as an infrastructure failure (`timeout`), because a busy machine says nothing
    /// about the robot.
    pub timeout: Option<Duration>,
    /// Ends the run: running episodes are cancelled and leave no record.
    pub stop: CancelToken,
}

/// Runs episodes of these tasks and hands each record to `each` as it ends, in any order. Before
/// that, `ended` is called with the record and the full outcome on the thread that ran the episode;
/// the outcome is dropped afterwards. A task is prepared when its first episode begins; `preparing`
/// is then called with its name.
///
/// Returns the real time that preparing took, by task name.
///
/// # Errors
///
/// The first error of `each`, or the reason why a task cannot be prepared. Failures inside an
/// episode are data, including panics and tasks that cannot be drawn with a seed.
pub fn run_episodes(
    tasks: &[Box<dyn DrawnTask>],
    keys: &[Key],
    options: &RunOptions,
    preparing: &(dyn Fn(&str) + Sync),
    run: &RunEpisode<'_>,
    ended: &Ended<'_>,
    each: &mut dyn FnMut(EpisodeRecord) -> Result<(), BenchError>,
) -> Result<BTreeMap<String, Duration>, BenchError> {
    let prepared = PreparedTasks::new(tasks, keys, preparing);
    let watchdog = Watchdog::new(options.stop.clone(), options.timeout);
    let work = |key: &Key| {
        let task = match prepared.begin(&key.group)? {
            Ok(task) => task,
            Err(error) => return Some(Err(error)),
        };
        let limit = options.timeout;
        let record = watchdog.watch(|watch| episode(task, key.seed, limit, watch, run, ended));
        prepared.end(&key.group);
        record.map(Ok)
    };
    let mut each = |record: Result<_, _>| each(record?);
    watchdog.during(|| run_pool(keys, options.jobs, &options.stop, &work, &mut each))?;
    Ok(prepared.took())
}

/// Returns `None` if the run was stopped.
fn episode(
    task: &dyn DrawnTask,
    seed: u64,
    timeout: Option<Duration>,
    watch: &Watch,
    run: &RunEpisode<'_>,
    ended: &Ended<'_>,
) -> Option<EpisodeRecord> {
    let began = Instant::now();
    let spoilt = |failure| {
        let wall_s = began.elapsed().as_secs_f64();
        EpisodeRecord::spoilt(task.name(), seed, failure, wall_s)
    };
    let instance = match task.draw(seed) {
        Ok(instance) => instance,
        Err(error) => {
            let failure = InfrastructureFailure::new("no_instance", error);
            return Some(spoilt(failure));
        }
    };
    let trace = Arc::new(Mutex::new(Trace::default()));
    let wires = Wires {
        cancel: watch.cancel.clone(),
        sink: Box::new(Arc::clone(&trace)),
    };
    let outcome = catch_unwind(AssertUnwindSafe(|| run(&instance, wires)));
    let outcome = outcome.unwrap_or_else(|panic| {
        let message = panic_message(panic.as_ref());
        Err(InfrastructureFailure::new("panic", message))
    });
    let was_stopped = watch.cancel.is_cancelled() && !watch.is_late();
    if was_stopped {
        return None;
    }
    let record = match outcome {
        Err(failure) => spoilt(failure),
        Ok(outcome) => {
            let mut trace = trace.lock().unwrap_or_else(PoisonError::into_inner);
            let trace = std::mem::take(&mut *trace);
            let wall_s = began.elapsed().as_secs_f64();
            let record = EpisodeRecord::judged(&instance, &outcome, trace, wall_s);
            ended(&instance, &outcome, &record);
            record
        }
    };
    // An episode that ended by itself just before the limit keeps its verdict.
    let was_ended = watch.is_late() && record.verdict == Verdict::Infrastructure;
    let Some(limit) = timeout.filter(|_| was_ended) else {
        return Some(record);
    };
    let limit_s = limit.as_secs_f64();
    let detail = format!("the episode exceeded its limit of {limit_s} s real time (--timeout)");
    let failure = InfrastructureFailure::new(InfrastructureFailure::TIMEOUT, detail);
    Some(spoilt(failure))
}

fn panic_message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    text.unwrap_or("a panic without a message").to_owned()
}

/// Polling interval of the watchdog. An episode may exceed its limit by this, plus its own reaction
/// time.
const INTERVAL: Duration = Duration::from_millis(20);

pub(crate) struct Watchdog {
    stop: CancelToken,
    limit: Option<Duration>,
    running: Mutex<Vec<Running>>,
    next_id: AtomicU64,
}

struct Running {
    id: u64,
    began: Instant,
    watch: Watch,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Watch {
    pub(crate) cancel: CancelToken,
    is_late: Arc<AtomicBool>,
}

impl Watch {
    pub(crate) fn is_late(&self) -> bool {
        self.is_late.load(Ordering::SeqCst)
    }
}

impl Watchdog {
    pub(crate) fn new(stop: CancelToken, limit: Option<Duration>) -> Self {
        Self {
            stop,
            limit,
            running: Mutex::default(),
            next_id: AtomicU64::new(0),
        }
    }

    pub(crate) fn during<T>(&self, work: impl FnOnce() -> T) -> T {
        thread::scope(|scope| {
            let (over, is_over) = mpsc::channel::<()>();
            scope.spawn(move || {
                while is_over.recv_timeout(INTERVAL) == Err(RecvTimeoutError::Timeout) {
                    self.look();
                }
            });
            let done = work();
            drop(over);
            done
        })
    }

    pub(crate) fn watch<T>(&self, episode: impl FnOnce(&Watch) -> T) -> T {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let watch = Watch::default();
        let running = Running {
            id,
            began: Instant::now(),
            watch: watch.clone(),
        };
        self.running().push(running);
        let done = episode(&watch);
        self.running().retain(|running| running.id != id);
        done
    }

    fn look(&self) {
        let is_stopped = self.stop.is_cancelled();
        for running in self.running().iter() {
            let is_late = self.limit;
            let is_late = is_late.is_some_and(|limit| running.began.elapsed() > limit);
            if is_late {
                running.watch.is_late.store(true, Ordering::SeqCst);
            }
            if is_stopped || is_late {
                running.watch.cancel.cancel();
            }
        }
    }

    /// Locks the list, even if it is poisoned: a panicking episode leaves it valid.
    fn running(&self) -> std::sync::MutexGuard<'_, Vec<Running>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
