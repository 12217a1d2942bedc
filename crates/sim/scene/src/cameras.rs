//! The cameras of a scene: those its file declares, and three default ones.

use std::f64::consts::PI;

use nalgebra::{Translation3, UnitQuaternion, Vector3};
use regrasp_api::{Intrinsics, Pose, looking_at};

use crate::fields::{Field, Fields, Sign};
use crate::formats::keys;
use crate::keys::quaternion;
use crate::{Result, RobotFile, Scene, SceneCamera};

/// Default image size, columns and rows.
const USUAL_SIZE: [u32; 2] = [640, 480];
/// Default vertical field of view, degrees: that of a common depth camera.
const USUAL_FOV_DEG: f64 = 45.0;
/// Distance of the middle of the work area from the base along x, m.
const WORK_AHEAD_M: f64 = 0.70;

pub(crate) fn parse(scene: &Fields<'_>, robot: &RobotFile) -> Result<Vec<SceneCamera>> {
    let mut names: Vec<String> = vec![];
    scene.each("cameras", |item| {
        let fields = item.fields(keys("camera"))?;
        let camera = camera(&fields, robot)?;
        if names.contains(&camera.name) {
            return fields.refuse("name", &camera.name, "a name that no other camera has");
        }
        names.push(camera.name.clone());
        Ok(camera)
    })
}

fn camera(fields: &Fields<'_>, robot: &RobotFile) -> Result<SceneCamera> {
    let name = fields.need("name")?;
    let word = name.text()?.to_owned();
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    if !word.chars().all(is_word) {
        return Err(name.not_allowed(&word, "a word of letters, digits, `_` and `-`"));
    }
    Ok(SceneCamera {
        name: word,
        link: fields.maybe("on", |f| link(&f, robot))?,
        parent_from_camera: pose(fields)?,
        intrinsics: intrinsics(fields)?,
    })
}

fn link(field: &Field<'_>, robot: &RobotFile) -> Result<String> {
    let known = [
        ("hand", &robot.hand_link),
        ("flange", &robot.flange_link),
        ("tool", &robot.tool_link),
        ("base", &robot.base_link),
    ];
    field.known("part of the robot", known.map(|(part, _)| part), |word| {
        let is_it = |(part, link): &&(&str, &String)| *part == word || *link == word;
        known.iter().find(is_it).map(|(_, link)| (*link).clone())
    })
}

fn pose(fields: &Fields<'_>) -> Result<Pose> {
    let position = fields.need("position")?.array::<3>(Sign::Coordinate)?;
    let field = fields.just_one_of(&["look_at", "quat_xyzw"])?;
    if field.key == "quat_xyzw" {
        return Ok(Pose::from_parts(position.into(), quaternion(&field)?));
    }
    let target = field.array::<3>(Sign::Coordinate)?;
    let pose = looking_at(&position.into(), &target.into(), &Vector3::z());
    pose.ok_or_else(|| field.not_allowed(format!("{target:?}"), "a point other than `position`"))
}

fn intrinsics(fields: &Fields<'_>) -> Result<Intrinsics> {
    let (key, allowed) = ("fov_deg", "from 5 to 150 (vertical field of view)");
    let fov_deg = fields.number_in(key, Sign::Positive, USUAL_FOV_DEG, 5.0..=150.0, allowed)?;
    let size = fields.maybe("size", |field| size(&field))?;
    Ok(seen_at(size.unwrap_or(USUAL_SIZE), fov_deg))
}

fn size(field: &Field<'_>) -> Result<[u32; 2]> {
    const SIZES: std::ops::RangeInclusive<f64> = 16.0..=4096.0;
    let size = field.array::<2>(Sign::Positive)?;
    if size.iter().all(|n| SIZES.contains(n) && n.fract() == 0.0) {
        return Ok(size.map(|n| n as u32));
    }
    let allowed = "[columns, rows], whole numbers from 16 to 4096";
    Err(field.not_allowed(format!("{size:?}"), allowed))
}

impl Scene {
    /// Returns all cameras: the declared ones, and by default `scene` (front view of everything),
    /// `top` (straight down) and `wrist` (on the hand, along the fingers) unless the file declares
    /// that name.
    pub fn all_cameras(&self, robot: &RobotFile) -> Vec<SceneCamera> {
        let usual = usual(self, robot).into_iter();
        let missing = usual.filter(|c| self.cameras.iter().all(|d| d.name != c.name));
        let mut cameras: Vec<_> = missing.collect();
        cameras.extend(self.cameras.iter().cloned());
        cameras
    }

    /// Height of the work surface in World, m: the highest table top, or else the base's origin.
    pub fn work_z(&self) -> f64 {
        let tables = self.objects.iter().filter(|o| o.category == "table");
        let tops = tables.map(|o| o.shape.aabb(&o.world_from_object).max[2]);
        tops.reduce(f64::max)
            .unwrap_or(self.world_from_base.translation.z)
    }
}

fn usual(scene: &Scene, robot: &RobotFile) -> [SceneCamera; 3] {
    let ahead = scene.world_from_base * nalgebra::Point3::new(WORK_AHEAD_M, 0.0, 0.0);
    let work = Vector3::new(ahead.x, ahead.y, scene.work_z());
    let turn = scene.world_from_base.rotation;
    let at = |offset: [f64; 3]| work + turn * Vector3::from(offset);
    let forward = turn * Vector3::x();
    let fixed = |name: &str, from: [f64; 3], to: [f64; 3], up: Vector3<f64>, fov_deg: f64| {
        let pose = looking_at(&at(from), &at(to), &up);
        SceneCamera {
            name: name.to_owned(),
            link: None,
            parent_from_camera: pose.unwrap_or_else(Pose::identity),
            intrinsics: seen_at(USUAL_SIZE, fov_deg),
        }
    };
    let (front, middle) = ([0.84, -0.68, 0.68], [-0.30, 0.02, 0.24]);
    [
        fixed("scene", front, middle, Vector3::z(), 48.0),
        fixed("top", [-0.02, 0.0, 1.0], [-0.02, 0.0, 0.0], forward, 52.0),
        SceneCamera {
            name: "wrist".to_owned(),
            link: Some(robot.hand_link.clone()),
            parent_from_camera: on_hand(),
            intrinsics: seen_at(USUAL_SIZE, 60.0),
        },
    ]
}

/// Pose ahead of the hand, looking along the fingers and slightly towards them.
fn on_hand() -> Pose {
    const LEAN_RAD: f64 = 0.25;
    // The image's right is the hand's left: while the hand points down, the image's top shows what
    // is in front of the hand.
    let upright = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), 0.5 * PI);
    let lean = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), -LEAN_RAD);
    Pose::from_parts(Translation3::new(0.075, 0.0, 0.02), lean * upright)
}

fn seen_at([width, height]: [u32; 2], fov_deg: f64) -> Intrinsics {
    Intrinsics::from_vertical_fov(width, height, fov_deg.to_radians())
}
