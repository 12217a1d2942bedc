//! Places where something leans on a wall, with its foot at the wall behind it, such as a book
//! in a compartment that is wider than it is thick.
//!
//! It can neither slide, since the wall behind it holds its foot, nor fall back, since its mass
//! is on the side to which it leans, nor over, since it touches the wall above its mass.

use std::f64::consts::FRAC_PI_2;

use nalgebra::{Point3, Unit, UnitQuaternion, Vector3};
use regrasp_api::{Held, Percept, Pose};

use super::carrier::Carrier;
use super::ground::{FLAT_FRACTION, FLAT_M, Ground, WALL_CLEARANCE_M};
use super::placement::Spot;
use crate::poses::raised;

/// What leans by more lies rather, rad, and the steps in which the angle is looked for.
const MOST_RAD: f64 = 0.6;
const STEP_RAD: f64 = 0.02;
/// How exactly it is found then, rad.
const EXACT_RAD: f64 = 0.001;
/// Height above the floor at which the wall behind its foot is looked for, m.
const FOOT_M: f64 = 0.006;
/// How squarely that wall faces the way in which it leans, as a cosine.
const FACING: f64 = 0.7;
/// Space that is left to the floor and to the wall behind, m: it falls by that.
const GAP_M: f64 = 0.002;
/// How far its mass has to be on the side to which it leans, m: on this it must not fall back.
const FALLS_M: f64 = 0.004;
/// How near the wall has to be to what leans on it, m, and the steps upwards in which that is
/// looked at from the mass on.
const TOUCHES_M: f64 = 0.004;
const RUNG_M: f64 = 0.005;

/// The places at a point in World at which it leans so that its origin comes to be at that height,
/// the firmest first.
pub(crate) fn leaning(
    percept: &Percept,
    held: &Held,
    world_from_held: &Pose,
    [x, y, z]: [f64; 3],
) -> Vec<Spot> {
    let ground = || Ground::new(percept, held, world_from_held);
    let support = ground()
        .highest_at([x, y])
        .and_then(|id| percept.object(&id));
    let Some(carrier) = support.and_then(|support| Carrier::new(percept, held, support)) else {
        return vec![];
    };
    let along = carrier.thing.world_from_object.rotation * Vector3::x();
    let quarters = (0..4).map(|i| FRAC_PI_2 * i as f64);
    let turned = quarters.map(|turn| {
        let way = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), turn) * along;
        (ground().facing(&along).turned(turn), way)
    });
    let turned: Vec<_> = turned.collect();
    let pairs = turned
        .iter()
        .flat_map(|(ground, _)| turned.iter().map(move |(_, way)| (ground, way)));
    let walls = Walls(carrier);
    let found = pairs.filter_map(|(ground, way)| walls.lean(ground, [x, y], way));
    let mut found: Vec<Leaning> = found.filter(|l| l.spot.is_at_height(z)).collect();
    found.sort_by(|a, b| b.falls_m.total_cmp(&a.falls_m));
    found.into_iter().map(|leaning| leaning.spot).collect()
}

struct Leaning {
    spot: Spot,
    /// How far its mass is on the side to which it leans, m.
    falls_m: f64,
}

struct Walls<'a>(Carrier<'a>);

impl Walls<'_> {
    /// How it leans along a level way, turned as on the ground, with its middle over a point while
    /// it stands.
    fn lean(&self, ground: &Ground<'_>, point: [f64; 2], way: &Vector3<f64>) -> Option<Leaning> {
        let floor_z = self.floor_z(ground, point, way)?;
        let [x, y] = ground.origin_for_middle_at(point);
        let foot = Point3::new(x, y, floor_z + FOOT_M);
        let reach_m = self.0.thing.aabb_in_world().size().norm();
        let behind = self.0.body.cast(&foot, &-way, reach_m)?;
        if behind.normal.dot(way) < FACING {
            return None;
        }
        let wall = foot - way * behind.distance_m;
        let along = Unit::new_normalize(Vector3::z().cross(way));
        let pose = |angle: f64| {
            let rotation = UnitQuaternion::from_axis_angle(&along, angle) * ground.rotation;
            let back_m = self.0.reach_m(&rotation, &-way) + GAP_M;
            let at = wall + way * back_m;
            let z = floor_z + self.0.reach_m(&rotation, &-Vector3::z());
            Pose::from_parts(Vector3::new(at.x, at.y, z).into(), rotation)
        };
        let is_clear = |angle: f64| {
            self.0
                .is_clear(&raised(&pose(angle), GAP_M), WALL_CLEARANCE_M)
        };
        let n_steps = (MOST_RAD / STEP_RAD) as usize;
        let mut angles = (0..=n_steps).map(|i| STEP_RAD * i as f64);
        let mut blocked = angles.find(|angle| !is_clear(*angle))?;
        let mut free = blocked - STEP_RAD;
        if free < 0.0 {
            return None;
        }
        while blocked - free > EXACT_RAD {
            let middle = 0.5 * (free + blocked);
            if is_clear(middle) {
                free = middle;
            } else {
                blocked = middle;
            }
        }
        let leans = pose(free);
        let tilt = UnitQuaternion::from_axis_angle(&along, free);
        let falls_m = self.falls_m(&leans, way);
        let stays = falls_m > FALLS_M && self.touches_above_mass(&leans, &(tilt * way), &tilt);
        stays.then(|| Leaning {
            spot: self.0.laid(leans),
            falls_m,
        })
    }

    /// The height of the floor, if it is level over half of its width at a point.
    fn floor_z(&self, ground: &Ground<'_>, [x, y]: [f64; 2], way: &Vector3<f64>) -> Option<f64> {
        let bounds = self.0.thing.aabb_in_world();
        let across = Vector3::z().cross(way);
        let depth_m = bounds.size().z + FOOT_M;
        let under = |side: f64| {
            let at = across * (side * FLAT_FRACTION * ground.reach_m(&(across * side)));
            let eye = Point3::new(x + at.x, y + at.y, bounds.max[2] + FOOT_M);
            let hit = self.0.body.cast(&eye, &-Vector3::z(), depth_m)?;
            Some(eye.z - hit.distance_m)
        };
        let [left, middle, right] = [1.0, 0.0, -1.0].map(under);
        middle.filter(|middle| {
            let sides = [left, right].into_iter();
            sides
                .flatten()
                .filter(|z| (z - middle).abs() < FLAT_M)
                .count()
                == 2
        })
    }

    /// How far its mass is beyond the edge on which it stands, m.
    fn falls_m(&self, leans: &Pose, way: &Vector3<f64>) -> f64 {
        // The edge, as what is met first by planes that lean a little the other way.
        const SLIGHT: f64 = 0.01;
        let down_m = |direction: Vector3<f64>| self.0.reach_m(&leans.rotation, &direction);
        let edge_m = (down_m(way * SLIGHT - Vector3::z()) - down_m(-Vector3::z())) / SLIGHT;
        (leans.rotation * self.0.mass_in_object).dot(way) - edge_m
    }

    /// Whether the side `out`, on which it leans, touches the wall above its mass.
    fn touches_above_mass(
        &self,
        leans: &Pose,
        out: &Vector3<f64>,
        tilt: &UnitQuaternion<f64>,
    ) -> bool {
        let mass = leans.rotation * self.0.mass_in_object;
        let from_mass_m = |direction: &Vector3<f64>| {
            self.0.reach_m(&leans.rotation, direction) - mass.dot(direction)
        };
        let up = tilt * Vector3::z();
        let n_rungs = (from_mass_m(&up) / RUNG_M) as usize;
        (1..=n_rungs).any(|i| {
            let rung = leans.translation.vector + mass + up * (RUNG_M * i as f64);
            let reach_m = from_mass_m(out) + TOUCHES_M;
            self.0.body.cast(&rung.into(), out, reach_m).is_some()
        })
    }
}

#[cfg(test)]
mod tests {
    use regrasp_api::solids::boxed;
    use regrasp_api::{ObjectId, PerceivedObject, Shape};

    use super::*;

    /// Half the size of a book, m; its origin is at its foot.
    const BOOK: [f64; 3] = [0.014, 0.05, 0.065];
    const FLOOR_M: f64 = 0.012;

    /// How a book leans in a box without a lid, so wide inside along x, whose wall at -x reaches so
    /// high: rad, and the side to which it leans.
    fn leans(inside_m: f64, front_m: f64) -> Option<(f64, f64)> {
        let half_m = 0.5 * inside_m;
        let wall =
            |x: f64, high_m: f64| boxed([x, 0.0, 0.5 * high_m], [0.004, 0.07, 0.5 * high_m], 0.0);
        let floor = [half_m, 0.07, 0.5 * FLOOR_M];
        let parts = vec![
            boxed([0.0, 0.0, 0.5 * FLOOR_M], floor, 0.0),
            wall(half_m + 0.004, 0.11),
            wall(-half_m - 0.004, front_m),
        ];
        let caddy = PerceivedObject {
            id: ObjectId::new("caddy"),
            category: "caddy".into(),
            color: None,
            shape: Shape::Compound { parts },
            world_from_object: Pose::new([0.4, 0.1, 0.2].into(), Vector3::z() * 0.7),
            position_std_m: 0.0,
            movable: false,
        };
        let world_from_caddy = caddy.world_from_object;
        let held = Held {
            id: ObjectId::new("book"),
            shape: Shape::Compound {
                parts: vec![boxed([0.0, 0.0, BOOK[2]], BOOK, 0.0)],
            },
            tool_from_object: Pose::identity(),
            width_m: 2.0 * BOOK[0],
            mass_kg: None,
        };
        let percept = Percept {
            objects: vec![caddy],
            ..Percept::default()
        };
        let point = [0.4, 0.1, 0.2 + FLOOR_M + 0.005];
        let spots = leaning(&percept, &held, &Pose::identity(), point);
        let up = spots.first()?.world_from_object.rotation * Vector3::z();
        let side = world_from_caddy.rotation.inverse() * up;
        Some((up.angle(&Vector3::z()), side.x.signum()))
    }

    #[test]
    fn it_leans_on_the_wall_that_lets_it_lean_most() {
        let (leans_rad, side) = leans(0.06, 0.1).expect("there is room to lean");
        assert!((0.25..0.5).contains(&leans_rad), "{leans_rad}");
        assert_eq!(side, -1.0, "on the lower wall");
    }

    #[test]
    fn what_would_fall_back_or_over_does_not_lean() {
        assert!(leans(0.06, 0.11).is_some());
        assert_eq!(leans(0.036, 0.11), None, "too narrow: it falls back");
        let (_, side) = leans(0.06, 0.065).expect("the other wall is as high as before");
        assert_eq!(side, 1.0, "the wall ends below its mass");
    }
}
