//! Objects with meshes in the complete system: picked, placed, filled, judged, drawn.

#[path = "../common/solids.rs"]
mod solids;

use crate::common::*;
use regrasp::api::{ObjectId, Pose};
use regrasp::scene::{Task, builtin_robot, load_task};
use regrasp::sim::{Disturbance, When};
use regrasp::{EpisodeOptions, LoadedRobot, SceneView};
use serde_json::Value;
use solids::{angle, block, cup, dish, tee};

/// Loads a task with meshes in the same folder.
fn task(objects: &str, prompt: &str, success: &str) -> Task {
    let folder = tempfile::tempdir().unwrap();
    // The origin is off the centre, so that a wrong origin is noticed.
    let corner = block([0.04, 0.06, 0.08]).moved([0.03, 0.03, 0.02]);
    let files = [
        ("angle.stl", angle().stl(0.001)),
        ("tee.obj", tee().obj(1.0)),
        ("cup.glb", cup().glb()),
        ("dish.stl", dish().stl(1.0)),
        ("box.obj", corner.obj(1.0)),
    ];
    for (name, bytes) in files {
        std::fs::write(folder.path().join(name), bytes).unwrap();
    }
    let text = format!(
        "name: meshes
prompt: {prompt}
scene:
  arm: {{position: [-0.3, 0.0, 0.0]}}
  objects:
    - {{id: table, kind: table, size: [1.3, 1.2], top_z: 0.04, xy: [0.75, 0.0], friction: 1.0}}
{objects}
success: [{success}]
"
    );
    let path = folder.path().join("task.yaml");
    std::fs::write(&path, text).unwrap();
    load_task(&path, &builtin_robot().unwrap()).unwrap()
}

const ANGLE: &str = "    - {id: red_bracket, category: bracket, kind: mesh, file: angle.stl, scale: 0.001, density_kg_per_m3: 600, friction: 1.0, color: red, on: table, xy: [0.4, -0.1], yaw_rad: 0.3}\n";
const TEE: &str = "    - {id: blue_tee, category: tee, kind: mesh, file: tee.obj, mass_kg: 0.08, friction: 1.0, color: blue, on: table, xy: [0.42, -0.15]}\n";
const CUP: &str = "    - {id: white_cup, category: cup, kind: mesh, file: cup.glb, mass_kg: 0.15, friction: 1.0, color: white, on: table, xy: [0.42, 0.15]}\n";
const DISH: &str = "    - {id: white_dish, category: dish, kind: mesh, file: dish.stl, mass_kg: 0.3, friction: 1.0, color: white, on: table, xy: [0.42, 0.15]}\n";
const PLATE: &str = "    - {id: plate, kind: plate, radius: 0.08, fixed: true, friction: 1.0, color: white, on: table, xy: [0.42, 0.16]}\n";
const CUBE: &str = "    - {id: green_cube, kind: cube, half_extents: 0.012, mass_kg: 0.03, friction: 1.0, color: green, on: table, xy: [0.4, -0.1]}\n";

/// Makes calls that must succeed and complete the task. Returns the final digest.
#[track_caller]
fn is_done(task: &Task, calls: &[(&str, Value)]) -> Option<u64> {
    let task = task.instantiate(0).unwrap();
    let (first, last, digest) = done(&task.scene, calls);
    let unmet = task.success.unmet(&first, &last);
    assert!(unmet.is_empty(), "{unmet:?}");
    digest
}

#[test]
fn a_bracket_is_picked_and_put_on_a_plate_to_the_same_bits() {
    let goal = "{on: {object: red_bracket, target: plate}}, {upright: {object: red_bracket, max_tilt_rad: 0.1}}, {released: {object: red_bracket}}";
    let objects = format!("{ANGLE}{PLATE}");
    let task = task(&objects, "put the red bracket on the plate", goal);
    let pick = pick_for("red_bracket", "place_on", &on("plate"));
    let calls = [("pick", pick), ("place_on", on("plate"))];
    let digest = is_done(&task, &calls);
    assert_eq!(is_done(&task, &calls), digest, "digest of the second run");
}

#[test]
fn the_agent_moves_a_tee_that_it_was_told_to_move() {
    let goal = "{on: {object: blue_tee, target: plate}}, {released: {object: blue_tee}}";
    let objects = format!("{TEE}{PLATE}");
    let task = task(&objects, "put the blue tee on the plate", goal);
    let instance = task.instantiate(3).unwrap();
    let run = || {
        let options = EpisodeOptions {
            seed: 3,
            ..EpisodeOptions::default()
        };
        played(&instance.scene, &instance.prompt, options)
    };
    let episode = run();
    assert!(episode.result.success, "{}", episode.result.final_detail);
    let unmet = instance.success.unmet(&episode.first, &episode.last);
    assert!(unmet.is_empty(), "{unmet:?}");
    assert_eq!(run().result.state_digest, episode.result.state_digest);
}

#[test]
fn a_cube_goes_into_a_dish() {
    let goal = "{in: {object: green_cube, target: white_dish}}, {released: {object: green_cube}}";
    let objects = format!("{DISH}{CUBE}");
    let task = task(&objects, "put the green cube in the dish", goal);
    let calls = [("pick", of("green_cube")), ("place_on", on("white_dish"))];
    is_done(&task, &calls);
}

#[test]
fn a_cup_is_lifted() {
    let goal = "{lifted: {object: white_cup, min_height_m: 0.05}}";
    let task = task(CUP, "pick up the white cup", goal);
    is_done(&task, &[("pick", of("white_cup"))]);
}

/// Lets a mesh and a box of the same shape fall on a corner and tumble. Their motions agree only if
/// mass, centre of mass and moments of inertia do.
#[test]
fn a_box_of_triangles_tumbles_like_a_box() {
    let objects = "    - {id: mesh_box, kind: mesh, file: box.obj, mass_kg: 0.2, on: table, xy: [0.4, -0.3]}
    - {id: plain_box, kind: box, size: [0.04, 0.06, 0.08], mass_kg: 0.2, on: table, xy: [0.4, 0.3]}";
    let never = "{lifted: {object: plain_box, min_height_m: 0.5}}";
    let task = task(objects, "wait", never);
    let scene = task.instantiate(0).unwrap().scene;
    let mut cell = cell(&scene);
    let tilted = |y: f64| Pose::new([0.4, y, 0.2].into(), [0.5, 0.4, 0.2].into());
    let plain_from_mesh = Pose::translation(-0.03, -0.03, -0.02);
    for (id, pose) in [
        ("mesh_box", tilted(-0.3) * plain_from_mesh),
        ("plain_box", tilted(0.3)),
    ] {
        let moved = Disturbance::MoveObject {
            object: ObjectId::new(id),
            world_from_object: pose,
        };
        disturb(&cell, When::Now, moved);
    }
    let mut turned = 0.0f64;
    for _ in 0..30 {
        cell.robot.wait(0.01).unwrap();
        let truth = cell.truth();
        let pose = |id: &str| truth.object(&ObjectId::new(id)).unwrap().world_from_object;
        let mesh = pose("mesh_box") * plain_from_mesh.inverse();
        let plain = Pose::translation(0.0, -0.6, 0.0) * pose("plain_box");
        let apart = (mesh.translation.vector - plain.translation.vector).norm();
        let angle = mesh.rotation.angle_to(&plain.rotation);
        let after = format!("after {:.2} s", truth.time_secs);
        within(&format!("boxes apart {after}, m"), apart, ..1e-3);
        within(&format!("boxes apart {after}, rad"), angle, ..0.02);
        turned = turned.max(plain.rotation.angle_to(&tilted(0.0).rotation));
    }
    assert!(turned > 0.2, "the boxes turned by only {turned:.3} rad");
}

/// Pictures show the triangles of the file, not the convex hulls used for collisions.
#[test]
fn a_mesh_is_drawn_as_it_is_in_its_file() {
    let never = "{lifted: {object: white_cup, min_height_m: 0.5}}";
    let task = task(CUP, "look", never);
    let scene = task.instantiate(0).unwrap().scene;
    let loaded = LoadedRobot::panda().unwrap();
    let view = SceneView::new(&loaded, &scene).unwrap();
    let stage = view.stage(&cell(&scene).truth());
    let mut bodies = stage.bodies.iter();
    let body = bodies.find(|b| stage.name_of(b.instance) == Some("white_cup"));
    let body = body.unwrap();
    assert_eq!(body.mesh.n_triangles(), cup().triangles.len());
}
