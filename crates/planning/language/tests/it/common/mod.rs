//! Scenes of the corpus, as perception would report them.

#![expect(clippy::expect_used, reason = "a broken corpus fails the test")]

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::LazyLock;

use nalgebra::{UnitQuaternion, Vector3};
use regrasp_api::solids::{boxed, tray};
use regrasp_api::{
    Known, KnownZone, ObjectId, ObjectJoint, ObjectPort, PerceivedObject, Percept, PortKind, Pose,
    Section, Shape, Viewpoint,
};
use regrasp_language::{Misunderstanding, ParseContext, Understood, understand};
use regrasp_testkit::{cuboid, thing};
use serde::{Deserialize, de::DeserializeOwned};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    id: String,
    category: String,
    color: Option<String>,
    #[serde(default)]
    fixed: bool,
    #[serde(default)]
    hollow: bool,
    /// Closed above, as a hollow cupboard.
    #[serde(default)]
    roof: bool,
    size: [f64; 3],
    at: [f64; 2],
    z: Option<f64>,
    /// Turn about the vertical, rad.
    #[serde(default)]
    yaw: f64,
    on: Option<String>,
    #[serde(rename = "in")]
    inside: Option<String>,
    joint: Option<ObjectJoint>,
    port: Option<Port>,
    #[serde(default)]
    parts: BTreeMap<String, Zone>,
}

#[derive(Debug, Deserialize)]
struct Port {
    kind: PortKind,
    section: Section,
}

#[derive(Debug, Deserialize)]
struct Zone {
    at: [f64; 3],
    size: [f64; 3],
}

/// A text in a scene with its meaning, and the position of the speaker if it matters.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Sentence {
    #[serde(default)]
    pub(crate) kind: String,
    pub(crate) scene: String,
    pub(crate) say: String,
    pub(crate) goal: String,
    from: Option<[f64; 2]>,
}

impl Sentence {
    pub(crate) fn meaning(&self) -> Result<Understood, Misunderstanding> {
        // A person looks at the middle of the table.
        let look_at = [0.5, 0.0];
        let from = |position| Viewpoint::From { position, look_at };
        let viewpoint = self.from.map(from);
        read(&self.scene, &self.say, viewpoint.unwrap_or_default())
    }
}

/// Wall thickness of hollow objects, m.
const WALL_M: f64 = 0.004;

/// Reads a file of the corpus, or any file by its absolute path.
pub(crate) fn corpus<T: DeserializeOwned>(name: &str) -> T {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("corpus");
    let text = std::fs::read_to_string(folder.join(name));
    let text = text.expect("the corpus is in the repository");
    serde_saphyr::from_str(&text).expect(name)
}

static SCENES: LazyLock<BTreeMap<String, Percept>> = LazyLock::new(|| {
    let scenes: BTreeMap<String, Vec<Entry>> = corpus("scenes.yaml");
    let scenes = scenes.into_iter();
    let scenes = scenes.map(|(name, entries)| (name, percept(&entries)));
    scenes.collect()
});

pub(crate) fn scene(name: &str) -> &'static Percept {
    SCENES.get(name).expect("a scene of the corpus")
}

pub(crate) fn read(
    name: &str,
    text: &str,
    viewpoint: Viewpoint,
) -> Result<Understood, Misunderstanding> {
    let context = ParseContext {
        viewpoint,
        ..ParseContext::of(scene(name))
    };
    understand(text, &context)
}

/// Returns the goal that a text means in a scene, as the robot sees it.
pub(crate) fn goal(name: &str, text: &str) -> Result<String, Misunderstanding> {
    read(name, text, Viewpoint::Robot).map(|understood| understood.goal())
}

fn percept(entries: &[Entry]) -> Percept {
    let mut percept = Percept::default();
    for entry in entries {
        let z = bottom(entry, entries) + 0.5 * entry.size[2];
        let mut shape = match entry.hollow {
            true => tray([entry.size[0], entry.size[1]], entry.size[2], WALL_M),
            false => cuboid(entry.size.map(|s| 0.5 * s)),
        };
        if let (true, Shape::Compound { parts }) = (entry.roof, &mut shape) {
            let [half_x, half_y, half_z] = entry.size.map(|s| 0.5 * s);
            parts.push(boxed(
                [0.0, 0.0, half_z],
                [half_x, half_y, 0.5 * WALL_M],
                0.0,
            ));
        }
        let [x, y] = entry.at;
        let mut object = PerceivedObject {
            color: entry.color.clone(),
            movable: !entry.fixed && entry.joint.is_none(),
            ..thing(&entry.id, &entry.category, shape, [x, y, z])
        };
        let turn = Vector3::z() * entry.yaw;
        object.world_from_object.rotation = UnitQuaternion::new(turn);
        percept.objects.push(object);
        percept.joints.extend(entry.joint.clone());
        if let Some(Port { kind, section }) = entry.port {
            percept.ports.push(ObjectPort {
                object: ObjectId::new(&entry.id),
                kind,
                object_from_port: Pose::identity(),
                half_size_m: [0.01; 2],
                depth_m: 0.05,
                keyed: false,
                section,
                through: kind == PortKind::Hole,
            });
        }
        let half = |zone: &Zone| zone.size.map(|s| 0.5 * s);
        let zones = entry.parts.iter();
        let zones = zones.map(|(name, zone)| KnownZone::new(name, zone.at, half(zone)));
        percept.known.push(Known {
            object: ObjectId::new(&entry.id),
            upright: None,
            mass_kg: None,
            mass_center: None,
            zones: zones.collect(),
            part_of: None,
        });
    }
    percept
}

fn bottom(entry: &Entry, entries: &[Entry]) -> f64 {
    if let Some(z) = entry.z {
        return z;
    }
    let carrier = entry.on.as_ref().or(entry.inside.as_ref());
    let carrier = entries.iter().find(|other| Some(&other.id) == carrier);
    match carrier {
        Some(below) if entry.on.is_some() => bottom(below, entries) + below.size[2],
        Some(around) => bottom(around, entries) + WALL_M,
        _ if entry.id == "table" => -entry.size[2],
        _ => 0.0,
    }
}
