//! Objects that cannot be gripped are pushed, and obstacles of the hand go to their own places
//! first.

use crate::common::*;
use regrasp_api::solids::tray;
use regrasp_api::{Part, Pose, Reason, Shape};
use regrasp_testkit as testkit;
use serde_json::json;

/// Half the edge and half the height of a plate, m.
const PLATE_M: [f64; 2] = [0.07, 0.01];

fn plate(height_m: f64) -> Shape {
    testkit::cuboid([PLATE_M[0], PLATE_M[0], height_m])
}

/// A red plate without a feasible grasp, and a green cube.
pub(crate) fn with_plate() -> Scene {
    let mut scene = Scene::new(&[("red_cube", 0.35, -0.2, 0), ("green_cube", 0.35, 0.1, 0)]);
    let red = scene.object_mut("red_cube");
    red.shape = plate(PLATE_M[1]);
    red.world_from_object = Pose::translation(0.35, -0.2, TABLE_Z + PLATE_M[1]);
    scene.pick_failed("red_cube", Reason::NoGraspFound, &[]);
    scene
}

#[test]
fn a_plate_that_is_too_flat_to_grip_is_pushed_beside_something() {
    let scene = with_plate();
    let task = "put the red cube to the right of the green cube";
    let plan = check_steps(&scene, task, "push red_cube");
    let args = &plan.steps[0].call.args;
    assert_eq!(args["beside"], "green_cube", "{args}");
    assert_eq!(args["side"], "right", "{args}");
}

#[test]
fn a_drawer_is_closed_with_its_contents() {
    let mut scene = Scene::new(&[
        ("green_cube", 0.35, 0.1, 0),
        ("blue_cube", 0.35, -0.2, 0),
        ("red_cube", 0.35, -0.2, 0),
    ]);
    let drawer = scene.object_mut("red_cube");
    drawer.shape = tray([0.2, 0.16], 0.06, 0.004);
    drawer.world_from_object = Pose::translation(0.35, -0.2, TABLE_Z + 0.03);
    let within = Pose::translation(0.35, -0.2, TABLE_Z + 0.024);
    scene.object_mut("blue_cube").world_from_object = within;
    scene.add_joint(["table", "red_cube"], "slide", [0.19, 0.2]);
    scene.skills.extend(["open", "close"].map(spec));
    let task = "goal: in(green_cube, red_cube) then not open(red_cube)";
    let steps = "pick green_cube, place_on red_cube, close red_cube";
    check_steps(&scene, task, steps);
    // A drawer that was opened on the way is closed again.
    scene.percept.joints[0].opening = 0.0;
    let task = "goal: not in(blue_cube, red_cube) then not open(red_cube)";
    let steps = "open red_cube, pick blue_cube, place_aside, close red_cube";
    check_steps(&scene, task, steps);
}

#[test]
fn what_is_too_wide_is_refused_before_its_cover_is_taken_off() {
    let mut scene = Scene::new(&[
        ("red_cube", 0.35, -0.2, 0),
        ("green_cube", 0.35, -0.2, 1),
        ("blue_cube", 0.35, 0.1, 0),
    ]);
    scene.object_mut("red_cube").shape = testkit::cuboid([0.06, 0.06, 0.02]);
    scene.pick_failed("red_cube", Reason::ObjectCovered, &["green_cube"]);
    let words = ["red_cube is at least 0.120 m wide"];
    check_infeasible(&scene, "put the red cube on the blue cube", &words);
}

#[test]
fn what_bars_the_way_or_the_place_of_such_a_push_is_moved_aside() {
    for reason in [Reason::GoalInCollision, Reason::TargetOccupied] {
        let mut scene = with_plate();
        let task = "put the red cube to the right of the green cube";
        let push = json!({ "object": "red_cube", "beside": "green_cube", "side": "right" });
        let blue = cube("blue_cube", 0.35, -0.05, TABLE_Z + 0.02);
        scene.add(blue);
        scene.failed("push", push, reason, &["blue_cube"]);
        check_steps(&scene, task, "pick blue_cube, place_aside, push red_cube");
    }
}

#[test]
fn what_would_fall_over_is_not_pushed_before_its_neighbour_is_moved() {
    let mut scene = with_plate();
    scene.attempts.clear();
    let parts = vec![Part::new(Pose::identity(), plate(0.08))];
    scene.object_mut("red_cube").shape = Shape::Compound { parts };
    scene.object_mut("red_cube").world_from_object = Pose::translation(0.35, -0.2, TABLE_Z + 0.08);
    scene.pick_failed("red_cube", Reason::NoGraspFound, &["green_cube"]);
    let plan = scene.planned("put the red cube at x=0.3 y=-0.4");
    let calls = short(&plan);
    assert!(calls.starts_with("pick green_cube, "), "{}", plan.reasoning);
}

#[test]
fn a_drawer_with_no_way_in_is_opened_further_once() {
    let mut scene = red_and_green();
    scene.add_joint(["table", "green_cube"], "slide", [0.18, 0.2]);
    scene.skills.push(spec("open"));
    scene.hold("red_cube");
    let into = json!({ "target": "green_cube" });
    scene.failed("place_on", into, Reason::PathBlocked, &["table"]);
    let task = "put the red cube on the green cube";
    let expected = "place_aside, open green_cube, pick red_cube, place_on green_cube";
    let plan = check_steps(&scene, task, expected);
    assert_eq!(plan.steps[1].call.args["opening_m"], 0.2);
    scene.did("open", json!({ "object": "green_cube", "opening_m": 0.2 }));
    check_steps(&scene, task, "place_on green_cube");
}

#[test]
fn a_door_is_opened_before_something_goes_behind_it() {
    let mut scene = Scene::new(&[("red_cube", 0.35, -0.1, 0)]);
    let thing = |id, half, y| {
        let at = [0.4, y, TABLE_Z + 0.1];
        testkit::fixed(id, "microwave", testkit::cuboid(half), at)
    };
    let oven = thing("oven", [0.1, 0.1, 0.1], 0.3);
    let door = thing("door", [0.1, 0.01, 0.1], 0.19);
    scene.percept.objects.extend([oven, door]);
    scene.add_joint(["oven", "door"], "hinge", [0.0, 2.0]);
    scene.skills.push(spec("open"));
    let inside = format!("goal: at(red_cube, 0.4, 0.3, {})", TABLE_Z + 0.03);
    let expected = "open door, pick red_cube, place_at";
    check_steps(&scene, &inside, expected);
    // The top of the oven is behind no door.
    check_steps(
        &scene,
        "goal: at(red_cube, 0.4, 0.3)",
        "pick red_cube, place_at",
    );
}

#[test]
fn what_is_only_in_the_way_and_cannot_be_gripped_is_pushed_aside_once() {
    let mut scene = with_plate();
    let task = "push the green cube 30 cm to the right";
    let mut planner = feedback();
    let push = scene.plan(&mut planner, task).steps[0].call.args.clone();
    scene.attempts.clear();
    scene.failed("push", push, Reason::GoalInCollision, &["red_cube"]);
    let expected = "pick red_cube, place_aside, push green_cube";
    check_plan(&scene, &mut planner, task, expected);
    scene.pick_failed("red_cube", Reason::NoGraspFound, &[]);
    let plan = check_plan(&scene, &mut planner, task, "push red_cube, push green_cube");
    let aside = &plan.steps[0].call.args;
    assert_eq!(aside["aside"], true, "{aside}");
    scene.did("push", aside.clone());
    check_plan(&scene, &mut planner, task, "push green_cube");
}
