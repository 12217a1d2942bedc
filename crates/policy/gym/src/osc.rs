//! Actions under the terms of another benchmark: an operational-space controller moves the tool.

use nalgebra::{Translation3, UnitQuaternion, Vector3};
use regrasp::api::{Failure, GripperAction, Pose};
use regrasp::policy::{PolicyTerms, ServoGoal};
use regrasp::robot::Robot;

/// Sets the goal: the pose of the servo's point, moved by a translation and rotation in World.
pub(crate) fn set_goal(
    robot: &mut Robot,
    servo_goal: &mut ServoGoal,
    terms: &PolicyTerms,
    arm: &[f64],
) -> Result<(), Failure> {
    let from = servo_goal.world_from_point(robot)?;
    let by = Vector3::new(arm[0], arm[1], arm[2]) * terms.step_m;
    let turn = Vector3::new(arm[3], arm[4], arm[5]) * terms.turn_rad;
    let to = Translation3::from(from.translation.vector + by);
    let goal = Pose::from_parts(to, UnitQuaternion::from_scaled_axis(turn) * from.rotation);
    servo_goal.set(robot, goal)
}

/// Gripper command: below 0 opens, above 0 closes, 0 keeps the last command.
pub(crate) fn gripper(robot: &Robot, number: f64) -> Option<GripperAction> {
    let hand = &robot.info.gripper;
    if number == 0.0 {
        return None;
    }
    Some(match number < 0.0 {
        true => GripperAction::WidthM(hand.max_width_m),
        false => GripperAction::ForceN(hand.default_force_n),
    })
}
