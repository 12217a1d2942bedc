//! State of the robot as the vectors of a mapping.

use nalgebra::{Quaternion, UnitQuaternion, Vector3};
use regrasp_api::{PerceivedObject, Pose};

use crate::{Frame, Mapping, NdArray, Numbers, StateEntry, StatePart, Value};

/// Constant properties of the arm.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// Pose of the arm's base.
    pub world_from_base: Pose,
    /// Number of joints of the arm.
    pub n_joints: usize,
    /// Minimum and maximum distance of the finger pads, m.
    pub width_m: [f64; 2],
    /// Default grip force, N.
    pub force_n: f64,
}

/// State of the robot at one time.
#[derive(Clone, Debug, PartialEq)]
pub struct Sensed {
    /// Joint positions, chain order, rad or m.
    pub joints: Vec<f64>,
    /// Joint velocities, chain order, rad/s or m/s.
    pub velocities: Vec<f64>,
    /// Pose of the tool.
    pub world_from_tool: Pose,
    /// Distance between the finger pads, m.
    pub width_m: f64,
    /// Contacts of the left and the right finger.
    pub finger_contact: [bool; 2],
}

impl Body {
    /// Transforms a pose from World to the frame of a mapping.
    pub(crate) fn in_frame(&self, frame: Frame, world_from_tool: &Pose) -> Pose {
        match frame {
            Frame::World => *world_from_tool,
            Frame::Base => self.world_from_base.inverse() * world_from_tool,
        }
    }

    /// Transforms a pose from the frame of a mapping to World.
    pub(crate) fn in_world(&self, frame: Frame, pose: &Pose) -> Pose {
        match frame {
            Frame::World => *pose,
            Frame::Base => self.world_from_base * pose,
        }
    }

    /// Closure of the gripper at a width: 0 is fully open, 1 is closed.
    pub(crate) fn closed(&self, width_m: f64) -> f64 {
        let [min, max] = self.width_m;
        (max - width_m) / (max - min).max(f64::MIN_POSITIVE)
    }

    /// Inverse of [`Body::closed`].
    pub(crate) fn width(&self, closed: f64) -> f64 {
        let [min, max] = self.width_m;
        max - closed.clamp(0.0, 1.0) * (max - min)
    }
}

impl StatePart {
    pub(crate) fn len(self, body: &Body) -> usize {
        match self {
            Self::Joints | Self::JointVelocities => body.n_joints,
            Self::ToolPosition | Self::ToolAxisAngle | Self::ToolRollPitchYaw => 3,
            Self::ToolQuaternion => 4,
            Self::GripperWidth | Self::GripperClosed => 1,
            Self::Fingers | Self::FingerContact => 2,
        }
    }

    fn push(self, sensed: &Sensed, body: &Body, frame: Frame, out: &mut Vec<f64>) {
        let pose = || body.in_frame(frame, &sensed.world_from_tool);
        match self {
            Self::Joints => out.extend(&sensed.joints),
            Self::JointVelocities => out.extend(&sensed.velocities),
            Self::ToolPosition => out.extend(pose().translation.vector.iter()),
            Self::ToolAxisAngle => out.extend(axis_angle(&pose().rotation).iter()),
            Self::ToolQuaternion => out.extend(signed(&pose().rotation).coords.iter()),
            Self::ToolRollPitchYaw => {
                let (roll, pitch, yaw) = pose().rotation.euler_angles();
                out.extend([roll, pitch, yaw]);
            }
            Self::GripperWidth => out.push(sensed.width_m),
            Self::GripperClosed => out.push(body.closed(sensed.width_m)),
            Self::Fingers => out.extend([0.5 * sensed.width_m, -0.5 * sensed.width_m]),
            Self::FingerContact => {
                let touches = sensed.finger_contact;
                out.extend(touches.map(|touches| f64::from(u8::from(touches))));
            }
        }
    }
}

/// Returns the one of a rotation's two quaternions with a positive component of largest magnitude.
fn signed(turn: &UnitQuaternion<f64>) -> Quaternion<f64> {
    let q = turn.quaternion();
    let largest = q.coords[q.coords.iamax()];
    if largest < 0.0 { -q } else { *q }
}

/// Returns the rotation vector, rad, of the quaternion that [`signed`] selects.
fn axis_angle(turn: &UnitQuaternion<f64>) -> Vector3<f64> {
    let q = signed(turn);
    let sine = q.imag().norm();
    if sine < 1e-12 {
        return Vector3::zeros();
    }
    q.imag() * (2.0 * sine.atan2(q.w) / sine)
}

pub(crate) fn state(mapping: &Mapping, sensed: &Sensed, body: &Body) -> Vec<(String, Value)> {
    let vector = |entry: &StateEntry| {
        let mut numbers = vec![];
        for part in &entry.parts {
            part.push(sensed, body, mapping.frame, &mut numbers);
        }
        (entry.key.clone(), array(entry.dtype, &numbers))
    };
    mapping.state.iter().map(vector).collect()
}

/// Returns the poses of the mapping's objects, by key.
///
/// # Errors
///
/// If an object is not perceived.
pub(crate) fn objects(
    mapping: &Mapping,
    perceived: &[PerceivedObject],
    body: &Body,
) -> Result<Vec<(String, Value)>, String> {
    let poses = mapping.objects.iter().map(|entry| {
        let found = perceived.iter().find(|object| object.id == entry.object);
        let found = found.ok_or_else(|| {
            let known: Vec<_> = perceived.iter().map(|o| o.id.as_str()).collect();
            let known = known.join(", ");
            format!(
                "there is no object `{}` (perceived objects: {known})",
                entry.object
            )
        })?;
        let pose = body.in_frame(mapping.frame, &found.world_from_object);
        let mut numbers = pose.translation.vector.as_slice().to_vec();
        numbers.extend(signed(&pose.rotation).coords.iter());
        Ok((entry.key.clone(), array(entry.dtype, &numbers)))
    });
    poses.collect()
}

fn array(dtype: Numbers, numbers: &[f64]) -> Value {
    Value::Array(match dtype {
        Numbers::Float32 => NdArray::f32(&[numbers.len()], numbers),
        Numbers::Float64 => NdArray::f64(&[numbers.len()], numbers),
    })
}

/// State recovered from an observation; `None` for parts that the mapping does not send.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct SensedState {
    pub(crate) joints: Option<Vec<f64>>,
    pub(crate) position: Option<Vector3<f64>>,
    pub(crate) turn: Option<UnitQuaternion<f64>>,
    pub(crate) width_m: Option<f64>,
}

impl SensedState {
    pub(crate) fn read(mapping: &Mapping, body: &Body, map: &Value) -> Result<Self, String> {
        let mut read = Self::default();
        for entry in &mapping.state {
            let expected: usize = entry.parts.iter().map(|part| part.len(body)).sum();
            let numbers = vector(map, &entry.key, expected)?;
            let mut rest = numbers.as_slice();
            for part in &entry.parts {
                let (here, later) = rest.split_at(part.len(body));
                read.take(*part, here, body);
                rest = later;
            }
        }
        Ok(read)
    }

    fn take(&mut self, part: StatePart, numbers: &[f64], body: &Body) {
        match (part, numbers) {
            (StatePart::Joints, joints) => self.joints = Some(joints.to_vec()),
            (StatePart::ToolPosition, &[x, y, z]) => self.position = Some(Vector3::new(x, y, z)),
            (StatePart::ToolAxisAngle, &[x, y, z]) => {
                self.turn = Some(UnitQuaternion::from_scaled_axis(Vector3::new(x, y, z)));
            }
            (StatePart::ToolQuaternion, &[x, y, z, w]) => {
                self.turn = UnitQuaternion::try_new(Quaternion::new(w, x, y, z), 1e-6);
            }
            (StatePart::ToolRollPitchYaw, &[roll, pitch, yaw]) => {
                self.turn = Some(UnitQuaternion::from_euler_angles(roll, pitch, yaw));
            }
            (StatePart::GripperWidth, &[width]) => self.width_m = Some(width),
            (StatePart::GripperClosed, &[closed]) => self.width_m = Some(body.width(closed)),
            (StatePart::Fingers, &[left, right]) => self.width_m = Some(left - right),
            _ => {}
        }
    }
}

fn vector(map: &Value, key: &str, expected: usize) -> Result<Vec<f64>, String> {
    let wrong = |found: String| format!("`{key}` is {found}; expected a vector of {expected}");
    let numbers = match map.get(key) {
        None => return Err(format!("expected `{key}`, got {}", map.described())),
        Some(Value::Array(array)) if array.shape() == [expected] => array.numbers().collect(),
        Some(value) => flat(value)
            .filter(|numbers| numbers.len() == expected)
            .ok_or_else(|| wrong(value.described()))?,
    };
    match numbers.iter().find(|n| !n.is_finite()) {
        None => Ok(numbers),
        Some(n) => Err(wrong(format!("not finite ({n})"))),
    }
}

/// Flattens a list of numbers, or a single number.
fn flat(value: &Value) -> Option<Vec<f64>> {
    match value {
        Value::List(values) => values.iter().map(number).collect(),
        single => number(single).map(|number| vec![number]),
    }
}

pub(crate) fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Int(number) => Some(*number as f64),
        Value::Float(number) => Some(*number),
        Value::Array(array) if array.data().len() <= 8 && array.numbers().len() == 1 => {
            array.numbers().next()
        }
        _ => None,
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::f64::consts::PI;

    use super::*;

    pub(crate) fn body() -> Body {
        Body {
            world_from_base: Pose::new(Vector3::new(-0.3, 0.1, 0.2), Vector3::new(0.0, 0.0, 0.5)),
            n_joints: 3,
            width_m: [0.0, 0.08],
            force_n: 20.0,
        }
    }

    pub(crate) fn sensed() -> Sensed {
        Sensed {
            joints: vec![0.1, -0.2, 0.3],
            velocities: vec![0.0; 3],
            world_from_tool: Pose::new(Vector3::new(0.4, 0.0, 0.5), Vector3::new(3.0, 0.2, -0.1)),
            width_m: 0.02,
            finger_contact: [true, false],
        }
    }

    #[test]
    fn the_state_that_is_read_is_the_one_that_was_sensed() {
        for (frame, turn) in [("world", "axis_angle"), ("base", "roll_pitch_yaw")] {
            let text = format!(
                "{{name: own, rate_hz: 20, horizon: 4, frame: {frame}, state: [{{key: a, parts: \
                 [joints, tool_position]}}, {{key: b, parts: [tool_{turn}, fingers], dtype: \
                 float32}}], actions: {{key: actions, arm: joint_delta}}}}"
            );
            let mapping = Mapping::parse("own", &text).expect("a mapping");
            let (body, sensed) = (body(), sensed());
            let map = Value::map(state(&mapping, &sensed, &body));
            let map = SensedState::read(&mapping, &body, &map).expect("a valid observation");
            let pose = body.in_frame(mapping.frame, &sensed.world_from_tool);
            assert_eq!(map.joints, Some(sensed.joints.clone()));
            assert_eq!(map.position, Some(pose.translation.vector));
            let turn = map.turn.expect("a value that was sent");
            assert!(turn.angle_to(&pose.rotation) < 1e-6, "{turn:?}");
            assert!((map.width_m.expect("a value that was sent") - 0.02).abs() < 1e-6);
        }
    }

    #[test]
    fn objects_are_sent_in_the_frame_of_the_mapping_and_a_missing_one_is_named() {
        let text = "{name: own, rate_hz: 20, horizon: 4, frame: base, objects: [{key: cube, object: \
                    red_cube}], actions: {key: actions, arm: joint_delta}}";
        let mapping = Mapping::parse("own", text).expect("a mapping");
        let body = body();
        let at = |id: &str, x: f64| PerceivedObject {
            world_from_object: Pose::new(Vector3::new(x, 0.2, 0.5), Vector3::new(3.0, 0.2, -0.1)),
            ..regrasp_testkit::cube(id, 0.01, [0.0; 3])
        };
        let perceived = [at("blue_cube", 0.1), at("red_cube", 0.4)];
        let sent = objects(&mapping, &perceived, &body).expect("a perceived object");
        let sent = vector(&Value::map(sent), "cube", 7).expect("7 numbers");
        let expected = body.in_frame(Frame::Base, &perceived[1].world_from_object);
        let position = Vector3::from_column_slice(&sent[..3]);
        assert!((position - expected.translation.vector).norm() < 1e-12);
        let turn = Quaternion::new(sent[6], sent[3], sent[4], sent[5]);
        let turn = UnitQuaternion::from_quaternion(turn);
        assert!(turn.angle_to(&expected.rotation) < 1e-6, "{sent:?}");
        let says =
            objects(&mapping, &perceived[..1], &body).expect_err("the object is not perceived");
        let wanted = "no object `red_cube` (perceived objects: blue_cube)";
        assert!(says.contains(wanted), "{says}");
    }

    #[test]
    fn a_vector_that_does_not_fit_says_what_there_was() {
        let mapping = Mapping::load("droid").expect("a built-in mapping");
        let array = |n: usize| Value::Array(NdArray::f64(&[n], &vec![0.0; n]));
        let read = |map: Value| {
            SensedState::read(&mapping, &body(), &map).expect_err("an invalid observation")
        };
        let nan = Value::Array(NdArray::f64(&[3], &[0.0, f64::NAN, 0.0]));
        let joints = "observation/joint_position";
        let none = "expected `observation/joint_position`, got a map with state";
        let many = "an array [7] of <f8; expected a vector of 3";
        for (key, map, why) in [
            ("state", array(3), none),
            (joints, array(7), many),
            (joints, nan, "not finite"),
        ] {
            let says = read(Value::map([(key, map)]));
            assert!(says.contains(why), "{says}");
        }
    }

    /// The rotation vector of a hand that points down is close to half a turn and must not jump.
    #[test]
    fn a_hand_that_points_down_has_a_vector_that_does_not_jump() {
        let down = |tilt| UnitQuaternion::from_axis_angle(&Vector3::x_axis(), PI + tilt);
        let tilted = |tilt: f64| axis_angle(&down(tilt));
        assert!((tilted(1e-3) - tilted(-1e-3)).norm() < 3e-3);
        assert!((tilted(0.1).x - (PI + 0.1)).abs() < 1e-9);
        assert_eq!(axis_angle(&UnitQuaternion::identity()), Vector3::zeros());
    }
}
