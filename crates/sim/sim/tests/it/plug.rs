//! Tests that a plug stays in its socket.

use crate::common::{at, find, object, scene, unsettled, world_of};
use nalgebra::Isometry3;
use regrasp_api::solids::boxed;
use regrasp_api::{Part, Pose, Shape, World};
use regrasp_scene::SceneObject;
use regrasp_testkit::within;

fn block(half_extents: [f64; 3], at: [f64; 3]) -> Part {
    boxed(at, half_extents, 0.0)
}

fn body(id: &str, parts: Vec<Part>, mass_kg: Option<f64>, pose: Pose) -> SceneObject {
    let mut body = object(id, Shape::Compound { parts }, mass_kg, pose);
    body.friction = 0.3;
    body
}

/// Two prongs of 16 mm bear a plug whose mass is 2 cm in front of the socket. Statics: the tip
/// presses up with 20/16 of its weight and the mouth with 36/16, so friction holds 0.3 x 56/16 of
/// it, against 7 % that pull outwards when it droops by the play of 0.5 mm.
#[test]
fn a_plug_that_is_let_go_droops_by_its_play_and_stays() {
    for (yaw, mass_kg) in [(0.0, 0.029), (0.375, 0.029), (-0.2, 0.3), (0.02, 0.005)] {
        let plug = vec![
            block([0.02, 0.015, 0.012], [-0.02, 0.0, 0.0]),
            block([0.008, 0.00075, 0.0032], [0.008, 0.007, 0.0]),
            block([0.008, 0.00075, 0.0032], [0.008, -0.007, 0.0]),
        ];
        let socket = vec![
            block([0.01, 0.05, 0.02315], [0.01, 0.0, 0.02685]),
            block([0.01, 0.05, 0.02315], [0.01, 0.0, -0.02685]),
            block([0.01, 0.00575, 0.0037], [0.01, 0.0, 0.0]),
            block([0.01, 0.020875, 0.0037], [0.01, 0.029125, 0.0]),
            block([0.01, 0.020875, 0.0037], [0.01, -0.029125, 0.0]),
        ];
        let world_from_socket = at(0.08, 0.02, 0.1, yaw);
        let start = world_from_socket * Isometry3::translation(-0.001, 0.0, -0.0001);
        let scene = scene(vec![
            body("socket", socket, None, world_from_socket),
            body("plug", plug, Some(mass_kg), start),
        ]);
        let (mut world, truth) = world_of(scene, unsettled());
        let mut after = |secs: f64| {
            world.wait(secs).expect("the physics must not diverge");
            world_from_socket.inverse() * find(&truth, "plug").world_from_object
        };
        let (early, late) = (after(0.5), after(5.0));
        let out_mm = -1e3 * late.translation.x;
        let what = format!("{mass_kg} kg at a yaw of {yaw}");
        within(&format!("{what}: out, mm"), out_mm, ..3.0);
        let droop_rad = late.rotation.angle();
        within(&format!("{what}: droop, rad"), droop_rad, 0.04..0.1);
        let crept_mm = 1e3 * (late.translation.vector - early.translation.vector).norm();
        within(&format!("{what}: crept, mm"), crept_mm, ..0.05);
    }
}
