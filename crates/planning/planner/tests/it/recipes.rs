//! Calls for hand-made percepts and failures, as a table.

use crate::common::*;
use regrasp_api::{Reason, SkillCall};
use regrasp_relations::footprints_overlap;
use regrasp_testkit::rows;
use serde_json::json;

/// By what is seen (cubes at x, y and levels above the table), what is in the hand, and what failed for
/// which reason because of what: the task, and its calls, or after `no:` what is explained. Behind `;` stands
/// a part of why. A cube on another, a hand that is full, a place that is taken: each is dealt with first.
const RECIPES: &str = "
    covered   |            |                                                     | STACK                                | pick red_cube, place_on green_cube; straight to the goal
    covered   |            |                                                     | pick the cube on the red cube        | pick blue_cube
    covered   |            |                                                     | take the cube from red_cube          | pick blue_cube
    covered   |            | pick red_cube: object_covered: blue_cube            | STACK                                | pick blue_cube, place_at, pick red_cube, place_on green_cube; blue_cube rests on red_cube: take it off first
    covered   |            | pick red_cube: object_covered: blue_cube            | STACK and put blue_cube on red_cube  | pick blue_cube, place_at, pick red_cube, place_on green_cube, pick blue_cube, place_on red_cube
    tower     |            | pick red_cube: object_covered: blue_cube            | STACK                                | pick white_cube, place_at, pick blue_cube, place_at, pick red_cube, place_on green_cube
    on green  |            |                                                     | STACK                                |
    on green  |            |                                                     | STACK; go home                       | home
    on green  | red_cube   |                                                     | pick the red cube                    |
    on green  | red_cube   |                                                     | STACK                                | place_on green_cube
    on green  | red_cube   |                                                     | hold red_cube at (0.4, 0, 0.4)       | carry_to
    two       | green_cube |                                                     | pick red_cube                        | place_at, pick red_cube
    two       | green_cube |                                                     | put green_cube on table, then pick red_cube | place_on table, pick red_cube
    two       | green_cube |                                                     | put green_cube on red_cube and put red_cube on table | place_on red_cube
    two       |            | pick red_cube: gripper_occupied: green_cube         | pick red_cube                        | place_at, pick red_cube
    two       | red_cube   | place_on green_cube: gripper_empty:                 | STACK                                | pick red_cube, place_on green_cube
    blue over | red_cube   | place_on green_cube: target_occupied: blue_cube     | STACK                                | place_at, pick blue_cube, place_at, pick red_cube, place_on green_cube
    blue near | red_cube   | place_on green_cube: target_occupied: blue_cube     | STACK                                | place_at, pick blue_cube, place_at, pick red_cube, place_on green_cube
    blue left | red_cube   | place_beside green_cube left: target_occupied: blue_cube | put red_cube left of green_cube | place_at, pick blue_cube, place_at, pick red_cube, place_beside green_cube
    two       | red_cube   | place_on green_cube: path_blocked: green_cube red_cube | STACK                             | place_on green_cube
    beside    |            |                                                     | put red_cube left of green_cube      |
    beside    |            |                                                     | put red_cube right of green_cube     | pick red_cube, place_beside green_cube
    far       |            |                                                     | pick up the red cube                 | pick red_cube
    far       |            | pick red_cube: unreachable: red_cube                | pick up the red cube                 | no: pick failed: unreachable - as measured; no skill could bring it nearer
    two       |            | pick teapot: object_not_found: red_cube green_cube  | pick the teapot                      | no: object_not_found; as measured
    teapot    |            | pick teapot: object_not_found: red_cube green_cube  | pick the teapot                      | pick teapot
";

/// The things that are seen, by the names in the table.
fn seen(name: &str) -> Scene {
    let green = ("green_cube", 0.35, 0.1, 0);
    let with = |cubes: &[_]| Scene::new(&[&[green], cubes].concat());
    match name {
        "two" => red_and_green(),
        "covered" => covered(),
        "tower" => with(&[
            ("red_cube", 0.35, -0.1, 0),
            ("blue_cube", 0.35, -0.1, 1),
            ("white_cube", 0.35, -0.1, 2),
        ]),
        "on green" => with(&[("red_cube", 0.35, 0.1, 1)]),
        "blue over" => with(&[("red_cube", 0.35, -0.1, 0), ("blue_cube", 0.35, 0.1, 1)]),
        "blue near" => with(&[("red_cube", 0.35, -0.1, 0), ("blue_cube", 0.38, 0.1, 0)]),
        "blue left" => with(&[("red_cube", 0.35, -0.1, 0), ("blue_cube", 0.35, 0.17, 0)]),
        "beside" => with(&[("red_cube", 0.35, 0.17, 0)]),
        "far" => Scene::new(&[("red_cube", 1.2, 0.0, 0)]),
        "teapot" => with(&[("red_cube", 0.35, -0.1, 0), ("teapot", 0.3, 0.3, 0)]),
        other => panic!("no such scene: {other}"),
    }
}

#[test]
fn calls_follow_from_what_is_seen_held_and_failed() {
    for [name, held, failed, task, expected] in rows(RECIPES) {
        let mut scene = seen(&name);
        if !held.is_empty() {
            scene.hold(&held);
        }
        if let [call, reason, entities] = failed.split(':').collect::<Vec<_>>()[..] {
            let words: Vec<&str> = call.split(' ').collect();
            let mut args = match words[0] {
                "pick" => object(words[1]),
                _ => target(words[1]),
            };
            if let Some(side) = words.get(2) {
                args["side"] = json!(side);
            }
            let entities: Vec<&str> = entities.split_whitespace().collect();
            let reason = Reason::from_slug(reason.trim());
            scene.failed(words[0], args, reason, &entities);
        }
        let task = task.replace("STACK", "put the red cube on the green cube");
        if let Some(words) = expected.strip_prefix("no: ") {
            check_infeasible(&scene, &task, &words.split("; ").collect::<Vec<_>>());
            continue;
        }
        let (calls, why) = expected.split_once("; ").unwrap_or((&expected, ""));
        let plan = scene.plan(&mut feedback(), &task);
        let got = short(&plan).join(", ");
        assert!(plan.achievable && got == calls, "{name}, {task}: {got}");
        assert!(plan.reasoning.contains(why), "{task}: {}", plan.reasoning);
        let calls: Vec<_> = plan.steps.iter().map(|step| &step.call).collect();
        check_put_aside(&scene, (!held.is_empty()).then_some(held), &calls);
    }
}

/// Things that are put aside go to spots of their own.
fn check_put_aside(scene: &Scene, mut held: Option<String>, calls: &[&SkillCall]) {
    let mut taken: Vec<[f64; 2]> = vec![];
    for call in calls {
        let number = |key: &str| call.args[key].as_f64().expect("a number");
        match call.skill.as_str() {
            "pick" => held = call.args["object"].as_str().map(str::to_owned),
            "place_at" => {
                let at = [number("x"), number("y")];
                held.take()
                    .iter()
                    .for_each(|held| check_spot(scene, held, at));
                let apart_m = |other: &[f64; 2]| (at[0] - other[0]).hypot(at[1] - other[1]);
                assert!(taken.iter().all(|other| apart_m(other) > 0.06), "{at:?}");
                taken.push(at);
            }
            _ => held = None,
        }
    }
}

/// A spot is on the table, near, within reach and free.
#[track_caller]
fn check_spot(scene: &Scene, name: &str, [x, y]: [f64; 2]) {
    let base = scene.observation.world_from_base.translation.vector;
    let from_base_m = (x - base.x).hypot(y - base.y);
    assert!(
        from_base_m < 0.8 * scene.robot.reach_m,
        "{from_base_m:.3} m from the base"
    );
    let mut there = cube(name, x, y, TABLE_Z + HALF_M);
    there.id = name.into();
    for other in &scene.percept.objects {
        if other.movable && other.id != there.id {
            let overlap = footprints_overlap(&there, other, 0.02);
            assert!(!overlap, "{name} at ({x}, {y}) would touch {}", other.id);
        }
    }
}
