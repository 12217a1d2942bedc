//! Calls for hand-made percepts and failures, as a table.

use crate::common::*;
use regrasp_api::Reason;
use regrasp_testkit::rows;
use serde_json::json;

/// Columns: percept (cubes at x, y, and levels above the table), held object, failed call with
/// reason and entities, then the task with its calls, or after `no:` the explanation. After `;`
/// follows a part of the reasoning. Stacked cubes, a full hand and an occupied place are handled
/// first.
const RECIPES: &str = "
    covered   |            |                                                     | STACK                                | pick red_cube, place_on green_cube; straight to the goal
    covered   |            |                                                     | pick the cube on the red cube        | pick blue_cube
    covered   |            |                                                     | take the cube from red_cube          | pick blue_cube
    covered   |            | pick red_cube: object_covered: blue_cube            | STACK                                | pick blue_cube, place_aside, pick red_cube, place_on green_cube; blue_cube rests on red_cube: take it off first
    covered   |            | pick red_cube: object_covered: blue_cube            | STACK and put blue_cube on red_cube  | pick blue_cube, place_aside, pick red_cube, place_on green_cube, pick blue_cube, place_on red_cube
    tower     |            | pick red_cube: object_covered: blue_cube            | STACK                                | pick white_cube, place_aside, pick blue_cube, place_aside, pick red_cube, place_on green_cube
    on green  |            |                                                     | STACK                                |
    on green  |            |                                                     | STACK; go home                       | home
    on green  | red_cube   |                                                     | pick the red cube                    |
    on green  | red_cube   |                                                     | STACK                                | place_on green_cube
    on green  | red_cube   |                                                     | hold red_cube at (0.4, 0, 0.4)       | carry_to
    two       | green_cube |                                                     | pick red_cube                        | place_aside, pick red_cube
    two       | green_cube |                                                     | put green_cube on table, then pick red_cube | place_on table, pick red_cube
    two       | green_cube |                                                     | put green_cube on red_cube and put red_cube on table | place_on red_cube
    two       |            | pick red_cube: gripper_occupied: green_cube         | pick red_cube                        | place_aside, pick red_cube
    two       | red_cube   | place_on green_cube: gripper_empty:                 | STACK                                | pick red_cube, place_on green_cube
    blue over | red_cube   | place_on green_cube: target_occupied: blue_cube     | STACK                                | place_aside, pick blue_cube, place_aside, pick red_cube, place_on green_cube
    blue near | red_cube   | place_on green_cube: target_occupied: blue_cube     | STACK                                | place_aside, pick blue_cube, place_aside, pick red_cube, place_on green_cube
    blue left | red_cube   | place_beside green_cube left: target_occupied: blue_cube | put red_cube left of green_cube | place_aside, pick blue_cube, place_aside, pick red_cube, place_beside green_cube
    two       | red_cube   | place_on green_cube: path_blocked: green_cube red_cube | STACK                             | place_on green_cube
    beside    |            |                                                     | put red_cube left of green_cube      |
    beside    |            |                                                     | put red_cube right of green_cube     | pick red_cube, place_beside green_cube
    far       |            |                                                     | pick up the red cube                 | pick red_cube
    far       |            | pick red_cube: unreachable: red_cube                | pick up the red cube                 | no: pick failed: unreachable - as measured; no skill could bring it nearer
    two       |            | pick teapot: object_not_found: red_cube green_cube  | pick the teapot                      | no: object_not_found; as measured
    teapot    |            | pick teapot: object_not_found: red_cube green_cube  | pick the teapot                      | pick teapot
";

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
    }
}
