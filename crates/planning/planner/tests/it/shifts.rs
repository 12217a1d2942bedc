//! Pushes and pulls: their end points and obstacles.

use regrasp_api::{Plan, Planner, Reason};
use regrasp_testkit::near;

use crate::common::*;

fn ends(plan: &Plan) -> Vec<[f64; 2]> {
    let number = |args: &serde_json::Value, key: &str| args[key].as_f64().expect("a point");
    let calls = plan.steps.iter().map(|step| &step.call);
    let shifts = calls.filter(|call| ["push", "pull"].contains(&call.skill.as_str()));
    shifts
        .map(|call| [number(&call.args, "x"), number(&call.args, "y")])
        .collect()
}

#[test]
fn a_push_that_went_half_the_way_is_pushed_on_to_the_same_point() {
    let mut scene = red_and_green();
    let mut planner = feedback();
    let task = "push the red cube 20 cm to the left";
    let plan = check_plan(&scene, &mut planner, task, "push red_cube");
    let [[x, y]] = ends(&plan)[..] else {
        panic!("one push: {:?}", plan.steps);
    };
    near("x", x, 0.35, 1e-9);
    near("y", y, 0.1, 1e-9);
    // The object was pushed half the way. A restored planner gives the same plan.
    let args = plan.steps[0].call.args.clone();
    scene.failed("push", args, Reason::PushDeviated, &["red_cube"]);
    scene.object_mut("red_cube").world_from_object.translation.y = 0.0;
    let mut restored = feedback();
    restored.restore(&planner.save());
    for mut planner in [planner, restored] {
        let again = scene.plan(&mut planner, task);
        assert_eq!(ends(&again), ends(&plan));
    }
    // At the destination, nothing is left to do.
    let mut planner = feedback();
    scene.attempts.clear();
    scene.object_mut("red_cube").world_from_object.translation.y = -0.1;
    scene.plan(&mut planner, task);
    scene.did("push", plan.steps[0].call.args.clone());
    scene.object_mut("red_cube").world_from_object.translation.y = 0.1;
    assert!(short(&scene.plan(&mut planner, task)).is_empty());
}

#[test]
fn a_push_of_a_length_that_nobody_named_may_be_shorter() {
    let mut scene = red_and_green();
    let mut planner = feedback();
    let task = "push the red cube to the left";
    let plan = scene.plan(&mut planner, task);
    let args = plan.steps[0].call.args.clone();
    assert_eq!(args["least_m"], 0.03);
    assert_eq!(ends(&plan), [[0.35, 0.0]]);
    scene.did("push", args);
    let mut left_m = |moved_m: f64| {
        scene.object_mut("red_cube").world_from_object.translation.y = -0.1 + moved_m;
        scene.plan(&mut planner, task).steps.len()
    };
    assert_eq!([0.0, 0.03, 0.06, 0.1].map(&mut left_m), [1, 0, 0, 0]);
    let named = red_and_green().plan(&mut feedback(), "push the red cube 10 cm to the left");
    assert!(named.steps[0].call.args.get("least_m").is_none());
}

#[test]
fn one_push_begins_where_the_one_before_ends() {
    let plan = red_and_green().plan(
        &mut feedback(),
        "push the red cube forward 5 cm, then push it back 5 cm, then pull it 10 cm left",
    );
    let ends = ends(&plan);
    let expected = [[0.40, -0.1], [0.35, -0.1], [0.35, 0.0]];
    let off = ends
        .iter()
        .zip(expected)
        .map(|(a, b)| (a[0] - b[0]).hypot(a[1] - b[1]));
    assert_eq!(ends.len(), 3);
    assert!(off.fold(0.0, f64::max) < 1e-9, "{ends:?}");
}

#[test]
fn what_stands_in_the_way_of_a_push_is_moved_aside() {
    let mut scene = red_and_green();
    let task = "push the red cube towards the green cube";
    let mut planner = feedback();
    let plan = scene.plan(&mut planner, task);
    assert_eq!(plan.goals.len(), 1, "{:?}", plan.goals);
    let args = plan.steps[0].call.args.clone();
    scene.add(cube("blue_cube", 0.35, 0.0, TABLE_Z + HALF_M));
    let entities = ["blue_cube", "red_cube"];
    scene.failed("push", args, Reason::PathBlocked, &entities);
    let steps = "pick blue_cube, place_aside, push red_cube";
    check_plan(&scene, &mut planner, task, steps);
}

#[test]
fn nothing_is_put_aside_where_something_will_be_pulled_along() {
    let mut scene = red_and_green();
    let beside = cube("blue_cube", 0.35, -0.15, TABLE_Z + HALF_M);
    scene.add(beside);
    let task = "pull the red cube 20 cm to the left";
    let mut planner = feedback();
    let plan = scene.plan(&mut planner, task);
    let args = plan.steps[0].call.args.clone();
    scene.failed("pull", args, Reason::NoGraspFound, &["blue_cube"]);
    let steps = "pick blue_cube, place_aside, pull red_cube";
    let plan = check_plan(&scene, &mut planner, task, steps);
    let keeping = &plan.steps[1].call.args["keeping"];
    assert_eq!(
        keeping,
        &serde_json::json!(["at(red_cube, 0.350, 0.100, 0.060)"])
    );
}

#[test]
fn a_covered_object_is_uncovered_before_it_is_pushed() {
    let mut scene = covered();
    let task = "push the red cube forward";
    let mut planner = feedback();
    let args = scene.plan(&mut planner, task).steps[0].call.args.clone();
    scene.failed("push", args, Reason::ObjectCovered, &["blue_cube"]);
    let steps = "pick blue_cube, place_aside, push red_cube";
    check_plan(&scene, &mut planner, task, steps);
}

#[test]
fn what_cannot_be_pushed_is_pulled_to_the_same_place_and_the_reverse() {
    for (task, verbs, reason) in [
        (
            "push the red cube 10 cm back",
            ["push", "pull"],
            Reason::Unreachable,
        ),
        (
            "pull the red cube 10 cm back",
            ["pull", "push"],
            Reason::NoGraspFound,
        ),
    ] {
        let mut scene = red_and_green();
        let mut planner = feedback();
        let first = scene.plan(&mut planner, task).steps.remove(0).call;
        assert_eq!(first.skill, verbs[0]);
        scene.failed(verbs[0], first.args.clone(), reason, &[]);
        let other = format!("{} red_cube", verbs[1]);
        let plan = check_plan(&scene, &mut planner, task, &other);
        assert_eq!(plan.steps[0].call.args, first.args);
        scene.failed(verbs[1], first.args, Reason::Unreachable, &[]);
        let neither = scene.plan(&mut planner, task);
        assert!(
            !neither.achievable,
            "neither a push nor a pull can move the cube"
        );
    }
}
