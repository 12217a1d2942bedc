//! The arm's own state, for a person.

use franka::{Errors, RobotMode};
use serde::{Deserialize, Serialize};

use crate::hand::Fingers;
use crate::limits::N_JOINTS;
use crate::state::ArmState;

/// Mode of the arm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ArmMode {
    /// A mode that the protocol does not name: brakes closed, or control not activated.
    NotReady,
    /// Ready for a motion.
    Idle,
    /// In a motion.
    Moving,
    /// Guided by hand.
    Guided,
    /// Stopped by reflex; [`regrasp_api::World::recover`] clears that.
    Reflex,
    /// The stop button is pressed.
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
        Self {
            time_secs,
            age_secs,
            mode: ArmMode::of(state.mode),
            errors: names(state.errors),
            last_motion_errors: names(state.last_errors),
            joints: state.q,
            external_torques: state.external_torque,
            external_wrench_in_base: state.wrench_in_base,
            command_success_rate: state.success_rate,
            width_m: fingers.state().width_m,
            hand_celsius: fingers.celsius(),
        }
    }
}
