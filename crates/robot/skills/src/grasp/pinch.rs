//! Pinches: places where two fingers can press on an object from opposite sides.

use std::f64::consts::PI;
use std::ops::RangeInclusive;

use nalgebra::{Point3, Vector3};
use regrasp_api::{PerceivedObject, Pose, Shape};
use regrasp_motion::Body;

use crate::bodies::reach_m;
use crate::poses::level as level_at;

/// Number of closing directions tried over half a turn.
const N_DIRECTIONS: usize = 36;
/// Variation of the width over all closing directions below which a shape counts as round, m.
const FLATNESS_M: f64 = 1e-6;
/// Largest angle between a surface and the pad that presses on it, rad: well inside the friction
/// cone of rubber on smooth surfaces (a coefficient of 0.3 holds 17°).
const MAX_SLANT_RAD: f64 = 0.26;

/// Tilts at which the hand aligns with a leaning plate, rad. Smaller ones are as good as
/// horizontal; with larger ones the hand does not come from above.
const TILTS_RAD: RangeInclusive<f64> = 0.02..=0.6;

/// Tilts at which the hand aligns with a curved wall, rad. Smaller ones may be artefacts of the
/// convex decomposition.
const WALL_TILTS_RAD: RangeInclusive<f64> = 0.1..=0.6;
/// Depths below the top of a wall at which its sides are probed, m: pads press on that range.
const BELOW_RIM_M: [f64; 2] = [0.002, 0.009];

/// Largest variation of the width under a pad for plane sides, m.
const FLAT_M: f64 = 2e-4;
/// Least horizontal distance of a wall piece from the middle of its object, m.
const LEAST_OUT_M: f64 = 0.005;
/// Distance from the surface at which the probing rays start, m.
const PROBE_SPACE_M: f64 = 0.005;

/// A shape with opposite sides, and the direction across it.
#[derive(Clone, Debug)]
pub(crate) struct Pinch {
    /// The shape between the fingers: the object or one part of it.
    pub(crate) shape: Shape,
    pub(crate) world_from_shape: Pose,
    /// Centre of the shape's bounding box, or of the upper end of a tilted wall, in World.
    pub(crate) center: Vector3<f64>,
    /// Unit vector along which the fingers close, in World.
    pub(crate) closing: Vector3<f64>,
    pub(crate) width_m: f64,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Contacts {
    /// Midpoint between the two contacts, in World.
    pub(crate) middle: Vector3<f64>,
    pub(crate) width_m: f64,
    /// Larger of the two angles between a surface and its pad, rad.
    pub(crate) slant_rad: f64,
}

/// A surface point and the outward normal there.
type Met = (Vector3<f64>, Vector3<f64>);

/// Returns every pinch with a horizontal closing direction: across the whole object where it is
/// narrowest, and across each part of a compound (a mug's wall, the bars of its handle). Leaning
/// plates and walls get a tilted pinch, too.
pub(crate) fn level(object: &PerceivedObject, body: &Body) -> Vec<Pinch> {
    let whole = across(&object.shape, &object.world_from_object, usize::MAX);
    let parts = parts(object);
    let level = parts
        .iter()
        .flat_map(|(shape, pose)| across(shape, pose, 1));
    let level: Vec<_> = level.collect();
    let slanted = parts
        .iter()
        .filter_map(|(shape, pose)| slanted(shape, pose));
    let tilted: Vec<_> = level.iter().filter_map(|p| p.tilted(body)).collect();
    let of_parts = level.into_iter().chain(slanted).chain(tilted);
    whole.into_iter().chain(of_parts).collect()
}

/// Returns the pinch perpendicular to a leaning plate, such as a piece of a bowl's wall. Horizontal
/// pads would touch it with their edges, high on one side and low on the other, and turn a light
/// object until it lies flat on them.
fn slanted(shape: &Shape, world_from_shape: &Pose) -> Option<Pinch> {
    let Shape::Box { half_extents } = shape else {
        return None;
    };
    let thin = Vector3::from(*half_extents).imin();
    let normal = world_from_shape.rotation * Vector3::ith(thin, 1.0);
    let tilt_rad = normal.z.abs().min(1.0).asin();
    (TILTS_RAD.contains(&tilt_rad)).then(|| pinch(shape.clone(), *world_from_shape, normal))
}

pub(crate) fn upright(object: &PerceivedObject) -> Vec<Pinch> {
    let whole = (object.shape.clone(), object.world_from_object);
    let all = std::iter::once(whole).chain(parts(object));
    all.map(|(shape, pose)| pinch(shape, pose, Vector3::z()))
        .collect()
}

/// Returns every horizontal pinch across the wall of an object whose pieces surround its middle,
/// such as a ring: across each piece towards the middle, regardless of where that piece is
/// narrowest; and perpendicular to leaning walls.
pub(crate) fn of_walls(object: &PerceivedObject, body: &Body) -> Vec<Pinch> {
    let middle = object.aabb_in_world().center().coords;
    let across = |(shape, pose): (Shape, Pose)| {
        let out = shape.aabb(&pose).center().coords - middle;
        let closing = Vector3::new(out.x, out.y, 0.0).try_normalize(LEAST_OUT_M)?;
        Some(pinch(shape, pose, closing))
    };
    let mut level: Vec<_> = parts(object).into_iter().filter_map(across).collect();
    let tilted: Vec<_> = level.iter().filter_map(|p| p.tilted(body)).collect();
    level.extend(tilted);
    level
}

fn parts(object: &PerceivedObject) -> Vec<(Shape, Pose)> {
    let Shape::Compound { parts } = &object.shape else {
        return vec![];
    };
    let posed = parts.iter().map(|part| {
        let world_from_part = object.world_from_object * part.object_from_part;
        (part.shape.clone(), world_from_part)
    });
    posed.collect()
}

/// Returns at most `n` pinches across a shape, the narrowest first; at most two for a box even if
/// `n` is 1, since both pairs of its faces are flat.
fn across(shape: &Shape, world_from_shape: &Pose, n: usize) -> Vec<Pinch> {
    let least = if matches!(shape, Shape::Box { .. }) {
        2
    } else {
        0
    };
    let narrow = narrow_directions(shape, world_from_shape).into_iter();
    let pinch = |yaw| pinch(shape.clone(), *world_from_shape, level_at(yaw));
    narrow.take(n.max(least)).map(pinch).collect()
}

fn pinch(shape: Shape, world_from_shape: Pose, closing: Vector3<f64>) -> Pinch {
    Pinch {
        width_m: shape.width_along(&world_from_shape, &closing),
        center: shape.aabb(&world_from_shape).center().coords,
        shape,
        world_from_shape,
        closing,
    }
}

impl Pinch {
    /// Lowest and highest point in World, m.
    pub(crate) fn height_range(&self) -> [f64; 2] {
        let aabb = self.shape.aabb(&self.world_from_shape);
        [aabb.min[2], aabb.max[2]]
    }

    /// Extent from `point` along a direction in World, m.
    pub(crate) fn reach_m(&self, point: &Vector3<f64>, direction: &Vector3<f64>) -> f64 {
        reach_m(&self.shape, &self.world_from_shape, point, direction)
    }

    /// Returns the surface points that the middles of the pads meet when they close around `point`
    /// from `space_m` beyond either side; `None` if a pad would start inside the object, miss it,
    /// or meet it too slanted.
    pub(crate) fn contacts(
        &self,
        object: &Body,
        point: &Vector3<f64>,
        space_m: f64,
    ) -> Option<Contacts> {
        let [(a, out_a), (b, out_b)] = self.met(object, point, space_m)?;
        let least = out_a.dot(&self.closing).min(-out_b.dot(&self.closing));
        let width_m = (a - b).dot(&self.closing);
        (least > MAX_SLANT_RAD.cos() && width_m > 0.0).then(|| Contacts {
            middle: 0.5 * (a + b),
            width_m,
            slant_rad: least.min(1.0).acos(),
        })
    }

    /// Returns the contact points and their normals, at any slant.
    fn met(&self, object: &Body, point: &Vector3<f64>, space_m: f64) -> Option<[Met; 2]> {
        let from_m = |side: f64| self.reach_m(point, &(side * self.closing)) + space_m;
        let reach_m = from_m(1.0) + from_m(-1.0);
        let meet = |side: f64| -> Option<Met> {
            let origin = point + side * self.closing * from_m(side);
            let inward = -side * self.closing;
            let hit = object.cast(&Point3::from(origin), &inward, reach_m)?;
            (hit.distance_m > 1e-6).then(|| (origin + inward * hit.distance_m, hit.normal))
        };
        Some([meet(1.0)?, meet(-1.0)?])
    }

    /// Returns the pinch perpendicular to both sides at the upper end of a curved wall, if the wall
    /// leans there; for plates see [`slanted`].
    fn tilted(&self, object: &Body) -> Option<Self> {
        if !matches!(self.shape, Shape::Convex { .. }) {
            return None;
        }
        let [_, top] = self.height_range();
        let [upper, lower] = BELOW_RIM_M.map(|below_m| {
            let point = Vector3::new(self.center.x, self.center.y, top - below_m);
            let [(a, _), (b, _)] = self.met(object, &point, PROBE_SPACE_M)?;
            Some(0.5 * (a + b))
        });
        let (upper, lower) = (upper?, lower?);
        let up = (upper - lower).try_normalize(0.0)?;
        let closing = (self.closing - up * up.dot(&self.closing)).try_normalize(0.0)?;
        let tilt_rad = closing.z.abs().min(1.0).asin();
        WALL_TILTS_RAD.contains(&tilt_rad).then(|| Self {
            shape: self.shape.clone(),
            center: upper,
            closing,
            width_m: self.shape.width_along(&self.world_from_shape, &closing),
            ..*self
        })
    }

    /// Returns true if the surfaces around both contacts are plane, within `half_m` to either side
    /// across the fingers and as far back along them.
    pub(crate) fn is_flat(
        &self,
        object: &Body,
        (middle, width_m): (Vector3<f64>, f64),
        approach: &Vector3<f64>,
        half_m: f64,
    ) -> bool {
        let across = approach.cross(&self.closing);
        let beside = [across * half_m, -across * half_m, -approach * half_m];
        beside.iter().all(|offset| {
            let near = self.contacts(object, &(middle + offset), PROBE_SPACE_M);
            near.is_some_and(|c| (c.width_m - width_m).abs() < FLAT_M)
        })
    }
}

/// Closing directions (yaw in World, rad) at which a shape is locally narrowest, the narrowest
/// first; evenly spaced over half a turn for a round shape.
pub(crate) fn narrow_directions(shape: &Shape, world_from_shape: &Pose) -> Vec<f64> {
    let width = |yaw: f64| shape.width_along(world_from_shape, &level_at(yaw));
    let step = PI / N_DIRECTIONS as f64;
    let sampled: Vec<f64> = (0..N_DIRECTIONS).map(|i| width(i as f64 * step)).collect();
    let at = |i: usize| sampled[i % N_DIRECTIONS];
    let around = |i: usize| at(i + N_DIRECTIONS - 1).min(at(i + 1));
    let minima = (0..N_DIRECTIONS).filter(|i| sampled[*i] <= around(*i));
    let spread = sampled.iter().fold(0.0f64, |m, w| m.max(*w))
        - sampled.iter().fold(f64::INFINITY, |m, w| m.min(*w));
    if spread < FLATNESS_M {
        let some = (0..N_DIRECTIONS).step_by(3);
        return some.map(|i| i as f64 * step).collect();
    }
    let narrowest = |i: usize| narrowest_near(i as f64 * step, step, &width);
    let mut narrow: Vec<f64> = minima.map(narrowest).collect();
    narrow.sort_by(|a, b| width(*a).total_cmp(&width(*b)));
    narrow.dedup_by(|a, b| {
        // A closing direction and its opposite are the same.
        let difference = (*a - *b).rem_euclid(PI);
        difference.min(PI - difference) < 0.5 * step
    });
    narrow
}

/// Finds the direction of least width within one step of a sampled one, by ternary search.
fn narrowest_near(yaw: f64, step: f64, width: &dyn Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (yaw - step, yaw + step);
    while high - low > 1e-6 {
        let (a, b) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        match width(a) < width(b) {
            true => high = b,
            false => low = a,
        }
    }
    0.5 * (low + high)
}
