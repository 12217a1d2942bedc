//! Topics of a recording, and assembly of frames from their messages.

use std::sync::LazyLock;

use regrasp_api::Pose;
use regrasp_ground_truth::{Frame, FrameContact, FrameGripper, FrameJoints, FrameObject};
use schemars::{JsonSchema, Schema, schema_for};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::foxglove::{self, CompressedImage, FrameTransforms, JointStates, Log, SceneUpdate};
use super::item::{Item, RecordedPicture};

pub(crate) const STATE: &str = "/state";
pub(crate) const JOINTS: &str = "/joint_states";
pub(crate) const COMMANDS: &str = "/joint_commands";
pub(crate) const TRANSFORMS: &str = "/tf";
pub(crate) const SCENE: &str = "/scene";
pub(crate) const EVENTS: &str = "/events";
pub(crate) const LOG: &str = "/log";
pub(crate) const CAMERA: &str = "/camera/";

/// Parts of a frame that have no schema of Foxglove's.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct State {
    /// Simulated time, s.
    time_secs: f64,
    /// Number of simulation steps since the start of the world's clock.
    step: u64,
    /// Measured and commanded state of the gripper.
    gripper: FrameGripper,
    /// All contacts of the robot and of objects.
    contacts: Vec<FrameContact>,
}

impl State {
    pub(crate) fn of(frame: &Frame) -> Self {
        let contact = |contact: &FrameContact| FrameContact {
            force_n: foxglove::rounded(contact.force_n),
            point_in_world: contact.point_in_world.map(foxglove::rounded),
            ..contact.clone()
        };
        Self {
            time_secs: frame.time_secs,
            step: frame.step,
            gripper: frame.gripper.clone(),
            contacts: frame.contacts.iter().map(contact).collect(),
        }
    }
}

/// Topic, name and JSON schema of the channels that every recording has.
pub(crate) static SCHEMAS: LazyLock<Vec<(&str, &str, String)>> = LazyLock::new(|| {
    let schemas = [
        (STATE, "regrasp.State", schema_for!(State)),
        (EVENTS, "regrasp.Event", event_schema()),
        (JOINTS, "foxglove.JointStates", schema_for!(JointStates<'_>)),
        (
            COMMANDS,
            "foxglove.JointStates",
            schema_for!(JointStates<'_>),
        ),
        (
            TRANSFORMS,
            "foxglove.FrameTransforms",
            schema_for!(FrameTransforms<'_>),
        ),
        (SCENE, "foxglove.SceneUpdate", schema_for!(SceneUpdate<'_>)),
        (LOG, "foxglove.Log", schema_for!(Log)),
    ];
    let written =
        |(topic, name, schema): (_, _, Schema)| (topic, name, schema.to_value().to_string());
    schemas.into_iter().map(written).collect()
});

/// Schema of an event: only the fields that all events share.
fn event_schema() -> Schema {
    schemars::json_schema!({
        "title": "Event",
        "type": "object",
        "properties": {
            "seq": { "type": "integer", "description": "Counts from 0 without gaps." },
            "sim_secs": { "type": "number", "description": "Simulated time, s." },
            "event": { "type": "string", "description": "The event." }
        },
        "required": ["seq", "sim_secs", "event"]
    })
}

/// Message on `/joints` in older recordings, which do not use Foxglove's schemas. Messages on
/// `/gripper`, `/objects` and `/contacts` follow it, in this order.
#[derive(Deserialize)]
struct OldJoints {
    time_secs: f64,
    step: u64,
    joints: FrameJoints,
    world_from_tool: Pose,
}

#[derive(Deserialize)]
struct OldObjects {
    objects: Vec<FrameObject>,
}

#[derive(Deserialize)]
struct OldContacts {
    contacts: Vec<FrameContact>,
}

/// Frame whose messages are being read; `None` between frames.
#[derive(Default)]
pub(crate) struct Parts(Option<Frame>);

impl Parts {
    /// Reads a message. Returns an item for an event, a picture, or the last message of a frame.
    /// Ignores unknown topics, and messages of a frame whose first message is missing.
    pub(crate) fn read(
        &mut self,
        topic: &str,
        time_secs: f64,
        data: &[u8],
    ) -> Result<Option<Item>, String> {
        if let Some(camera) = topic.strip_prefix(CAMERA) {
            return Ok(Some(Item::Picture(RecordedPicture {
                camera: camera.to_owned(),
                time_secs,
                png: read::<CompressedImage>(topic, data)?.bytes()?,
            })));
        }
        match topic {
            EVENTS => return Ok(Some(Item::Event(read(topic, data)?))),
            STATE => {
                let state: State = read(topic, data)?;
                self.0 = Some(Frame {
                    time_secs: state.time_secs,
                    step: state.step,
                    gripper: state.gripper,
                    contacts: state.contacts,
                    ..Frame::default()
                });
            }
            "/joints" => {
                let old: OldJoints = read(topic, data)?;
                self.0 = Some(Frame {
                    time_secs: old.time_secs,
                    step: old.step,
                    joints: old.joints,
                    world_from_tool: old.world_from_tool,
                    ..Frame::default()
                });
            }
            _ => return self.go_on(topic, data),
        }
        Ok(None)
    }

    /// Reads a message after the first one of a frame.
    fn go_on(&mut self, topic: &str, data: &[u8]) -> Result<Option<Item>, String> {
        let Some(frame) = &mut self.0 else {
            return Ok(None);
        };
        let joints = &mut frame.joints;
        let is_last = matches!(topic, TRANSFORMS | "/contacts");
        match topic {
            JOINTS => {
                let values = read::<JointStates<'_>>(topic, data)?.values();
                (joints.position, joints.velocity) = values;
            }
            COMMANDS => {
                let values = read::<JointStates<'_>>(topic, data)?.values();
                (joints.commanded_position, joints.commanded_velocity) = values;
            }
            TRANSFORMS => read::<FrameTransforms<'_>>(topic, data)?.complete(frame),
            "/gripper" => frame.gripper = read(topic, data)?,
            "/objects" => frame.objects = read::<OldObjects>(topic, data)?.objects,
            "/contacts" => frame.contacts = read::<OldContacts>(topic, data)?.contacts,
            _ => {}
        }
        let whole = self.0.take_if(|_| is_last);
        Ok(whole.map(|frame| Item::Frame(Box::new(frame))))
    }
}

fn read<T: DeserializeOwned>(topic: &str, data: &[u8]) -> Result<T, String> {
    serde_json::from_slice(data).map_err(|error| format!("invalid message on `{topic}`: {error}"))
}
