//! The arm's base pose, its mount and its start state.

use nalgebra::{Translation3, UnitQuaternion};
use regrasp_api::{ObjectId, Pose, Shape};

use crate::defs::{ObjectDef, PlacementSpec, Stand, index_of};
use crate::fields::{Field, Fields, Located, Sign};
use crate::keys::Mass;
use crate::types::DEFAULT_FRICTION;
use crate::yaml::{EMPTY, Value};
use crate::{Problem, Result, RobotFile, SceneObject, formats, keys};

const PEDESTAL: &str = "pedestal";

pub(crate) struct Arm {
    pub(crate) stand: Stand,
    pub(crate) start_joints: Option<Vec<f64>>,
    pub(crate) start_width_m: f64,
    pub(crate) pad_friction: Option<f64>,
    /// Fixed block or cylinder built under the base.
    pub(crate) pedestal: Option<ObjectDef>,
}

impl Arm {
    pub(crate) fn parse(scene: &Fields<'_>, robot: &RobotFile) -> Result<Self> {
        let nothing = Field::new(scene.file, "arm", &EMPTY);
        let arm = scene.get("arm").unwrap_or(nothing);
        let arm = arm.fields(formats::keys("arm"))?;
        let mut stand = stand(&arm)?;
        let pedestal = match arm.get("pedestal") {
            None => None,
            Some(field) => {
                if stand.mount.is_some() {
                    return Err(field.misplaced("with `on`: the arm stands on that object"));
                }
                stand.mount = Some(Located {
                    value: PEDESTAL.to_owned(),
                    line: field.node.line,
                });
                Some(pedestal(&field, &stand.world_from_base)?)
            }
        };
        Ok(Self {
            stand,
            start_joints: arm.maybe("start_joints_rad", |f| joints(&f, robot))?,
            start_width_m: start_width(&arm, robot)?,
            pad_friction: arm.maybe("pad_friction", |f| f.number(Sign::Positive))?,
            pedestal,
        })
    }
}

fn stand(arm: &Fields<'_>) -> Result<Stand> {
    let Some(on) = arm.get("on") else {
        arm.without(&["xy", "let_in_m"], "without `on`")?;
        return Ok(Stand {
            world_from_base: keys::posed(arm)?,
            ..Stand::default()
        });
    };
    let mount = Some(on.word()?);
    if arm
        .one_of(&["position", "xy"])?
        .is_some_and(|field| field.key == "position")
    {
        arm.without(&["let_in_m"], "with `position`, which gives the height")?;
        return Ok(Stand {
            world_from_base: keys::posed(arm)?,
            mount,
            below_top_m: None,
        });
    }
    let [x, y] = arm.array_or("xy", Sign::Coordinate, [0.0; 2])?;
    let at = Translation3::new(x, y, 0.0);
    Ok(Stand {
        world_from_base: Pose::from_parts(at, keys::rotation(arm)?),
        mount,
        below_top_m: Some(arm.number_or("let_in_m", Sign::NotNegative, 0.0)?),
    })
}

/// Builds a fixed block or cylinder whose top carries the base, upright, with the base's yaw.
fn pedestal(field: &Field<'_>, world_from_base: &Pose) -> Result<ObjectDef> {
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
    let footprint = given.just_one_of(&["radius", "size"])?;
    let shape = if footprint.key == "radius" {
        Shape::cylinder(footprint.number(Sign::Positive)?, half_m)
    } else {
        let [x, y] = footprint.array::<2>(Sign::Positive)?;
        Shape::cuboid([0.5 * x, 0.5 * y, half_m])
    };
    let (_, _, yaw) = world_from_base.rotation.euler_angles();
    let turn = UnitQuaternion::from_axis_angle(&nalgebra::Vector3::z_axis(), yaw);
    let (color, rgba) = keys::color(&given)?;
    let middle = Translation3::new(top.x, top.y, top.z - half_m);
    Ok(ObjectDef {
        body: SceneObject {
            color,
            rgba,
            friction: given.number_or("friction", Sign::NotNegative, DEFAULT_FRICTION)?,
            ..SceneObject::new(ObjectId::new(PEDESTAL), PEDESTAL, shape, Pose::identity())
        },
        line: field.node.line,
        mass: Mass::Fixed,
        place: PlacementSpec::At {
            world_from_object: Pose::from_parts(middle, turn),
        },
    })
}

/// Checks that the mount exists and is fixed to the world.
pub(crate) fn check_mount(file: &str, stand: &Stand, objects: &[ObjectDef]) -> Result<()> {
    let Some(mount) = &stand.mount else {
        return Ok(());
    };
    match objects[index_of(file, objects, mount)?].mass {
        Mass::Fixed => Ok(()),
        _ => {
            let on = &mount.value;
            let problem =
                format!("the arm stands on `{on}`, which is not `fixed`; add `fixed: true` to it");
            Err(Problem::from(problem).at(file, mount.line))
        }
    }
}

/// Reads joint positions: a list, or the name of a pose in the robot file.
fn joints(field: &Field<'_>, robot: &RobotFile) -> Result<Vec<f64>> {
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
        format!("a list of {} numbers", joints.len()),
        format!(
            "a named pose, or a list of {} numbers",
            robot.arm_joints.len()
        ),
    ))
}

fn start_width(arm: &Fields<'_>, robot: &RobotFile) -> Result<f64> {
    let (min, max) = (robot.gripper.min_width_m, robot.gripper.max_width_m);
    let allowed = format!("from {min} to {max}, the gripper's range");
    arm.number_in("start_width_m", Sign::NotNegative, max, min..=max, allowed)
}
