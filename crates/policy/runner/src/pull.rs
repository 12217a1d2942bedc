//! Tools that are pulled by an operational-space controller, as robosuite's environments do.

use regrasp_api::{Failure, Pose, ToolServo};
use regrasp_robot::Robot;

/// Turns smaller than this are none, rad.
const NO_TURN_RAD: f64 = 1e-7;

/// Where a servo pulls the tool to, step by step.
///
/// A goal is one from where the tool is, not from the goal before, with one exception that is
/// robosuite's: a goal that does not turn the tool keeps the turn that was wanted last.
#[derive(Clone, Debug)]
pub struct Pull {
    servo: ToolServo,
    world_to_point: Pose,
}

impl Pull {
    /// Holds the tool where it is.
    ///
    /// # Errors
    ///
    /// The robot does not answer.
    pub fn new(robot: &mut Robot, servo: ToolServo) -> Result<Self, Failure> {
        let world_to_point = robot.world_from_tool()? * servo.tool_from_point;
        Ok(Self {
            servo,
            world_to_point,
        })
    }

    /// Where the servo's point is.
    ///
    /// # Errors
    ///
    /// The robot does not answer.
    pub fn world_from_point(&self, robot: &mut Robot) -> Result<Pose, Failure> {
        Ok(robot.world_from_tool()? * self.servo.tool_from_point)
    }

    /// Wants the point there.
    ///
    /// # Errors
    ///
    /// The robot does not answer.
    pub fn aim(&mut self, robot: &mut Robot, world_to_point: Pose) -> Result<(), Failure> {
        let here = self.world_from_point(robot)?;
        self.world_to_point.translation = world_to_point.translation;
        if here.rotation.angle_to(&world_to_point.rotation) > NO_TURN_RAD {
            self.world_to_point.rotation = world_to_point.rotation;
        }
        Ok(())
    }

    /// Pulls for a while.
    ///
    /// # Errors
    ///
    /// As [`Robot::servo_tool`].
    pub fn advance(&self, robot: &mut Robot, period_secs: f64) -> Result<(), Failure> {
        robot
            .servo_tool(&self.servo, &self.world_to_point, period_secs)
            .map(drop)
    }
}
