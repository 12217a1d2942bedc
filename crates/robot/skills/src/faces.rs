//! On which face an object stands.

use nalgebra::{UnitQuaternion, Vector3};
use regrasp_api::Shape;

/// Tilts smaller than this are measurement, not tilt, rad.
const UPRIGHT_RAD: f64 = 0.017;
/// First and last step of the descent to a stable face, rad.
const STEPS_RAD: [f64; 2] = [0.1, 1e-4];
/// Directions in which each step looks.
const N_DIRECTIONS: usize = 8;

/// The orientation nearest to the given one in which the object stands on a stable
/// face: where it would come to rest if it were let go. Its heading stays as it is, as
/// far as standing allows.
///
/// A face is stable where the height of the mass above the ground, as a function of
/// which way is down, has a minimum; a descent on that height ends there. What is round
/// stays as it is.
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
    // Turned back so that the face looks down again.
    let tilted = world_from_object * down;
    let upright = UnitQuaternion::rotation_between(&tilted, &-Vector3::z());
    upright.unwrap_or_else(UnitQuaternion::identity) * world_from_object
}

/// Unit vectors at an angle around one.
fn around(center: &Vector3<f64>, angle: f64) -> Vec<Vector3<f64>> {
    let other = if center.x.abs() < 0.5 {
        Vector3::x()
    } else {
        Vector3::y()
    };
    let u = center.cross(&other).normalize();
    let v = center.cross(&u);
    let turns = (0..N_DIRECTIONS).map(|i| std::f64::consts::TAU * i as f64 / N_DIRECTIONS as f64);
    turns
        .map(|turn| (center + angle.tan() * (turn.cos() * u + turn.sin() * v)).normalize())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tilted(shape: &Shape, tilt: Vector3<f64>) -> f64 {
        let heading = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), 0.7);
        let before = UnitQuaternion::from_scaled_axis(tilt) * heading;
        let after = standing(shape, &Vector3::zeros(), &before);
        (after * Vector3::z()).angle(&Vector3::z())
    }

    #[test]
    fn a_box_that_leans_comes_back_to_its_face() {
        let carton = Shape::Box {
            half_extents: [0.02, 0.03, 0.06],
        };
        for tilt in [Vector3::new(0.2, 0.0, 0.0), Vector3::new(-0.1, 0.15, 0.0)] {
            let left = tilted(&carton, tilt);
            assert!(left < 1e-3, "it still leans by {left:.4} rad");
        }
    }

    #[test]
    fn past_its_edge_it_lies_down() {
        // The mass of a carton of 4 x 12 cm passes its edge at 18 degrees.
        let carton = Shape::Box {
            half_extents: [0.02, 0.02, 0.06],
        };
        let left = tilted(&carton, Vector3::new(0.6, 0.0, 0.0));
        assert!(
            (left - std::f64::consts::FRAC_PI_2).abs() < 1e-3,
            "it lies on its side, not at {left:.3} rad"
        );
    }

    #[test]
    fn a_standing_can_comes_upright_and_a_ball_stays() {
        let can = Shape::Cylinder {
            radius: 0.03,
            half_height: 0.05,
        };
        assert!(tilted(&can, Vector3::new(0.15, 0.1, 0.0)) < 1e-3);
        let ball = Shape::Sphere { radius: 0.02 };
        let left = tilted(&ball, Vector3::new(0.3, 0.0, 0.0));
        assert!((left - 0.3).abs() < 1e-9, "nothing turns a ball");
    }
}
