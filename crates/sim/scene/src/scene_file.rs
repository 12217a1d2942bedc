//! Scene files.

use std::path::Path;

use regrasp_api::{ObjectId, Pose, Viewpoint};
use regrasp_faults::Fault;

use crate::arm::{Arm, check_mount};
use crate::defs::{ObjectDef, PlacementSpec, SceneDef, Variation, index_of};
use crate::faults::{self, Known};
use crate::fields::{Field, Fields, Located, Sign};
use crate::formats::keys;
use crate::layout::lay_out;
use crate::source::Source;
use crate::yaml::{self, Node};
use crate::{Problem, Result, RobotFile, Scene, SceneError, cameras, checks, drawn, object};

/// Reads a scene file for a robot.
///
/// # Errors
///
/// [`SceneError`] with file and line: unknown keys and words (with the nearest spelling), sizes or
/// masses that are not positive, duplicate ids, missing files or supports, overlapping objects.
pub fn load_scene(path: impl AsRef<Path>, robot: &RobotFile) -> Result<Scene, SceneError> {
    load(&Source::file(path.as_ref()), robot)
}

pub(crate) fn load(source: &Source, robot: &RobotFile) -> Result<Scene> {
    let file = source.name();
    let root = yaml::parse(&file, &source.read()?)?;
    parse(source, &root, robot)?.baseline()
}

pub(crate) fn parse(source: &Source, root: &Node, robot: &RobotFile) -> Result<SceneDef> {
    let file = source.name();
    let scene = Fields::new(&file, root, "the scene", keys("scene"))?;
    let arm = Arm::parse(&scene, robot)?;
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
    let (name, width_m) = (scene.text_or("name", "scene")?, arm.start_width_m);
    let rest = Scene {
        mount: (arm.stand.mount.as_ref()).map(|on| ObjectId::new(&on.value)),
        start_joints: arm.start_joints,
        pad_friction: arm.pad_friction,
        joints,
        ports,
        faults: read_faults(&scene, &objects, robot)?,
        viewpoint: (scene.maybe("viewpoint", viewpoint)?).unwrap_or_default(),
        cameras: cameras::parse(&scene, robot)?,
        scenery: drawn::scenery(&scene, source)?,
        not_kept: scene.each("not_kept", |line| line.text().map(str::to_owned))?,
        ..Scene::new(name, Pose::identity(), width_m, vec![])
    };
    Ok(SceneDef {
        stand: arm.stand,
        objects,
        rest,
        file: file.clone(),
    })
}

/// Reads `robot`, or the speaker's position and gaze.
fn viewpoint(field: Field<'_>) -> Result<Viewpoint> {
    if field.text().is_ok() {
        return field.choice("viewpoint", &[("robot", Viewpoint::Robot)]);
    }
    let fields = field.fields(keys("viewpoint"))?;
    let position = fields.need("position")?.array(Sign::Coordinate)?;
    let look_at: [f64; 2] = fields.need("look_at")?.array(Sign::Coordinate)?;
    if look_at == position {
        let allowed = "a point other than `position`";
        return fields.refuse("look_at", format!("{look_at:?}"), allowed);
    }
    Ok(Viewpoint::From { position, look_at })
}

/// Reads the faults of a file; they may refer to these objects and to the joints of this arm.
pub(crate) fn read_faults(
    within: &Fields<'_>,
    objects: &[ObjectDef],
    robot: &RobotFile,
) -> Result<Vec<Fault>> {
    let ids: Vec<&str> = objects.iter().map(|o| o.body.id.as_str()).collect();
    let known = Known {
        objects: Some(&ids),
        joints: Some(&robot.arm_joints),
    };
    within.each("faults", |item| faults::fault(item.file, item.node, known))
}

impl SceneDef {
    /// Returns the scene as written, checked for overlaps.
    pub(crate) fn baseline(&self) -> Result<Scene> {
        let scene = lay_out(self, &vec![Variation::default(); self.objects.len()])?;
        checks::overlaps(self, &scene)?;
        Ok(scene)
    }
}

fn check_ids(file: &str, objects: &[ObjectDef]) -> Result<()> {
    for (i, object) in objects.iter().enumerate() {
        if let Some(first) = objects.iter().take(i).find(|o| o.body.id == object.body.id) {
            let problem = format!(
                "the object `{}` is already defined in line {}; ids must be unique",
                object.body.id, first.line
            );
            return Err(Problem::from(problem).at(file, object.line));
        }
    }
    Ok(())
}

/// Checks that every support and zone exists, and that no object stands on itself, even indirectly.
fn check_supports(file: &str, objects: &[ObjectDef]) -> Result<()> {
    for object in objects {
        let mut chain = vec![object.body.id.as_str()];
        let mut current = Some(object);
        while let Some(below) = current.map_or(Ok(None), |o| support_of(file, objects, o))? {
            let closes = chain.contains(&below.body.id.as_str());
            chain.push(below.body.id.as_str());
            if closes {
                let cycle = chain.join(" on ");
                let problem = format!("`{}` stands on itself: {cycle}", object.body.id);
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

pub(crate) fn zone_of(file: &str, object: &ObjectDef, name: &Located<String>) -> Result<usize> {
    let zones = &object.body.zones;
    let found = zones.iter().position(|zone| zone.name == name.value);
    found.ok_or_else(|| {
        let what = format!("zone of `{}`", object.body.id);
        let known = zones.iter().map(|zone| zone.name.as_str());
        Problem::unknown_word(&what, &name.value, known).at(file, name.line)
    })
}

/// Returns the object's support, container or parent.
fn support_of<'a>(
    file: &str,
    objects: &'a [ObjectDef],
    object: &ObjectDef,
) -> Result<Option<&'a ObjectDef>> {
    match &object.place {
        PlacementSpec::At { .. } => Ok(None),
        PlacementSpec::Attached { parent, .. } => Ok(objects.iter().find(|o| &o.body.id == parent)),
        PlacementSpec::On { support, .. }
        | PlacementSpec::Within {
            container: support, ..
        } => {
            let idx = index_of(file, objects, support)?;
            Ok(objects.get(idx))
        }
    }
}
