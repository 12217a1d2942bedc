//! Servos of the arm and the gripper.
//!
//! A force-based rapier motor solves, implicitly over a step of length h,
//!
//! F = kp (p + h w - q⁺) + kd (w - v⁺),
//!
//! where p and w are its target position and velocity and q⁺, v⁺ those of the joint at the end of
//! the step (or of the last substep, see `substeps`). With w = v_d⁺ and p = q_d⁺ - h v_d⁺ that is
//! exactly the servo kp (q_d - q) + kd (v_d - v) at the end of the step.

use rapier3d_f64::prelude::{JointAxesMask, JointMotor, Multibody, PhysicsWorld};
use regrasp_api::GripperCommand;

use crate::compliance::Softness;
use crate::layout::{JointLayout, RobotLayout};
use crate::state::{JointState, State};

/// Stiffness and damping that hold a blocked joint, in N, m, rad and s: practically rigid.
pub(crate) const BLOCKED_KP: f64 = 1e7;
pub(crate) const BLOCKED_KD: f64 = 1e6;
/// Damping of the motor that applies a torque, N m s/rad. It is so small that a change of speed by
/// 1 rad/s within a step changes the torque by only 0.001 N m.
const TORQUE_KD: f64 = 1e-3;
/// Lag of a finger behind its setpoint from which it counts as held up by an object, m.
const HELD_UP_M: f64 = 0.002;
/// Rate at which the force builds up once the fingers are held up, N/s.
const FORCE_RATE_N_PER_S: f64 = 200.0;
/// Closing speed, relative to the finger's limit, above which the fingers meet no resistance.
const OVERSPEED: f64 = 1.5;
/// Distance to a limit below which the limit is enforced, rad or m: more than any joint travels in
/// a step.
const LIMIT_NEAR: f64 = 0.1;
/// Slowest and fastest speed that a command can give a finger, m/s.
const FINGER_SPEEDS: [f64; 2] = [0.001, 1.0];

/// Advances the fingers' common setpoint by one step.
///
/// While the fingers press, the setpoint lies F / kp below their mean position. Their forces then
/// differ only by kp times their distance from the mean: a mimic joint in software. (Two
/// independent force motors drift apart.)
pub(crate) fn advance_gripper(
    state: &mut State,
    joints: &JointState,
    robot: &RobotLayout,
    dt: f64,
) {
    if robot.fingers.is_empty() {
        return;
    }
    let mean = joints.mean_travel(robot);
    let kp = robot.gripper.motor.kp;
    let State { grip, faults, .. } = state;
    let speed = finger_speed(robot, &grip.command);
    match grip.command {
        GripperCommand::MoveTo { width_m, .. } => {
            let goal = robot.travel(width_m);
            let shift = goal - grip.setpoint;
            grip.setpoint += shift.clamp(-speed * dt, speed * dt);
            grip.arrived = (goal - grip.setpoint).abs() < 1e-12;
            grip.speed = if grip.arrived {
                0.0
            } else {
                speed.copysign(shift)
            };
        }
        GripperCommand::Grasp { force_n, .. } => {
            let real_n = faults.real_force(force_n);
            let press = mean - real_n.clamp(0.0, robot.gripper.max_force_n) / kp;
            let lag = mean - grip.setpoint;
            let mean_speed = 0.5 * (joints.finger_v[0] + joints.finger_v[1]);
            let held_up = lag > HELD_UP_M && mean_speed > -0.3 * speed;
            let rate = if held_up {
                FORCE_RATE_N_PER_S / kp
            } else {
                speed
            };
            grip.setpoint = (grip.setpoint - rate * dt).max(press);
            if mean_speed < -OVERSPEED * fastest_finger(robot) {
                // The held object is gone: the fingers must not slam shut.
                grip.setpoint = mean;
            }
            grip.arrived = grip.setpoint <= press;
            grip.speed = if lag < HELD_UP_M && !grip.arrived {
                -rate
            } else {
                0.0
            };
        }
    }
}

pub(crate) fn finger_speed(robot: &RobotLayout, command: &GripperCommand) -> f64 {
    let (GripperCommand::MoveTo { speed_m_per_s, .. }
    | GripperCommand::Grasp { speed_m_per_s, .. }) = command;
    (0.5 * speed_m_per_s.abs()).clamp(FINGER_SPEEDS[0], fastest_finger(robot))
}

/// Lowest speed limit of the fingers in the URDF, at most that of `FINGER_SPEEDS`, m/s.
fn fastest_finger(robot: &RobotLayout) -> f64 {
    let limits = robot.fingers.iter().map(|joint| joint.max_speed);
    let limits = limits.filter(|speed| *speed > FINGER_SPEEDS[0]);
    limits.fold(FINGER_SPEEDS[1], f64::min)
}

pub(crate) fn write_motors(
    physics: &mut PhysicsWorld,
    robot: &RobotLayout,
    state: &State,
    joints: &JointState,
    softness: &Softness,
    dt_secs: f64,
) {
    // The motor acts on the last substep, which ends with the step.
    let parts = physics.integration_parameters.num_solver_iterations;
    let dt = dt_secs / parts.max(1) as f64;
    let Some(multibody) = physics.multibody_joints.get_multibody_mut(robot.multibody) else {
        return;
    };
    for (i, joint) in robot.arm.iter().enumerate() {
        watch_limits(multibody, joint, joints.arm_q[i]);
        let Some(motor) = motor_of(multibody, joint) else {
            continue;
        };
        let (position, velocity) = state.servo_target(i);
        match state.faults.blocked[i] {
            Some(q) => block(motor, q),
            None => {
                let max_effort = softness.max_effort(i, joint.max_effort);
                drive(motor, joint, max_effort, position, velocity, dt);
                motor.stiffness *= softness.stiffness;
                motor.damping *= softness.stiffness;
            }
        }
    }
    let max_force = robot.gripper.max_force_n;
    for (i, joint) in robot.fingers.iter().enumerate() {
        let Some(motor) = motor_of(multibody, joint) else {
            continue;
        };
        let position = joint.lower + state.grip.setpoint;
        match state.faults.stuck_fingers {
            Some(q) => block(motor, q[i]),
            None => {
                let max_force = max_force.min(joint.max_effort);
                drive(motor, joint, max_force, position, state.grip.speed, dt);
            }
        }
    }
}

/// Applies torques in place of servos to all joints of the arm that are not blocked.
pub(crate) fn write_torques(
    physics: &mut PhysicsWorld,
    robot: &RobotLayout,
    state: &State,
    joints: &JointState,
    torques: &[f64],
) {
    let Some(multibody) = physics.multibody_joints.get_multibody_mut(robot.multibody) else {
        return;
    };
    for (i, (joint, torque)) in robot.arm.iter().zip(torques).enumerate() {
        if state.faults.blocked[i].is_none()
            && let Some(motor) = motor_of(multibody, joint)
        {
            motor.stiffness = 0.0;
            motor.damping = TORQUE_KD;
            motor.max_force = f64::MAX;
            motor.target_vel = joints.arm_v[i] + torque / TORQUE_KD;
        }
    }
}

pub(crate) fn advance_slow_joints(state: &mut State, dt: f64) {
    let State { arm, faults, .. } = state;
    for (slow, goal) in faults.slow.iter_mut().zip(&arm.position) {
        if let Some(slow) = slow {
            let shift = (goal - slow.position).clamp(-slow.max_speed * dt, slow.max_speed * dt);
            slow.position += shift;
            slow.speed = shift / dt;
        }
    }
}

/// Enforces a joint limit only near it, since an active limit takes as much computing time as a
/// motor.
fn watch_limits(multibody: &mut Multibody, joint: &JointLayout, q: f64) {
    let is_near = q - joint.lower < LIMIT_NEAR || joint.upper - q < LIMIT_NEAR;
    if let Some(link) = multibody.link_mut(joint.link_id) {
        let axis = JointAxesMask::from_bits_truncate(1 << joint.axis);
        link.joint.data.limit_axes.set(axis, is_near);
    }
}

fn motor_of<'a>(multibody: &'a mut Multibody, joint: &JointLayout) -> Option<&'a mut JointMotor> {
    let link = multibody.link_mut(joint.link_id)?;
    link.joint.data.motors.get_mut(joint.axis)
}

fn drive(motor: &mut JointMotor, joint: &JointLayout, max_force: f64, q: f64, v: f64, dt: f64) {
    motor.stiffness = joint.motor.kp;
    motor.damping = joint.motor.kd;
    motor.max_force = max_force;
    motor.target_pos = q - dt * v;
    motor.target_vel = v;
}

pub(crate) fn block(motor: &mut JointMotor, q: f64) {
    motor.stiffness = BLOCKED_KP;
    motor.damping = BLOCKED_KD;
    motor.max_force = f64::MAX;
    motor.target_pos = q;
    motor.target_vel = 0.0;
}
