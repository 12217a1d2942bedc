//! Interface to the robot that is offered to ROS.

use std::pin::Pin;

use regrasp_api::{CameraView, GripperCommand, GripperInfo, Pose, Trajectory};

use crate::trajectory::ArmJoint;

/// Robot that other programs command through ROS. All methods but [`OfferedRobot::picture`] return
/// at once.
pub trait OfferedRobot: Send + Sync {
    /// Fixed facts.
    fn facts(&self) -> &RobotFacts;

    /// State now; `None` once the robot is gone.
    fn snapshot(&self) -> Option<Snapshot>;

    /// Shapes of all objects of the present world.
    fn bodies(&self) -> Vec<Body>;

    /// Cameras at their present poses.
    fn cameras(&self) -> Vec<CameraView>;

    /// Takes a picture: red, green and blue of each pixel. May take a while.
    fn picture(&self, camera: &str) -> Option<(CameraView, Vec<u8>)>;

    /// Begins an order.
    ///
    /// # Errors
    ///
    /// The reason why it cannot begin; then nothing was changed.
    fn begin(&self, order: Order) -> Result<Pending, String>;

    /// Last message about the order under way.
    fn progress(&self) -> String;

    /// Stops the order under way; the arm then holds.
    fn stop(&self);
}

/// Outcome of an order that was begun.
pub type Pending = Pin<Box<dyn Future<Output = Outcome> + Send>>;

/// Fixed facts about a robot.
#[derive(Clone, Debug)]
pub struct RobotFacts {
    /// URDF.
    pub description: String,
    /// Joints of the arm, in chain order.
    pub arm: Vec<ArmJoint>,
    /// Finger joints; each travels half of the width.
    pub finger_joints: Vec<String>,
    /// Gripper.
    pub gripper: GripperInfo,
}

/// State of the robot and its surroundings at one instant.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    /// Number of the world; another number means that every object may be another one.
    pub world: u64,
    /// Simulated time, or the robot's clock, s.
    pub time_secs: f64,
    /// True if the time is simulated.
    pub is_simulated: bool,
    /// Positions of the arm's joints, rad.
    pub joint_positions: Vec<f64>,
    /// Velocities of the arm's joints, rad/s.
    pub joint_velocities: Vec<f64>,
    /// Distance between the finger pads, m.
    pub gripper_width_m: f64,
    /// Frames of links, objects and cameras.
    pub frames: Vec<RosFrame>,
}

/// Frame with its parent.
#[derive(Clone, Debug, PartialEq)]
pub struct RosFrame {
    /// Name of the parent; `world` is the root.
    pub parent: String,
    /// Name of the frame.
    pub name: String,
    /// Pose in the parent.
    pub parent_from_frame: Pose,
    /// True if it never moves in its parent.
    pub is_fixed: bool,
}

/// Shape of an object, in the frame of that name.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// Name of the object and its frame.
    pub name: String,
    /// Corners of the triangles, three each, m.
    pub corners: Vec<[f64; 3]>,
    /// Red, green, blue, 0 to 1.
    pub rgb: [f32; 3],
}

/// Order from a ROS program.
#[derive(Clone, Debug, PartialEq)]
pub enum Order {
    /// Follow a timed motion.
    Follow(Trajectory),
    /// Move the fingers.
    Grip(GripperCommand),
    /// Carry out a text.
    Run(String),
}

/// Outcome of an order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// True if it succeeded.
    pub success: bool,
    /// Structured reason of a failure, or a word for success.
    pub reason: String,
    /// Sentence about it.
    pub detail: String,
}
