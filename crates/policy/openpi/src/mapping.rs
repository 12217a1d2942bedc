//! Mappings of a server's keys and layouts, read from small YAML files.

use std::fs;
use std::path::Path;

use regrasp_api::ObjectId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::OpenpiError;

const BUILT_IN: [(&str, &str); 4] = [
    ("joints", regrasp_assets::text("policies/joints.yaml")),
    ("droid", regrasp_assets::text("policies/droid.yaml")),
    ("libero", regrasp_assets::text("policies/libero.yaml")),
    ("roboarena", regrasp_assets::text("policies/roboarena.yaml")),
];

/// Name of the schema of mappings.
pub const SCHEMA_NAME: &str = "policy-mapping";
/// JSON schema of mappings.
pub const SCHEMA: &str = regrasp_assets::text("schemas/policy-mapping.schema.json");

/// Maximum side of a picture, pixels.
const MAX_SIDE: u32 = 2048;
/// Maximum number of actions that are executed before the next request.
const MAX_HORIZON: usize = 1000;

/// Layout of observations and actions in messages.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Mapping {
    /// Name of the mapping, for messages.
    #[schemars(length(min = 1))]
    pub name: String,
    /// Actions per second for which the policy was trained.
    #[schemars(range(min = 1.0, max = 400.0))]
    pub rate_hz: f64,
    /// Number of actions of a chunk that are carried out before the next request.
    #[schemars(range(min = 1, max = 1000))]
    pub horizon: usize,
    /// Dialect of the protocol. Default: `openpi`.
    #[serde(default)]
    pub dialect: Dialect,
    /// Pictures that are sent.
    #[serde(default)]
    pub images: Vec<ImageEntry>,
    /// Vectors of sensed values that are sent.
    #[serde(default)]
    pub state: Vec<StateEntry>,
    /// Poses of perceived objects that are sent, for policies without pictures.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub objects: Vec<ObjectEntry>,
    /// Frame of tool positions, rotations and changes. Default: `world`.
    #[serde(default)]
    pub frame: Frame,
    /// Key of the task's text. Default: not sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// Key of the number of actions so far, from 0. Default: not sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<String>,
    /// Key of the episode's seed. Default: not sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<String>,
    /// Layout of an action.
    pub actions: ActionLayout,
    /// Key of a reply that is `true` if the task is done. Default: none, and episodes end at the
    /// time limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub done: Option<String>,
}

/// Dialect of the protocol.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Dialect {
    /// The protocol of openpi: observations only.
    #[default]
    Openpi,
    /// The protocol of RoboArena's servers: each request has an `endpoint` and a `session_id`, an
    /// episode begins with a reset, the metadata name the action space and the pictures, and a
    /// reply is the chunk itself, of which all actions up to `horizon` are carried out.
    Roboarena,
}

/// A picture that is sent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ImageEntry {
    /// Key in the message.
    pub key: String,
    /// The camera: `scene`, `top`, `wrist`, or one that the scene file declares.
    pub camera: String,
    /// Columns and rows.
    pub size: [u32; 2],
    /// Treatment of a picture with another aspect ratio. Default: `pad`.
    #[serde(default)]
    pub fit: Fit,
    /// Flip of the upright picture. Default: `none`.
    #[serde(default)]
    pub flip: Flip,
}

/// Resizing of a picture, with bilinear interpolation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Fit {
    /// Keeps the aspect ratio and pads with black.
    #[default]
    Pad,
    /// Stretches the picture.
    Stretch,
}

/// Flip of a picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Flip {
    /// No flip.
    #[default]
    None,
    /// Left and right are swapped.
    Horizontal,
    /// Top and bottom are swapped.
    Vertical,
    /// Both: a rotation by 180 degrees.
    Both,
}

/// A vector that is sent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StateEntry {
    /// Key in the message.
    pub key: String,
    /// Parts of the vector, in this order.
    #[schemars(length(min = 1))]
    pub parts: Vec<StatePart>,
    /// Type of its numbers. Default: `float64`.
    #[serde(default)]
    pub dtype: Numbers,
}

/// Pose of an object that is sent: its position, m, and orientation as a quaternion x, y, z, w with
/// a positive component of largest magnitude; 7 numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ObjectEntry {
    /// Key in the message.
    pub key: String,
    /// Id of the object, as perception reports it.
    pub object: ObjectId,
    /// Type of its numbers. Default: `float64`.
    #[serde(default)]
    pub dtype: Numbers,
}

/// Type of the numbers of a vector.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Numbers {
    /// NumPy's `<f4`.
    Float32,
    /// NumPy's `<f8`.
    #[default]
    Float64,
}

/// A sensed value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StatePart {
    /// Positions of the arm's joints, chain order, rad or m.
    Joints,
    /// Velocities of the arm's joints, rad/s or m/s.
    JointVelocities,
    /// Position of the tool point, m; 3 numbers.
    ToolPosition,
    /// Orientation of the tool as a rotation vector, rad; 3 numbers. Of the two vectors of a
    /// rotation, the one whose quaternion has a positive component of largest magnitude, so that it
    /// does not jump while the tool points down; its angle may exceed pi.
    ToolAxisAngle,
    /// Orientation of the tool as a quaternion x, y, z, w with a positive component of largest
    /// magnitude; 4 numbers.
    ToolQuaternion,
    /// Orientation of the tool as angles about the frame's x, then y, then z axis, rad; 3 numbers.
    ToolRollPitchYaw,
    /// Distance between the finger pads, m; 1 number.
    GripperWidth,
    /// Closure of the gripper: 0 is fully open, 1 is closed; 1 number.
    GripperClosed,
    /// Positions of the two fingers, half the width and minus half the width, m; 2 numbers.
    Fingers,
    /// Contacts of the left and the right finger: 1 if it touches something, else 0; 2 numbers.
    FingerContact,
}

/// Frame of positions and orientations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Frame {
    /// World.
    #[default]
    World,
    /// The arm's base.
    Base,
}

/// Layout of an action: the numbers of the arm, then one of the gripper.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ActionLayout {
    /// Key of the chunk, N x M.
    pub key: String,
    /// Meaning of the arm's numbers.
    pub arm: ArmAction,
    /// Scale of a number: rad (or m) of a joint, rad/s of a velocity, m of the tool's position.
    /// Default: 1.
    #[serde(default = "one")]
    pub scale: f64,
    /// Scale of a number of the tool's rotation, rad. Default: 1.
    #[serde(default = "one")]
    pub turn_scale: f64,
    /// Bound of the numbers: they are first clipped to [-clip, clip]. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clip: Option<f64>,
    /// Meaning of the gripper's number. Default: no such number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gripper: Option<GripperLayout>,
}

fn one() -> f64 {
    1.0
}

/// Meaning of the arm's numbers. A change is relative to the measured state at that moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ArmAction {
    /// Positions of the joints.
    JointPosition,
    /// Changes of the joints.
    JointDelta,
    /// Velocities of the joints, for one step.
    JointVelocity,
    /// Changes of the tool pose: 3 of its position along the frame's axes, and a rotation vector
    /// about them.
    ToolDelta,
}

/// Meaning of the gripper's number.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GripperLayout {
    /// The number that opens.
    pub open: f64,
    /// The number that closes and presses.
    pub closed: f64,
    /// Meaning of numbers between open and closed. Default: `nearer`.
    #[serde(default)]
    pub between: Between,
    /// Grasp force, N. Default: that of the gripper.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub force_n: Option<f64>,
}

/// Meaning of a number between open and closed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Between {
    /// The nearer of open and closed; in the middle, the last command stays.
    #[default]
    Nearer,
    /// A proportional width.
    Width,
}

impl Mapping {
    /// Names of the mappings that come with Regrasp.
    pub fn built_in() -> impl Iterator<Item = &'static str> {
        BUILT_IN.iter().map(|(name, _)| *name)
    }

    /// Loads a mapping that comes with Regrasp by its name, or one from a YAML file.
    ///
    /// # Errors
    ///
    /// [`OpenpiError::Mapping`] with the expected value.
    pub fn load(name: &str) -> Result<Self, OpenpiError> {
        if let Some((_, text)) = BUILT_IN.iter().find(|(known, _)| *known == name) {
            return Self::parse(name, text);
        }
        let text = fs::read_to_string(Path::new(name)).map_err(|error| OpenpiError::Mapping {
            name: name.to_owned(),
            detail: format!(
                "it is neither built in ({}) nor a readable file ({error})",
                Self::built_in().collect::<Vec<_>>().join(", ")
            ),
        })?;
        Self::parse(name, &text)
    }

    /// Parses a mapping from YAML.
    ///
    /// # Errors
    ///
    /// [`OpenpiError::Mapping`] if the text is not a valid mapping.
    pub fn parse(name: &str, text: &str) -> Result<Self, OpenpiError> {
        let wrong = |detail: String| OpenpiError::Mapping {
            name: name.to_owned(),
            detail,
        };
        let mapping: Self = serde_saphyr::from_str(text).map_err(|e| wrong(e.to_string()))?;
        mapping.check().map_err(wrong)?;
        Ok(mapping)
    }

    /// Names of the required cameras, without duplicates.
    pub fn cameras(&self) -> Vec<String> {
        let mut cameras: Vec<String> = self.images.iter().map(|i| i.camera.clone()).collect();
        cameras.sort();
        cameras.dedup();
        cameras
    }

    /// Number of components of an action for an arm with `n_joints` joints.
    pub fn n_numbers(&self, n_joints: usize) -> usize {
        self.n_arm_numbers(n_joints) + usize::from(self.actions.gripper.is_some())
    }

    pub(crate) fn n_arm_numbers(&self, n_joints: usize) -> usize {
        match self.actions.arm {
            ArmAction::ToolDelta => 6,
            _ => n_joints,
        }
    }

    fn check(&self) -> Result<(), String> {
        if !(1.0..=400.0).contains(&self.rate_hz) {
            return Err(format!("`rate_hz` is {}: expected 1 to 400", self.rate_hz));
        }
        if !(1..=MAX_HORIZON).contains(&self.horizon) {
            let horizon = self.horizon;
            return Err(format!(
                "`horizon` is {horizon}: expected 1 to {MAX_HORIZON}"
            ));
        }
        for image in &self.images {
            let [columns, rows] = image.size;
            let is_size = |n: u32| (1..=MAX_SIDE).contains(&n);
            if !is_size(columns) || !is_size(rows) {
                return Err(format!(
                    "the picture `{}` is {columns} x {rows}: expected 1 to {MAX_SIDE} each",
                    image.key
                ));
            }
        }
        if let Some(empty) = self.state.iter().find(|entry| entry.parts.is_empty()) {
            return Err(format!("`{}` of `state` has no `parts`", empty.key));
        }
        let force_n = self.actions.gripper.as_ref().and_then(|g| g.force_n);
        let positive = [
            ("scale", Some(self.actions.scale)),
            ("turn_scale", Some(self.actions.turn_scale)),
            ("clip", self.actions.clip),
            ("force_n", force_n),
        ];
        for (name, value) in positive {
            if let Some(value) = value
                && !(value.is_finite() && value > 0.0)
            {
                return Err(format!("`{name}` is {value}: expected more than 0"));
            }
        }
        if let Some(GripperLayout { open, closed, .. }) = self.actions.gripper {
            let range = closed - open;
            if !range.is_finite() || range.abs() < 1e-9 {
                return Err(format!(
                    "the gripper's `open` is {open} and `closed` is {closed}: expected two \
                     different numbers"
                ));
            }
        }
        let mut keys = self.keys();
        keys.sort_unstable();
        match keys.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(format!("the key `{}` is sent twice", pair[0])),
            None => Ok(()),
        }
    }

    fn keys(&self) -> Vec<&str> {
        let images = self.images.iter().map(|image| image.key.as_str());
        let state = self.state.iter().map(|entry| entry.key.as_str());
        let objects = self.objects.iter().map(|object| object.key.as_str());
        let others = [&self.prompt, &self.step, &self.seed];
        let others = others.into_iter().flatten().map(String::as_str);
        images.chain(state).chain(objects).chain(others).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_built_in_can_be_read_and_written() {
        for name in Mapping::built_in() {
            let mapping = Mapping::load(name).expect("a built-in mapping");
            assert_eq!(mapping.name, name);
            let written = serde_saphyr::to_string(&mapping).expect("YAML");
            assert_eq!(
                Mapping::parse(name, &written).expect("a written mapping"),
                mapping
            );
        }
    }

    #[track_caller]
    fn wrong(old: &str, new: &str, says: &str) {
        let text = BUILT_IN[1].1;
        assert!(text.contains(old), "{old} is not in the mapping");
        let error = Mapping::parse("own.yaml", &text.replace(old, new)).expect_err(says);
        let error = error.to_string();
        for part in [says, "own.yaml"] {
            assert!(error.contains(part), "{error}");
        }
    }

    #[test]
    fn a_wrong_mapping_says_what_is_wrong() {
        wrong("rate_hz: 15", "rate_hz: 0", "`rate_hz` is 0");
        wrong("horizon: 8", "horizon: 0", "`horizon` is 0");
        wrong("horizon: 8", "horizon: 8\nfps: 3", "fps");
        wrong("joint_velocity", "joint_speed", "joint_speed");
        wrong("[joints]", "[elbows]", "elbows");
        wrong("[joints]", "[]", "has no `parts`");
        let after = "]}\n  - {key: observation/w";
        let [large, empty] = ["[224, 224", "[0, 224"].map(|size| format!("{size}{after}"));
        wrong(&large, &empty, "0 x 224");
        wrong("scale: 3.0", "scale: .nan", "`scale` is NaN");
        wrong("clip: 1", "clip: -1", "`clip` is -1");
        wrong("closed: 1", "closed: 0", "expected two different");
        let other = "prompt: observation/joint_position";
        wrong("prompt: prompt", other, "sent twice");
        let error = Mapping::load("no/such.yaml").expect_err("no file");
        let error = error.to_string();
        assert!(error.contains("joints, droid, libero"), "{error}");
    }

    /// Updates the file if `WRITE_SCHEMAS` is set.
    #[test]
    fn the_schema_is_that_of_the_type() {
        let path = regrasp_assets::folder().join("schemas/policy-mapping.schema.json");
        let schema = schemars::schema_for!(Mapping);
        let made = serde_json::to_string_pretty(&schema).expect("a schema is JSON") + "\n";
        if std::env::var_os("WRITE_SCHEMAS").is_some() {
            fs::write(&path, &made).expect("a writable file");
        }
        assert_eq!(fs::read_to_string(path).expect("the schema file"), made);
    }
}
