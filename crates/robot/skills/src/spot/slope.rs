//! Places on a slope that ends at a stop, such as a rack for bottles.
//!
//! What is long lies there along the slope with its foot at the stop: it can neither slide, since
//! the stop holds it, nor roll, since it would have to roll across the slope.

use std::f64::consts::TAU;

use nalgebra::{Point3, Translation3, Unit, UnitQuaternion, Vector3};
use regrasp_api::{Held, PerceivedObject, Percept, Pose};

use super::carrier::Carrier;
use super::ground::FINGER_ROOM_M;
use super::placement::Spot;
use super::upright::upright;

/// Slopes that are meant, rad from level: on less things stand, and what is steeper than 45
/// degrees is rather a wall.
const SLOPES_RAD: [f64; 2] = [0.1, 0.8];
/// Height above the slope at which its stop is looked for, m: what is lower is no stop for an
/// edge that is rounded.
const STOP_M: f64 = 0.006;
/// How squarely a stop faces what comes down, as a cosine.
const FACING: f64 = 0.7;
/// Space that is left to the stop and to the slope, m: it slides or falls by that.
const GAP_M: f64 = 0.002;
/// The slope under it may be off by this and still be one plane, m.
const EVEN_M: f64 = 0.002;
/// Where along its length from the middle of its mass the slope has to carry it, as parts of it.
const CARRIED: [f64; 3] = [-0.2, 0.0, 0.2];
/// Turns about its own length that are tried.
const N_SPINS: usize = 8;
/// Places that are offered at most, and how far they are apart, m.
const MOST_PLACES: usize = 3;
const APART_M: f64 = 0.02;

/// The places on a slope of `target` on which what is held can lie, the one nearest to the first
/// of `points` first. Points are x and y in World.
pub(super) fn laid(
    percept: &Percept,
    held: &Held,
    world_from_held: &Pose,
    target: &PerceivedObject,
    points: &[[f64; 2]],
) -> Vec<Spot> {
    let Some(slopes) = Carrier::new(percept, held, target).map(Slopes) else {
        return vec![];
    };
    let Ok(upright) = upright(percept, &held.id, &held.shape) else {
        return vec![];
    };
    // The end that is up now stays up: what stood on its foot has its foot at the stop.
    let ups = upright.rotations(&world_from_held.rotation);
    let Some(up) = ups.first() else {
        return vec![];
    };
    let slopes_there = points.iter().filter_map(|point| slopes.under(*point));
    let places: Vec<Vec<Spot>> = slopes_there.map(|slope| slopes.lying(&slope, up)).collect();
    let mut found: Vec<Vec<Spot>> = vec![];
    for needs_room in [true, false] {
        for spins in &places {
            let is_near = |others: &Vec<Spot>| apart_m(&others[0], &spins[0]) < APART_M;
            let suits = !spins.is_empty()
                && (!needs_room || slopes.has_room_for_fingers(&spins[0]))
                && !found.iter().any(is_near);
            if suits && found.len() < MOST_PLACES {
                found.push(spins.clone());
            }
        }
    }
    found.into_iter().flatten().collect()
}

fn apart_m(a: &Spot, b: &Spot) -> f64 {
    let at = |spot: &Spot| spot.world_from_object.translation.vector;
    (at(a) - at(b)).norm()
}

/// A plane that slopes down to a stop.
struct Slope {
    /// Where it ends at the stop, in World.
    foot: Vector3<f64>,
    /// Unit vectors: out of it, and straight up along it.
    normal: Vector3<f64>,
    up: Vector3<f64>,
}

struct Slopes<'a>(Carrier<'a>);

impl Slopes<'_> {
    /// The slope that is seen from above at a point, if it ends at a stop.
    fn under(&self, [x, y]: [f64; 2]) -> Option<Slope> {
        let bounds = self.0.thing.aabb_in_world();
        let (above_m, size) = (0.01, bounds.size());
        let eye = Point3::new(x, y, bounds.max[2] + above_m);
        let down = self.0.body.cast(&eye, &-Vector3::z(), size.z + above_m)?;
        let normal = down.normal;
        let slope_rad = normal.angle(&Vector3::z());
        if !(SLOPES_RAD[0]..=SLOPES_RAD[1]).contains(&slope_rad) {
            return None;
        }
        let at = eye.coords - Vector3::z() * down.distance_m;
        let up = (Vector3::z() - normal * normal.z).normalize();
        let from = Point3::from(at + normal * STOP_M);
        let stop = self.0.body.cast(&from, &-up, size.norm())?;
        (stop.normal.dot(&up) > FACING).then(|| Slope {
            foot: at - up * stop.distance_m,
            normal,
            up,
        })
    }

    /// It, with what is up on it up the slope, in turns about its length.
    fn lying(&self, slope: &Slope, upright: &UnitQuaternion<f64>) -> Vec<Spot> {
        let tip = UnitQuaternion::rotation_between(&Vector3::z(), &slope.up);
        let tip = tip.unwrap_or_else(UnitQuaternion::identity);
        let about = Unit::new_normalize(slope.up);
        let spins = (0..N_SPINS).map(|i| TAU * i as f64 / N_SPINS as f64);
        spins
            .map(|spin| UnitQuaternion::from_axis_angle(&about, spin) * tip * upright)
            .filter_map(|rotation| self.resting(slope, &rotation))
            .map(|world_from_object| self.0.laid(world_from_object))
            .collect()
    }

    /// Its pose with its foot at the stop, if the slope carries it there and nothing is in the way.
    fn resting(&self, slope: &Slope, rotation: &UnitQuaternion<f64>) -> Option<Pose> {
        let reach_m = |direction: Vector3<f64>| self.0.reach_m(rotation, &direction);
        let (below_m, foot_m, top_m) = (
            reach_m(-slope.normal),
            reach_m(-slope.up),
            reach_m(slope.up),
        );
        let mass = rotation * self.0.mass_in_object;
        let across = slope.normal.cross(&slope.up);
        let at = slope.foot + slope.normal * below_m + slope.up * (foot_m + GAP_M)
            - across * across.dot(&mass);
        let pose = Pose::from_parts(at.into(), *rotation);
        let length_m = foot_m + top_m;
        let is_carried = CARRIED.iter().all(|part| {
            let over = Point3::from(at + mass + slope.up * (part * length_m));
            let height_m = (over.coords - slope.foot).dot(&slope.normal);
            let hit = self.0.body.cast(&over, &-slope.normal, height_m + EVEN_M);
            hit.is_some_and(|hit| (hit.distance_m - height_m).abs() < EVEN_M)
        });
        (is_carried
            && self
                .0
                .is_clear(&(Translation3::from(slope.normal * GAP_M) * pose), 0.0))
        .then_some(pose)
    }

    /// Whether what rises beside the slope leaves room for fingers around it.
    fn has_room_for_fingers(&self, spot: &Spot) -> bool {
        // So high above the slope that only what rises from it is as near.
        let raised_m = FINGER_ROOM_M + GAP_M;
        let above = Translation3::new(0.0, 0.0, raised_m / SLOPES_RAD[1].cos());
        let placed = self.0.held_body.at(&(above * spot.world_from_object));
        placed.gap_m(&self.0.body, FINGER_ROOM_M).is_none()
    }
}
