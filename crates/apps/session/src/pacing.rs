//! Pace of simulated time: speed, pause and stop.

use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex, MutexGuard};
use regrasp_api::CancelToken;

use crate::Flow;

/// Delay beyond which the pace starts again from now instead of catching up.
const LATE: Duration = Duration::from_millis(50);

/// Throttle that the simulating thread passes at every shown position and at each step's beginning.
pub(crate) struct Pacing {
    state: Mutex<State>,
    changed: Condvar,
    /// Called with every change of flow, in order, because it is called under the lock.
    on_change: Box<dyn Fn(Flow) + Send + Sync>,
}

struct State {
    flow: Flow,
    speed: f64,
    /// Real instant and the simulated time, s, that belongs to it.
    anchor: Option<(Instant, f64)>,
    cancel: Option<CancelToken>,
}

impl Pacing {
    pub(crate) fn new(speed: f64, on_change: impl Fn(Flow) + Send + Sync + 'static) -> Self {
        Self {
            state: Mutex::new(State {
                flow: Flow::Running,
                speed,
                anchor: None,
                cancel: None,
            }),
            changed: Condvar::new(),
            on_change: Box::new(on_change),
        }
    }

    fn change(&self, state: &mut State, flow: Flow) {
        state.flow = flow;
        (self.on_change)(flow);
    }

    /// Begins a job; with [`Flow::ToNextStep`] it will pause at its first step.
    pub(crate) fn begin(&self, cancel: &CancelToken, flow: Flow) {
        let mut state = self.state.lock();
        state.cancel = Some(cancel.clone());
        state.anchor = None;
        self.change(&mut state, flow);
    }

    pub(crate) fn end(&self) {
        let mut state = self.state.lock();
        state.cancel = None;
        self.change(&mut state, Flow::Running);
    }

    /// Cancels the current job and resumes time, so that the arm can brake. Returns false if there
    /// is no job.
    pub(crate) fn stop(&self) -> bool {
        let mut state = self.state.lock();
        let Some(cancel) = &state.cancel else {
            return false;
        };
        cancel.cancel();
        self.change(&mut state, Flow::Running);
        self.changed.notify_all();
        true
    }

    /// Pauses or resumes time; `false` if no job is under way.
    pub(crate) fn set_flow(&self, flow: Flow) -> bool {
        let mut state = self.state.lock();
        let stopping = state.cancel.as_ref().map(CancelToken::is_cancelled);
        match stopping {
            None => return false,
            // A job that is stopping must be able to brake.
            Some(true) => {}
            Some(false) => self.change(&mut state, flow),
        }
        self.changed.notify_all();
        true
    }

    pub(crate) fn set_speed(&self, speed: f64) {
        let mut state = self.state.lock();
        state.speed = speed;
        state.anchor = None;
        self.changed.notify_all();
    }

    pub(crate) fn cancel(&self) -> Option<CancelToken> {
        self.state.lock().cancel.clone()
    }

    /// Waits until the world may go on from this simulated time.
    pub(crate) fn pace(&self, sim_secs: f64) {
        let mut state = self.wait_while_paused(self.state.lock());
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
            self.changed.wait_until(&mut state, due);
        }
    }

    /// Waits while time is paused.
    pub(crate) fn hold(&self) {
        drop(self.wait_while_paused(self.state.lock()));
    }

    /// Pauses at the beginning of a plan's step, if only one step was to be made.
    pub(crate) fn step_begins(&self) {
        let mut state = self.state.lock();
        if state.flow == Flow::ToNextStep && !state.is_stopping() {
            self.change(&mut state, Flow::Paused);
            drop(self.wait_while_paused(state));
        }
    }

    fn wait_while_paused<'a>(&self, mut state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        while state.flow == Flow::Paused && !state.is_stopping() {
            state.anchor = None;
            self.changed.wait(&mut state);
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

    /// Starts a thread that a pause holds, calls `end`, and waits for the thread.
    fn held_until(end: impl FnOnce(&Pacing)) -> CancelToken {
        let pacing = Arc::new(Pacing::new(0.0, |_| {}));
        let cancel = CancelToken::new();
        pacing.begin(&cancel, Flow::Paused);
        let (sender, receiver) = mpsc::channel();
        let held = Arc::clone(&pacing);
        let thread = thread::spawn(move || {
            sender.send("waits").expect("somebody listens");
            held.pace(1.0);
            sender.send("goes on").expect("somebody listens");
        });
        assert_eq!(receiver.recv(), Ok("waits"));
        assert_eq!(receiver.try_recv(), Err(mpsc::TryRecvError::Empty));
        end(&pacing);
        assert_eq!(receiver.recv(), Ok("goes on"));
        thread.join().expect("the thread ends");
        cancel
    }

    #[test]
    fn a_stop_gets_through_a_pause() {
        let cancel = held_until(|pacing| assert!(pacing.stop()));
        assert!(cancel.is_cancelled());
    }

    #[test]
    fn a_pause_ends_when_somebody_resumes() {
        let cancel = held_until(|pacing| assert!(pacing.set_flow(Flow::Running)));
        assert!(!cancel.is_cancelled());
    }

    #[test]
    fn nothing_can_be_stopped_or_paused_when_nothing_runs() {
        let pacing = Pacing::new(1.0, |_| {});
        assert!(!pacing.stop() && !pacing.set_flow(Flow::Paused));
        pacing.begin(&CancelToken::new(), Flow::Running);
        pacing.end();
        assert!(!pacing.stop());
    }

    #[test]
    fn what_is_stopping_is_not_paused_any_more() {
        let pacing = Pacing::new(0.0, |_| {});
        pacing.begin(&CancelToken::new(), Flow::Running);
        assert!(pacing.stop() && pacing.set_flow(Flow::Paused));
        pacing.pace(1.0);
    }

    #[test]
    fn a_step_that_ends_at_once_is_reported_after_its_order() {
        let (sender, told) = mpsc::channel();
        let pacing = Arc::new(Pacing::new(0.0, move |flow| {
            if flow == Flow::ToNextStep {
                // Gives the woken thread time to report first.
                thread::sleep(Duration::from_millis(50));
            }
            sender.send(flow).expect("somebody listens");
        }));
        pacing.begin(&CancelToken::new(), Flow::ToNextStep);
        let held = Arc::clone(&pacing);
        let thread = thread::spawn(move || (0..3).for_each(|_| held.step_begins()));
        let next = || told.recv_timeout(Duration::from_secs(10));
        for order in [Flow::ToNextStep, Flow::ToNextStep, Flow::Running] {
            assert_eq!(next(), Ok(Flow::ToNextStep));
            assert_eq!(next(), Ok(Flow::Paused));
            assert!(pacing.set_flow(order));
        }
        assert_eq!(next(), Ok(Flow::Running));
        thread.join().expect("the thread ends");
    }
}
