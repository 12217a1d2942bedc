//! What changes while a world runs, beside what rapier keeps itself. All of it is
//! part of a snapshot.

use regrasp_api::GripperCommand;
use serde::{Deserialize, Serialize};

use crate::contact_log::ContactLog;
use crate::error::Diverged;
use crate::fault_state::FaultState;
use crate::presses::PressCount;
use crate::tactile::Shear;

/// The simulator's own state.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct State {
    /// Steps since the clock started; time is a product, so it never drifts.
    pub(crate) step: u64,
    /// Where the arm's servos should be at the end of the next step.
    pub(crate) arm: Targets,
    pub(crate) grip: GripState,
    pub(crate) faults: FaultState,
    pub(crate) contacts: ContactLog,
    /// By round object: the moment that its contacts keep exerting, in World, N m.
    pub(crate) turning: Vec<[f64; 3]>,
    /// By joint between objects: what a button has registered.
    pub(crate) presses: Vec<PressCount>,
    /// By object: whether it was taken out of the world.
    pub(crate) removed: Vec<bool>,
    /// Set once and for all when the physics broke.
    pub(crate) diverged: Option<Diverged>,
}

impl State {
    /// Where an arm joint's servo is going, and how fast; a slow joint lags behind.
    pub(crate) fn servo_target(&self, i: usize) -> (f64, f64) {
        match &self.faults.slow[i] {
            Some(slow) => (slow.position, slow.speed),
            None => (self.arm.position[i], self.arm.velocity[i]),
        }
    }
}

/// Desired joint positions and velocities.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Targets {
    pub(crate) position: Vec<f64>,
    pub(crate) velocity: Vec<f64>,
}

/// What the gripper is doing.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct GripState {
    pub(crate) command: GripperCommand,
    /// Where both fingers should be, as travel from their lower stops, m.
    pub(crate) setpoint: f64,
    /// Rate of change of the setpoint that is fed forward, m/s.
    pub(crate) speed: f64,
    /// Whether the setpoint has arrived where the command ends.
    pub(crate) arrived: bool,
    /// What the pads have felt since the command; nothing while positioning.
    pub(crate) shear: Shear,
}
