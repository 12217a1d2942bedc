//! State of a running world beside rapier's own. All of it is part of a snapshot.

use regrasp_api::GripperCommand;
use serde::{Deserialize, Serialize};

use crate::contact_log::ContactLog;
use crate::error::Diverged;
use crate::fault_state::FaultState;
use crate::presses::PressCount;
use crate::tactile::Shear;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct State {
    /// Steps since the clock started. Time is computed from it, so it never drifts.
    pub(crate) step: u64,
    /// Targets of the arm's servos at the end of the next step.
    pub(crate) arm: Targets,
    pub(crate) grip: GripState,
    pub(crate) faults: FaultState,
    pub(crate) contacts: ContactLog,
    /// Lasting moment of the contacts of each round object, in World, N m.
    pub(crate) turning: Vec<[f64; 3]>,
    pub(crate) presses: Vec<PressCount>,
    pub(crate) removed: Vec<bool>,
    /// Set permanently when the physics diverged.
    pub(crate) diverged: Option<Diverged>,
}

impl State {
    /// Target position and speed of an arm joint's servo; those of a slow joint lag behind.
    pub(crate) fn servo_target(&self, i: usize) -> (f64, f64) {
        match &self.faults.slow[i] {
            Some(slow) => (slow.position, slow.speed),
            None => (self.arm.position[i], self.arm.velocity[i]),
        }
    }
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Targets {
    pub(crate) position: Vec<f64>,
    pub(crate) velocity: Vec<f64>,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct GripState {
    pub(crate) command: GripperCommand,
    /// Target of both fingers, as travel from their lower stops, m.
    pub(crate) setpoint: f64,
    /// Rate of change of the setpoint that is fed forward, m/s.
    pub(crate) speed: f64,
    /// Set if the setpoint has reached the end of the command.
    pub(crate) arrived: bool,
    /// Shear at the pads since the command; zero while positioning.
    pub(crate) shear: Shear,
}
