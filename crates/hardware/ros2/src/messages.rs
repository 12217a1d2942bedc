//! ROS 2 messages and actions of this crate, field by field in the order of their definitions: the
//! order is the wire format (CDR). Packages as of ROS 2 Jazzy.

use nalgebra::{Translation3, UnitQuaternion};
use regrasp_api::{CameraView, Pose as ApiPose};
use ros2_client::{ActionTypeName, Message, MessageTypeName};
use serde::{Deserialize, Serialize};

use crate::Outcome;

/// Messages with their fields, and the package of those that are topics.
macro_rules! messages {
    ($($(#[$meta:meta])* $name:ident $(: $package:literal)? { $($field:ident: $kind:ty),* $(,)? })*) => {
        $(
            $(#[$meta])*
            #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
            pub(crate) struct $name { $(pub(crate) $field: $kind),* }
            impl Message for $name {}
            $(impl Topic for $name {
                fn type_name() -> MessageTypeName {
                    MessageTypeName::new($package, stringify!($name))
                }
            })?
        )*
    };
}

/// Message of an action.
pub(crate) trait Sent: Message + Clone + 'static {}

impl<M: Message + Clone + 'static> Sent for M {}

/// Message that is sent on topics.
pub(crate) trait Topic: Message {
    fn type_name() -> MessageTypeName;
}

messages! {
    Time { sec: i32, nanosec: u32 }
    Duration { sec: i32, nanosec: u32 }
    Header { stamp: Time, frame_id: String }
    Vector3 { x: f64, y: f64, z: f64 }
    Quaternion { x: f64, y: f64, z: f64, w: f64 }
    Transform { translation: Vector3, rotation: Quaternion }
    Twist { linear: Vector3, angular: Vector3 }
    TransformStamped { header: Header, child_frame_id: String, transform: Transform }
    ColorRGBA { r: f32, g: f32, b: f32, a: f32 }
    UVCoordinate { u: f32, v: f32 }
    MeshFile { filename: String, data: Vec<u8> }

    Text { data: String }
    Clock: "rosgraph_msgs" { clock: Time }
    TFMessage: "tf2_msgs" { transforms: Vec<TransformStamped> }
    JointState: "sensor_msgs" {
        header: Header,
        name: Vec<String>,
        position: Vec<f64>,
        velocity: Vec<f64>,
        effort: Vec<f64>,
    }
    RegionOfInterest {
        x_offset: u32,
        y_offset: u32,
        height: u32,
        width: u32,
        do_rectify: bool,
    }
    CameraInfo: "sensor_msgs" {
        header: Header,
        height: u32,
        width: u32,
        distortion_model: String,
        d: Vec<f64>,
        k: [f64; 9],
        r: [f64; 9],
        p: [f64; 12],
        binning_x: u32,
        binning_y: u32,
        roi: RegionOfInterest,
    }
    Image: "sensor_msgs" {
        header: Header,
        height: u32,
        width: u32,
        encoding: String,
        is_bigendian: u8,
        step: u32,
        data: Vec<u8>,
    }
    CompressedImage { header: Header, format: String, data: Vec<u8> }
    Marker {
        header: Header,
        ns: String,
        id: i32,
        kind: i32,
        action: i32,
        pose: Pose,
        scale: Vector3,
        color: ColorRGBA,
        lifetime: Duration,
        frame_locked: bool,
        points: Vec<Vector3>,
        colors: Vec<ColorRGBA>,
        texture_resource: String,
        texture: CompressedImage,
        uv_coordinates: Vec<UVCoordinate>,
        text: String,
        mesh_resource: String,
        mesh_file: MeshFile,
        mesh_use_embedded_materials: bool,
    }
    Pose { position: Vector3, orientation: Quaternion }
    MarkerArray: "visualization_msgs" { markers: Vec<Marker> }

    JointTrajectoryPoint {
        positions: Vec<f64>,
        velocities: Vec<f64>,
        accelerations: Vec<f64>,
        effort: Vec<f64>,
        time_from_start: Duration,
    }
    JointTrajectory {
        header: Header,
        joint_names: Vec<String>,
        points: Vec<JointTrajectoryPoint>,
    }
    MultiDOFJointTrajectoryPoint {
        transforms: Vec<Transform>,
        velocities: Vec<Twist>,
        accelerations: Vec<Twist>,
        time_from_start: Duration,
    }
    MultiDOFJointTrajectory {
        header: Header,
        joint_names: Vec<String>,
        points: Vec<MultiDOFJointTrajectoryPoint>,
    }
    JointTolerance { name: String, position: f64, velocity: f64, acceleration: f64 }
    JointComponentTolerance {
        joint_name: String,
        component: u16,
        position: f64,
        velocity: f64,
        acceleration: f64,
    }
    FollowGoal {
        trajectory: JointTrajectory,
        multi_dof_trajectory: MultiDOFJointTrajectory,
        path_tolerance: Vec<JointTolerance>,
        component_path_tolerance: Vec<JointComponentTolerance>,
        goal_tolerance: Vec<JointTolerance>,
        component_goal_tolerance: Vec<JointComponentTolerance>,
        goal_time_tolerance: Duration,
    }
    FollowResult { error_code: i32, error_string: String }
    FollowFeedback {
        header: Header,
        joint_names: Vec<String>,
        desired: JointTrajectoryPoint,
        actual: JointTrajectoryPoint,
        error: JointTrajectoryPoint,
        multi_dof_joint_names: Vec<String>,
        multi_dof_desired: MultiDOFJointTrajectoryPoint,
        multi_dof_actual: MultiDOFJointTrajectoryPoint,
        multi_dof_error: MultiDOFJointTrajectoryPoint,
    }
    /// Goal of `control_msgs/action/GripperCommand`.
    GripGoal { position: f64, max_effort: f64 }
    /// Result and feedback of `control_msgs/action/GripperCommand`.
    GripState { position: f64, effort: f64, stalled: bool, reached_goal: bool }
    /// Goal of `regrasp_msgs/action/Run`.
    RunGoal { text: String }
    RunFeedback { text: String }
}

/// An outcome has the fields of the result of `regrasp_msgs/action/Run`.
impl Message for Outcome {}

impl Topic for Text {
    fn type_name() -> MessageTypeName {
        MessageTypeName::new("std_msgs", "String")
    }
}

pub(crate) fn follow_type() -> ActionTypeName {
    ActionTypeName::new("control_msgs", "FollowJointTrajectory")
}

pub(crate) fn grip_type() -> ActionTypeName {
    ActionTypeName::new("control_msgs", "GripperCommand")
}

pub(crate) fn run_type() -> ActionTypeName {
    ActionTypeName::new("regrasp_msgs", "Run")
}

/// Splits a time into whole seconds and nanoseconds.
fn split(secs: f64) -> (i32, u32) {
    let whole = secs.floor();
    let nanos = ((secs - whole) * 1e9).round();
    match nanos >= 1e9 {
        true => (whole as i32 + 1, 0),
        false => (whole as i32, nanos as u32),
    }
}

impl Time {
    pub(crate) fn of(secs: f64) -> Self {
        let (sec, nanosec) = split(secs);
        Self { sec, nanosec }
    }
}

impl Duration {
    pub(crate) fn of(secs: f64) -> Self {
        let (sec, nanosec) = split(secs);
        Self { sec, nanosec }
    }

    pub(crate) fn secs(&self) -> f64 {
        f64::from(self.sec) + 1e-9 * f64::from(self.nanosec)
    }
}

impl Header {
    pub(crate) fn new(secs: f64, frame: &str) -> Self {
        Self {
            stamp: Time::of(secs),
            frame_id: frame.to_owned(),
        }
    }
}

impl From<&ApiPose> for Transform {
    fn from(pose: &ApiPose) -> Self {
        let [x, y, z] = pose.translation.vector.into();
        let q = pose.rotation.coords;
        Self {
            translation: Vector3 { x, y, z },
            rotation: Quaternion {
                x: q.x,
                y: q.y,
                z: q.z,
                w: q.w,
            },
        }
    }
}

impl From<&Transform> for ApiPose {
    fn from(transform: &Transform) -> Self {
        let Vector3 { x, y, z } = transform.translation;
        let q = &transform.rotation;
        let rotation = nalgebra::Quaternion::new(q.w, q.x, q.y, q.z);
        Self::from_parts(
            Translation3::new(x, y, z),
            UnitQuaternion::from_quaternion(rotation),
        )
    }
}

impl CameraInfo {
    /// Pinhole camera without distortion.
    pub(crate) fn of(secs: f64, frame: &str, view: &CameraView) -> Self {
        let of = view.intrinsics;
        let (width, height) = (of.width, of.height);
        Self {
            header: Header::new(secs, frame),
            height,
            width,
            distortion_model: "plumb_bob".into(),
            d: vec![0.0; 5],
            k: [of.fx, 0.0, of.cx, 0.0, of.fy, of.cy, 0.0, 0.0, 1.0],
            r: [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
            p: [
                of.fx, 0.0, of.cx, 0.0, 0.0, of.fy, of.cy, 0.0, 0.0, 0.0, 1.0, 0.0,
            ],
            ..Self::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_keep_their_nanoseconds_also_below_zero_and_at_a_carry() {
        for (secs, sec, nanosec) in [
            (1.5, 1, 500_000_000),
            (-0.25, -1, 750_000_000),
            (2.999_999_999_9, 3, 0),
            (0.0, 0, 0),
        ] {
            assert_eq!(Time::of(secs), Time { sec, nanosec });
            assert!((Duration::of(secs).secs() - secs).abs() < 1e-9);
        }
    }
}
