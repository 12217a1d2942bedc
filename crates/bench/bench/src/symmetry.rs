//! Orientations modulo the symmetry of a shape.

use std::f64::consts::FRAC_PI_2;

use nalgebra::{Translation3, Unit, UnitQuaternion, Vector3};
use regrasp_api::{Pose, Shape};

/// Angles of the test for roundness, rad: a shape is round if rotations by all of them leave it
/// unchanged. None of them is a symmetry of a regular polygon with few corners.
const ROUND_RAD: [f64; 3] = [0.3, 0.7, 1.1];
/// Tolerance within which a rotated shape equals the original, m; plus [`SAME`] of its size.
const SAME_M: f64 = 0.002;
/// Tolerance within which a rotated shape equals the original, as a fraction of its size.
const SAME: f64 = 0.02;

/// Returns the angle between two orientations of a shape, rad, modulo the rotations that map its
/// hull onto itself; `None` for a sphere. Considers rotations about the axes of the object's frame:
/// by any angle (round shapes), by 90° and by 180°.
pub(crate) fn turn_between(
    shape: &Shape,
    a: &UnitQuaternion<f64>,
    b: &UnitQuaternion<f64>,
) -> Option<f64> {
    let turn = a.inverse() * b;
    let axes = [Vector3::x_axis(), Vector3::y_axis(), Vector3::z_axis()];
    let about = |axis: &Unit<Vector3<f64>>, rad: f64| UnitQuaternion::from_axis_angle(axis, rad);
    let is_round = |axis: &&Unit<Vector3<f64>>| {
        let mut turns = ROUND_RAD.iter().map(|rad| about(axis, *rad));
        turns.all(|turn| is_same(shape, &turn))
    };
    let round: Vec<_> = axes.iter().filter(is_round).collect();
    if round.len() > 1 {
        return None;
    }
    // All 24 orientations of a cube are products of quarter turns about two axes.
    let quarters = |axis: usize| (0..4).map(move |n| about(&axes[axis], FRAC_PI_2 * f64::from(n)));
    let first = quarters(0).chain([1.0, -1.0].map(|n| about(&axes[1], n * FRAC_PI_2)));
    let all = first.flat_map(|first| quarters(2).map(move |second| first * second));
    let same = all.filter(|symmetry| is_same(shape, symmetry));
    let angles = same.map(|symmetry| {
        let rest = symmetry.inverse() * turn;
        match round.as_slice() {
            [axis] => (rest * **axis).dot(axis).clamp(-1.0, 1.0).acos(),
            _ => rest.angle(),
        }
    });
    angles.min_by(f64::total_cmp)
}

/// Returns true if a rotation about the centre of a shape's bounding box leaves its hull unchanged.
/// Compares the bounding boxes of both hulls in `N_PROBES` orientations.
fn is_same(shape: &Shape, turn: &UnitQuaternion<f64>) -> bool {
    const N_PROBES: u32 = 12;
    let bounds = shape.aabb(&Pose::identity());
    let to_middle = Translation3::from(-bounds.center().coords);
    let within_m = SAME_M + SAME * bounds.size().max();
    let probes = (0..N_PROBES).map(|i| {
        let by = 0.5 * f64::from(i);
        UnitQuaternion::from_euler_angles(1.1 * by, 0.7 * by, by)
    });
    let extent = |rotation: UnitQuaternion<f64>| {
        let around = shape.aabb(&(rotation * to_middle));
        [around.min, around.max].concat()
    };
    let mut pairs = probes.map(|probe| (extent(probe), extent(probe * turn)));
    pairs.all(|(a, b)| a.iter().zip(&b).all(|(a, b)| (a - b).abs() < within_m))
}

#[cfg(test)]
mod tests {
    use super::*;
    use regrasp_api::Part;
    use regrasp_testkit::near;

    fn turned(shape: &Shape, by: [f64; 3]) -> Option<f64> {
        let a = UnitQuaternion::from_euler_angles(0.2, -0.1, 0.4);
        let [r, p, y] = by;
        turn_between(shape, &a, &(a * UnitQuaternion::from_euler_angles(r, p, y)))
    }

    #[test]
    fn turns_are_counted_modulo_the_symmetry_of_the_shape() {
        let block = regrasp_testkit::cuboid([0.02, 0.03, 0.05]);
        let carton = regrasp_testkit::cuboid([0.03, 0.03, 0.05]);
        let can = regrasp_testkit::cylinder(0.03, 0.05);
        let handle = Part {
            object_from_part: Pose::translation(0.045, 0.0, 0.0),
            shape: regrasp_testkit::cuboid([0.015, 0.005, 0.02]),
        };
        let body = Part::new(Pose::identity(), can.clone());
        let mug = Shape::compound([body, handle]);
        let quarter = FRAC_PI_2;
        for (shape, by, expected) in [
            (&block, [0.0, 0.0, 2.0 * quarter], 0.0),
            (&block, [0.0, 0.0, quarter], quarter),
            (&block, [0.0, 0.0, 0.1], 0.1),
            (&carton, [0.0, 0.0, quarter + 0.1], 0.1),
            (&carton, [2.0 * quarter, 0.0, 0.0], 0.0),
            (&can, [0.0, 0.0, 0.77], 0.0),
            (&can, [0.0, 0.2, 0.5], 0.2),
            (&can, [2.0 * quarter, 0.0, 0.3], 0.0),
            (&mug, [0.0, 0.0, 0.77], 0.77),
        ] {
            let found = turned(shape, by).expect("the shape is not a sphere");
            let what = format!("turn by {by:?} rad, rad");
            near(&what, found, expected, 1e-6);
        }
        let ball = Shape::Sphere { radius: 0.03 };
        assert_eq!(turned(&ball, [0.3, 0.0, 0.1]), None);
    }
}
