//! What holds simulated time back: a pace, a pause, and what ends both.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use regrasp_api::CancelToken;

use crate::Flow;

/// Later than this the pace starts anew instead of being caught up with.
const LATE: Duration = Duration::from_millis(50);

/// Held by whoever simulates at every position that is shown, and at the beginning of steps.
pub(crate) struct Gate {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    flow: Flow,
    speed: f64,
    /// Where real and simulated time agree.
    anchor: Option<(Instant, f64)>,
    /// What is under way, if anything is.
    cancel: Option<CancelToken>,
}

impl Gate {
    pub(crate) fn new(speed: f64) -> Self {
        Self {
            state: Mutex::new(State {
                flow: Flow::Running,
                speed,
                anchor: None,
                cancel: None,
            }),
            changed: Condvar::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Something begins; time passes unless steps are to be made one by one.
    pub(crate) fn begin(&self, cancel: &CancelToken, flow: Flow) {
        let mut state = self.lock();
        state.cancel = Some(cancel.clone());
        state.flow = flow;
        state.anchor = None;
    }

    pub(crate) fn end(&self) {
        let mut state = self.lock();
        state.cancel = None;
        state.flow = Flow::Running;
    }

    /// Cancels what is under way and lets time go on, so that the arm can brake. Says whether
    /// anything was.
    pub(crate) fn stop(&self) -> bool {
        let mut state = self.lock();
        let Some(cancel) = &state.cancel else {
            return false;
        };
        cancel.cancel();
        state.flow = Flow::Running;
        self.changed.notify_all();
        true
    }

    /// Changes whether time passes; `false` if nothing is under way.
    pub(crate) fn set_flow(&self, flow: Flow) -> bool {
        let mut state = self.lock();
        let stopping = state.cancel.as_ref().map(CancelToken::is_cancelled);
        match stopping {
            None => return false,
            // What brakes is not held up.
            Some(true) => {}
            Some(false) => state.flow = flow,
        }
        self.changed.notify_all();
        true
    }

    pub(crate) fn set_speed(&self, speed: f64) {
        let mut state = self.lock();
        state.speed = speed;
        state.anchor = None;
        self.changed.notify_all();
    }

    /// Of what is under way.
    pub(crate) fn cancel(&self) -> Option<CancelToken> {
        self.lock().cancel.clone()
    }

    pub(crate) fn flow(&self) -> Flow {
        self.lock().flow
    }

    /// Returns when the world may go on from this simulated time.
    pub(crate) fn pace(&self, sim_secs: f64) {
        let mut state = self.wait_while_paused(self.lock());
        loop {
            if state.speed <= 0.0 || state.is_stopping() || state.flow == Flow::Paused {
                return;
            }
            let now = Instant::now();
            let (real, simulated) = *state.anchor.get_or_insert((now, sim_secs));
            let since = (sim_secs - simulated) / state.speed;
            let due = real + Duration::from_secs_f64(since.max(0.0));
            if since < 0.0 || now > due + LATE {
                state.anchor = Some((now, sim_secs));
                return;
            }
            if now >= due {
                return;
            }
            let woken = self.changed.wait_timeout(state, due - now);
            state = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Returns when time may pass.
    pub(crate) fn hold(&self) {
        drop(self.wait_while_paused(self.lock()));
    }

    /// A step of the plan begins: where steps are made one by one, time stands still now.
    /// Calls `paused` if it does.
    pub(crate) fn step_begins(&self, paused: impl FnOnce()) {
        {
            let mut state = self.lock();
            if state.flow != Flow::ToNextStep || state.is_stopping() {
                return;
            }
            state.flow = Flow::Paused;
        }
        paused();
        self.hold();
    }

    fn wait_while_paused<'a>(&self, mut state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        while state.flow == Flow::Paused && !state.is_stopping() {
            state.anchor = None;
            let woken = self.changed.wait(state);
            state = woken.unwrap_or_else(PoisonError::into_inner);
        }
        state
    }
}

impl State {
    fn is_stopping(&self) -> bool {
        self.cancel.as_ref().is_some_and(CancelToken::is_cancelled)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::mpsc;
    use std::thread;

    use super::*;

    /// Runs a thread that is held at a paused gate, lets `end` loose on it, and waits.
    fn held_until(end: impl FnOnce(&Gate)) -> CancelToken {
        let gate = Arc::new(Gate::new(0.0));
        let cancel = CancelToken::new();
        gate.begin(&cancel, Flow::Paused);
        let (sender, receiver) = mpsc::channel();
        let held = Arc::clone(&gate);
        let thread = thread::spawn(move || {
            sender.send("waits").expect("somebody listens");
            held.pace(1.0);
            sender.send("goes on").expect("somebody listens");
        });
        assert_eq!(receiver.recv(), Ok("waits"));
        assert_eq!(receiver.try_recv(), Err(mpsc::TryRecvError::Empty));
        end(&gate);
        assert_eq!(receiver.recv(), Ok("goes on"));
        thread.join().expect("the thread ends");
        cancel
    }

    #[test]
    fn a_stop_gets_through_a_pause() {
        let cancel = held_until(|gate| assert!(gate.stop()));
        assert!(cancel.is_cancelled());
    }

    #[test]
    fn a_pause_ends_when_somebody_resumes() {
        let cancel = held_until(|gate| assert!(gate.set_flow(Flow::Running)));
        assert!(!cancel.is_cancelled());
    }

    #[test]
    fn nothing_can_be_stopped_or_paused_when_nothing_runs() {
        let gate = Gate::new(1.0);
        assert!(!gate.stop() && !gate.set_flow(Flow::Paused));
        gate.begin(&CancelToken::new(), Flow::Running);
        gate.end();
        assert!(!gate.stop());
    }

    #[test]
    fn what_is_stopping_is_not_paused_any_more() {
        let gate = Gate::new(0.0);
        gate.begin(&CancelToken::new(), Flow::Running);
        assert!(gate.stop() && gate.set_flow(Flow::Paused));
        assert_eq!(gate.flow(), Flow::Running);
        gate.pace(1.0);
    }
}
