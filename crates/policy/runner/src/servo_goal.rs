//! Tool motion by an operational-space controller, as in robosuite's environments.

use regrasp_api::{Failure, Pose, ToolServo};
use regrasp_robot::Robot;

/// Angle below which a rotation is ignored, rad.
const NO_TURN_RAD: f64 = 1e-7;

/// Goal of a servo for the tool, updated step by step.
///
/// As in robosuite, a new goal with the current rotation of the servo's point keeps the rotation of
/// the previous goal.
#[derive(Clone, Debug)]
pub struct ServoGoal {
    servo: ToolServo,
    world_to_point: Pose,
}

impl ServoGoal {
    /// Creates a goal that holds the tool where it is.
    ///
    /// # Errors
    ///
    /// If the robot does not respond.
    pub fn new(robot: &mut Robot, servo: ToolServo) -> Result<Self, Failure> {
        let world_to_point = robot.world_from_tool()? * servo.tool_from_point;
        Ok(Self {
            servo,
            world_to_point,
        })
    }

    /// Returns the pose of the servo's point.
    ///
    /// # Errors
    ///
    /// If the robot does not respond.
    pub fn world_from_point(&self, robot: &mut Robot) -> Result<Pose, Failure> {
        Ok(robot.world_from_tool()? * self.servo.tool_from_point)
    }

    /// Sets the goal of the servo's point.
    ///
    /// # Errors
    ///
    /// If the robot does not respond.
    pub fn set(&mut self, robot: &mut Robot, world_to_point: Pose) -> Result<(), Failure> {
        let here = self.world_from_point(robot)?;
        self.world_to_point.translation = world_to_point.translation;
        if here.rotation.angle_to(&world_to_point.rotation) > NO_TURN_RAD {
            self.world_to_point.rotation = world_to_point.rotation;
        }
        Ok(())
    }

    /// Moves towards the goal for `period_secs`.
    ///
    /// # Errors
    ///
    /// The errors of [`Robot::servo_tool`].
    pub fn advance(&self, robot: &mut Robot, period_secs: f64) -> Result<(), Failure> {
        robot
            .servo_tool(&self.servo, &self.world_to_point, period_secs)
            .map(drop)
    }
}
