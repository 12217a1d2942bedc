//! Tests of books that lean in a caddy.

use nalgebra::UnitQuaternion;
use regrasp_api::solids::boxed;
use regrasp_api::{Pose, Shape};

use super::*;

/// Lean of a book in an open box that is `inside_m` wide along x and whose wall at -x is `front_m`
/// high: angle in rad, and side.
fn leans(inside_m: f64, front_m: f64) -> Option<(f64, f64)> {
    leans_from(&UnitQuaternion::identity(), inside_m, front_m)
}

/// Lean of the book for a given rotation in the hand.
fn leans_from(
    held_rotation: &UnitQuaternion<f64>,
    inside_m: f64,
    front_m: f64,
) -> Option<(f64, f64)> {
    let (half_m, floor_m) = (0.5 * inside_m, 0.012);
    let wall =
        |x: f64, high_m: f64| boxed([x, 0.0, 0.5 * high_m], [0.004, 0.07, 0.5 * high_m], 0.0);
    let floor = [half_m, 0.07, 0.5 * floor_m];
    let parts = vec![
        boxed([0.0, 0.0, 0.5 * floor_m], floor, 0.0),
        wall(half_m + 0.004, 0.11),
        wall(-half_m - 0.004, front_m),
    ];
    let caddy = PerceivedObject {
        shape: Shape::Compound { parts },
        world_from_object: Pose::new([0.4, 0.1, 0.2].into(), Vector3::z() * 0.7),
        ..tests::thing("caddy", [0.0; 3], [0.0; 3], false)
    };
    let world_from_caddy = caddy.world_from_object;
    // Its origin is at its foot.
    let book = vec![boxed([0.0, 0.0, 0.065], [0.014, 0.05, 0.065], 0.0)];
    let held = crate::fixtures::held(Shape::Compound { parts: book });
    let percept = regrasp_testkit::percept(vec![caddy]);
    let request = tests::asked(&percept, &held, Pose::identity());
    let scene = Scene::new(&request).expect("a book spans a volume");
    let leaning = support::leaning(&scene, &percept.objects[0], held_rotation, [0.4, 0.1]);
    let placements = Offer::ONE.best(&scene, "in the caddy", leaning).ok()?;
    let up = placements.first()?.world_from_object.rotation * Vector3::z();
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
fn what_is_turned_by_a_hair_in_the_hand_leans_as_well() {
    for i in 0..60 {
        let hair = 1.3e-5 * f64::from(i);
        let rotation = UnitQuaternion::from_euler_angles(hair, -hair, 0.01 * hair);
        let (_, side) = leans_from(&rotation, 0.06, 0.1).expect("there is room to lean");
        assert_eq!(side, -1.0, "turned by {hair} rad");
    }
}

#[test]
fn what_would_fall_back_or_over_does_not_lean() {
    assert!(leans(0.06, 0.11).is_some());
    assert_eq!(leans(0.036, 0.11), None, "too narrow: it falls back");
    // 28 mm above the floor, it is 53 mm in front of the rear wall when it leans by 0.6 rad.
    let (_, side) = leans(0.06, 0.04).expect("the other wall is as high as before");
    assert_eq!(side, 1.0, "it would lie rather than lean on so low a wall");
}
