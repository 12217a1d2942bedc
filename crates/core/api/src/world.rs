//! Interface to the physical world, and the data that passes through it.

use serde::{Deserialize, Serialize};

use crate::{Capabilities, MonitorStop, Observation, Pose, RobotError, Trajectory, Watch};

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
    /// Duration in world time, s.
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

impl GripperCommand {
    /// Creates a command that positions the fingers at a width, m, with a speed, m/s.
    pub const fn move_to(width_m: f64, speed_m_per_s: f64) -> Self {
        Self::MoveTo {
            width_m,
            speed_m_per_s,
        }
    }

    /// Creates a command that closes the fingers with a force, N, and a speed, m/s.
    pub const fn grasp(force_n: f64, speed_m_per_s: f64) -> Self {
        Self::Grasp {
            force_n,
            speed_m_per_s,
        }
    }
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

    /// Commands the gripper and waits until the fingers have stopped, a monitor fires or
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

/// Frozen copy of a world's state, in a form that only the world knows. A restored world continues
/// identically to the last bit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    /// Encoded state.
    pub bytes: Vec<u8>,
}

/// Failure to take or restore a snapshot.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SnapshotError {
    /// The bytes are not a snapshot of this world.
    #[error("decode the snapshot: {0}")]
    Corrupt(String),
    /// The snapshot was taken of another scene or robot.
    #[error("restore the snapshot: it belongs to another world ({0})")]
    OtherWorld(String),
}

/// World whose whole state can be saved and restored. A real arm does not have this.
pub trait Rewind {
    /// Saves the whole state, including random state.
    ///
    /// # Errors
    ///
    /// See [`SnapshotError`].
    fn snapshot(&self) -> Result<Snapshot, SnapshotError>;

    /// Restores a saved state. The continuation is bit-identical to that after the snapshot.
    ///
    /// # Errors
    ///
    /// See [`SnapshotError`].
    fn restore(&mut self, snapshot: &Snapshot) -> Result<(), SnapshotError>;

    /// Returns a 64-bit hash of the exact bits of the state.
    fn state_digest(&self) -> u64;
}

/// Operational-space controller (Khatib 1987) with decoupled position and rotation, like
/// robosuite's `OSC_POSE`.
///
/// `J_p` and `J_r` are the Jacobians of a point at the tool, and `M` is the mass matrix of the arm
/// for which the controller was made, given by `links` and `armature_kg_m2`. The joint torques are
///
/// ```text
/// tau = J_pᵀ (J_p M⁻¹ J_pᵀ)⁻¹ (k e_p - d v) + J_rᵀ (J_r M⁻¹ J_rᵀ)⁻¹ (k e_r - d w)
///     + Nᵀ M (k₀ (q₀ - q) - d₀ q')
/// ```
///
/// with `d = 2 √k` and `d₀ = 2 √k₀`, clamped to `max_torque_n_m`. The arm then accelerates as the
/// arm for which the controller was made would under these torques and its joints' friction. It
/// lags behind its goal, and its force grows with the distance to the goal: policies trained on
/// such a controller expect this.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolServo {
    /// Controlled point and its axes in the tool frame.
    pub tool_from_point: Pose,
    /// Stiffness `k` of position and rotation, 1/s².
    pub stiffness: f64,
    /// Stiffness `k₀` of the null-space motion, 1/s².
    pub rest_stiffness: f64,
    /// Target of the null-space motion, joint positions in chain order, rad.
    pub rest: Vec<f64>,
    /// Links of the arm for which the controller was made, one for each joint.
    pub links: Vec<ServoLink>,
    /// Inertia of each joint's drive in chain order, kg m²; replaces that of the robot file.
    pub armature_kg_m2: Vec<f64>,
    /// Viscous friction of each joint, N m s.
    pub damping: Vec<f64>,
    /// Dry friction of each joint, N m.
    pub friction_n_m: Vec<f64>,
    /// Largest torque of each joint, N m.
    pub max_torque_n_m: Vec<f64>,
}

/// Inertia of a link (all that moves between a joint and the next one) of the arm for which a
/// controller was made.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ServoLink {
    /// Mass, kg.
    pub mass_kg: f64,
    /// Centre of mass in the frame of the joint's child link, m.
    pub center: [f64; 3],
    /// Moments of inertia about the centre of mass and the axes of that frame, kg m².
    pub inertia_kg_m2: [f64; 3],
}
