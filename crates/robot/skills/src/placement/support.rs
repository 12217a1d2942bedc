//! Generators of candidates: ways in which an object can rest on perceived surfaces.

use std::f64::consts::{FRAC_PI_2, PI};

use nalgebra::{Point3, Translation3, Unit, UnitQuaternion, Vector3};
use regrasp_api::{PerceivedObject, Pose, Shape};

use super::candidate::{Candidate, Rest, Touch};
use super::region::{SurfacePoint, nearest_first};
use super::scene::{CLEARANCE_M, EYE_M, Scene, WALL_CLEARANCE_M};
use super::stability::{FOOT_PART, last_true};
use crate::bodies::{Opening, STEP_M};
use crate::faces::{resting_rotations, standing};
use crate::grasp::narrow_directions;
use crate::params::{ALIKE_RAD, FACING, OBJECT_ROOM_M, RELEASE_GAP_M};
use crate::poses::{eighths, level, raised};

/// Largest deviation of a surface from its plane at a contact, m: 6 degrees under a 4 cm cube.
const FLAT_M: f64 = 0.001;
/// Largest distance of a wall or stop from its contact, m: the object slides or falls by it.
const HELD_M: f64 = 0.004;
/// Least half width of a foot, m: a round object rests on a small area.
const LEAST_FOOT_M: f64 = 0.005;
/// Tilt with which the edges of a foot are found, rad.
const FOOT_TILT_RAD: f64 = 0.05;
/// Range of slopes that carry an object with a stop, rad: from 45 degrees on, they are walls.
const SLOPES_RAD: [f64; 2] = [0.1, 0.8];
/// Largest tilt of an object that leans on a wall, rad.
const MOST_LEAN_RAD: f64 = 0.6;
/// Step of the search for a lean, rad.
const LEAN_STEP_RAD: f64 = 0.02;
/// Accuracy to which a lean is determined, rad.
const LEAN_EXACT_RAD: f64 = 0.001;
/// Largest distance of a drop from the middle of a container, as a fraction of the distance of its
/// wall.
const TOWARDS_WALL: f64 = 0.6;
/// Cost of each further rotation of the held object, m: more than the length of a table.
pub(super) const TURN_M: f64 = 1.5;
/// Cost of each further rotation of the held object at a given point, m.
pub(super) const TURN_IN_PLACE_M: f64 = 0.05;
/// Cost of lying on another face or on a slope, or leaning, m.
const LAID_M: f64 = 20.0;
/// Cost per metre of room that a place in a container lacks for another object. Its total is less
/// than the cost of a place without room for the fingers.
const LEAVING_NO_ROOM: f64 = 10.0;

/// The held object as it would stand on a horizontal surface, or lie on a plane.
#[derive(Clone)]
pub(super) struct Turned {
    pub(super) rotation: UnitQuaternion<f64>,
    /// Outward unit normal of the plane, in World.
    normal: Vector3<f64>,
    pub(super) above_m: f64,
    /// Vectors from the object's origin to the corners of its foot, in World.
    foot: Vec<Vector3<f64>>,
    /// Vector from the object's origin to the middle of its footprint.
    middle: [f64; 2],
    cost_m: f64,
}

impl Turned {
    /// Returns the object at rest on the stable face that is nearest to the bottom in a rotation,
    /// with its heading.
    pub(super) fn new(scene: &Scene<'_>, rotation: &UnitQuaternion<f64>) -> Self {
        let stands = standing(&scene.held.shape, &scene.mass_in_object, rotation);
        Self::on_plane(scene, stands, Vector3::z())
    }

    fn on_plane(scene: &Scene<'_>, rotation: UnitQuaternion<f64>, normal: Vector3<f64>) -> Self {
        let at_origin = Pose::from_parts(Translation3::identity(), rotation);
        let center = scene.held.shape.aabb(&at_origin).center();
        Self {
            above_m: scene.reach_m(&rotation, &-normal),
            foot: foot(scene, &rotation, &normal),
            middle: [center.x, center.y],
            rotation,
            normal,
            cost_m: 0.0,
        }
    }

    /// Returns the object rotated about the vertical so that a flat side faces a horizontal
    /// direction of World.
    pub(super) fn facing(&self, scene: &Scene<'_>, direction: &Vector3<f64>) -> Self {
        let yaw = direction.y.atan2(direction.x);
        let turn_to = |own: &f64| {
            let turn = (yaw - own).rem_euclid(PI);
            if turn > FRAC_PI_2 { turn - PI } else { turn }
        };
        let at_origin = Pose::from_parts(Translation3::identity(), self.rotation);
        let sides = narrow_directions(&scene.held.shape, &at_origin);
        let turns = sides.iter().map(turn_to);
        let turn = turns.min_by(|a, b| a.abs().total_cmp(&b.abs()));
        self.turned(scene, turn.unwrap_or(0.0))
    }

    pub(super) fn turned(&self, scene: &Scene<'_>, angle: f64) -> Self {
        let about_z = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), angle);
        Self::on_plane(scene, about_z * self.rotation, self.normal)
    }

    /// Origin at which the middle of the footprint is at a point (x, y in World).
    pub(super) fn origin_for_middle_at(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        [x - self.middle[0], y - self.middle[1]]
    }

    /// Candidate that stands on an object with its origin over a point, if a surface is there.
    pub(super) fn on<'a>(
        &self,
        scene: &Scene<'_>,
        support: &'a PerceivedObject,
        (point, cost_m): SurfacePoint,
    ) -> Option<Candidate<'a>> {
        let height = scene.height_of(support, point)?;
        Some(self.on_level(support, point, height, cost_m))
    }

    /// Candidate that stands at a height, m in World.
    pub(super) fn on_level<'a>(
        &self,
        support: &'a PerceivedObject,
        [x, y]: [f64; 2],
        height: f64,
        cost_m: f64,
    ) -> Candidate<'a> {
        let origin = Vector3::new(x, y, height) + self.normal * self.above_m;
        self.at(support, origin, cost_m)
    }

    fn at<'a>(&self, support: &'a PerceivedObject, at: Vector3<f64>, cost_m: f64) -> Candidate<'a> {
        let touch = |corner: &Vector3<f64>| Touch {
            point: Point3::from(at + corner),
            direction: -self.normal,
            within_m: FLAT_M,
        };
        Candidate {
            supports: vec![support],
            world_from_object: Pose::from_parts(at.into(), self.rotation),
            normal: self.normal,
            rest: Rest::Stands,
            contacts: self.foot.iter().map(touch).collect(),
            cost_m: self.cost_m + cost_m,
        }
    }
}

/// Vectors from the held object's origin to the corners of the face on which it rests on a plane
/// with this normal. The face's bounding rectangle is scaled by [`FOOT_PART`] about the point below
/// the centre of mass.
fn foot(
    scene: &Scene<'_>,
    rotation: &UnitQuaternion<f64>,
    normal: &Vector3<f64>,
) -> Vec<Vector3<f64>> {
    let flat = UnitQuaternion::rotation_between(normal, &Vector3::z());
    let flat = flat.unwrap_or_else(UnitQuaternion::identity);
    let turned = Pose::from_parts(Translation3::identity(), flat * rotation);
    let mass = turned.rotation * scene.mass_in_object;
    let below_m = scene.reach_m(rotation, &-normal);
    let (sin, cos) = FOOT_TILT_RAD.sin_cos();
    let yaw = narrow_directions(&scene.held.shape, &turned);
    let yaw = yaw.first().copied().unwrap_or(0.0);
    let out = |quarter: usize| level(yaw + FRAC_PI_2 * quarter as f64);
    let edge_m = |out: Vector3<f64>| {
        let tilted = scene.reach_m(&turned.rotation, &(out * sin - Vector3::z() * cos));
        let reach_m = (tilted - below_m * cos) / sin - mass.dot(&out);
        (FOOT_PART * reach_m).max(LEAST_FOOT_M)
    };
    let corners = (0..4).map(|i| {
        let (a, b) = (out(i), out((i + 1) % 4));
        let level_in = mass + a * edge_m(a) + b * edge_m(b);
        flat.inverse() * Vector3::new(level_in.x, level_in.y, -below_m)
    });
    corners.collect()
}

/// Rotations: the current one, then along the sides of `target`, then in eighths of a turn. Each
/// costs `per_turn_m` more than the one before it, m.
pub(super) fn turns(
    scene: &Scene<'_>,
    held: &UnitQuaternion<f64>,
    target: &PerceivedObject,
    per_turn_m: f64,
) -> Vec<Turned> {
    let as_held = Turned::new(scene, held);
    let along = as_held.facing(scene, &(target.world_from_object.rotation * Vector3::x()));
    let quarters = (0..4).map(|i| along.turned(scene, FRAC_PI_2 * i as f64));
    let eighths = eighths().skip(1).map(|turn| as_held.turned(scene, turn));
    let mut turns = vec![as_held.clone()];
    for other in quarters.chain(eighths) {
        let mut known = turns.iter();
        if known.all(|t| t.rotation.angle_to(&other.rotation) > ALIKE_RAD) {
            let cost_m = per_turn_m * turns.len() as f64;
            turns.push(Turned { cost_m, ..other });
        }
    }
    turns
}

/// Candidates that lie on a slope of an object with the foot at a stop, at points (x, y in World)
/// with their costs. The end of the object that is up now points up the slope.
pub(super) fn lying<'a>(
    scene: &Scene<'_>,
    target: &'a PerceivedObject,
    points: Vec<SurfacePoint>,
    upright: UnitQuaternion<f64>,
) -> impl Iterator<Item = Candidate<'a>> {
    let lying = move |(point, cost_m): SurfacePoint| {
        let slope = Slope::under(scene, target, point)?;
        let tip = UnitQuaternion::rotation_between(&Vector3::z(), &slope.up)?;
        let about = Unit::new_normalize(slope.up);
        let turns =
            eighths().map(move |s| UnitQuaternion::from_axis_angle(&about, s) * tip * upright);
        Some(turns.map(move |turn| slope.carrying(scene, target, turn, cost_m)))
    };
    points.into_iter().filter_map(lying).flatten()
}

/// The held object on its other stable faces, along the sides of `target` and across them.
pub(super) fn laid(
    scene: &Scene<'_>,
    held: &UnitQuaternion<f64>,
    target: &PerceivedObject,
) -> Vec<Turned> {
    let along = target.world_from_object.rotation * Vector3::x();
    let faces = resting_rotations(&scene.held.shape, &scene.mass_in_object, held)
        .into_iter()
        .skip(1);
    let turned = faces.flat_map(|face| {
        let along = Turned::new(scene, &face).facing(scene, &along);
        (0..4).map(move |i| Turned {
            cost_m: LAID_M,
            ..along.turned(scene, FRAC_PI_2 * f64::from(i))
        })
    });
    turned.collect()
}

struct Slope {
    /// Point at which the slope meets the stop, in World.
    foot: Vector3<f64>,
    /// Unit vectors in World: its normal, and the steepest direction upwards along it.
    normal: Vector3<f64>,
    up: Vector3<f64>,
}

impl Slope {
    /// Returns the slope seen from above at a point, if it ends at a stop.
    fn under(scene: &Scene<'_>, target: &PerceivedObject, [x, y]: [f64; 2]) -> Option<Self> {
        let (body, bounds) = (scene.body_of(&target.id)?, target.aabb_in_world());
        let (size, eye) = (bounds.size(), Point3::new(x, y, bounds.max[2] + EYE_M));
        let down = body.cast(&eye, &-Vector3::z(), size.z + EYE_M)?;
        let normal = down.normal;
        if !(SLOPES_RAD[0]..=SLOPES_RAD[1]).contains(&normal.angle(&Vector3::z())) {
            return None;
        }
        let at = eye.coords - Vector3::z() * down.distance_m;
        let up = (Vector3::z() - normal * normal.z).normalize();
        let from = Point3::from(at + normal * EYE_M);
        let stop = body.cast(&from, &-up, size.norm())?;
        (stop.normal.dot(&up) > FACING).then(|| Self {
            foot: at - up * stop.distance_m,
            normal,
            up,
        })
    }

    fn carrying<'a>(
        &self,
        scene: &Scene<'_>,
        target: &'a PerceivedObject,
        rotation: UnitQuaternion<f64>,
        cost_m: f64,
    ) -> Candidate<'a> {
        let turned = Turned::on_plane(scene, rotation, self.normal);
        let across = self.normal.cross(&self.up);
        let mass = rotation * scene.mass_in_object;
        let end = self.foot + self.up * RELEASE_GAP_M;
        let foot_m = scene.reach_m(&rotation, &-self.up);
        let at = end + self.normal * turned.above_m + self.up * foot_m - across * across.dot(&mass);
        let mut candidate = turned.at(target, at, LAID_M + cost_m);
        candidate.rest = Rest::Laid;
        candidate.contacts.push(Touch {
            point: Point3::from(end + self.normal * EYE_M),
            direction: -self.up,
            within_m: HELD_M,
        });
        candidate
    }
}

/// Candidates that lean on a wall of an object with the foot at the opposite wall, such as a book
/// in a compartment that is wider than the book is thick. The middle of the upright object is over
/// a point. All directions along and across the support are tried.
pub(super) fn leaning<'a>(
    scene: &Scene<'_>,
    target: &'a PerceivedObject,
    held: &UnitQuaternion<f64>,
    point: [f64; 2],
) -> Vec<Candidate<'a>> {
    let along = target.world_from_object.rotation * Vector3::x();
    let facing = Turned::new(scene, held).facing(scene, &along);
    let quarters = || (0..4).map(|i| FRAC_PI_2 * i as f64);
    let directions =
        quarters().map(|turn| UnitQuaternion::from_euler_angles(0.0, 0.0, turn) * along);
    let directions: Vec<_> = directions.collect();
    let turned = quarters().map(|turn| facing.turned(scene, turn));
    let leaning = |turned: Turned| {
        let lean = |direction| lean(scene, target, &turned, point, direction);
        directions.iter().filter_map(lean).collect::<Vec<_>>()
    };
    turned.flat_map(leaning).collect()
}

fn lean<'a>(
    scene: &Scene<'_>,
    target: &'a PerceivedObject,
    turned: &Turned,
    point: [f64; 2],
    direction: &Vector3<f64>,
) -> Option<Candidate<'a>> {
    let body = scene.body_of(&target.id)?;
    let floor_z = scene.height_of(target, point)?;
    let [x, y] = turned.origin_for_middle_at(point);
    let foot = Point3::new(x, y, floor_z + EYE_M);
    let behind = body.cast(&foot, &-direction, target.aabb_in_world().size().norm())?;
    if behind.normal.dot(direction) < FACING {
        return None;
    }
    let wall = foot - direction * behind.distance_m;
    let about = Unit::new_normalize(Vector3::z().cross(direction));
    let pose = |angle: f64| {
        let rotation = UnitQuaternion::from_axis_angle(&about, angle) * turned.rotation;
        let at = wall + direction * (scene.reach_m(&rotation, &-direction) + RELEASE_GAP_M);
        let z = floor_z + scene.reach_m(&rotation, &-Vector3::z());
        Pose::from_parts(Vector3::new(at.x, at.y, z).into(), rotation)
    };
    let is_clear =
        |angle: f64| scene.keeps_off(&raised(&pose(angle), RELEASE_GAP_M), WALL_CLEARANCE_M);
    let n_steps = (MOST_LEAN_RAD / LEAN_STEP_RAD) as usize;
    let mut angles = (0..=n_steps).map(|i| LEAN_STEP_RAD * i as f64);
    let blocked = angles.find(|angle| !is_clear(*angle))?;
    let free = blocked - LEAN_STEP_RAD;
    if free < 0.0 {
        return None;
    }
    let leans = pose(last_true([free, blocked], LEAN_EXACT_RAD, is_clear));
    // The object is raised off the floor, which it would meet first if it were slightly rotated.
    let meets = scene.body.at(&raised(&leans, RELEASE_GAP_M));
    let front = meets.meets(direction, HELD_M, 0.0, body)?;
    let edge = foot_edge(&scene.held.shape, &leans, direction);
    let half_m = FOOT_PART * scene.reach_m(&turned.rotation, &about);
    let touch = |at: Vector3<f64>, direction: Vector3<f64>| {
        let aside = |m: f64| at + *about * (m - (at - leans.translation.vector).dot(&about));
        [half_m, -half_m].map(|m| Touch {
            point: Point3::from(aside(m)),
            direction,
            within_m: HELD_M,
        })
    };
    let back = wall.coords;
    let contacts = [
        touch(edge, -Vector3::z()),
        touch(back, -direction),
        // Slightly below the edge of the wall, to probe its side.
        touch(front.point.coords - Vector3::z() * FLAT_M, *direction),
    ];
    Some(Candidate {
        supports: vec![target],
        world_from_object: leans,
        normal: Vector3::z(),
        rest: Rest::Laid,
        contacts: contacts.concat(),
        cost_m: LAID_M,
    })
}

/// A point of the lowest edge of an object that leans along a horizontal direction.
fn foot_edge(shape: &Shape, leans: &Pose, direction: &Vector3<f64>) -> Vector3<f64> {
    let reach_m = |direction: Vector3<f64>| shape.support(&(leans.rotation.inverse() * direction));
    let (sin, cos) = LEAN_STEP_RAD.sin_cos();
    let below_m = reach_m(-Vector3::z());
    // Any direction close to straight down meets the same edge.
    let along_m = (reach_m(direction * sin - Vector3::z() * cos) - below_m * cos) / sin;
    leans.translation.vector + direction * along_m - Vector3::z() * below_m
}

/// Adds costs to points of a container that leave too little room for another object of the same
/// size on the other side of its middle, within the region of drops. If no place leaves that much,
/// costs are unchanged.
pub(super) fn leaving_room(
    scene: &Scene<'_>,
    turned: &Turned,
    target: &PerceivedObject,
    mut points: Vec<SurfacePoint>,
) -> Vec<SurfacePoint> {
    let Some(opening) = Opening::of(&target.shape, &target.world_from_object) else {
        return points;
    };
    let most_m = TOWARDS_WALL * opening.radius_m;
    let at_origin = Pose::from_parts(Translation3::identity(), turned.rotation);
    let size_m = scene.held.shape.aabb(&at_origin).size().xy().max();
    let off_middle_m = size_m + CLEARANCE_M - most_m;
    if off_middle_m > most_m {
        return points;
    }
    for ([x, y], cost_m) in &mut points {
        let away = Vector3::new(*x - opening.floor.x, *y - opening.floor.y, 0.0);
        let away = target.world_from_object.rotation.inverse() * away;
        *cost_m += LEAVING_NO_ROOM * (off_middle_m - away.xy().amax()).max(0.0);
    }
    nearest_first(points.into_iter())
}

/// Candidates that are dropped on a container's contents from as low as possible, the lowest places
/// first; equal ones keep the order of `points`.
pub(super) fn dropped<'a>(
    scene: &Scene<'_>,
    turned: &Turned,
    target: &'a PerceivedObject,
    points: &[SurfacePoint],
) -> Vec<Candidate<'a>> {
    let Some(opening) = Opening::of(&target.shape, &target.world_from_object) else {
        return vec![];
    };
    let floor = opening.floor;
    let most_m = TOWARDS_WALL * opening.radius_m;
    let is_near = |[x, y]: &[f64; 2]| (x - floor.x).hypot(y - floor.y) <= most_m;
    let n_steps = (opening.most_m() / STEP_M).max(0.0) as usize;
    let lowest = |[x, y]: [f64; 2]| {
        let heights = (0..=n_steps).map(|i| i as f64 * STEP_M + OBJECT_ROOM_M);
        let mut poses = heights.map(|height_m| {
            let at = Vector3::new(x, y, floor.z + height_m + turned.above_m);
            (height_m, Pose::from_parts(at.into(), turned.rotation))
        });
        let lowest = poses.find(|(_, pose)| scene.keeps_off(pose, OBJECT_ROOM_M));
        lowest.filter(|(_, pose)| !scene.keeps_open(pose, target))
    };
    let points = points.iter().map(|(point, _)| *point).filter(is_near);
    let candidate = |(height_m, world_from_object)| Candidate {
        supports: vec![target],
        world_from_object,
        normal: Vector3::z(),
        rest: Rest::Inside,
        contacts: vec![],
        cost_m: height_m,
    };
    points.filter_map(lowest).map(candidate).collect()
}
