//! Messages with the fields of Foxglove's schemas.
//!
//! Foxglove identifies its schemas by name (<https://docs.foxglove.dev/docs/sdk/schemas>). The
//! schemas in a recording are derived from the types of this module; `scripts/check_mcap.py`
//! validates messages by the published ones.

use std::borrow::Cow;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use regrasp_api::{ObjectId, Pose, Remark};
use regrasp_ground_truth::{Frame, FrameObject, LinkPose};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::geometry::{BodySurface, RecordedBody};

const WORLD: &str = "world";
/// Name of the tool's frame. The prefix distinguishes it from the names of links.
const TOOL: &str = "regrasp/tool";
const OBJECT: &str = "object/";

/// Name of a link's frame: the name of the link. A link named like the frame of World gets another
/// frame name, because the frame would otherwise be its own parent.
pub fn link_frame(link: &str) -> &str {
    match link {
        WORLD => "link/world",
        other => other,
    }
}

#[derive(Clone, Copy, Serialize, Deserialize, JsonSchema)]
struct Time {
    sec: u64,
    nsec: u32,
}

impl Time {
    fn of(time_secs: f64) -> Self {
        const NS: u64 = 1_000_000_000;
        let time_ns = super::nanoseconds(time_secs);
        Self {
            sec: time_ns / NS,
            nsec: (time_ns % NS) as u32,
        }
    }
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Vector3 {
    x: f64,
    y: f64,
    z: f64,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Quaternion {
    x: f64,
    y: f64,
    z: f64,
    w: f64,
}

/// `foxglove.CompressedImage`
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct CompressedImage {
    timestamp: Time,
    frame_id: String,
    #[schemars(extend("contentEncoding" = "base64"))]
    data: String,
    format: String,
}

impl CompressedImage {
    pub(crate) fn png(camera: &str, time_secs: f64, png: &[u8]) -> Self {
        Self {
            timestamp: Time::of(time_secs),
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

/// `foxglove.JointStates`
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct JointStates<'a> {
    timestamp: Time,
    joints: Vec<JointState<'a>>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct JointState<'a> {
    name: Cow<'a, str>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    position: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    velocity: Option<f64>,
}

impl<'a> JointStates<'a> {
    pub(crate) fn of(
        time_secs: f64,
        names: &'a [String],
        positions: &[f64],
        velocities: &[f64],
    ) -> Self {
        let joint = |idx: usize| JointState {
            name: match names.get(idx) {
                Some(name) => name.into(),
                None => format!("joint{}", idx + 1).into(),
            },
            position: positions.get(idx).copied(),
            velocity: velocities.get(idx).copied(),
        };
        let n_joints = positions.len().max(velocities.len());
        Self {
            timestamp: Time::of(time_secs),
            joints: (0..n_joints).map(joint).collect(),
        }
    }

    /// Positions and velocities.
    pub(crate) fn values(&self) -> (Vec<f64>, Vec<f64>) {
        let joints = || self.joints.iter();
        let positions = joints().filter_map(|joint| joint.position);
        let velocities = joints().filter_map(|joint| joint.velocity);
        (positions.collect(), velocities.collect())
    }
}

/// `foxglove.FrameTransforms`
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct FrameTransforms<'a> {
    transforms: Vec<FrameTransform<'a>>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct FrameTransform<'a> {
    timestamp: Time,
    parent_frame_id: Cow<'a, str>,
    child_frame_id: Cow<'a, str>,
    translation: Vector3,
    rotation: Quaternion,
}

impl<'a> FrameTransform<'a> {
    fn new(
        timestamp: Time,
        (parent, child): (&'a str, Cow<'a, str>),
        parent_from_child: &Pose,
        kept: fn(f64) -> f64,
    ) -> Self {
        Self {
            timestamp,
            parent_frame_id: parent.into(),
            child_frame_id: child,
            translation: vector(parent_from_child.translation.vector.map(kept)),
            rotation: quaternion(parent_from_child.rotation.coords.map(kept)),
        }
    }

    fn pose(&self) -> Pose {
        let (t, q) = (&self.translation, &self.rotation);
        let rotation = nalgebra::Quaternion::new(q.w, q.x, q.y, q.z);
        // The quaternion is not normalized, so that a frame is read exactly as it was written.
        let rotation = nalgebra::UnitQuaternion::new_unchecked(rotation);
        Pose::from_parts([t.x, t.y, t.z].into(), rotation)
    }
}

fn vector(t: nalgebra::Vector3<f64>) -> Vector3 {
    Vector3 {
        x: t.x,
        y: t.y,
        z: t.z,
    }
}

fn quaternion(q: nalgebra::Vector4<f64>) -> Quaternion {
    Quaternion {
        x: q.x,
        y: q.y,
        z: q.z,
        w: q.w,
    }
}

/// Rounds to seven decimals: 0.1 µm.
pub(crate) fn rounded(value: f64) -> f64 {
    (value * 1e7).round() / 1e7
}

impl<'a> FrameTransforms<'a> {
    /// Transforms of the links, the tool point and the objects. The tool's is lossless.
    pub(crate) fn of(frame: &'a Frame, links: &'a [LinkPose]) -> Self {
        let now = Time::of(frame.time_secs);
        let links = links.iter().map(|link| {
            let parent = link.parent.as_deref().map_or(WORLD, link_frame);
            let names = (parent, link_frame(&link.name).into());
            FrameTransform::new(now, names, &link.parent_from_link, rounded)
        });
        let names = (WORLD, TOOL.into());
        let tool = FrameTransform::new(now, names, &frame.world_from_tool, |value| value);
        let objects = frame.objects.iter().map(|object| {
            let names = (WORLD, object_frame(&object.id).into());
            FrameTransform::new(now, names, &object.world_from_object, rounded)
        });
        Self {
            transforms: links.chain([tool]).chain(objects).collect(),
        }
    }

    /// Sets the tool pose of a frame, and adds its objects, from the transforms.
    pub(crate) fn complete(&self, frame: &mut Frame) {
        for transform in &self.transforms {
            let child = transform.child_frame_id.as_ref();
            if let Some(id) = child.strip_prefix(OBJECT) {
                frame.objects.push(FrameObject {
                    id: id.into(),
                    world_from_object: transform.pose(),
                });
            } else if child == TOOL {
                frame.world_from_tool = transform.pose();
            }
        }
    }
}

fn object_frame(id: &ObjectId) -> String {
    format!("{OBJECT}{id}")
}

impl RecordedBody {
    fn frame_id(&self) -> String {
        match self {
            Self::Scenery => WORLD.to_owned(),
            Self::Link(name) => link_frame(name).to_owned(),
            Self::Object(id) => object_frame(id),
        }
    }
}

/// `foxglove.SceneUpdate`
#[derive(Serialize, JsonSchema)]
pub(crate) struct SceneUpdate<'a> {
    deletions: Value,
    entities: Vec<SceneEntity<'a>>,
}

/// Triangles of one body, which move with the body's frame.
#[derive(Serialize, JsonSchema)]
struct SceneEntity<'a> {
    frame_id: String,
    id: String,
    triangles: Vec<TriangleList<'a>>,
    /// Remaining fields, which have the same values for all entities ([`shared_fields`]).
    #[serde(flatten)]
    shared: &'a Value,
}

#[derive(Serialize, JsonSchema)]
struct TriangleList<'a> {
    pose: Value,
    points: Vec<Vector3>,
    color: Value,
    colors: [Value; 0],
    indices: &'a [u32],
}

/// Fields of an entity that have the same values for all entities.
pub(crate) fn shared_fields(time_secs: f64) -> Value {
    json!({
        "timestamp": Time::of(time_secs),
        "lifetime": { "sec": 0, "nsec": 0 },
        "frame_locked": true,
        "metadata": [],
        "arrows": [],
        "cubes": [],
        "spheres": [],
        "cylinders": [],
        "lines": [],
        "texts": [],
        "models": [],
    })
}

impl<'a> SceneUpdate<'a> {
    /// Creates one entity for each present body. The message deletes all earlier entities, so that
    /// the last message alone gives the whole scene.
    pub(crate) fn of(surfaces: &'a [BodySurface], objects: &[ObjectId], shared: &'a Value) -> Self {
        const ALL: u8 = 1;
        let bodies = surfaces.chunk_by(|a, b| a.body == b.body);
        let bodies = bodies.filter(|parts| match &parts[0].body {
            RecordedBody::Object(id) => objects.contains(id),
            RecordedBody::Scenery | RecordedBody::Link(_) => true,
        });
        let entity = |parts: &'a [BodySurface]| SceneEntity {
            frame_id: parts[0].body.frame_id(),
            id: parts[0].body.frame_id(),
            triangles: parts.iter().map(TriangleList::of).collect(),
            shared,
        };
        Self {
            deletions: json!([{ "timestamp": shared["timestamp"], "type": ALL, "id": "" }]),
            entities: bodies.map(entity).collect(),
        }
    }
}

impl<'a> TriangleList<'a> {
    /// Converts a surface. Positions are rounded to 10 µm.
    fn of(surface: &'a BodySurface) -> Self {
        let short = |value: f32| (f64::from(value) * 1e5).round() / 1e5;
        let point = |p: &[f32; 3]| vector(p.map(short).into());
        let pose = &surface.body_from_surface;
        let [r, g, b] = surface.rgb.map(short);
        Self {
            pose: json!({
                "position": vector(pose.translation.vector),
                "orientation": quaternion(pose.rotation.coords),
            }),
            points: surface.positions.iter().map(point).collect(),
            color: json!({ "r": r, "g": g, "b": b, "a": 1.0 }),
            colors: [],
            indices: surface.triangles.as_flattened(),
        }
    }
}

/// `foxglove.Log`
#[derive(Serialize, JsonSchema)]
pub(crate) struct Log {
    timestamp: Time,
    level: u8,
    message: String,
    name: &'static str,
    file: &'static str,
    line: u32,
}

impl Log {
    pub(crate) fn of(time_secs: f64, remark: Remark) -> Self {
        Self {
            timestamp: Time::of(time_secs),
            // Foxglove's levels start at 1: debug, info, warning, error.
            level: remark.level as u8 + 1,
            message: remark.text,
            name: "regrasp",
            file: "",
            line: 0,
        }
    }
}
