//! One cycle of a motion: from the arm's state to the next command. Allocates nothing.

use crate::brake::{CYCLE_SECS, Commanded};
use crate::checks::off;
use crate::course::fading;
use crate::job::{Abort, End, Job};
use crate::limits::{Joints, N_JOINTS};
use crate::state::ArmState;

/// What was missed fades out in so many cycles.
const FADE_CYCLES: usize = 50;
/// The arm is told its last position so often before the motion is finished.
const HOLD_CYCLES: u32 = 2;

/// What may end a motion besides the arm's own state.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Signals {
    pub(crate) stop: bool,
    pub(crate) abort: Option<Abort>,
    pub(crate) width_m: f64,
}

/// The next command.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub(crate) position: Joints,
    pub(crate) finished: bool,
}

/// A motion under way.
pub(crate) struct Cycle {
    /// Which of the course's positions was commanded last.
    at: usize,
    last: Commanded,
    /// How far the commands are off the course since cycles were missed, and from where on.
    missed: Option<([[f64; 3]; N_JOINTS], usize)>,
    braking: bool,
    stop_noticed_ms: Option<u64>,
    began_ms: u64,
    held: u32,
}

impl Cycle {
    pub(crate) fn new(job: &Job, first: &ArmState) -> Self {
        Self {
            at: 0,
            last: Commanded::at_rest(job.commands[0]),
            missed: None,
            braking: false,
            stop_noticed_ms: None,
            began_ms: first.time_ms,
            held: 0,
        }
    }

    /// The command that answers this state, `period_ms` after the last one that was answered.
    pub(crate) fn step(
        &mut self,
        job: &mut Job,
        state: &ArmState,
        period_ms: u64,
        signals: &Signals,
    ) -> Step {
        let at_ms = state.time_ms.saturating_sub(self.began_ms);
        job.outcome.duration_ms = at_ms;
        let (_, lag) = ArmState::largest(&off(&state.q, &state.q_d));
        job.outcome.peak_lag = job.outcome.peak_lag.max(lag);
        self.watch(job, state, at_ms, signals);
        if period_ms > 1 {
            self.catch_up(job, period_ms - 1);
        }
        let end = job.commands.len() - 1;
        let past_end = self.at >= end && self.missed.is_none();
        if past_end && job.ends_moving {
            self.braking = true;
        }
        let position = if self.braking {
            job.brakes.next(&self.last)
        } else {
            self.at += 1;
            self.on_course(job)
        };
        self.last = self.last.then(position);
        let stands = self.last.stands() && (self.braking || past_end);
        self.held = if stands { self.held + 1 } else { 0 };
        let finished = self.held > HOLD_CYCLES;
        if finished {
            job.outcome.end.get_or_insert(End::Completed);
            let stopped = self.stop_noticed_ms.map(|noticed| at_ms - noticed);
            job.outcome.stopped_within_ms = stopped.map(|ms| ms.saturating_sub(HOLD_CYCLES.into()));
        }
        Step { position, finished }
    }

    /// Begins to brake if something asks for it.
    fn watch(&mut self, job: &mut Job, state: &ArmState, at_ms: u64, signals: &Signals) {
        if self.stop_noticed_ms.is_some() {
            return;
        }
        let end = if let Some(abort) = signals.abort {
            Some(End::Aborted(abort))
        } else if signals.stop || job.cancel.is_cancelled() {
            Some(End::Cancelled { at_ms })
        } else {
            let fired = job.checks.look(state, signals.width_m, at_ms);
            fired.map(|fired| End::Fired { fired, at_ms })
        };
        if let Some(end) = end {
            job.outcome.end = Some(end);
            self.stop_noticed_ms = Some(at_ms);
            self.braking = true;
        }
    }

    /// The arm went on by itself for some cycles, with constant acceleration.
    fn catch_up(&mut self, job: &Job, n_missed: u64) {
        self.last = self.last.extrapolated(n_missed);
        if self.braking {
            return;
        }
        let end = job.commands.len() - 1;
        self.at = (self.at + n_missed as usize).min(end);
        let on = |back: usize| job.commands[self.at.saturating_sub(back)];
        let planned = Commanded::at_rest(on(2)).then(on(1)).then(on(0));
        let before: Joints = std::array::from_fn(|i| (on(1)[i] - on(2)[i]) / CYCLE_SECS);
        let off = std::array::from_fn(|i| {
            let planned_a = (planned.velocity[i] - before[i]) / CYCLE_SECS;
            let a = self.last.acceleration[i] - planned_a;
            // A difference of positions is the velocity half a cycle earlier.
            let v = self.last.velocity[i] - planned.velocity[i] + 0.5 * a * CYCLE_SECS;
            [self.last.position[i] - planned.position[i], v, a]
        });
        self.missed = Some((off, self.at));
    }

    fn on_course(&mut self, job: &Job) -> Joints {
        let end = job.commands.len() - 1;
        let mut position = job.commands[self.at.min(end)];
        if let Some((off, since)) = &self.missed {
            let cycles = self.at - since;
            if cycles >= FADE_CYCLES {
                self.missed = None;
            } else {
                let secs = FADE_CYCLES as f64 * CYCLE_SECS;
                let u = cycles as f64 / FADE_CYCLES as f64;
                for i in 0..N_JOINTS {
                    position[i] += fading(off[i], secs, u);
                }
            }
        }
        if self.missed.is_none() {
            self.at = self.at.min(end);
        }
        position
    }
}
