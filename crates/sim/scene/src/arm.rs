//! Where the arm stands, and on or in what; how it starts.

use nalgebra::{Translation3, UnitQuaternion};
use regrasp_api::{ObjectId, Pose, Shape};

use crate::defs::{ObjectDef, PlacementSpec, Stand};
use crate::fields::{Field, Fields, Located, Sign};
use crate::keys::Mass;
use crate::types::DEFAULT_FRICTION;
use crate::yaml::Value;
use crate::{Problem, RobotFile, SceneError, colors, formats, keys};

/// What a pedestal is called.
const PEDESTAL: &str = "pedestal";

pub(crate) struct Arm {
    pub(crate) stand: Stand,
    pub(crate) start_joints: Option<Vec<f64>>,
    pub(crate) start_width_m: f64,
    pub(crate) pad_friction: Option<f64>,
    /// What is built under it.
    pub(crate) pedestal: Option<ObjectDef>,
}

impl Arm {
    pub(crate) fn parse(field: Option<Field<'_>>, robot: &RobotFile) -> Result<Self, SceneError> {
        let Some(field) = field else {
            return Ok(Self {
                stand: Stand {
                    world_from_base: Pose::identity(),
                    mount: None,
                    below_top_m: None,
                },
                start_joints: None,
                start_width_m: robot.gripper.max_width_m,
                pad_friction: None,
                pedestal: None,
            });
        };
        let arm = field.fields(formats::keys("arm"))?;
        let mut stand = stand(&arm)?;
        let pedestal = match arm.get("pedestal") {
            None => None,
            Some(field) => {
                if stand.mount.is_some() {
                    return Err(field.not_allowed(
                        "given",
                        "left out for an arm that is `on` \
                         something: a pedestal is what it stands on",
                    ));
                }
                stand.mount = Some(Located {
                    value: PEDESTAL.to_owned(),
                    line: field.node.line,
                });
                Some(pedestal(&field, &stand.world_from_base)?)
            }
        };
        let start_joints = arm.get("start_joints_rad");
        Ok(Self {
            stand,
            start_joints: start_joints.map(|f| joints(&f, robot)).transpose()?,
            start_width_m: start_width(&arm, robot)?,
            pad_friction: arm
                .get("pad_friction")
                .map(|field| field.number(Sign::Positive))
                .transpose()?,
            pedestal,
        })
    }
}

fn stand(arm: &Fields<'_>) -> Result<Stand, SceneError> {
    let on = arm.get("on");
    let Some(on) = on else {
        for key in ["xy", "let_in_m"] {
            if let Some(field) = arm.get(key) {
                return Err(field.not_allowed("given", "left out without `on`"));
            }
        }
        return Ok(Stand {
            world_from_base: keys::posed(arm)?,
            mount: None,
            below_top_m: None,
        });
    };
    let mount = Some(on.word()?);
    if arm
        .one_of(&["position", "xy"])?
        .is_some_and(|field| field.key == "position")
    {
        if let Some(field) = arm.get("let_in_m") {
            return Err(field.not_allowed("given", "left out with `position`, whose z says it"));
        }
        return Ok(Stand {
            world_from_base: keys::posed(arm)?,
            mount,
            below_top_m: None,
        });
    }
    let [x, y] = match arm.get("xy") {
        Some(field) => field.array::<2>(Sign::Coordinate)?,
        None => [0.0; 2],
    };
    let rotation: UnitQuaternion<f64> = keys::rotation(arm)?;
    let let_in_m = match arm.get("let_in_m") {
        Some(field) => field.number(Sign::NotNegative)?,
        None => 0.0,
    };
    Ok(Stand {
        world_from_base: Pose::from_parts(Translation3::new(x, y, 0.0), rotation),
        mount,
        below_top_m: Some(let_in_m),
    })
}

/// A fixed thing whose top is where the base stands. It is upright, and turned as the base is.
fn pedestal(field: &Field<'_>, world_from_base: &Pose) -> Result<ObjectDef, SceneError> {
    let given = field.fields(formats::keys("pedestal"))?;
    let top = world_from_base.translation.vector;
    let height = match given.get("height") {
        Some(field) => field.number(Sign::Positive)?,
        None if top.z > 0.0 => top.z,
        None => {
            let within = "a pedestal whose top is not above z = 0";
            return Err(field.error(Problem::missing_key("height", within)));
        }
    };
    let half_m = 0.5 * height;
    let shape = match given.one_of(&["radius", "size"])? {
        Some(field) if field.key == "radius" => Shape::Cylinder {
            radius: field.number(Sign::Positive)?,
            half_height: half_m,
        },
        Some(field) => {
            let [x, y] = field.array::<2>(Sign::Positive)?;
            Shape::Box {
                half_extents: [0.5 * x, 0.5 * y, half_m],
            }
        }
        None => return Err(given.none_of(&["radius", "size"])),
    };
    let (color, rgba) = match given.get("color").is_some() || given.get("rgba").is_some() {
        true => keys::color(&given)?,
        false => (None, colors::DEFAULT_RGBA),
    };
    let (_, _, yaw) = world_from_base.rotation.euler_angles();
    let turn = UnitQuaternion::from_axis_angle(&nalgebra::Vector3::z_axis(), yaw);
    Ok(ObjectDef {
        id: ObjectId::new(PEDESTAL),
        line: field.node.line,
        category: PEDESTAL.to_owned(),
        color,
        rgba,
        shape,
        mesh: None,
        mesh_report: None,
        mass: Mass::Fixed,
        inertial: None,
        visuals: vec![],
        friction: given.number_or("friction", Sign::NotNegative, DEFAULT_FRICTION)?,
        place: PlacementSpec::At {
            world_from_object: Pose::from_parts(
                Translation3::new(top.x, top.y, top.z - half_m),
                turn,
            ),
        },
        upright: None,
        zones: vec![],
        part_of: None,
        group: None,
    })
}

/// Checks that what the arm is fixed to is there, and is fixed itself.
pub(crate) fn check_mount(
    file: &str,
    stand: &Stand,
    objects: &[ObjectDef],
) -> Result<(), SceneError> {
    let Some(mount) = &stand.mount else {
        return Ok(());
    };
    let found = objects.iter().find(|o| o.id.as_str() == mount.value);
    let Some(found) = found else {
        let known = objects.iter().filter(|o| o.group.is_none());
        let known = known.map(|o| o.id.as_str());
        return Err(Problem::unknown_word("object", &mount.value, known).at(file, mount.line));
    };
    match (&found.mass, &found.part_of) {
        (Mass::Fixed, _) => Ok(()),
        _ => {
            let on = &mount.value;
            let problem = format!("the arm stands on `{on}`, which is not `fixed`");
            Err(Problem::from(problem).at(file, mount.line))
        }
    }
}

/// A list of joint positions, or the name of one.
fn joints(field: &Field<'_>, robot: &RobotFile) -> Result<Vec<f64>, SceneError> {
    if let Value::Text(name) = &field.node.value {
        if name == "home" {
            return Ok(robot.home.clone());
        }
        return robot.named_poses.get(name).cloned().ok_or_else(|| {
            let known = robot.named_poses.keys().map(String::as_str);
            let known = std::iter::once("home").chain(known);
            field.error(Problem::unknown_word("named pose", name, known))
        });
    }
    let joints = field.numbers(Sign::Any)?;
    if joints.len() == robot.arm_joints.len() {
        return Ok(joints);
    }
    Err(field.not_allowed(
        format!("a list of {}", joints.len()),
        format!("a named pose, or a list of {}", robot.arm_joints.len()),
    ))
}

fn start_width(arm: &Fields<'_>, robot: &RobotFile) -> Result<f64, SceneError> {
    let (min, max) = (robot.gripper.min_width_m, robot.gripper.max_width_m);
    let Some(field) = arm.get("start_width_m") else {
        return Ok(max);
    };
    let width = field.number(Sign::NotNegative)?;
    if (min..=max).contains(&width) {
        return Ok(width);
    }
    Err(field.not_allowed(width, format!("from {min} to {max}, the gripper's range")))
}
