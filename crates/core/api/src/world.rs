//! Interface to the physical world, and the data that passes through it.

use serde::{Deserialize, Serialize};

use crate::{
    Capabilities, MonitorStop, Observation, Pose, Rewind, RobotError, ToolServo, Trajectory, Watch,
};

/// End of a motion.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "end")]
pub enum MotionEnd {
    /// The trajectory was completed and the arm came to rest.
    Completed,
    /// A monitor ended the motion.
    Stopped(MonitorStop),
    /// A stop was requested.
    Cancelled {
        /// Time since the start of the motion, s.
        at_secs: f64,
    },
}

/// Report on a followed trajectory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MotionReport {
    /// End of the motion.
    pub end: MotionEnd,
    /// Simulated duration, s.
    pub duration_secs: f64,
    /// Largest deviation of a joint from its command during the motion, rad.
    pub peak_tracking_error: f64,
    /// State afterwards.
    pub after: Observation,
}

/// Command to the gripper, in effect until the next one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GripperCommand {
    /// Positions the fingers at a width.
    MoveTo {
        /// Distance between the pads, m.
        width_m: f64,
        /// Closing or opening speed of the width, m/s.
        speed_m_per_s: f64,
    },
    /// Closes until something resists and keeps pressing.
    Grasp {
        /// Force on the object, N.
        force_n: f64,
        /// Closing speed of the width, m/s.
        speed_m_per_s: f64,
    },
}

/// End of a gripper command.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GripperEnd {
    /// The commanded width, or the closed stop, was reached.
    Reached,
    /// An object between the fingers (or a stuck finger) holds them apart.
    Stalled,
    /// The fingers were still moving at the timeout.
    TimedOut,
    /// A monitor ended the command.
    Stopped(MonitorStop),
    /// A stop was requested.
    Cancelled,
}

/// Report on a gripper command.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GripperReport {
    /// End of the command.
    pub end: GripperEnd,
    /// State afterwards.
    pub after: Observation,
}

/// Interface to the physical world: a simulator or a real arm.
///
/// Calls block until the motion has ended. A world never reports objects; these come from
/// [`crate::Perception`]. Anything that a world cannot do or report is a [`RobotError`]; it never
/// makes up an observation.
pub trait World: Send {
    /// Returns the world's time, s: simulated, or the robot's clock. Reads no sensor and never
    /// fails; the clock continues while the robot does not answer.
    fn time_secs(&self) -> f64;

    /// Returns the capabilities of this world, which never change.
    fn capabilities(&self) -> Capabilities;

    /// Reads the sensors. Takes no simulated time.
    ///
    /// # Errors
    ///
    /// [`RobotError`] if there is no fresh state, such as `link_lost` or `stale_state`. A robot
    /// that stands still after a reflex or an emergency stop still answers.
    fn observe(&mut self) -> Result<Observation, RobotError>;

    /// Follows a trajectory from the present joint positions and comes to rest (unless it
    /// [goes on](Trajectory::going_on)). Stops and holds if a monitor fires or cancellation is
    /// requested. The gripper keeps its command in both cases. A monitor whose sense is missing
    /// never fires; check [`World::capabilities`] before setting one.
    ///
    /// # Errors
    ///
    /// [`RobotError`] if the robot ended the motion or did not begin it.
    fn follow(
        &mut self,
        trajectory: &Trajectory,
        watch: &Watch,
    ) -> Result<MotionReport, RobotError>;

    /// Commands the gripper and waits until the fingers stopped moving, a monitor fires or
    /// cancellation is requested. Stopped fingers stay where they are; fingers that press on
    /// something go on pressing.
    ///
    /// # Errors
    ///
    /// [`RobotError`] if the gripper does not answer or ended the command.
    fn command_gripper(
        &mut self,
        command: GripperCommand,
        watch: &Watch,
    ) -> Result<GripperReport, RobotError>;

    /// Commands the gripper without waiting: the fingers move while the arm does. A world that
    /// cannot do both at once waits.
    ///
    /// # Errors
    ///
    /// As for [`World::command_gripper`].
    fn start_gripper(&mut self, command: GripperCommand) -> Result<(), RobotError> {
        self.command_gripper(command, &Watch::default()).map(drop)
    }

    /// Holds still for a while.
    ///
    /// # Errors
    ///
    /// [`RobotError`] if an error occurred meanwhile.
    fn wait(&mut self, duration_secs: f64) -> Result<Observation, RobotError>;

    /// Clears an error that software may clear, such as a reflex, without moving anything. Does
    /// nothing if there is no error.
    ///
    /// # Errors
    ///
    /// The error, if it persists: an emergency stop is released by hand.
    fn recover(&mut self) -> Result<(), RobotError> {
        Ok(())
    }

    /// Returns the interface to snapshots; only simulators have it.
    fn rewind(&mut self) -> Option<&mut dyn Rewind> {
        None
    }

    /// Returns the interface to the arm's torques; most arms have none.
    fn torque_control(&mut self) -> Option<&mut dyn TorqueControl> {
        None
    }
}

/// World whose arm is driven by torques.
pub trait TorqueControl {
    /// Drives the servo's point towards a pose by torques for a given time. The arm stops and holds
    /// only if a monitor fires or cancellation is requested; otherwise it is still in motion
    /// afterwards, so that the next call can continue.
    ///
    /// # Errors
    ///
    /// [`RobotError`] if the robot ended the motion.
    fn servo_tool(
        &mut self,
        servo: &ToolServo,
        world_to_point: &Pose,
        duration_secs: f64,
        watch: &Watch,
    ) -> Result<MotionReport, RobotError>;
}
