//! The arm's state for observers: a report for people, samples for a watcher, and a view for any
//! thread. Nothing here commands the arm: all data are those that the arm's own thread received.

use std::sync::Arc;

use franka::{Errors, RobotMode};
use parking_lot::Mutex;
use regrasp_api::{Observation, Pose};
use serde::{Deserialize, Serialize};

use crate::hand::Fingers;
use crate::{ArmState, Link, N_JOINTS};

/// Mode of the arm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, strum::Display)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum ArmMode {
    /// A mode that the protocol does not name: brakes closed, or control not activated.
    #[strum(to_string = "not ready")]
    NotReady,
    /// Ready for a motion.
    Idle,
    /// In a motion.
    Moving,
    /// Guided by hand.
    #[strum(to_string = "guided by hand")]
    Guided,
    /// Stopped by reflex; [`regrasp_api::World::recover`] clears that.
    #[strum(to_string = "stopped by reflex")]
    Reflex,
    /// The stop button is pressed.
    #[strum(to_string = "stop button pressed")]
    UserStopped,
    /// Recovering from an error.
    Recovering,
}

impl ArmMode {
    pub(crate) fn of(mode: RobotMode) -> Self {
        match mode {
            RobotMode::Other => Self::NotReady,
            RobotMode::Idle => Self::Idle,
            RobotMode::Move => Self::Moving,
            RobotMode::Guiding => Self::Guided,
            RobotMode::Reflex => Self::Reflex,
            RobotMode::UserStopped => Self::UserStopped,
            RobotMode::AutomaticErrorRecovery => Self::Recovering,
        }
    }
}

/// State reported by the arm itself, for a person at the arm.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ArmStatus {
    /// The arm's clock, s.
    pub time_secs: f64,
    /// Age of the other fields, s.
    pub age_secs: f64,
    /// Mode of the arm.
    pub mode: ArmMode,
    /// Active errors, by the maker's names.
    pub errors: Vec<String>,
    /// Errors that ended the last motion.
    pub last_motion_errors: Vec<String>,
    /// Joint positions, rad.
    pub joints: [f64; N_JOINTS],
    /// External torques as the arm estimates them, N m.
    pub external_torques: [f64; N_JOINTS],
    /// External force (N) and torque (N m) at the tool, in the axes of the base.
    pub external_wrench_in_base: [f64; 6],
    /// Part of the last 100 commands that reached the arm in time, 0 to 1.
    pub command_success_rate: f64,
    /// Distance between the fingers, m.
    pub width_m: f64,
    /// Temperature of the hand, degrees Celsius.
    pub hand_celsius: u16,
}

impl ArmStatus {
    pub(crate) fn new(state: &ArmState, time_secs: f64, age_secs: f64, fingers: &Fingers) -> Self {
        let names = |errors: Errors| {
            let names = errors.names().into_iter().map(str::to_owned);
            names.collect::<Vec<_>>()
        };
        let state = &state.wire;
        Self {
            time_secs,
            age_secs,
            mode: ArmMode::of(state.robot_mode),
            errors: names(state.current_errors),
            last_motion_errors: names(state.last_motion_errors),
            joints: state.q,
            external_torques: state.tau_ext_hat_filtered,
            external_wrench_in_base: state.O_F_ext_hat_K,
            command_success_rate: state.control_command_success_rate,
            width_m: fingers.state().width_m,
            hand_celsius: fingers.celsius(),
        }
    }
}

/// Sensor readings and commands of the arm at one instant.
#[derive(Clone, Debug)]
pub struct ArmSample {
    /// Sensor readings.
    pub observation: Observation,
    /// Joint positions that the controller was last commanded, rad.
    pub commanded_position: [f64; N_JOINTS],
    /// Joint velocities that the controller was last commanded, rad/s.
    pub commanded_velocity: [f64; N_JOINTS],
}

impl ArmSample {
    /// Adds the commanded positions and velocities to an observation.
    pub(crate) fn new(state: &ArmState, observation: Observation) -> Self {
        Self {
            observation,
            commanded_position: state.wire.q_d,
            commanded_velocity: state.wire.dq_d,
        }
    }
}

/// Callback that takes samples.
pub type Watcher = Box<dyn FnMut(ArmSample) + Send>;

pub(crate) struct Watched {
    pub(crate) watcher: Watcher,
    period_ms: u64,
    next_ms: u64,
}

impl Watched {
    pub(crate) fn new(rate_hz: f64, watcher: Watcher) -> Self {
        Self {
            watcher,
            period_ms: (1000.0 / rate_hz).round().max(1.0) as u64,
            next_ms: 0,
        }
    }

    /// Returns true if a state of this time, by the arm's clock, is to be shown. A clock that was
    /// set back is shown at once.
    pub(crate) fn is_due(&mut self, time_ms: u64) -> bool {
        let is_due = time_ms >= self.next_ms || time_ms + self.period_ms < self.next_ms;
        if is_due {
            self.next_ms = time_ms + self.period_ms;
        }
        is_due
    }
}

/// Source of the newest state; connecting again replaces it.
pub(crate) struct Source {
    pub(crate) link: Arc<Link>,
    pub(crate) fingers: Arc<Fingers>,
    pub(crate) last: ArmState,
    pub(crate) clock_offset_secs: f64,
    pub(crate) world_from_base: Pose,
}

/// Read-only view of the arm's present state. Clones watch the same arm.
#[derive(Clone, derive_more::Debug)]
#[debug("Glance")]
pub struct Glance(pub(crate) Arc<Mutex<Source>>);

impl Glance {
    /// Returns the arm's last state, of any age ([`ArmStatus::age_secs`]).
    pub fn look(&self) -> (ArmSample, ArmStatus) {
        let mut source = self.0.lock();
        if let Some(state) = source.link.newest_for_show() {
            source.last = state;
        }
        let (state, fingers) = (source.last, &source.fingers);
        let time_secs = source.clock_offset_secs + state.time_ms() as f64 * 1e-3;
        let observed = state.observation(time_secs, source.world_from_base, fingers.state());
        let age_secs = source.link.silence().as_secs_f64();
        let status = ArmStatus::new(&state, time_secs, age_secs, fingers);
        (ArmSample::new(&state, observed), status)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_shown_at_the_rate_also_after_the_clock_restarts() {
        let mut watched = Watched::new(50.0, Box::new(|_| {}));
        let shown: Vec<u64> = (0..100).filter(|ms| watched.is_due(*ms)).collect();
        assert_eq!(shown, [0, 20, 40, 60, 80]);
        assert!(watched.is_due(3), "a controller that was started again");
    }
}
