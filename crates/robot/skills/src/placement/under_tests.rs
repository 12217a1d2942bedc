//! Tests of places in an oven, and in a drawer under the handle of the next one.

use regrasp_api::solids::boxed;
use regrasp_api::{Held, Percept, Pose, Shape};

use super::tests::asked;
use super::*;
use crate::fixtures::held;
use regrasp_testkit::{cuboid, fixed, percept};

/// An oven of 30 x 20 x 16 cm inside, open towards -y, optionally with a closed door.
fn oven(is_shut: bool) -> Percept {
    let mut parts = vec![
        boxed([0.0, 0.0, 0.01], [0.16, 0.1, 0.01], 0.0),
        boxed([0.0, 0.0, 0.19], [0.16, 0.1, 0.01], 0.0),
        boxed([0.155, 0.0, 0.1], [0.005, 0.1, 0.1], 0.0),
        boxed([-0.155, 0.0, 0.1], [0.005, 0.1, 0.1], 0.0),
        boxed([0.0, 0.105, 0.1], [0.16, 0.005, 0.1], 0.0),
    ];
    if is_shut {
        parts.push(boxed([0.0, -0.105, 0.1], [0.16, 0.005, 0.1], 0.0));
    }
    let oven = fixed("oven", "box", Shape::Compound { parts }, [0.5, 0.3, 0.4]);
    percept(vec![oven])
}

fn carton() -> Held {
    held(cuboid([0.03, 0.04, 0.05]))
}

#[test]
fn what_goes_into_an_oven_goes_in_by_its_front_as_far_as_it_has_to() {
    let from = Pose::translation(0.3, 0.0, 0.6);
    let placements = asked(&oven(false), &carton(), from).at_height([0.5, 0.3], 0.47);
    let placements = placements.expect("there is room");
    assert!(placements.len() > 1, "there are several turns and places");
    for placement in &placements {
        let at = placement.position();
        assert!((at.z - 0.47).abs() < 1e-9, "on the floor, not on the roof");
        assert!((at.x - 0.5).hypot(at.y - 0.3) < 0.0151, "near the point");
        let retreat = placement.retreat.expect("it is not open above");
        assert!(placement.is_from_side(), "{retreat}");
        let is_front = retreat.y < 0.0 && retreat.y.abs() > retreat.x.abs() - 1e-9;
        assert!(is_front, "to the front: {retreat}");
        let nearest_y = at.y + retreat.y + 0.03;
        assert!(nearest_y < 0.2, "it begins before the oven: {nearest_y:.3}");
    }
}

#[test]
fn nothing_goes_into_an_oven_that_is_shut_nor_through_its_roof() {
    let from = Pose::translation(0.3, 0.0, 0.6);
    let finds =
        |oven: &Percept, held: &Held, z: f64| asked(oven, held, from).at_height([0.5, 0.3], z);
    assert!(finds(&oven(true), &carton(), 0.47).is_err());
    let tall = held(cuboid([0.03, 0.04, 0.09]));
    assert!(finds(&oven(false), &tall, 0.51).is_err());
    let on_top = finds(&oven(false), &carton(), 0.65).expect("the roof carries it");
    assert_eq!(on_top[0].retreat, None, "there one comes from above");
}

/// A drawer 16 cm wide whose front wall is at x = 0, and above it the handle of the next one, which
/// begins `room_m` behind that wall.
fn drawer(room_m: f64) -> Percept {
    let parts = vec![
        boxed([0.09, 0.0, -0.002], [0.1, 0.08, 0.002], 0.0),
        boxed([-0.005, 0.0, 0.03], [0.005, 0.08, 0.03], 0.0),
        boxed([0.185, 0.0, 0.03], [0.005, 0.08, 0.03], 0.0),
        boxed([0.09, 0.082, 0.03], [0.1, 0.002, 0.03], 0.0),
        boxed([0.09, -0.082, 0.03], [0.1, 0.002, 0.03], 0.0),
    ];
    let bar = cuboid([0.008, 0.07, 0.008]);
    let [x, y, z] = [0.4, 0.1, 0.5];
    let handle = fixed("handle", "box", bar, [x + room_m + 0.008, y, z + 0.09]);
    let drawer = fixed("drawer", "box", Shape::Compound { parts }, [x, y, z]);
    percept(vec![drawer, handle])
}

/// A bowl: 10 cm wide at its rim, 6 cm at its foot, 5 cm high.
fn bowl() -> Held {
    let rings = [
        (0.03, 0.005),
        (0.035, 0.015),
        (0.04, 0.025),
        (0.045, 0.035),
        (0.05, 0.045),
    ];
    let parts = rings.map(|(half_m, z)| boxed([0.0, 0.0, z], [half_m, half_m, 0.005], 0.0));
    let parts = parts.into();
    held(Shape::Compound { parts })
}

fn into_drawer(room_m: f64) -> Placement {
    let percept = drawer(room_m);
    let from = Pose::translation(0.3, 0.0, 0.7);
    let placements =
        asked(&percept, &bowl(), from).on_object(&percept.objects[0], [0.49, 0.1], &[]);
    placements.expect("it stands there").remove(0)
}

#[test]
fn a_bowl_that_just_fits_before_a_handle_is_put_straight_down_there() {
    // A grid of 2 cm would miss the 5 mm that are left.
    let placement = into_drawer(0.108);
    assert_eq!(placement.retreat, None);
    let x = placement.world_from_object.translation.x - 0.4;
    assert!((0.0515..0.0565).contains(&x), "{x:.4} m behind the front");
}

#[test]
fn a_bowl_with_a_rim_wider_than_the_gap_comes_down_aslant() {
    let placement = into_drawer(0.099);
    let retreat = placement
        .retreat
        .expect("straight down its rim meets the handle");
    let is_slanted = !placement.is_from_side() && retreat.x < 0.0;
    assert!(is_slanted, "towards the front: {retreat}");
    let x = placement.world_from_object.translation.x - 0.4;
    assert!(x > 0.0515, "with its rim behind the wall: {x:.4} m");
}
