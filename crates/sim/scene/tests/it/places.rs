//! Conditions on positions of objects, drawn values with formulas, and relative placements.

use crate::common::{RELATIVE, SHELF, condition, id, object, object_mut, task, two_cubes};
use nalgebra::{UnitQuaternion, Vector3};
use regrasp_api::{Pose, Shape};
use regrasp_ground_truth::{GroundTruth, Success};
use regrasp_scene::{TaskInstance, builtin_robot, builtin_task};
use regrasp_testkit::near;

fn truth(instance: &TaskInstance) -> GroundTruth {
    instance.scene.initial_truth(&builtin_robot().unwrap())
}

fn put(truth: &mut GroundTruth, name: &str, pose: Pose) {
    object_mut(truth, name).world_from_object = pose;
}

fn holds(success: &Success, first: &GroundTruth, last: &GroundTruth) -> bool {
    success.unmet(first, last).is_empty()
}

#[test]
fn regions_distances_and_tilts_are_measured() {
    let first = two_cubes();
    let mut last = first.clone();
    put(&mut last, "red_cube", Pose::translation(0.5, 0.1, 0.2));
    put(&mut last, "green_cube", Pose::translation(0.5, 0.13, 0.25));
    let red = |text: &str| condition(&text.replace("RED", "object: red_cube"));
    let apart = "apart: {RED, target: green_cube, xy_m: [0.0, XY], dz_m: [DZ]}";
    let side = "apart: {RED, target: green_cube, x_m: [-0.001, 0.001], y_m: [Y]}";
    let side = |y: &str| red(&side.replace("Y]", &format!("{y}]")));
    let apart = |xy: &str, dz: &str| red(&apart.replace("XY", xy).replace("DZ", dz));
    let region = |z: &str| red(&format!("in: {{RED, region: {{x: [0.4, 0.6], z: [{z}]}}}}"));
    for (success, is_met) in [
        (region("0.2, 0.3"), true),
        (region("0.21, 0.3"), false),
        (apart("0.031", "0.049, 0.051"), true),
        (apart("0.029", "0.049, 0.051"), false),
        (apart("0.031", "0.0, 0.049"), false),
        (side("-0.031, -0.029"), true),
        (side("0.029, 0.031"), false),
    ] {
        assert_eq!(holds(&success, &first, &last), is_met, "{success}");
    }
    let lean = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), 0.2);
    let leaning = Pose::from_parts(Vector3::new(0.5, 0.1, 0.2).into(), lean);
    put(&mut last, "red_cube", leaning);
    let [yes, no] = ["0.21", "0.19"].map(|m| red(&format!("upright: {{RED, max_tilt_rad: {m}}}")));
    assert!(holds(&yes, &first, &last) && !holds(&no, &first, &last));
}

#[test]
fn displaced_counts_along_its_direction_only() {
    let first = two_cubes();
    let mut last = first.clone();
    let before = first.object(&id("red_cube")).unwrap().world_from_object;
    let moved = Pose::translation(0.02, -0.05, 0.0) * before;
    put(&mut last, "red_cube", moved);
    for (how, is_met) in [
        ("direction: [1.0, 0.0, 0.0], min_m: 0.019", true),
        ("direction: [1.0, 0.0, 0.0], min_m: 0.03", false),
        ("direction: [0.0, 1.0, 0.0], min_m: 0.01", false),
        ("min_m: 0.05", true),
    ] {
        let displaced = condition(&format!("displaced: {{object: red_cube, {how}}}"));
        assert_eq!(holds(&displaced, &first, &last), is_met, "{how}");
    }
}

#[test]
fn in_a_container_means_over_its_floor_and_below_its_rim() {
    let instance = builtin_task("robosuite/pick_place_can").unwrap();
    let first = truth(&instance.instantiate(1).unwrap());
    let in_bin = condition("in: {object: can, target: red_bin}");
    let mut last = first.clone();
    assert!(!holds(&in_bin, &first, &last), "it is in the other bin");
    put(&mut last, "can", Pose::translation(0.2, 0.4, 0.86));
    assert!(holds(&in_bin, &first, &last));
    put(&mut last, "can", Pose::translation(0.2, 0.4, 0.95));
    assert!(!holds(&in_bin, &first, &last), "it is above the rim");
}

#[test]
fn a_peg_is_in_when_its_head_is_and_not_when_it_is_beside_the_hole() {
    let instance = builtin_task("maniskill/peg_insertion_side").unwrap();
    let instance = instance.instantiate(5).unwrap();
    let first = truth(&instance);
    let hole = instance.scene.ports.iter().find(|p| p.object == id("box"));
    let plug = instance.scene.ports.iter().find(|p| p.object == id("peg"));
    let (hole, plug) = (hole.unwrap(), plug.unwrap());
    let world_from_box = first.object(&id("box")).unwrap().world_from_object;
    let peg_at = |depth: f64, aside: f64| {
        let mut last = first.clone();
        let hole_from_tip = Pose::translation(depth, aside, 0.0);
        let world_from_peg = world_from_box
            * hole.object_from_port
            * hole_from_tip
            * plug.object_from_port.inverse();
        put(&mut last, "peg", world_from_peg);
        last
    };
    let half = 0.5 * hole.depth_m;
    assert!(holds(&instance.success, &first, &peg_at(half - 0.014, 0.0)));
    let beside = hole.half_size_m[0] + 0.001;
    for last in [peg_at(half - 0.016, 0.0), peg_at(half, beside)] {
        assert!(!holds(&instance.success, &first, &last));
    }
    let limits = format!("depth_m: {half}, tolerance_m: 0.005, max_angle_rad: 0.2");
    let exact = condition(&format!("inserted: {{object: peg, target: box, {limits}}}"));
    assert!(holds(&exact, &first, &peg_at(half + 0.004, 0.002)));
    assert!(!holds(&exact, &first, &peg_at(half + 0.004, 0.004)));
}

#[test]
fn drawn_sizes_are_in_their_ranges_and_what_depends_on_them_fits() {
    let task = builtin_task("maniskill/peg_insertion_side").unwrap();
    for seed in 0..50 {
        let scene = task.instantiate(seed).unwrap().scene;
        let peg = object(&scene, "peg");
        let Shape::Box {
            half_extents: [half, y, z],
        } = peg.shape
        else {
            panic!("the peg must be a box");
        };
        assert!((0.085..=0.125).contains(&half) && (0.015..=0.025).contains(&y) && y == z);
        let hole = scene.ports.iter().find(|p| p.object == id("box")).unwrap();
        assert!((hole.half_size_m[0] - (y + 0.003)).abs() < 1e-12);
        let body = object(&scene, "box");
        let size = body.shape.aabb(&Pose::identity()).size();
        for edge in &size {
            near("edge of a cube around the hole", *edge, 2.0 * half, 1e-9);
        }
        // No part reaches into the hole, wherever its position is drawn.
        let Shape::Compound { parts } = &body.shape else {
            panic!("a box with a hole must be a compound");
        };
        let at = hole.object_from_port.translation.vector;
        for part in parts {
            let b = part.shape.aabb(&part.object_from_part);
            let clear = (1..3).any(|i| {
                b.min[i] >= at[i] + hole.half_size_m[0] - 1e-9
                    || b.max[i] <= at[i] - hole.half_size_m[0] + 1e-9
            });
            assert!(clear, "a part reaches into the hole: {b:?} at {at}");
        }
    }
}

#[test]
fn a_relative_place_turns_with_what_it_is_relative_to() {
    let task = task(RELATIVE).unwrap();
    for seed in 0..20 {
        let scene = task.instantiate(seed).unwrap().scene;
        assert_eq!(scene.pad_friction, Some(1.7));
        let pose = |name| object(&scene, name).world_from_object;
        let offset = pose("other").inverse() * pose("cube");
        let [x, y] = [offset.translation.x, offset.translation.y];
        assert!((x - 0.1).abs() < 1e-9 && y.abs() < 0.02 + 1e-9, "{x} {y}");
    }
}

#[test]
fn things_begin_in_a_zone_below_a_roof_and_are_judged_by_another() {
    let task = task(SHELF).unwrap();
    let place = |seed| {
        let scene = task.instantiate(seed).unwrap().scene;
        let [shelf, cube] = ["shelf", "cube"].map(|name| object(&scene, name));
        (shelf.world_from_object.inverse() * cube.world_from_object).translation
    };
    let middle = place(0);
    near("x in the middle", middle.x, -0.01, 1e-9);
    near("y in the middle", middle.y, 0.0, 1e-9);
    let drawn: Vec<_> = (1..20).map(place).collect();
    for at in &drawn {
        assert!((at.x + 0.01).abs() <= 0.06 && at.y.abs() <= 0.1, "{at}");
        assert!((at.z - 0.03).abs() < 1e-3, "not on the lower board: {at}");
    }
    let spread = |i: usize| {
        let along = drawn.iter().map(|at| at.vector[i]);
        along.clone().fold(f64::MIN, f64::max) - along.fold(f64::MAX, f64::min)
    };
    assert!(spread(0) > 0.06 && spread(1) > 0.1, "not over the zone");

    let instance = task.instantiate(1).unwrap();
    let first = truth(&instance);
    assert!(!holds(&instance.success, &first, &first));
    let shelf = first.object(&id("shelf")).unwrap().world_from_object;
    let mut last = first.clone();
    for ([x, y, z], is_met, why) in [
        ([0.05, -0.1, 0.23], true, "on the board"),
        ([0.05, -0.1, 0.29], true, "6 cm above the board, in the box"),
        ([0.05, -0.14, 0.23], false, "beside the zone, on the board"),
        ([0.05, -0.1, 0.03], false, "below"),
    ] {
        put(&mut last, "cube", shelf * Pose::translation(x, y, z));
        assert_eq!(holds(&instance.success, &first, &last), is_met, "{why}");
    }
}

#[test]
fn a_circle_of_relative_places_is_refused() {
    let text = RELATIVE.replace(
        "{object: other, xy_jitter_m: 0.02, yaw_rad: any}",
        "{object: other, relative_to: {object: cube, x: [0.1, 0.1], y: [0.0, 0.0]}}",
    );
    let error = task(&text).unwrap_err().to_string();
    assert!(error.contains("whose own placement depends"), "{error}");
}

#[test]
fn an_alias_draws_what_its_file_does() {
    for name in ["home", "open_drawer", "pick_mug", "stack_two"] {
        let full = format!("robosandbox/{name}");
        assert_eq!(builtin_task(&full).unwrap().name(), full);
    }
    let [alias, file] = ["robosandbox/stack_two", "stack_two"]
        .map(|name| builtin_task(name).unwrap().instantiate(9).unwrap().scene);
    assert_eq!(alias, file);
}
