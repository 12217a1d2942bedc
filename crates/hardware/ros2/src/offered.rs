//! Interface to the robot that is offered to ROS.

use std::pin::Pin;

use regrasp_api::{CameraView, GripperCommand, GripperInfo, Pose, Trajectory};
use serde::{Deserialize, Serialize};

use crate::ArmJoint;

/// Robot that other programs command through ROS. All methods but [`OfferedRobot::picture`] return
/// at once.
pub trait OfferedRobot: Send + Sync {
    /// Fixed facts.
    fn facts(&self) -> &RobotFacts;

    /// State now; `None` once the robot was shut down.
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

    /// Last message about the present order.
    fn progress(&self) -> String;

    /// Stops the present order; the arm then holds its position.
    fn stop(&self);
}

/// Future of the outcome of an order.
pub type Pending = Pin<Box<dyn Future<Output = Outcome> + Send>>;

/// Fixed facts about a robot.
#[derive(Clone, Debug)]
pub struct RobotFacts {
    /// Robot description, as URDF.
    pub description: String,
    /// Joints of the arm, in chain order.
    pub arm: Vec<ArmJoint>,
    /// Joints of the fingers.
    pub fingers: FingerJoints,
    /// Gripper.
    pub gripper: GripperInfo,
}

/// Joints that move the fingers: one of each finger, or the one that drives a linkage.
#[derive(Clone, Debug, Default)]
pub struct FingerJoints {
    /// Names; none for an arm without a gripper.
    pub names: Vec<String>,
    /// Rows of the distance between the pads, m, and the position of each finger joint: two or
    /// more in order, linearly interpolated and extrapolated.
    pub position_by_width: Vec<[f64; 2]>,
}

impl FingerJoints {
    /// Fingers that slide, each by half of the width.
    pub fn sliding(names: Vec<String>, max_width_m: f64) -> Self {
        Self {
            names,
            position_by_width: vec![[0.0; 2], [max_width_m, 0.5 * max_width_m]],
        }
    }

    /// Position of the joints with the pads this far apart.
    pub(crate) fn position(&self, width_m: f64) -> f64 {
        self.line(0, width_m).0
    }

    /// Distance between the pads at a position of the joints, m.
    pub(crate) fn width_m(&self, position: f64) -> f64 {
        self.line(1, position).0
    }

    /// Ratio of the effort of each of n joints to the force on each pad, at a width: by virtual
    /// work, n τ dq = F dw. It is 1 for two fingers that slide.
    pub(crate) fn effort_by_force(&self, width_m: f64) -> f64 {
        1.0 / (self.line(0, width_m).1.abs() * self.names.len() as f64)
    }

    /// Interpolated value of the other column where this one is `x`, and its slope.
    fn line(&self, column: usize, x: f64) -> (f64, f64) {
        let table = self.position_by_width.as_slice();
        let ([first, .., last], other) = (table, 1 - column) else {
            return (0.0, 0.0);
        };
        let rises = first[column] < last[column];
        let after = table.partition_point(|row| (row[column] < x) == rises);
        let after = after.clamp(1, table.len() - 1);
        let (a, b) = (table[after - 1], table[after]);
        let slope = (b[other] - a[other]) / (b[column] - a[column]);
        (a[other] + slope * (x - a[column]), slope)
    }
}

/// State of the robot and its surroundings at one instant.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    /// Number of the world; with another number, everything in the scene may be different.
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

/// Shape of an object, in the frame with the object's name.
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
    /// Carry out a command given as text.
    Run(String),
}

/// Outcome of an order, as it is sent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// True if it succeeded.
    pub success: bool,
    /// Structured reason of a failure, or a word for success.
    pub reason: String,
    /// Explanation, a sentence.
    pub detail: String,
}
