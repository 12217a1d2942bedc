//! Ends episodes that exceed their limit, and all episodes when the run is stopped.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use regrasp_api::CancelToken;

/// Polling interval. Limits are exceeded by this, plus the reaction time of the episode.
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

    /// Recovers from a poisoned lock: a panicking episode leaves the list valid.
    fn running(&self) -> std::sync::MutexGuard<'_, Vec<Running>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
