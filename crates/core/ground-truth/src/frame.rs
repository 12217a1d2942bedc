//! Frames of the running simulation, for drawing and recording, and the time at which a condition
//! first held in them.

use std::sync::{Arc, Mutex, PoisonError};

use regrasp_api::{ObjectId, Pose};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{GroundTruth, Success};

/// The world at one instant: together with the scene, enough to draw it again.
///
/// It is ground truth, so no skill, planner or perception may receive one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Frame {
    /// Simulated time, s.
    pub time_secs: f64,
    /// Number of simulation steps since the clock started.
    pub step: u64,
    /// Joints of the arm.
    pub joints: FrameJoints,
    /// Gripper.
    pub gripper: FrameGripper,
    /// Pose of the tool point.
    #[schemars(with = "PoseFields")]
    pub world_from_tool: Pose,
    /// All objects, fixed ones included, in scene order.
    pub objects: Vec<FrameObject>,
    /// Contacts, one entry per pair, without those of the robot with itself.
    pub contacts: Vec<FrameContact>,
}

/// Joints of the arm, in the order of the robot file; rad and rad/s (m and m/s for prismatic
/// ones).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FrameJoints {
    /// Measured positions.
    pub position: Vec<f64>,
    /// Measured velocities.
    pub velocity: Vec<f64>,
    /// Positions last commanded to the servos.
    pub commanded_position: Vec<f64>,
    /// Velocities last commanded to the servos.
    pub commanded_velocity: Vec<f64>,
}

/// Gripper and its contacts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FrameGripper {
    /// Distance between the finger pads, m.
    pub width_m: f64,
    /// Rate of change of the width, m/s (negative while closing).
    pub speed_m_per_s: f64,
    /// Width commanded to the fingers' servos, m. While they press it is below the actual width,
    /// and may be below zero.
    pub commanded_width_m: f64,
    /// Commanded grip force, N; 0 while positioning.
    pub grip_force_n: f64,
    /// True for each finger (left, right) that feels a contact.
    pub finger_contact: [bool; 2],
    /// Distance by which the held object has slid along the pads since the grasp, m.
    pub slip_m: f64,
    /// Object between both fingers.
    pub held: Option<ObjectId>,
    /// Largest contact force on the hand, the fingers or the held object from anything else, N. It
    /// includes the weight of a held object that rests on the table.
    pub hand_force_n: f64,
}

/// Object with its pose.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FrameObject {
    /// Id in the scene file.
    pub id: ObjectId,
    /// Pose of the object.
    #[schemars(with = "PoseFields")]
    pub world_from_object: Pose,
}

/// Contact between two bodies, at least one of them an object.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FrameContact {
    /// Name of a link of the robot, or id of an object.
    pub by: String,
    /// True if `by` is a link.
    pub by_robot: bool,
    /// Object that `by` touches.
    pub with: ObjectId,
    /// Sum of the magnitudes of the normal forces over all shapes of the pair, N.
    pub force_n: f64,
    /// Point of the largest force, in World, m.
    pub point_in_world: [f64; 3],
}

/// Pose of a link relative to its parent.
#[derive(Clone, Debug)]
pub struct LinkPose {
    /// Name of the link.
    pub name: String,
    /// Name of the parent link; `None` for World.
    pub parent: Option<String>,
    /// Pose in the frame of the parent.
    pub parent_from_link: Pose,
}

/// Serialised form of a [`Pose`].
#[derive(JsonSchema)]
#[schemars(rename = "Pose")]
#[expect(dead_code, reason = "it stands for a foreign type in schemas")]
struct PoseFields {
    /// Rotation as a quaternion x, y, z, w.
    rotation: [f64; 4],
    /// Translation x, y, z, m.
    translation: [f64; 3],
}

/// Consumer of frames while the world runs, such as a closure.
pub trait FrameSink: Send {
    /// Takes one frame and copies the data that it wants to keep. The world is locked until this
    /// returns, and must not be queried meanwhile.
    ///
    /// The sink has no influence on the world. A sink that fails keeps its error for its owner.
    fn frame(&mut self, frame: &Frame);

    /// Offers the ground truth at the instant of the last frame, computed only if the sink calls
    /// `now`.
    fn truth(&mut self, _now: &dyn Fn() -> GroundTruth) {}
}

/// Sink of frames, with the rate at which it wants them.
pub struct FrameListener {
    /// Frames per second of simulated time.
    pub rate_hz: f64,
    /// Consumer of the frames.
    pub sink: Box<dyn FrameSink>,
}

impl FrameListener {
    /// Default number of frames per second of simulated time.
    pub const USUAL_HZ: f64 = 60.0;

    /// Creates a listener at the default rate.
    pub fn usual(sink: impl FrameSink + 'static) -> Self {
        Self {
            rate_hz: Self::USUAL_HZ,
            sink: Box::new(sink),
        }
    }
}

impl<F: FnMut(&Frame) + Send> FrameSink for F {
    fn frame(&mut self, frame: &Frame) {
        self(frame);
    }
}

impl FrameSink for Vec<Frame> {
    fn frame(&mut self, frame: &Frame) {
        self.push(frame.clone());
    }
}

impl<S: FrameSink + ?Sized> FrameSink for std::sync::Arc<std::sync::Mutex<S>> {
    fn frame(&mut self, frame: &Frame) {
        if let Ok(mut sink) = self.lock() {
            sink.frame(frame);
        }
    }

    fn truth(&mut self, now: &dyn Fn() -> GroundTruth) {
        if let Ok(mut sink) = self.lock() {
            sink.truth(now);
        }
    }
}

impl Frame {
    /// Returns the object with that id.
    pub fn object(&self, id: &ObjectId) -> Option<&FrameObject> {
        self.objects.iter().find(|object| &object.id == id)
    }
}

/// Time at which a condition first held, with the rate of the checks.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct FirstMet {
    /// Checks per second of simulated time.
    pub rate_hz: f64,
    /// Simulated time, s; `None` if no check succeeded.
    pub at_secs: Option<f64>,
}

/// Checks a condition repeatedly while the world runs, until it holds.
pub struct Lookout {
    condition: Success,
    first: Option<GroundTruth>,
    met: FirstMet,
}

impl Lookout {
    /// Returns the listener to register with the world, and the handle for [`Self::met`]. The
    /// ground truth of the first check counts as the start of the episode.
    pub fn new(condition: Success, rate_hz: f64) -> (FrameListener, Arc<Mutex<Self>>) {
        let lookout = Arc::new(Mutex::new(Self {
            condition,
            first: None,
            met: FirstMet {
                rate_hz,
                at_secs: None,
            },
        }));
        let sink = Box::new(Arc::clone(&lookout));
        (FrameListener { rate_hz, sink }, lookout)
    }

    /// Returns the result so far.
    pub fn met(lookout: &Mutex<Self>) -> FirstMet {
        let lookout = lookout.lock().unwrap_or_else(PoisonError::into_inner);
        lookout.met
    }
}

impl FrameSink for Lookout {
    fn frame(&mut self, _: &Frame) {}

    fn truth(&mut self, now: &dyn Fn() -> GroundTruth) {
        if self.met.at_secs.is_some() {
            return;
        }
        let now = now();
        let first = self.first.get_or_insert_with(|| now.clone());
        if self.condition.unmet(first, &now).is_empty() {
            self.met.at_secs = Some(now.time_secs);
        }
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::{Translation3, UnitQuaternion};
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn a_frame_survives_json_to_the_last_bit_and_fits_its_schema() {
        let rotation = UnitQuaternion::from_euler_angles(0.1, -0.7, 2.9);
        let pose = Pose::from_parts(Translation3::new(0.1, 1.0 / 3.0, -0.2), rotation);
        let frame = Frame {
            time_secs: 0.1 + 0.2,
            step: 7,
            world_from_tool: pose,
            objects: vec![FrameObject {
                id: "cube".into(),
                world_from_object: pose.inverse(),
            }],
            ..Frame::default()
        };
        let text = serde_json::to_string(&frame).expect("a frame has an encoding");
        let back: Frame = serde_json::from_str(&text).expect("it can be read back");
        assert_eq!(back, frame);
        // `PoseFields` repeats the fields of a type of another crate, so they have to agree.
        let value: Value = serde_json::from_str(&text).expect("it is JSON");
        let schema = serde_json::to_value(schemars::schema_for!(Frame)).expect("a schema is JSON");
        let named = &schema["$defs"]["Pose"]["properties"];
        let named = named.as_object().expect("the schema describes poses");
        let mut named: Vec<_> = named.keys().collect();
        named.sort();
        let written = value["world_from_tool"].as_object();
        let mut written: Vec<_> = written.expect("a pose is an object").keys().collect();
        written.sort();
        assert_eq!(named, written);
        assert_eq!(value["step"], json!(7));
    }
}
