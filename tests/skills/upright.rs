//! Commands to stand up an object, and the orientation in which it ends.

use std::f64::consts::FRAC_PI_2;

use crate::common::*;
use nalgebra::{UnitQuaternion, Vector3};
use regrasp::Episode;
use regrasp::api::{Part, Pose, Reason, Shape, Upright};
use regrasp::scene::SceneObject;
use regrasp::sim::{Disturbance, When};
use serde_json::json;

fn told(thing: SceneObject) -> Episode {
    let command = format!("stand up the {}", thing.id.as_str().replace('_', " "));
    episode(&scene([thing]), &command)
}

/// Final angle between an axis of the object and the vertical, rad.
fn tilt_rad(episode: &Episode, axis: &str) -> f64 {
    let upright: Upright = axis.parse().unwrap();
    let thing = episode.last.objects.iter().find(|o| o.movable).unwrap();
    upright.tilt_rad(&thing.world_from_object.rotation)
}

/// A box of 10 x 4 x 4 cm that lies on its side, rotated by `yaw_rad`.
fn long_along_x(yaw_rad: f64) -> SceneObject {
    let half_extents = [0.05, 0.02, 0.02];
    let at = [0.35, -0.1, TABLE_Z + 0.02];
    let long = object("red_carton", cuboid(half_extents), at, Some(0.1));
    turned(long, Vector3::z_axis(), yaw_rad)
}

#[test]
fn what_is_long_stands_on_an_end_of_its_longest_axis() {
    let mut n_stood = 0;
    for i in 0..6 {
        let episode = told(long_along_x(0.5 * f64::from(i)));
        let tilt_rad = tilt_rad(&episode, "either x");
        let result = &episode.result;
        let detail = &result.final_detail;
        let why = format!("the box leans by {tilt_rad:.2} rad: {detail}");
        assert_eq!(result.success, tilt_rad < 0.05, "{why}");
        assert!(result.success || result.steps > 0, "failed without a step");
        n_stood += usize::from(result.success);
    }
    assert!(n_stood >= 5, "{n_stood} of 6 boxes stood at the end");
}

#[test]
fn what_is_put_together_of_parts_stands_on_an_end_of_its_longest_axis_too() {
    let mut two = long_along_x(0.4);
    let half = |x_m: f64| Part {
        object_from_part: Pose::translation(x_m, 0.0, 0.0),
        shape: cuboid([0.025, 0.02, 0.02]),
    };
    two.shape = Shape::Compound {
        parts: vec![half(-0.025), half(0.025)],
    };
    let episode = told(two);
    let tilt_rad = tilt_rad(&episode, "either x");
    let result = &episode.result;
    let why = format!("leans by {tilt_rad:.2} rad: {}", result.final_detail);
    assert_eq!(result.success, tilt_rad < 0.05, "{why}");
    assert!(result.steps > 0, "no step, although the object lay");
}

#[test]
fn what_is_declared_counts_more_than_the_longest_axis() {
    let mut carton = long_along_x(0.3);
    carton.upright = Some("y".parse().unwrap());
    carton.world_from_object.rotation *=
        UnitQuaternion::from_axis_angle(&Vector3::x_axis(), FRAC_PI_2);
    let lies = told(carton.clone());
    assert!(lies.result.success, "{}", lies.result.final_detail);
    assert_eq!(lies.result.steps, 0, "steps, although y points up");
    carton.upright = Some("z".parse().unwrap());
    let turned = told(carton);
    let tilt_rad = tilt_rad(&turned, "z");
    let result = &turned.result;
    let why = format!("leans by {tilt_rad:.2} rad: {}", result.final_detail);
    assert!(result.success && tilt_rad < 0.05, "{why}");
}

#[test]
fn nobody_stands_up_a_cube_without_being_told_which_way() {
    let episode = told(cube("red_cube", 0.02, 0.4, 0.05));
    let result = &episode.result;
    assert!(!result.success);
    let words = [Reason::UprightUnknown.slug(), "which end of red_cube is up"];
    says(&result.final_detail, &words);
    let cube = episode.last.objects.iter().find(|o| o.movable).unwrap();
    let there = Vector3::new(0.4, 0.05, TABLE_Z + 0.02);
    let moved = cube.world_from_object.translation.vector - there;
    within("motion before the question, m", moved.norm(), ..1e-3);
}

#[test]
fn an_object_that_slips_out_during_a_regrasp_is_dropped() {
    let scene = instance("stand_up", 0).scene;
    let mut cell = crate::common::cell(&scene);
    cell.does("pick", of("red_carton"));
    // The next grasp is the regrasp of the carton.
    let next = When::AfterGrasp { delay_secs: 0.0 };
    disturb(&cell, next, Disturbance::SlipperyPads { factor: 0.0 });
    let words = ["during a regrasp"];
    cell.fails("reorient", json!({}), Reason::ObjectDropped, &words);
}
