//! The seam to the physical world, and what passes through it.

use serde::{Deserialize, Serialize};

use crate::{
    Capabilities, MonitorStop, Observation, Pose, Rewind, RobotError, ToolServo, Trajectory, Watch,
};

/// How a motion ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "end")]
pub enum MotionEnd {
    /// The trajectory was followed to its end and the arm came to rest.
    Completed,
    /// A monitor ended it.
    Stopped(MonitorStop),
    /// Somebody asked for a stop.
    Cancelled {
        /// Seconds since the start of the motion.
        at_secs: f64,
    },
}

/// Result of following a trajectory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MotionReport {
    /// How it ended.
    pub end: MotionEnd,
    /// Simulated seconds it took.
    pub duration_secs: f64,
    /// Largest distance of a joint from its command on the way, rad.
    pub peak_tracking_error: f64,
    /// The state afterwards.
    pub after: Observation,
}

/// What the gripper should do. It keeps doing it until the next command.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GripperCommand {
    /// Position the fingers at a width.
    MoveTo {
        /// Distance between the pads, m.
        width_m: f64,
        /// Closing or opening speed of the width, m/s.
        speed_m_per_s: f64,
    },
    /// Close until something resists and keep pressing.
    Grasp {
        /// Force on the object, N.
        force_n: f64,
        /// Closing speed of the width, m/s.
        speed_m_per_s: f64,
    },
}

/// How a gripper command ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GripperEnd {
    /// At the commanded width, or closed to the stop.
    Reached,
    /// Something between the fingers (or a stuck finger) holds them apart.
    Stalled,
    /// Still moving when the time for it ran out.
    TimedOut,
    /// A monitor ended it.
    Stopped(MonitorStop),
    /// Somebody asked for a stop.
    Cancelled,
}

/// Result of a gripper command.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GripperReport {
    /// How it ended.
    pub end: GripperEnd,
    /// The state afterwards.
    pub after: Observation,
}

/// The seam to the physical world: a simulator, or a real arm.
///
/// Calls block until the motion has ended. A world never reports an object: what
/// is there comes from [`crate::Perception`]. What a world cannot do or say is a
/// [`RobotError`]; it never makes up an observation.
pub trait World: Send {
    /// The world's time, s: simulated, or the robot's clock. Reads no sensor and never fails;
    /// while the robot does not answer, the clock goes on.
    fn time_secs(&self) -> f64;

    /// What this world can feel and do; fixed for its life.
    fn capabilities(&self) -> Capabilities;

    /// Reads the sensors. Takes no simulated time.
    ///
    /// # Errors
    ///
    /// [`RobotError`] if there is no fresh state, such as `link_lost` or `stale_state`. A robot
    /// that stands still after a reflex or an emergency stop still answers.
    fn observe(&mut self) -> Result<Observation, RobotError>;

    /// Follows a trajectory from the present joint positions and comes to rest (unless it
    /// [goes on](Trajectory::going_on)), or stops and holds when a monitor fires or cancellation is asked for. The
    /// gripper keeps its command either way. A monitor that needs a sense which is missing
    /// never fires; nobody who asks for [`World::capabilities`] sets one.
    ///
    /// # Errors
    ///
    /// [`RobotError`] if the robot ended it by itself, or did not begin.
    fn follow(
        &mut self,
        trajectory: &Trajectory,
        watch: &Watch,
    ) -> Result<MotionReport, RobotError>;

    /// Commands the gripper and waits until the fingers stopped moving, a monitor
    /// fires or cancellation is asked for. Stopped fingers stay where they are; ones
    /// that press on something go on pressing.
    ///
    /// # Errors
    ///
    /// [`RobotError`] if the gripper does not answer or ended it by itself.
    fn command_gripper(
        &mut self,
        command: GripperCommand,
        watch: &Watch,
    ) -> Result<GripperReport, RobotError>;

    /// Commands the gripper and does not wait for it: the fingers move while the arm does.
    /// A world that cannot do both at once waits.
    ///
    /// # Errors
    ///
    /// As [`World::command_gripper`].
    fn start_gripper(&mut self, command: GripperCommand) -> Result<(), RobotError> {
        self.command_gripper(command, &Watch::default()).map(drop)
    }

    /// Holds still for a while.
    ///
    /// # Errors
    ///
    /// [`RobotError`] if something happened meanwhile.
    fn wait(&mut self, duration_secs: f64) -> Result<Observation, RobotError>;

    /// Clears an error that software may clear, such as a reflex, without moving anything.
    /// Nothing to do if there is none.
    ///
    /// # Errors
    ///
    /// The error, if it is still there: an emergency stop is released by hand.
    fn recover(&mut self) -> Result<(), RobotError> {
        Ok(())
    }

    /// The power to go back in time; only simulators have it.
    fn rewind(&mut self) -> Option<&mut dyn Rewind> {
        None
    }

    /// The interface to the arm's torques; most arms have none.
    fn torque_control(&mut self) -> Option<&mut dyn TorqueControl> {
        None
    }
}

/// A world whose arm is driven by torques.
pub trait TorqueControl {
    /// Drives the tool by torques towards a pose of the servo's point for so long, and stops and
    /// holds only when a monitor fires or cancellation is asked for; otherwise the arm is in motion
    /// afterwards, for the next piece to go on from.
    ///
    /// # Errors
    ///
    /// [`RobotError`] if the robot ended it by itself.
    fn servo_tool(
        &mut self,
        servo: &ToolServo,
        world_to_point: &Pose,
        duration_secs: f64,
        watch: &Watch,
    ) -> Result<MotionReport, RobotError>;
}
