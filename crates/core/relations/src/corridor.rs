//! Space between two objects, seen from above.

use std::f64::consts::TAU;

use nalgebra::{Vector2, Vector3};
use regrasp_api::PerceivedObject;

/// Number of directions in which to search for a gap, besides those of the objects' own axes.
const N_DIRECTIONS: usize = 36;

/// Straight strip between the facing ends of two objects, along the line of their centres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Corridor {
    /// End at the first object (x, y in World), m.
    pub from: Vector2<f64>,
    /// Unit vector from the first object to the second.
    pub direction: Vector2<f64>,
    /// Gap between the objects along the line, m; negative if they overlap.
    pub length_m: f64,
    /// Width of the narrower of the two objects across the line, m.
    pub width_m: f64,
}

impl Corridor {
    /// Returns the corridor between two objects; `None` if their centres coincide.
    pub fn of(a: &PerceivedObject, b: &PerceivedObject) -> Option<Self> {
        let [from, to] = [a, b].map(|o| o.aabb_in_world().center().coords.xy());
        let direction = (to - from).try_normalize(1e-6)?;
        let along = direction.push(0.0);
        // Distances along the line from the first centre: end of the first object, start of the
        // second.
        let begin_m = reach_m(a, &along) - from.dot(&direction);
        let end_m = -reach_m(b, &-along) - from.dot(&direction);
        Some(Self {
            from: from + direction * begin_m,
            direction,
            length_m: end_m - begin_m,
            width_m: width_m(a, &direction).min(width_m(b, &direction)),
        })
    }

    /// Returns a point (x, y in World) by its distances along the line and to its left, m.
    pub fn point(&self, along_m: f64, left_m: f64) -> Vector2<f64> {
        let left = Vector2::new(-self.direction.y, self.direction.x);
        self.from + self.direction * along_m + left * left_m
    }

    /// Explains why an object is not between the two; `None` if it is. Its centre has to be between
    /// their facing ends, and not farther from the line than [`NEAR`] and [`FAR`] allow.
    pub(crate) fn not_in(&self, object: &PerceivedObject) -> Option<String> {
        let off = object.aabb_in_world().center().coords.xy() - self.from;
        let (along_m, aside_m) = (off.dot(&self.direction), off.perp(&self.direction).abs());
        let own_m = 0.5 * width_m(object, &self.direction);
        let may_m = own_m.clamp(NEAR * self.width_m, FAR * self.width_m);
        let is_there = (0.0..=self.length_m).contains(&along_m) && aside_m <= may_m;
        (!is_there).then(|| {
            format!(
                "its centre is {along_m:.3} m along the gap of {:.3} m, {aside_m:.3} m off the \
                 line (limit {may_m:.3} m)",
                self.length_m
            )
        })
    }
}

/// Distance of an object's centre from the line, as a fraction of the corridor's width, up to which
/// the object counts as between in any case. Farther away, the line has to pass through the object.
const NEAR: f64 = 0.25;
/// Distance, as a fraction of the corridor's width, beyond which no object counts as between.
const FAR: f64 = 0.5;

/// Width of an object across a level direction, m.
fn width_m(object: &PerceivedObject, direction: &Vector2<f64>) -> f64 {
    let across = Vector3::new(-direction.y, direction.x, 0.0);
    reach_m(object, &across) + reach_m(object, &-across)
}

/// Furthest extent of an object along a direction, from the origin of World, m.
fn reach_m(object: &PerceivedObject, direction: &Vector3<f64>) -> f64 {
    let in_object = object.world_from_object.rotation.inverse() * direction;
    object.shape.support(&in_object) + object.position().dot(direction)
}

/// Returns the horizontal gap between two objects, m: the widest along any of many horizontal
/// directions, the objects' own axes included. 0 or less if there is no gap.
pub fn level_gap_m(a: &PerceivedObject, b: &PerceivedObject) -> f64 {
    let own = [a, b].into_iter().flat_map(|o| {
        let axes = [Vector3::x(), Vector3::y(), Vector3::z()];
        axes.map(|axis| o.world_from_object.rotation * axis)
    });
    let level = own.filter_map(|axis| Vector3::new(axis.x, axis.y, 0.0).try_normalize(0.1));
    let around = (0..N_DIRECTIONS).map(|i| {
        let angle = TAU * i as f64 / N_DIRECTIONS as f64;
        Vector3::new(angle.cos(), angle.sin(), 0.0)
    });
    let gap = |d: Vector3<f64>| {
        let one_way = -reach_m(b, &-d) - reach_m(a, &d);
        let other_way = -reach_m(a, &-d) - reach_m(b, &d);
        one_way.max(other_way)
    };
    level
        .chain(around)
        .map(gap)
        .fold(f64::NEG_INFINITY, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use regrasp_api::Pose;

    fn cube(half_m: f64, x: f64, y: f64) -> PerceivedObject {
        regrasp_testkit::cube("cube", half_m, [x, y, half_m])
    }

    /// Returns true if a cube counts as between two others whose centres are 0.4 m apart.
    fn is_between([a_m, b_m]: [f64; 2], half_m: f64, along_m: f64, left_m: f64) -> bool {
        let turned = |o: PerceivedObject| PerceivedObject {
            world_from_object: Pose::new(Vector3::zeros(), Vector3::z() * 0.6)
                * o.world_from_object,
            ..o
        };
        let [a, b] = [cube(a_m, 0.2, -0.3), cube(b_m, 0.6, -0.3)].map(turned);
        let own = turned(cube(half_m, 0.2 + along_m, -0.3 + left_m));
        Corridor::of(&a, &b).is_some_and(|corridor| corridor.not_in(&own).is_none())
    }

    #[test]
    fn what_the_line_passes_or_nearly_passes_is_between() {
        // A cube of 4 cm between a bowl and a plate may be 3.5 cm off the line: a quarter of 14 cm.
        let wide = [0.08, 0.07];
        assert!(is_between(wide, 0.02, 0.2, 0.0));
        assert!(is_between(wide, 0.02, 0.2, -0.034));
        assert!(
            !is_between(wide, 0.02, 0.2, 0.06),
            "a cube 6 cm off the line counts as between"
        );
        // A book 20 cm wide may be 7 cm off the line, half of 14 cm: the line still crosses it.
        assert!(is_between(wide, 0.1, 0.2, 0.06));
        assert!(!is_between(wide, 0.1, 0.2, 0.08));
        // A bowl between cubes may be 2 cm off the line: half of 4 cm.
        assert!(is_between([0.02; 2], 0.08, 0.2, 0.019));
        assert!(!is_between([0.02; 2], 0.08, 0.2, 0.03));
        // Cubes inside the bowl and inside the plate.
        assert!(!is_between(wide, 0.02, 0.07, 0.0));
        assert!(!is_between(wide, 0.02, 0.34, 0.0));
    }
}
