//! Placements in which an object leans against a wall, because it would stand too low upright.

use crate::common::*;
use nalgebra::Vector3;
use regrasp::api::solids::boxed;
use regrasp::api::{KnownZone, Pose, Reason};
use regrasp::ground_truth::GroundTruth;
use regrasp::scene::SceneObject;
use serde_json::json;

/// Half extents of the book, m. Its origin is at its lower end.
const BOOK: [f64; 3] = [0.014, 0.05, 0.065];
const FLOOR_M: f64 = 0.012;

/// A box without a lid, with the given inner width along x and height of the front wall, m. Its
/// zone `slot` begins 11.5 mm above its floor.
fn caddy(inside_m: f64, front_m: f64) -> SceneObject {
    let (half_m, floor_m) = (0.5 * inside_m, 0.5 * FLOOR_M);
    let wall =
        |x: f64, high_m: f64| boxed([x, 0.0, 0.5 * high_m], [0.004, 0.07, 0.5 * high_m], 0.0);
    let side = |y: f64| boxed([0.0, y, 0.04], [half_m, 0.004, 0.04], 0.0);
    let parts = vec![
        boxed([0.0, 0.0, floor_m], [half_m, 0.07, floor_m], 0.0),
        wall(half_m + 0.004, 0.15),
        wall(-half_m - 0.004, front_m),
        side(0.066),
        side(-0.066),
    ];
    let at = [0.22, 0.1, TABLE_Z];
    let mut caddy = compound("caddy", parts, at, None);
    let middle = [0.0, 0.0, FLOOR_M + 0.0115 + 0.06];
    caddy.zones = vec![KnownZone::new("slot", middle, [half_m, 0.062, 0.06])];
    caddy
}

fn book() -> SceneObject {
    let parts = vec![boxed([0.0, 0.0, BOOK[2]], BOOK, 0.0)];
    let mut book = compound("red_book", parts, [0.25, -0.2, TABLE_Z], Some(0.15));
    book.world_from_object.rotation *= Pose::rotation(Vector3::z() * 0.4).rotation;
    book
}

/// Height of the book's origin above the caddy's floor, m, and inclination of the book, rad.
fn stands(truth: &GroundTruth) -> (f64, f64) {
    let book = truth.object(&id("red_book")).unwrap();
    let pose = book.world_from_object;
    let over_m = pose.translation.z - TABLE_Z - FLOOR_M;
    (over_m, (pose.rotation * Vector3::z()).angle(&Vector3::z()))
}

#[test]
fn a_book_leans_where_standing_it_would_be_below_its_place() {
    for yaw_rad in [0.0, 0.6] {
        let mut caddy = caddy(0.06, 0.1);
        caddy.world_from_object.rotation *= Pose::rotation(Vector3::z() * yaw_rad).rotation;
        let scene = scene([caddy, book()]);
        let command = "put the red book in the slot of the caddy";
        let episode = episode(&scene, command);
        let why = &episode.result.final_detail;
        assert!(episode.result.success, "caddy at {yaw_rad} rad: {why}");
        let (over_m, leans_rad) = stands(&episode.last);
        within("height above the floor, m", over_m, 0.0015..0.01);
        within("lean of the book, rad", leans_rad, 0.25..0.6);
    }
}

#[test]
fn what_would_fall_back_or_over_does_not_lean() {
    // The first caddy is too narrow to lean in. The front wall of the second one ends below the
    // book's centre of mass.
    for caddy in [caddy(0.034, 0.1), caddy(0.06, 0.062)] {
        let zone = &caddy.zones[0];
        let z = TABLE_Z + zone.position[2] - zone.half_extents[2];
        let mut cell = cell(&scene([caddy, book()]));
        cell.does("pick", of("red_book"));
        let place = json!({ "x": 0.22, "y": 0.1, "z": z });
        cell.fails("place_at", place, Reason::PlacementUnstable, &[]);
        assert!(cell.robot.held.is_some(), "the book is not in the hand");
    }
}
