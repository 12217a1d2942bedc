//! Mappings of a server's keys and layouts, read from small YAML files.

use std::fs;
use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::OpenpiError;

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

/// How observations and actions stand on the wire.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Mapping {
    /// Its name, for messages.
    #[schemars(length(min = 1))]
    pub name: String,
    /// Actions a second for which the policy was made.
    #[schemars(range(min = 1.0, max = 400.0))]
    pub rate_hz: f64,
    /// How many actions of a chunk are carried out before the next request.
    #[schemars(range(min = 1, max = 1000))]
    pub horizon: usize,
    /// Messages beside observations; `openpi` if left out.
    #[serde(default)]
    pub dialect: Dialect,
    /// Pictures that are sent.
    #[serde(default)]
    pub images: Vec<ImageEntry>,
    /// Vectors of what the robot senses.
    #[serde(default)]
    pub state: Vec<StateEntry>,
    /// The frame of tool positions, turns and changes; `world` if left out.
    #[serde(default)]
    pub frame: Frame,
    /// Under which key the task stands as text; left out if the policy takes none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// Under which key the number of actions so far is sent, from 0; left out if not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<String>,
    /// Under which key the episode's seed is sent; left out if not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<String>,
    /// What an action is.
    pub actions: ActionLayout,
    /// The key of a reply whose `true` says that the task is done; left out if the policy never
    /// says so, and its episodes end with their time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub done: Option<String>,
}

/// Messages beside observations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Dialect {
    /// Nothing.
    #[default]
    Openpi,
    /// As RoboArena's servers: each request has an `endpoint` and a `session_id`, an episode
    /// begins with a reset, the metadata name the action space and the pictures, and a reply is
    /// the chunk itself, of which all actions up to `horizon` are carried out.
    Roboarena,
}

/// A picture that is sent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ImageEntry {
    /// Its key.
    pub key: String,
    /// The camera: `scene`, `top`, `wrist`, or one that the scene file declares.
    pub camera: String,
    /// Columns and rows.
    pub size: [u32; 2],
    /// What becomes of another form; `pad` if left out.
    #[serde(default)]
    pub fit: Fit,
    /// How the upright picture is turned over; `none` if left out.
    #[serde(default)]
    pub flip: Flip,
}

/// How a picture gets its size, bilinear in any case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Fit {
    /// As large as fits, black beside it.
    #[default]
    Pad,
    /// Distorted.
    Stretch,
}

/// How a picture is turned over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Flip {
    /// Not.
    #[default]
    None,
    /// Left becomes right.
    Horizontal,
    /// Up becomes down.
    Vertical,
    /// Both: half a turn.
    Both,
}

/// A vector that is sent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StateEntry {
    /// Its key.
    pub key: String,
    /// What stands in it, in this order.
    #[schemars(length(min = 1))]
    pub parts: Vec<StatePart>,
    /// What its numbers are; `float64` if left out.
    #[serde(default)]
    pub dtype: Numbers,
}

/// What the numbers of a vector are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Numbers {
    /// NumPy's `<f4`.
    Float32,
    /// NumPy's `<f8`.
    #[default]
    Float64,
}

/// Something that the robot senses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StatePart {
    /// Positions of the arm's joints, chain order, rad or m.
    Joints,
    /// Their velocities, rad/s or m/s.
    JointVelocities,
    /// Where the tool point is, m; 3 numbers.
    ToolPosition,
    /// How the tool is turned: a rotation vector, rad; 3 numbers. Of the two that mean the same
    /// turn, the one whose quaternion's largest number is positive, so that it does not jump
    /// while the tool points down; its angle may exceed pi.
    ToolAxisAngle,
    /// How the tool is turned: a quaternion x, y, z, w; its sign as above.
    ToolQuaternion,
    /// Turn of the tool: angles about the frame's x, then y, then z axis, rad; 3 numbers.
    ToolRollPitchYaw,
    /// Distance between the finger pads, m; 1 number.
    GripperWidth,
    /// 0 is open as far as it goes, 1 is closed; 1 number.
    GripperClosed,
    /// Positions of the two fingers, half the width and minus half the width, m; 2 numbers.
    Fingers,
}

/// The frame of what has a place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Frame {
    /// World.
    #[default]
    World,
    /// The arm's base.
    Base,
}

/// What an action is: the numbers of the arm, then one of the gripper.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ActionLayout {
    /// The key of the chunk, N x M.
    pub key: String,
    /// What the arm's numbers are.
    pub arm: ArmAction,
    /// What a number of 1 means: rad (or m) of a joint, rad/s of a velocity, m of the tool's
    /// place; 1 if left out.
    #[serde(default = "one")]
    pub scale: f64,
    /// What a number of 1 means of the tool's turn, rad; 1 if left out.
    #[serde(default = "one")]
    pub turn_scale: f64,
    /// Numbers are cut to from -this to this first; left out, they are not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clip: Option<f64>,
    /// What the gripper's number is; left out if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gripper: Option<GripperLayout>,
}

fn one() -> f64 {
    1.0
}

/// What the arm's numbers are. A change is one from where the arm is measured at that moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ArmAction {
    /// Positions of the joints.
    JointPosition,
    /// Changes of the joints.
    JointDelta,
    /// Velocities of the joints, for one step.
    JointVelocity,
    /// Changes of the tool: 3 of its place along the frame's axes, and a rotation vector about
    /// the frame's axes.
    ToolDelta,
}

/// What the gripper's number is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GripperLayout {
    /// The number that opens.
    pub open: f64,
    /// The number that closes and presses.
    pub closed: f64,
    /// What numbers between mean; `nearer` if left out.
    #[serde(default)]
    pub between: Between,
    /// The force to press with, N; the gripper's usual one if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub force_n: Option<f64>,
}

/// What a number between open and closed means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Between {
    /// The nearer of both; in the middle, the gripper goes on with what it does.
    #[default]
    Nearer,
    /// A width in proportion.
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
                "it is none that is built in ({}) and no file that can be read ({error})",
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
                    "the gripper's `open` is {open} and `closed` is {closed}: expected two numbers"
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
        let others = [&self.prompt, &self.step, &self.seed];
        let others = others.into_iter().flatten().map(String::as_str);
        images.chain(state).chain(others).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_built_in_can_be_read_and_written() {
        for name in Mapping::built_in() {
            let mapping = Mapping::load(name).expect("it is ours");
            assert_eq!(mapping.name, name);
            let written = serde_saphyr::to_string(&mapping).expect("YAML");
            assert_eq!(Mapping::parse(name, &written).expect("our own"), mapping);
        }
    }

    #[track_caller]
    fn wrong(old: &str, new: &str, says: &str) {
        let text = BUILT_IN[1].1;
        assert!(text.contains(old), "{old} is not in it");
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
        wrong("closed: 1", "closed: 0", "expected two numbers");
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
            fs::write(&path, &made).expect("there is room");
        }
        assert_eq!(fs::read_to_string(path).expect("it is there"), made);
    }
}
