//! One cycle of a motion: from the arm's state to the next command. Allocates nothing.

use crate::brake::Commanded;
use crate::course::fading;
use crate::{Abort, ArmState, CYCLE_SECS, End, Job, Joints, N_JOINTS, off};

/// Number of cycles over which the offset of missed cycles fades out.
const FADE_CYCLES: usize = 50;
/// Number of cycles over which an offset at the start fades out.
const START_CYCLES: usize = 300;
/// Positions closer than this are equal, rad: an FR3 rounds its states to float32.
const SAME_RAD: f64 = 1e-6;
/// Number of cycles in which the last position is repeated before the motion is finished.
const HOLD_CYCLES: u32 = 2;

/// Inputs of a cycle besides the arm's state: requests to end the motion, and the finger distance.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Signals {
    pub(crate) stop: bool,
    pub(crate) abort: Option<Abort>,
    pub(crate) width_m: f64,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub(crate) position: Joints,
    pub(crate) finished: bool,
}

/// Offset of the commands from the course: position, velocity and acceleration of each joint at the
/// course's index `since`, fading out over `cycles`.
#[derive(Clone, Copy)]
struct Off {
    joints: [[f64; 3]; N_JOINTS],
    since: usize,
    cycles: usize,
}

pub(crate) struct Cycle {
    /// Index of the last commanded position in the course.
    at: usize,
    last: Commanded,
    /// Offset since cycles were missed, or since the start.
    off: Option<Off>,
    braking: bool,
    stop_noticed_ms: Option<u64>,
    began_ms: u64,
    held: u32,
}

impl Cycle {
    /// Begins at the commanded position that the arm's first state reports. It may differ from the
    /// planned one: an arm at rest that sagged a little reports its measured position as commanded.
    pub(crate) fn new(job: &Job, first: &ArmState) -> Self {
        let (planned, own) = (job.commands[0], first.wire.q_d);
        let joints = off(&own, &planned);
        let is_off = joints.iter().any(|joint| joint.abs() > SAME_RAD);
        Self {
            at: 0,
            last: Commanded::at_rest(if is_off { own } else { planned }),
            off: is_off.then(|| Off {
                joints: joints.map(|joint| [joint, 0.0, 0.0]),
                since: 0,
                cycles: START_CYCLES,
            }),
            braking: false,
            stop_noticed_ms: None,
            began_ms: first.time_ms(),
            held: 0,
        }
    }

    /// Command that answers this state, `period_ms` after the previous answered one.
    pub(crate) fn step(
        &mut self,
        job: &mut Job,
        state: &ArmState,
        period_ms: u64,
        signals: &Signals,
    ) -> Step {
        let at_ms = state.time_ms().saturating_sub(self.began_ms);
        job.outcome.duration_ms = at_ms;
        let (_, lag) = ArmState::largest(&off(&state.wire.q, &state.wire.q_d));
        job.outcome.peak_lag = job.outcome.peak_lag.max(lag);
        self.watch(job, state, at_ms, signals);
        if period_ms > 1 {
            self.catch_up(job, period_ms - 1);
        }
        let end = job.commands.len() - 1;
        let past_end = self.at >= end && self.off.is_none();
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
        let is_at_rest = self.last.is_at_rest() && (self.braking || past_end);
        self.held = if is_at_rest { self.held + 1 } else { 0 };
        let finished = self.held > HOLD_CYCLES;
        if finished {
            job.outcome.end.get_or_insert(End::Completed);
            let stopped = self.stop_noticed_ms.map(|noticed| at_ms - noticed);
            job.outcome.stopped_within_ms = stopped.map(|ms| ms.saturating_sub(HOLD_CYCLES.into()));
        }
        Step { position, finished }
    }

    fn watch(&mut self, job: &mut Job, state: &ArmState, at_ms: u64, signals: &Signals) {
        if self.stop_noticed_ms.is_some() {
            return;
        }
        let end = if let Some(abort) = signals.abort {
            Some(End::Aborted(abort))
        } else if signals.stop || job.cancel.is_cancelled() {
            Some(End::Cancelled { at_ms })
        } else {
            let fired = state.look(&mut job.checks, signals.width_m, at_ms);
            fired.map(|fired| End::Fired { fired, at_ms })
        };
        if let Some(end) = end {
            job.outcome.end = Some(end);
            self.stop_noticed_ms = Some(at_ms);
            self.braking = true;
        }
    }

    /// Accounts for missed cycles, in which the arm went on with constant acceleration.
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
        let joints = std::array::from_fn(|i| {
            let planned_a = (planned.velocity[i] - before[i]) / CYCLE_SECS;
            let a = self.last.acceleration[i] - planned_a;
            // A difference of positions is the velocity half a cycle earlier.
            let v = self.last.velocity[i] - planned.velocity[i] + 0.5 * a * CYCLE_SECS;
            [self.last.position[i] - planned.position[i], v, a]
        });
        // A fade under way is already part of the offset, and keeps its remaining time.
        let left = self
            .off
            .map_or(0, |off| off.cycles.saturating_sub(self.at - off.since));
        self.off = Some(Off {
            joints,
            since: self.at,
            cycles: left.max(FADE_CYCLES),
        });
    }

    fn on_course(&mut self, job: &Job) -> Joints {
        let end = job.commands.len() - 1;
        let mut position = job.commands[self.at.min(end)];
        if let Some(off) = &self.off {
            let cycles = self.at - off.since;
            if cycles >= off.cycles {
                self.off = None;
            } else {
                let secs = off.cycles as f64 * CYCLE_SECS;
                let u = cycles as f64 / off.cycles as f64;
                for (position, joint) in position.iter_mut().zip(off.joints) {
                    *position += fading(joint, secs, u);
                }
            }
        }
        if self.off.is_none() {
            self.at = self.at.min(end);
        }
        position
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    use franka::RobotState;
    use regrasp_api::{CancelToken, Monitor, MonitorChecks};

    use crate::brake::Brakes;
    use crate::job::Outcome;
    use crate::limits::ArmLimits;
    use crate::link::{Link, Stop};

    fn job() -> Job {
        // One second of constant acceleration, then one of constant deceleration.
        let half = |k: f64| 0.5 * 0.3 * (k * CYCLE_SECS).powi(2);
        let position = |k: usize| match k as f64 {
            k if k <= 1000.0 => half(k),
            k => 2.0 * half(1000.0) - half(2000.0 - k),
        };
        Job {
            id: 1,
            commands: (0..=2000).map(|k| [position(k); N_JOINTS]).collect(),
            ends_moving: false,
            checks: MonitorChecks::of(&[Monitor::ExternalTorque {
                max_torque_nm: 15.0,
                for_secs: 0.005,
            }]),
            cancel: CancelToken::new(),
            brakes: Brakes::of(&ArmLimits::panda()),
            stale: Duration::from_millis(50),
            lost_controller: Duration::from_millis(100),
            start_tolerance: 0.02,
            outcome: Outcome::default(),
        }
    }

    /// Runs every cycle of a motion with missed cycles and a stop, as the arm's thread does, but
    /// without sockets.
    #[test]
    fn a_cycle_allocates_nothing() {
        let counted = allocation_counter::measure(|| drop(std::hint::black_box(Box::new(1))));
        assert_eq!(counted.count_total, 1, "the allocation counter works");
        let link = Link::new(Stop::default());
        let mut job = job();
        let mut wire = RobotState::default();
        let mut cycle = Cycle::new(&job, &link.publish(&wire));
        let mut n_cycles = 0;
        let allocated = allocation_counter::measure(|| {
            for k in 1..3000_u64 {
                if k % 100 == 7 {
                    continue;
                }
                wire.time = franka::Duration::from_millis(k);
                let state = link.publish(&wire);
                let period_ms = if k % 100 == 8 { 2 } else { 1 };
                link.count(period_ms);
                let signals = Signals {
                    stop: k > 1500,
                    ..Signals::default()
                };
                let step = cycle.step(&mut job, &state, period_ms, &signals);
                (wire.q, wire.q_d) = (step.position, step.position);
                n_cycles += 1;
                if step.finished {
                    break;
                }
            }
        });
        assert_eq!(allocated.count_total, 0, "{allocated:?}");
        assert!((1500..1700).contains(&n_cycles), "{n_cycles}");
        assert!(matches!(job.outcome.end, Some(End::Cancelled { .. })));
    }
}
