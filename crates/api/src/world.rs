use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

use crate::{MonitorStop, Pose, Trajectory, Watch};

/// What the robot's own sensors say at one instant.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Observation {
    /// Simulated (or robot) time in seconds.
    pub time_secs: f64,
    /// Where the arm stands.
    pub world_from_base: Pose,
    /// Joint positions, chain order, rad or m.
    pub joint_positions: Vec<f64>,
    /// Joint velocities, rad/s or m/s.
    pub joint_velocities: Vec<f64>,
    /// Joint efforts that the motors apply, N m or N.
    pub joint_efforts: Vec<f64>,
    /// The gripper.
    pub gripper: GripperState,
    /// Forces on the robot's links from the outside, largest first.
    pub contacts: Vec<ContactForce>,
}

/// State of a two-finger gripper.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct GripperState {
    /// Distance between the finger pads, m.
    pub width_m: f64,
    /// Rate of change of the width, m/s (negative while closing).
    pub speed_m_per_s: f64,
    /// Force with which the fingers are commanded to press, N; 0 while positioning.
    pub grip_force_n: f64,
    /// Whether each finger (left, right) feels a contact.
    pub finger_contact: [bool; 2],
    /// How far what is held has slid along the pads since the fingers were told to
    /// grasp, m: the larger of both pads; 0 while positioning. On hardware this is a
    /// tactile sensor of shear; a hand without one reports 0.
    #[serde(default)]
    pub slip_m: f64,
}

/// A contact that a link feels.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ContactForce {
    /// The link that is touched.
    pub link: String,
    /// Magnitude of the contact force, N.
    pub force_n: f64,
    /// A point of the contact, in World.
    pub point_in_world: [f64; 3],
    /// Whether it is what the link holds that is touched, not the link itself.
    #[serde(default)]
    pub through_held: bool,
}

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
    /// The physics broke.
    Diverged(Diverged),
}

/// The physics produced a NaN or a runaway speed; nothing after this means anything.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, thiserror::Error)]
#[error("the simulation diverged at {time_secs:.3} s: {detail}")]
pub struct Diverged {
    /// Simulated time at which it was noticed.
    pub time_secs: f64,
    /// Which body, and how.
    pub detail: String,
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
    /// The physics broke.
    Diverged(Diverged),
}

/// Result of a gripper command.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GripperReport {
    /// How it ended.
    pub end: GripperEnd,
    /// The state afterwards.
    pub after: Observation,
}

/// A frozen copy of a world. Opaque; restoring it continues bit for bit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    /// The encoded state.
    pub bytes: Vec<u8>,
}

/// A snapshot that cannot be restored.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SnapshotError {
    /// The bytes are not a snapshot of this world.
    #[error("decode the snapshot: {0}")]
    Corrupt(String),
    /// The snapshot was taken of another scene or robot.
    #[error("restore the snapshot: it was taken of another world ({0})")]
    OtherWorld(String),
    /// This world cannot be restored (a real arm).
    #[error("restore the snapshot: this world cannot be restored")]
    Unsupported,
}

/// The seam to the physical world: a simulator, or a real arm.
///
/// Calls block until the motion has ended. A world never reports an object: what
/// is there comes from [`crate::Perception`].
pub trait World: Send {
    /// Reads the sensors. Takes no simulated time.
    fn observe(&mut self) -> Observation;

    /// Follows a trajectory from the present joint positions and comes to rest (unless it
    /// [goes on](Trajectory::going_on)), or stops and holds when a monitor fires or cancellation is asked for. The
    /// gripper keeps its command either way.
    fn follow(&mut self, trajectory: &Trajectory, watch: &Watch) -> MotionReport;

    /// Commands the gripper and waits until the fingers stopped moving, a monitor
    /// fires or cancellation is asked for. Stopped fingers stay where they are; ones
    /// that press on something go on pressing.
    fn command_gripper(&mut self, command: GripperCommand, watch: &Watch) -> GripperReport;

    /// Commands the gripper and does not wait for it: the fingers move while the arm does.
    /// A world that cannot do both at once waits.
    fn start_gripper(&mut self, command: GripperCommand) {
        self.command_gripper(command, &Watch::default());
    }

    /// Holds still for a while.
    ///
    /// # Errors
    ///
    /// [`Diverged`] if the physics broke.
    fn wait(&mut self, duration_secs: f64) -> Result<Observation, Diverged>;

    /// Freezes the whole state, random state included.
    ///
    /// # Errors
    ///
    /// [`SnapshotError::Unsupported`] for a world that cannot be frozen.
    fn snapshot(&self) -> Result<Snapshot, SnapshotError>;

    /// Puts a frozen state back; what follows is bit-identical to what followed it
    /// the first time.
    ///
    /// # Errors
    ///
    /// See [`SnapshotError`].
    fn restore(&mut self, snapshot: &Snapshot) -> Result<(), SnapshotError>;

    /// A 64-bit hash over the exact bits of the state.
    fn state_digest(&self) -> u64;
}

impl ContactForce {
    /// The contact point as a vector, in World.
    pub fn point(&self) -> Vector3<f64> {
        Vector3::from(self.point_in_world)
    }
}
