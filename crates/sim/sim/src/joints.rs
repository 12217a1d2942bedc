//! Positions and velocities of the robot's joints.

use rapier3d_f64::prelude::PhysicsWorld;

use crate::layout::{JointLayout, RobotLayout};

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
            let q = multibody
                .link(joint.link_id)
                .map_or(f64::NAN, |link| link.joint.coords()[joint.axis]);
            (q, speeds.get(joint.dof).copied().unwrap_or(f64::NAN))
        };
        for (i, joint) in robot.arm.iter().enumerate() {
            (self.arm_q[i], self.arm_v[i]) = read(joint);
        }
        for (i, joint) in robot.fingers.iter().enumerate() {
            (self.finger_q[i], self.finger_v[i]) = read(joint);
        }
    }

    /// The fingers' mean distance from their lower stops.
    pub(crate) fn mean_travel(&self, robot: &RobotLayout) -> f64 {
        let fingers = robot.fingers.iter().zip(&self.finger_q);
        0.5 * fingers.map(|(joint, q)| q - joint.lower).sum::<f64>()
    }

    pub(crate) fn arm_speed(&self) -> f64 {
        self.arm_v.iter().map(|v| v.abs()).fold(0.0, f64::max)
    }
}
