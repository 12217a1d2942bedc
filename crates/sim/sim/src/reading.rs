//! Read access to a world between two steps.

use rapier3d_f64::prelude::PhysicsWorld;
use regrasp_api::{Compliance, GripperCommand, GripperState, Observation, Pose};
use regrasp_geometry_parry::from_parry;

use crate::SimOptions;
use crate::contacts::Contacts;
use crate::layout::Layout;
use crate::state::{JointState, State};
use crate::tactile::Shear;

/// Immutable view of a world.
#[derive(Clone, Copy)]
pub(crate) struct Reading<'a> {
    pub(crate) options: &'a SimOptions,
    pub(crate) physics: &'a PhysicsWorld,
    pub(crate) layout: &'a Layout,
    pub(crate) state: &'a State,
    pub(crate) joints: &'a JointState,
    pub(crate) compliance: Option<Compliance>,
}

impl<'a> Reading<'a> {
    pub(crate) fn time_secs(&self) -> f64 {
        self.state.step as f64 * self.options.dt_secs
    }

    pub(crate) fn contacts(&self) -> Contacts<'a> {
        Contacts {
            physics: self.physics,
            layout: self.layout,
            faults: &self.state.faults,
            dt_secs: self.options.dt_secs,
        }
    }

    pub(crate) fn observe(&self) -> Observation {
        Observation {
            time_secs: self.time_secs(),
            world_from_base: self.layout.robot.world_from_base,
            joint_positions: self.joints.arm_q.clone(),
            joint_velocities: self.joints.arm_v.clone(),
            joint_efforts: self.arm_efforts(),
            gripper: self.gripper_state(),
            contacts: self.contacts().forces(),
        }
    }

    pub(crate) fn world_from_tool(&self) -> Pose {
        let robot = &self.layout.robot;
        let body = self.physics.bodies.get(robot.tool_body);
        body.map(|body| from_parry(body.position()) * robot.body_from_tool)
            .unwrap_or(robot.world_from_base)
    }

    pub(crate) fn gripper_state(&self) -> GripperState {
        let robot = &self.layout.robot;
        GripperState {
            width_m: robot.width(&self.joints.finger_q),
            speed_m_per_s: self.joints.finger_v.iter().sum(),
            grip_force_n: match self.state.grip.command {
                GripperCommand::Grasp { force_n, .. } => {
                    force_n.clamp(0.0, robot.gripper.max_force_n)
                }
                GripperCommand::MoveTo { .. } => 0.0,
            },
            finger_contact: Some(self.contacts().of_fingers()),
            slip_m: Some(self.state.grip.shear.slip_since(&Shear::default())),
        }
    }

    /// The present efforts of the arm's servos, N m or N.
    pub(crate) fn arm_efforts(&self) -> Vec<f64> {
        let arm = self.layout.robot.arm.iter().enumerate();
        arm.map(|(i, joint)| {
            let (position, velocity) = self.state.servo_target(i);
            let position_error = position - self.joints.arm_q[i];
            let velocity_error = velocity - self.joints.arm_v[i];
            let stiffness = self.compliance.map_or(1.0, |soft| soft.stiffness);
            let effort = joint.motor.kp * position_error + joint.motor.kd * velocity_error;
            (stiffness * effort).clamp(-joint.max_effort, joint.max_effort)
        })
        .collect()
    }

    /// The arm joint farthest from its commanded position, and its error.
    pub(crate) fn worst_position(&self) -> (usize, f64) {
        furthest(&self.state.arm.position, &self.joints.arm_q)
    }

    /// The arm joint farthest from its commanded speed, and its error.
    pub(crate) fn worst_speed(&self) -> (usize, f64) {
        furthest(&self.state.arm.velocity, &self.joints.arm_v)
    }

    /// The finger farthest behind its command, and its lag, m, among the fingers that move slower
    /// than `part` of the commanded speed. `None` while grasping, since the command then is a
    /// force.
    pub(crate) fn laggard(&self, part: f64) -> Option<(usize, f64)> {
        let grip = &self.state.grip;
        if matches!(grip.command, GripperCommand::Grasp { .. }) {
            return None;
        }
        let fingers = self.layout.robot.fingers.iter().enumerate();
        fingers
            .map(|(i, joint)| (i, joint.lower + grip.setpoint - self.joints.finger_q[i]))
            // Fingers that held an object off the middle start on either side of their common
            // command. The finger that is ahead of the command waits, and is not blocked.
            .filter(|(_, lag)| lag * grip.speed >= 0.0)
            .filter(|(i, lag)| self.joints.finger_v[*i] * lag.signum() < part * grip.speed.abs())
            .map(|(i, lag)| (i, lag.abs()))
            .max_by(|a, b| a.1.total_cmp(&b.1))
    }
}

fn furthest(commanded: &[f64], measured: &[f64]) -> (usize, f64) {
    let errors = commanded.iter().zip(measured).map(|(c, m)| (c - m).abs());
    let worst = |a: (usize, f64), b: (usize, f64)| if b.1 > a.1 { b } else { a };
    errors.enumerate().fold((0, 0.0), worst)
}
