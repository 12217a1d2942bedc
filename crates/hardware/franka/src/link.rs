//! State shared by the arm's thread and the others: [`Slot`]s and atomics.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use franka::{FrankaError, RobotState};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use crate::{ArmState, Job};

/// Counts of kept and missed motion cycles since connecting.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CycleCounts {
    /// Cycles of the arm, 1 ms each, that passed in motions.
    pub cycles: u64,
    /// Cycles without a command from this program, because it was late or a state was lost.
    pub missed: u64,
    /// Longest run of missed cycles; the arm stops after 20.
    pub longest_gap: u64,
}

pub(crate) enum Order {
    Move(Box<Job>),
    Recover(u64),
}

pub(crate) enum Answer {
    Moved(Box<Job>),
    Recovered(u64, Result<(), FrankaError>),
}

#[derive(smart_default::SmartDefault)]
pub(crate) struct Link {
    pub(crate) orders: Slot<Order>,
    pub(crate) answers: Slot<Answer>,
    states: Slot<ArmState>,
    /// Copy of the newest state, for watchers on other threads.
    shown: Slot<ArmState>,
    pub(crate) lost: Slot<FrankaError>,
    #[default(Instant::now())]
    epoch: Instant,
    clock_ms: AtomicU64,
    received_ns: AtomicU64,
    heartbeat_ns: AtomicU64,
    /// Job whose owner no longer waits for it.
    abandoned: AtomicU64,
    pub(crate) shut_down: AtomicBool,
    pub(crate) stop: Stop,
    width_bits: AtomicU64,
    cycles: AtomicU64,
    missed: AtomicU64,
    longest_gap: AtomicU64,
}

impl Link {
    pub(crate) fn new(stop: Stop) -> Self {
        Self {
            stop,
            ..Self::default()
        }
    }

    pub(crate) fn now_ns(&self) -> u64 {
        u64::try_from(self.epoch.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    /// Publishes a state in place of the previous one.
    pub(crate) fn publish(&self, state: &RobotState) -> ArmState {
        let state = ArmState {
            received_ns: self.now_ns(),
            wire: *state,
        };
        self.clock_ms.store(state.time_ms(), Ordering::Relaxed);
        self.received_ns.store(state.received_ns, Ordering::Release);
        // If a reader holds the slot, this state is skipped; the next comes in a millisecond.
        let _ = self.states.offer(state);
        let _ = self.shown.offer(state);
        state
    }

    pub(crate) fn newest(&self) -> Option<ArmState> {
        self.states.take()
    }

    pub(crate) fn newest_for_show(&self) -> Option<ArmState> {
        self.shown.take()
    }

    pub(crate) fn silence(&self) -> Duration {
        let received_ns = self.received_ns.load(Ordering::Acquire);
        Duration::from_nanos(self.now_ns().saturating_sub(received_ns))
    }

    /// The arm's clock at its last state, ms, and the time since then.
    pub(crate) fn clock(&self) -> (u64, Duration) {
        (self.clock_ms.load(Ordering::Relaxed), self.silence())
    }

    /// Signals that the thread that ordered a motion is alive.
    pub(crate) fn beat(&self) {
        self.heartbeat_ns.store(self.now_ns(), Ordering::Release);
    }

    pub(crate) fn since_beat(&self) -> Duration {
        let beat_ns = self.heartbeat_ns.load(Ordering::Acquire);
        Duration::from_nanos(self.now_ns().saturating_sub(beat_ns))
    }

    pub(crate) fn abandon(&self, job_id: u64) {
        self.abandoned.store(job_id, Ordering::Release);
    }

    pub(crate) fn is_abandoned(&self, job_id: u64) -> bool {
        self.abandoned.load(Ordering::Acquire) == job_id
    }

    pub(crate) fn set_width(&self, width_m: f64) {
        self.width_bits.store(width_m.to_bits(), Ordering::Release);
    }

    pub(crate) fn width_m(&self) -> f64 {
        f64::from_bits(self.width_bits.load(Ordering::Acquire))
    }

    pub(crate) fn count(&self, period_ms: u64) {
        self.cycles.fetch_add(period_ms, Ordering::Relaxed);
        let missed = period_ms.saturating_sub(1);
        self.missed.fetch_add(missed, Ordering::Relaxed);
        self.longest_gap.fetch_max(missed, Ordering::Relaxed);
    }

    pub(crate) fn counts(&self) -> CycleCounts {
        CycleCounts {
            cycles: self.cycles.load(Ordering::Relaxed),
            missed: self.missed.load(Ordering::Relaxed),
            longest_gap: self.longest_gap.load(Ordering::Relaxed),
        }
    }
}

/// Handle that stops an arm from any thread, such as one that waits for Ctrl-C. Clones stop the
/// same arm.
///
/// A running motion brakes within [`crate::Safety::stop_within_secs`] and the fingers stop; both
/// report that they were cancelled, and so does every later motion until [`Stop::release`].
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Stops the arm and keeps it standing. Only sets a flag, so a signal handler may call it.
    pub fn stop(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    /// Permits motions again. Nothing moves by this call.
    pub fn release(&self) {
        self.0.store(false, Ordering::SeqCst);
    }

    /// Returns true if the arm is kept standing.
    pub fn is_stopped(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

/// Slot for one value. The arm's thread calls `offer` and `try_take`, which never wait; the others
/// call `put` and `take`.
///
/// The arm's thread has the highest priority. If it waits for a thread that it has preempted on the
/// same core, neither goes on. Queues that are called lock-free do wait in this way (`crossbeam`'s
/// `force_push` during a `pop`) and lost up to 92 cycles in a row. Here the arm's thread only
/// tries, and goes on if the slot is locked.
#[derive(Debug)]
pub(crate) struct Slot<T>(Mutex<Option<T>>);

impl<T> Default for Slot<T> {
    fn default() -> Self {
        Self(Mutex::new(None))
    }
}

impl<T> Slot<T> {
    /// Replaces the value, or gives the new one back if the slot is locked.
    pub(crate) fn offer(&self, value: T) -> Result<(), T> {
        match self.0.try_lock() {
            Some(mut place) => {
                *place = Some(value);
                Ok(())
            }
            None => Err(value),
        }
    }

    /// Takes the value, if there is one and the slot is not locked.
    pub(crate) fn try_take(&self) -> Option<T> {
        self.0.try_lock()?.take()
    }

    /// Stores a value, or gives it back if the last one has not been taken.
    pub(crate) fn put(&self, value: T) -> Result<(), T> {
        let mut place = self.0.lock();
        if place.is_some() {
            return Err(value);
        }
        *place = Some(value);
        Ok(())
    }

    pub(crate) fn take(&self) -> Option<T> {
        self.0.lock().take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A thread that is preempted while it reads would hold the lock until it runs again.
    #[test]
    fn the_arms_thread_waits_for_nobody() {
        let slot = Slot::default();
        assert_eq!(slot.offer(1), Ok(()));
        let reading = slot.0.lock();
        assert_eq!(slot.offer(2), Err(2));
        assert_eq!(slot.try_take(), None);
        drop(reading);
        assert_eq!(slot.offer(3), Ok(()));
        assert_eq!(slot.take(), Some(3), "only the newest value is kept");
        assert_eq!(slot.take(), None);
    }

    #[test]
    fn an_order_waits_until_the_last_one_is_taken() {
        let slot = Slot::default();
        assert_eq!(slot.put("first"), Ok(()));
        assert_eq!(slot.put("second"), Err("second"));
        assert_eq!(slot.try_take(), Some("first"));
        assert_eq!(slot.put("second"), Ok(()));
    }
}
