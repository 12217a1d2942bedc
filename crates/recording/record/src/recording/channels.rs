//! Topics and messages of a recording.

use std::borrow::Cow;
use std::sync::LazyLock;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use regrasp_api::{ObjectId, Pose};
use regrasp_ground_truth::{Frame, FrameContact, FrameGripper, FrameJoints, FrameObject};
use schemars::{JsonSchema, Schema, schema_for};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::item::{Item, RecordedPicture};

pub(crate) const JOINTS: &str = "/joints";
pub(crate) const GRIPPER: &str = "/gripper";
pub(crate) const OBJECTS: &str = "/objects";
pub(crate) const CONTACTS: &str = "/contacts";
pub(crate) const EVENTS: &str = "/events";
pub(crate) const CAMERA: &str = "/camera/";

/// The arm.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct Joints<'a> {
    /// Simulated time, s.
    pub(crate) time_secs: f64,
    /// Steps of the world since its clock started.
    pub(crate) step: u64,
    /// The joints of the arm.
    pub(crate) joints: Cow<'a, FrameJoints>,
    /// Pose of the tool point in World.
    #[schemars(with = "PoseFields")]
    pub(crate) world_from_tool: Cow<'a, Pose>,
}

/// A pose, as it is written.
#[derive(JsonSchema)]
#[schemars(rename = "Pose")]
#[expect(dead_code, reason = "it stands for a foreign type in schemas")]
struct PoseFields {
    /// Rotation as a quaternion x, y, z, w.
    rotation: [f64; 4],
    /// Translation x, y, z, m.
    translation: [f64; 3],
}

/// An object as it is written: in single precision, which resolves 0.1 µm.
#[derive(Serialize)]
pub(crate) struct ObjectOut {
    id: ObjectId,
    world_from_object: PoseOut,
}

#[derive(PartialEq, Serialize)]
struct PoseOut {
    rotation: [f32; 4],
    translation: [f32; 3],
}

impl PoseOut {
    fn of(pose: &Pose) -> Self {
        let (q, t) = (pose.rotation.coords, pose.translation.vector);
        Self {
            rotation: [q.x, q.y, q.z, q.w].map(|v| v as f32),
            translation: [t.x, t.y, t.z].map(|v| v as f32),
        }
    }
}

impl ObjectOut {
    pub(crate) fn of(object: &FrameObject) -> Self {
        Self {
            id: object.id.clone(),
            world_from_object: PoseOut::of(&object.world_from_object),
        }
    }

    pub(crate) fn is(&self, object: &FrameObject) -> bool {
        self.world_from_object == PoseOut::of(&object.world_from_object) && self.id == object.id
    }
}

/// All objects.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Objects {
    pub(crate) objects: Vec<FrameObject>,
}

/// A contact as it is written: in single precision.
#[derive(Serialize)]
pub(crate) struct ContactOut {
    by: String,
    by_robot: bool,
    with: ObjectId,
    force_n: f32,
    point_in_world: [f32; 3],
}

impl ContactOut {
    pub(crate) fn of(contact: &FrameContact) -> Self {
        Self {
            by: contact.by.clone(),
            by_robot: contact.by_robot,
            with: contact.with.clone(),
            force_n: contact.force_n as f32,
            point_in_world: contact.point_in_world.map(|v| v as f32),
        }
    }

    pub(crate) fn is(&self, contact: &FrameContact) -> bool {
        self.force_n == contact.force_n as f32
            && self.point_in_world == contact.point_in_world.map(|v| v as f32)
            && self.with == contact.with
            && self.by == contact.by
            && self.by_robot == contact.by_robot
    }
}

/// All contacts.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Contacts {
    pub(crate) contacts: Vec<FrameContact>,
}

/// A picture, in the fields of Foxglove's `CompressedImage`.
#[derive(Serialize, Deserialize)]
pub(crate) struct Image {
    timestamp: Time,
    frame_id: String,
    data: String,
    format: String,
}

#[derive(Serialize, Deserialize)]
struct Time {
    sec: u64,
    nsec: u32,
}

impl Image {
    pub(crate) fn png(camera: &str, time_ns: u64, png: &[u8]) -> Self {
        const NS: u64 = 1_000_000_000;
        Self {
            timestamp: Time {
                sec: time_ns / NS,
                nsec: (time_ns % NS) as u32,
            },
            frame_id: camera.to_owned(),
            data: BASE64_STANDARD.encode(png),
            format: "png".into(),
        }
    }

    pub(crate) fn bytes(&self) -> Result<Vec<u8>, String> {
        let decoded = BASE64_STANDARD.decode(&self.data);
        decoded.map_err(|error| format!("a picture is not base64: {error}"))
    }
}

/// Topic, name and JSON schema of the channels that every recording has.
pub(crate) static SCHEMAS: LazyLock<Vec<(&str, &str, String)>> = LazyLock::new(|| {
    let schemas = [
        (JOINTS, "regrasp.Joints", schema_for!(Joints<'_>)),
        (GRIPPER, "regrasp.Gripper", schema_for!(FrameGripper)),
        (OBJECTS, "regrasp.Objects", schema_for!(Objects)),
        (CONTACTS, "regrasp.Contacts", schema_for!(Contacts)),
        (EVENTS, "regrasp.Event", event_schema()),
    ];
    let text = |schema: Schema| schema.to_value().to_string();
    let written = |(topic, name, schema)| (topic, name, text(schema));
    schemas.into_iter().map(written).collect()
});

/// The fields that all events share.
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

pub(crate) fn image_schema() -> String {
    json!({
        "title": "foxglove.CompressedImage",
        "type": "object",
        "properties": {
            "timestamp": {
                "type": "object",
                "title": "time",
                "properties": { "sec": { "type": "integer" }, "nsec": { "type": "integer" } }
            },
            "frame_id": { "type": "string" },
            "data": { "type": "string", "contentEncoding": "base64" },
            "format": { "type": "string" }
        }
    })
    .to_string()
}

/// Messages of a frame, collected until it is complete.
#[derive(Default)]
pub(crate) struct Parts {
    joints: Option<Joints<'static>>,
    gripper: Option<FrameGripper>,
    objects: Option<Vec<FrameObject>>,
}

impl Parts {
    /// Reads a message. Returns an item for an event, a picture, or the last message of a frame.
    /// Ignores unknown topics.
    pub(crate) fn read(
        &mut self,
        topic: &str,
        time_secs: f64,
        data: &[u8],
    ) -> Result<Option<Item>, String> {
        fn read<T: DeserializeOwned>(topic: &str, data: &[u8]) -> Result<T, String> {
            serde_json::from_slice(data).map_err(|error| format!("a message on {topic}: {error}"))
        }
        match topic {
            JOINTS => {
                *self = Self {
                    joints: Some(read(topic, data)?),
                    ..Self::default()
                };
            }
            GRIPPER => self.gripper = Some(read(topic, data)?),
            OBJECTS => self.objects = Some(read::<Objects>(topic, data)?.objects),
            CONTACTS => {
                let frame = self.whole(read::<Contacts>(topic, data)?.contacts);
                return Ok(frame.map(|frame| Item::Frame(Box::new(frame))));
            }
            EVENTS => return Ok(Some(Item::Event(read(topic, data)?))),
            other => {
                if let Some(camera) = other.strip_prefix(CAMERA) {
                    return Ok(Some(Item::Picture(RecordedPicture {
                        camera: camera.to_owned(),
                        time_secs,
                        png: read::<Image>(topic, data)?.bytes()?,
                    })));
                }
            }
        }
        Ok(None)
    }

    fn whole(&mut self, contacts: Vec<FrameContact>) -> Option<Frame> {
        let parts = std::mem::take(self);
        let joints = parts.joints?;
        Some(Frame {
            time_secs: joints.time_secs,
            step: joints.step,
            joints: joints.joints.into_owned(),
            gripper: parts.gripper?,
            world_from_tool: joints.world_from_tool.into_owned(),
            objects: parts.objects?,
            contacts,
        })
    }
}
