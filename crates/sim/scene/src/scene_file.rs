//! Scene files.

use std::path::Path;

use regrasp_api::Viewpoint;
use regrasp_faults::Fault;

use crate::arm::{Arm, check_mount};
use crate::defs::{ObjectDef, PlacementSpec, SceneDef, Variation};
use crate::faults::{self, Known};
use crate::fields::{Field, Fields, Located, Sign};
use crate::formats::keys;
use crate::layout::lay_out;
use crate::source::Source;
use crate::yaml::{self, Node};
use crate::{Problem, RobotFile, Scene, SceneError, cameras, drawn, object, overlaps};

/// Reads a scene file for a robot.
///
/// # Errors
///
/// [`SceneError`] with file and line: unknown keys and words (with the nearest
/// spelling), sizes or masses that are not positive, ids used twice, a missing mesh
/// file, objects inside each other, a support that is not there.
pub fn load_scene(path: impl AsRef<Path>, robot: &RobotFile) -> Result<Scene, SceneError> {
    load(&Source::file(path.as_ref()), robot)
}

pub(crate) fn load(source: &Source, robot: &RobotFile) -> Result<Scene, SceneError> {
    let file = source.name();
    let root = yaml::parse(&file, &source.read()?)?;
    parse(source, &root, robot)?.baseline()
}

pub(crate) fn parse(
    source: &Source,
    root: &Node,
    robot: &RobotFile,
) -> Result<SceneDef, SceneError> {
    let file = source.name();
    let scene = Fields::new(&file, root, "the scene", keys("scene"))?;
    let arm = Arm::parse(scene.get("arm"), robot)?;
    let (mut objects, mut joints, mut ports) = (Vec::new(), Vec::new(), Vec::new());
    for item in scene.need("objects")?.items()? {
        let parsed = object::parse(&file, item.node, source)?;
        objects.extend(parsed.objects);
        joints.extend(parsed.joints);
        ports.extend(parsed.ports);
    }
    objects.extend(arm.pedestal);
    check_ids(&file, &objects)?;
    check_mount(&file, &arm.stand, &objects)?;
    check_supports(&file, &objects)?;
    let faults = match scene.get("faults") {
        None => vec![],
        Some(field) => read_faults(&field, &objects, robot)?,
    };
    Ok(SceneDef {
        name: match scene.get("name") {
            Some(name) => name.text()?.to_owned(),
            None => "scene".to_owned(),
        },
        stand: arm.stand,
        start_joints: arm.start_joints,
        start_width_m: arm.start_width_m,
        pad_friction: arm.pad_friction,
        objects,
        joints,
        ports,
        viewpoint: viewpoint(scene.get("viewpoint"))?,
        faults,
        cameras: cameras::parse(scene.get("cameras"), robot)?,
        scenery: drawn::scenery(&scene, source)?,
        not_kept: match scene.get("not_kept") {
            None => vec![],
            Some(field) => {
                let lines = field.items()?;
                let lines = lines.map(|line| line.text().map(str::to_owned));
                lines.collect::<Result<_, _>>()?
            }
        },
        file: file.clone(),
    })
}

/// `robot`, or where whoever speaks is, and what they look at.
fn viewpoint(field: Option<Field<'_>>) -> Result<Viewpoint, SceneError> {
    let Some(field) = field else {
        return Ok(Viewpoint::Robot);
    };
    if field.text().is_ok() {
        return field.choice("viewpoint", &[("robot", Viewpoint::Robot)]);
    }
    let fields = field.fields(keys("viewpoint"))?;
    Ok(Viewpoint::From {
        position: fields.need("position")?.array(Sign::Any)?,
        look_at: fields.need("look_at")?.array(Sign::Any)?,
    })
}

/// A list of faults that are about these objects and this arm.
pub(crate) fn read_faults(
    field: &Field<'_>,
    objects: &[ObjectDef],
    robot: &RobotFile,
) -> Result<Vec<Fault>, SceneError> {
    let ids: Vec<&str> = objects.iter().map(|o| o.id.as_str()).collect();
    let known = Known {
        objects: Some(&ids),
        joints: Some(&robot.arm_joints),
    };
    faults::faults(field, known)
}

impl SceneDef {
    /// The scene as written, checked for overlaps.
    pub(crate) fn baseline(&self) -> Result<Scene, SceneError> {
        let scene = lay_out(self, &vec![Variation::default(); self.objects.len()])?;
        overlaps::check(self, &scene)?;
        Ok(scene)
    }

    /// The definition that a word names.
    pub(crate) fn index_of(&self, file: &str, id: &Located<String>) -> Result<usize, SceneError> {
        index_of(file, &self.objects, id)
    }
}

fn index_of(file: &str, objects: &[ObjectDef], id: &Located<String>) -> Result<usize, SceneError> {
    let found = objects.iter().position(|o| o.id.as_str() == id.value);
    found.ok_or_else(|| {
        let known = objects.iter().filter(|o| o.group.is_none());
        let known = known.map(|o| o.id.as_str());
        Problem::unknown_word("object", &id.value, known).at(file, id.line)
    })
}

fn check_ids(file: &str, objects: &[ObjectDef]) -> Result<(), SceneError> {
    for (i, object) in objects.iter().enumerate() {
        if let Some(first) = objects.iter().take(i).find(|o| o.id == object.id) {
            let problem = format!(
                "the object `{}` is already defined in line {}; ids must be unique",
                object.id, first.line
            );
            return Err(Problem::from(problem).at(file, object.line));
        }
    }
    Ok(())
}

/// Everything stands on something that exists, and nothing on itself.
fn check_supports(file: &str, objects: &[ObjectDef]) -> Result<(), SceneError> {
    for object in objects {
        let mut chain = vec![object.id.as_str()];
        let mut current = Some(object);
        while let Some(below) = current.map_or(Ok(None), |o| support_of(file, objects, o))? {
            let closes = chain.contains(&below.id.as_str());
            chain.push(below.id.as_str());
            if closes {
                let cycle = chain.join(" on ");
                let problem = format!("`{}` stands on itself: {cycle}", object.id);
                return Err(Problem::from(problem).at(file, object.line));
            }
            if chain.len() == 2
                && let PlacementSpec::On {
                    zone: Some(zone), ..
                } = &object.place
            {
                zone_of(file, below, zone)?;
            }
            current = Some(below);
        }
    }
    Ok(())
}

/// The index of a zone that an object has.
pub(crate) fn zone_of(
    file: &str,
    object: &ObjectDef,
    name: &Located<String>,
) -> Result<usize, SceneError> {
    let found = object.zones.iter().position(|zone| zone.name == name.value);
    found.ok_or_else(|| {
        let what = format!("zone of `{}`", object.id);
        let known = object.zones.iter().map(|zone| zone.name.as_str());
        Problem::unknown_word(&what, &name.value, known).at(file, name.line)
    })
}

/// What an object stands on or is part of.
fn support_of<'a>(
    file: &str,
    objects: &'a [ObjectDef],
    object: &ObjectDef,
) -> Result<Option<&'a ObjectDef>, SceneError> {
    match &object.place {
        PlacementSpec::At { .. } => Ok(None),
        PlacementSpec::Attached { parent, .. } => Ok(objects.iter().find(|o| &o.id == parent)),
        PlacementSpec::On { support, .. }
        | PlacementSpec::Within {
            container: support, ..
        } => {
            let idx = index_of(file, objects, support)?;
            Ok(objects.get(idx))
        }
    }
}
