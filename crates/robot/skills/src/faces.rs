//! Stable faces on which an object can rest.

use std::f64::consts::{FRAC_PI_2, PI};

use nalgebra::{UnitQuaternion, Vector2, Vector3};
use regrasp_api::{PerceivedObject, Shape};

use crate::grasp::mass_of_shape;
use crate::params::SAME_TURN_RAD;

/// Tilt below which the object counts as standing on its face, rad: it is measurement noise.
const UPRIGHT_RAD: f64 = 0.017;
/// First and last step of the descent to a stable face, rad.
const STEPS_RAD: [f64; 2] = [0.1, 1e-4];
/// Step of a gradient's difference quotient, rad.
const STEP: f64 = 1e-6;

/// Number of tilts in a quarter turn that are checked to distinguish rolling from a fall.
const N_TILTS: usize = 8;
/// Largest relative change of the height of a rolling object's centre of mass. A cube has 0.41.
const ROLLS: f64 = 0.2;

/// Returns true if an object that is tilted about a horizontal axis (in World) rolls: its centre of
/// mass keeps its height.
pub(crate) fn rolls(object: &PerceivedObject, axis: &Vector3<f64>) -> bool {
    let mass = mass_of_shape(&object.shape);
    let height_m = |tilt: f64| {
        let up = UnitQuaternion::new(-axis * tilt) * Vector3::z();
        let up_in_object = object.world_from_object.rotation.inverse() * up;
        mass.dot(&up_in_object) + object.shape.support(&-up_in_object)
    };
    let mut tilts = (1..=N_TILTS).map(|i| FRAC_PI_2 * i as f64 / N_TILTS as f64);
    tilts.all(|tilt| (height_m(tilt) / height_m(0.0) - 1.0).abs() <= ROLLS)
}

/// Returns the nearest orientation in which the object rests on a stable face, as it would once
/// released. The heading is kept as far as possible.
///
/// A face is stable where the height of the centre of mass above the ground, as a function of the
/// downward direction, has a minimum. A descent on that height finds it; a round shape does not
/// roll on the way, since its height is the same all around.
pub(crate) fn standing(
    shape: &Shape,
    mass_in_object: &Vector3<f64>,
    world_from_object: &UnitQuaternion<f64>,
) -> UnitQuaternion<f64> {
    let height = |down: &Vector3<f64>| shape.support(down) - mass_in_object.dot(down);
    let start = world_from_object.inverse() * -Vector3::z();
    let mut down = start;
    let mut step = STEPS_RAD[0];
    while step > STEPS_RAD[1] {
        match lower(height, &down, step) {
            Some(lower) => down = lower,
            None => step *= 0.5,
        }
    }
    if down.angle(&start) < UPRIGHT_RAD {
        return *world_from_object;
    }
    // Rotates back so that the face looks down again.
    let tilted = world_from_object * down;
    let upright = UnitQuaternion::rotation_between(&tilted, &-Vector3::z());
    upright.unwrap_or_else(UnitQuaternion::identity) * world_from_object
}

/// Returns the orientations in which a released object can rest: near its present one, or with any
/// of six sides down.
pub(crate) fn resting_rotations(
    shape: &Shape,
    mass_in_object: &Vector3<f64>,
    now: &UnitQuaternion<f64>,
) -> Vec<UnitQuaternion<f64>> {
    let down_in_object = |rotation: &UnitQuaternion<f64>| rotation.inverse() * -Vector3::z();
    let axes = [Vector3::x(), Vector3::y(), Vector3::z()];
    let sides = axes.iter().flat_map(|axis| [*axis, -axis]);
    let mut resting: Vec<UnitQuaternion<f64>> = vec![];
    for side in std::iter::once(down_in_object(now)).chain(sides) {
        let turn = UnitQuaternion::rotation_between(&(now * side), &-Vector3::z())
            .unwrap_or_else(|| UnitQuaternion::from_axis_angle(&Vector3::x_axis(), PI));
        let rests = standing(shape, mass_in_object, &(turn * now));
        let down = down_in_object(&rests);
        let is_same = |known| down_in_object(known).angle(&down) < SAME_TURN_RAD;
        if !resting.iter().any(is_same) {
            resting.push(rests);
        }
    }
    resting
}

/// Returns a direction at `angle` (rad) from `down` with a lower height, if there is one: along the
/// steepest descent, or along the crease where the object turns about an edge. Gradients at points
/// around give the direction of a crease (gradient sampling: Burke, Lewis & Overton 2005).
fn lower(
    height: impl Fn(&Vector3<f64>) -> f64,
    down: &Vector3<f64>,
    angle: f64,
) -> Option<Vector3<f64>> {
    let other = if down.x.abs() < 0.5 {
        Vector3::x()
    } else {
        Vector3::y()
    };
    let u = down.cross(&other).normalize();
    let axes = [u, down.cross(&u)];
    let at = |sideways: &Vector3<f64>| (down + angle.tan() * sideways).normalize();
    let gradient = |center: Vector3<f64>| {
        let level = height(&center);
        let slope =
            |axis: Vector3<f64>| (height(&(center + STEP * axis).normalize()) - level) / STEP;
        Vector2::new(slope(axes[0]), slope(axes[1]))
    };
    let around = || axes.iter().flat_map(|axis| [at(axis), at(&-axis)]);
    let here = gradient(*down);
    let crease = || {
        let gradients = around().map(gradient).chain([here]);
        shortest(&gradients.collect::<Vec<_>>())
    };
    let ascents = std::iter::once_with(|| Some(here)).chain(std::iter::once_with(crease));
    let ascents = ascents
        .flatten()
        .filter_map(|ascent| ascent.try_normalize(f64::EPSILON));
    let mut lower = ascents.map(|ascent| at(&-(axes[0] * ascent.x + axes[1] * ascent.y)));
    lower.find(|lower| height(lower) < height(down) - 1e-12)
}

/// Returns the shortest vector in the convex hull of several vectors; `None` if that is zero.
fn shortest(vectors: &[Vector2<f64>]) -> Option<Vector2<f64>> {
    let on_edge = |(a, b): (&Vector2<f64>, &Vector2<f64>)| {
        let edge = b - a;
        let part = -a.dot(&edge) / edge.norm_squared().max(f64::MIN_POSITIVE);
        a + edge * part.clamp(0.0, 1.0)
    };
    let pairs = vectors
        .iter()
        .flat_map(|a| vectors.iter().map(move |b| (a, b)));
    let shortest = pairs
        .map(on_edge)
        .min_by(|a, b| a.norm().total_cmp(&b.norm()))?;
    let is_beyond = |v: &Vector2<f64>| v.dot(&shortest) >= 0.999 * shortest.norm_squared();
    vectors.iter().all(is_beyond).then_some(shortest)
}

#[cfg(test)]
mod tests {
    use std::f64::consts::{FRAC_PI_2, TAU};

    use regrasp_testkit::{cuboid, cylinder, near};

    use super::*;

    fn tilted(shape: &Shape, tilt: Vector3<f64>) -> f64 {
        let heading = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), 0.7);
        let before = UnitQuaternion::from_scaled_axis(tilt) * heading;
        let after = standing(shape, &Vector3::zeros(), &before);
        (after * Vector3::z()).angle(&Vector3::z())
    }

    /// Orientations spread over all rotations.
    fn orientations() -> impl Iterator<Item = UnitQuaternion<f64>> {
        (0..200).map(|i| {
            let turn = |part: f64| TAU * (part * f64::from(i)).fract();
            let (roll, pitch, yaw) = (turn(0.618_034), turn(0.754_878), turn(0.569_840));
            UnitQuaternion::from_euler_angles(roll, pitch, yaw)
        })
    }

    #[test]
    fn a_box_comes_to_one_of_its_faces_from_anywhere() {
        for size in [[0.02, 0.03, 0.05], [0.01, 0.05, 0.05], [0.004, 0.04, 0.09]] {
            for before in orientations() {
                let after = standing(&cuboid(size), &Vector3::zeros(), &before);
                let down = after.inverse() * -Vector3::z();
                assert!(down.amax() > 0.9998, "{size:?} rests with {down} down");
            }
        }
    }

    #[test]
    fn a_cylinder_does_not_roll_as_it_comes_to_rest() {
        let lies = UnitQuaternion::from_euler_angles(FRAC_PI_2, 0.0, 0.0);
        for (before, tilt) in orientations().zip((1..4).cycle()) {
            let roll = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), before.angle());
            let tilt = UnitQuaternion::from_euler_angles(0.05 * f64::from(tilt), 0.0, 0.0);
            let before = tilt * lies * roll;
            let after = standing(&cylinder(0.014, 0.03), &Vector3::zeros(), &before);
            let turned = after.angle_to(&before);
            near(
                "rotation that removes the tilt, rad",
                turned,
                tilt.angle(),
                1e-3,
            );
        }
    }

    #[test]
    fn what_leans_comes_to_its_face_or_past_its_edge_to_its_side() {
        let carton = |x: f64, y: f64| cuboid([x, y, 0.06]);
        let ball = Shape::Sphere { radius: 0.02 };
        for (shape, tilt, left_rad) in [
            (carton(0.02, 0.03), [0.2, 0.0, 0.0], 0.0),
            (carton(0.02, 0.03), [-0.1, 0.15, 0.0], 0.0),
            // The centre of mass of a carton of 4 x 12 cm is over its edge at 18 degrees.
            (carton(0.02, 0.02), [0.6, 0.0, 0.0], FRAC_PI_2),
            (cylinder(0.03, 0.05), [0.15, 0.1, 0.0], 0.0),
            (ball, [0.3, 0.0, 0.0], 0.3),
        ] {
            near(
                &format!("lean of {shape:?}, rad"),
                tilted(&shape, tilt.into()),
                left_rad,
                1e-3,
            );
        }
    }

    #[test]
    fn a_carton_rests_on_each_of_its_sides_and_first_as_it_hangs() {
        let now = UnitQuaternion::from_euler_angles(0.0, PI, 0.4);
        let resting = resting_rotations(&cuboid([0.02, 0.03, 0.05]), &Vector3::zeros(), &now);
        assert_eq!(resting.len(), 6, "one orientation for each side");
        assert!(
            resting[0].angle_to(&now) < 1e-6,
            "the carton may stay upside down"
        );
        for rotation in &resting {
            let down = rotation.inverse() * -Vector3::z();
            assert!(down.amax() > 0.999, "no side faces down, but {down}");
        }
    }
}
