//! Stable faces on which an object can rest.

use nalgebra::{UnitQuaternion, Vector3};
use regrasp_api::Shape;

use crate::poses::eighths;

/// Smaller tilts are taken for measurement noise, rad.
const UPRIGHT_RAD: f64 = 0.017;
/// First and last step of the descent to a stable face, rad.
const STEPS_RAD: [f64; 2] = [0.1, 1e-4];

/// Returns the nearest orientation in which the object rests on a stable face, as it would once
/// released. The heading is kept as far as possible.
///
/// A face is stable where the height of the centre of mass above the ground, as a function of the
/// downward direction, has a minimum. A descent on that height finds it. Round shapes keep their
/// orientation.
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
        let lowest = around(&down, step)
            .into_iter()
            .min_by(|a, b| height(a).total_cmp(&height(b)));
        match lowest {
            Some(lower) if height(&lower) < height(&down) - 1e-12 => down = lower,
            _ => step *= 0.5,
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

/// Unit vectors at an angle around `center`.
fn around(center: &Vector3<f64>, angle: f64) -> Vec<Vector3<f64>> {
    let other = if center.x.abs() < 0.5 {
        Vector3::x()
    } else {
        Vector3::y()
    };
    let u = center.cross(&other).normalize();
    let v = center.cross(&u);
    eighths()
        .map(|turn| (center + angle.tan() * (turn.cos() * u + turn.sin() * v)).normalize())
        .collect()
}

#[cfg(test)]
mod tests {
    use std::f64::consts::FRAC_PI_2;

    use regrasp_testkit::{cuboid, cylinder};

    use super::*;

    fn tilted(shape: &Shape, tilt: Vector3<f64>) -> f64 {
        let heading = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), 0.7);
        let before = UnitQuaternion::from_scaled_axis(tilt) * heading;
        let after = standing(shape, &Vector3::zeros(), &before);
        (after * Vector3::z()).angle(&Vector3::z())
    }

    #[test]
    fn what_leans_comes_to_its_face_or_past_its_edge_to_its_side() {
        let carton = |x: f64, y: f64| cuboid([x, y, 0.06]);
        let ball = Shape::Sphere { radius: 0.02 };
        for (shape, tilt, left_rad) in [
            (carton(0.02, 0.03), [0.2, 0.0, 0.0], 0.0),
            (carton(0.02, 0.03), [-0.1, 0.15, 0.0], 0.0),
            // The mass of a carton of 4 x 12 cm passes its edge at 18 degrees.
            (carton(0.02, 0.02), [0.6, 0.0, 0.0], FRAC_PI_2),
            (cylinder(0.03, 0.05), [0.15, 0.1, 0.0], 0.0),
            (ball, [0.3, 0.0, 0.0], 0.3),
        ] {
            let left = tilted(&shape, tilt.into());
            assert!(
                (left - left_rad).abs() < 1e-3,
                "{shape:?} leans by {left:.4} rad"
            );
        }
    }
}
