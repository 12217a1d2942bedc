//! State of a running world besides rapier's own, and the measured joints.

use rapier3d_f64::prelude::PhysicsWorld;
use regrasp_api::GripperCommand;
use serde::{Deserialize, Serialize};

use crate::contact_log::ContactLog;
use crate::error::Diverged;
use crate::fault_state::FaultState;
use crate::layout::{JointLayout, RobotLayout};
use crate::presses::PressCount;
use crate::tactile::Shear;

/// State that a snapshot keeps, besides rapier's own.
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
    /// Set when the physics diverged, until a snapshot is restored.
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

/// Measured joint positions and velocities, read from the physics after every step.
#[derive(Clone, Debug, Default)]
pub(crate) struct JointState {
    pub(crate) arm_q: Vec<f64>,
    pub(crate) arm_v: Vec<f64>,
    pub(crate) finger_q: [f64; 2],
    pub(crate) finger_v: [f64; 2],
}

impl JointState {
    pub(crate) fn read(&mut self, physics: &PhysicsWorld, robot: &RobotLayout) {
        let Some(multibody) = physics.multibody_joints.get_multibody(robot.multibody) else {
            return;
        };
        let speeds = multibody.generalized_velocity();
        let read = |joint: &JointLayout| {
            let q = multibody.link(joint.link_id);
            let q = q.map_or(f64::NAN, |link| link.joint.coords()[joint.axis]);
            (q, speeds.get(joint.dof).copied().unwrap_or(f64::NAN))
        };
        for (i, joint) in robot.arm.iter().enumerate() {
            (self.arm_q[i], self.arm_v[i]) = read(joint);
        }
        for (i, joint) in robot.fingers.iter().enumerate() {
            (self.finger_q[i], self.finger_v[i]) = read(joint);
        }
    }

    /// The fingers' mean distance from their lower stops, m.
    pub(crate) fn mean_travel(&self, robot: &RobotLayout) -> f64 {
        let fingers = robot.fingers.iter().zip(&self.finger_q);
        0.5 * fingers.map(|(joint, q)| q - joint.lower).sum::<f64>()
    }

    pub(crate) fn arm_speed(&self) -> f64 {
        self.arm_v.iter().map(|v| v.abs()).fold(0.0, f64::max)
    }
}
