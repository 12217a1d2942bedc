//! Calls for hand-made percepts and failures, as a table.

use crate::common::*;
use crate::pushing::with_plate;
use crate::search::two_cubes_and_a_blocker;
use regrasp_api::Reason;
use regrasp_testkit::rows;

/// Columns: percept (cubes at x, y, and levels above the table), what happened so far, then the
/// task with its calls, or after `no:` the explanation, or after `asked:` the reason. After `;`
/// follows a part of the reasoning. A line with `#` says what the rows below it show. The rows
/// above the first such line show that stacked cubes, a full hand and an occupied place are handled
/// first.
const RECIPES: &str = "
    covered   |                                                                | STACK                                                 | pick red_cube, place_on green_cube; straight to the goal
    covered   |                                                                | pick the cube on the red cube                         | pick blue_cube
    covered   |                                                                | take the cube from red_cube                           | pick blue_cube
    covered   | pick red_cube: object_covered: blue_cube                       | STACK                                                 | pick blue_cube, place_aside, pick red_cube, place_on green_cube; blue_cube rests on red_cube: take it off first
    covered   | pick red_cube: object_covered: blue_cube                       | STACK and put blue_cube on red_cube                   | pick blue_cube, place_aside, pick red_cube, place_on green_cube, pick blue_cube, place_on red_cube
    tower     | pick red_cube: object_covered: blue_cube                       | STACK                                                 | pick white_cube, place_aside, pick blue_cube, place_aside, pick red_cube, place_on green_cube
    on green  |                                                                | STACK                                                 |
    on green  |                                                                | STACK; go home                                        | home
    on green  | hold red_cube                                                  | pick the red cube                                     |
    on green  | hold red_cube                                                  | STACK                                                 | place_on green_cube
    on green  | hold red_cube                                                  | hold red_cube at (0.4, 0, 0.4)                        | carry_to
    two       | hold green_cube                                                | pick red_cube                                         | place_aside, pick red_cube
    two       | hold green_cube                                                | put green_cube on table, then pick red_cube           | place_on table, pick red_cube
    two       | hold green_cube                                                | put green_cube on red_cube and put red_cube on table  | place_on red_cube
    two       | pick red_cube: gripper_occupied: green_cube                    | pick red_cube                                         | place_aside, pick red_cube
    two       | hold red_cube; place_on green_cube: gripper_empty:             | STACK                                                 | pick red_cube, place_on green_cube
    blue over | hold red_cube; place_on green_cube: target_occupied: blue_cube | STACK                                                 | place_aside, pick blue_cube, place_aside, pick red_cube, place_on green_cube
    blue near | hold red_cube; place_on green_cube: target_occupied: blue_cube | STACK                                                 | place_aside, pick blue_cube, place_aside, pick red_cube, place_on green_cube
    blue left | hold red_cube; place_beside green_cube left: target_occupied: blue_cube | put red_cube left of green_cube                       | place_aside, pick blue_cube, place_aside, pick red_cube, place_beside green_cube
    two       | hold red_cube; place_on green_cube: path_blocked: green_cube red_cube | STACK                                                 | place_on green_cube
    beside    |                                                                | put red_cube left of green_cube                       |
    beside    |                                                                | put red_cube right of green_cube                      | pick red_cube, place_beside green_cube
    far       |                                                                | pick up the red cube                                  | pick red_cube
    far       | pick red_cube: unreachable: red_cube                           | pick up the red cube                                  | no: pick failed: unreachable - as measured; no skill could bring it nearer
    two       | pick teapot: object_not_found: red_cube green_cube             | pick the teapot                                       | no: object_not_found; as measured
    teapot    | pick teapot: object_not_found: red_cube green_cube             | pick the teapot                                       | pick teapot
    # A cover that only leans on the object is believed if the skill named it.
    covered   | blue_cube at 0.38 -0.1 0.115; pick red_cube: object_covered: blue_cube | pick red_cube                                         | pick blue_cube, place_aside, pick red_cube
    # Without a place out of the way, the plan is tried twice more.
    covered   | hold blue_cube; place_aside: target_occupied: red_cube         | STACK                                                 | place_aside, pick red_cube, place_on green_cube
    covered   | hold blue_cube; place_aside: target_occupied: red_cube; place_aside: target_occupied: red_cube | STACK                                                 | place_aside, pick red_cube, place_on green_cube
    covered   | hold blue_cube; place_aside: target_occupied: red_cube; place_aside: target_occupied: red_cube; place_aside: target_occupied: red_cube | STACK                                                 | no: place_aside failed; as measured; 3 times
    # The words of the task decide between several objects.
    two       | pick cube: ambiguous_object: red_cube green_cube               | pick up the cube, the red one                         | pick red_cube
    two       | pick cube: ambiguous_object: red_cube green_cube               | pick up the cube on the right                         | pick red_cube
    two       | pick cube: ambiguous_object: red_cube green_cube               | pick up the red cube                                  | pick red_cube
    two       | pick cube: ambiguous_object: red_cube green_cube               | pick up the cube                                      | asked: ambiguous_object
    # An object on the point itself is moved away, unless a height is asked for.
    two       |                                                                | put red_cube at (0.35, 0.1)                           | pick green_cube, place_aside, pick red_cube, place_at
    two       |                                                                | put the red cube where the green cube is              | pick green_cube, place_aside, pick red_cube, place_at
    two       |                                                                | put red_cube at (0.35, 0.1, 0.1)                      | pick red_cube, place_at
    # A goal that was missed is planned for again.
    two       | pick red_cube; place_on green_cube; : verification_failed: red_cube green_cube | STACK                                                 | pick red_cube, place_on green_cube
    # A movable blocker is moved aside, and again if it is in the way again.
    two       | pick red_cube: path_blocked: OTHERS                            | pick red_cube                                         | pick green_cube, place_aside, pick red_cube
    two       | pick red_cube: path_blocked: OTHERS; AWAY; pick red_cube: path_blocked: OTHERS | pick red_cube                                         | pick green_cube, place_aside, pick red_cube
    two       | pick red_cube: goal_in_collision: OTHERS                       | pick red_cube                                         | pick green_cube, place_aside, pick red_cube
    two       | pick red_cube: goal_in_collision: OTHERS; AWAY; pick red_cube: goal_in_collision: OTHERS | pick red_cube                                         | pick green_cube, place_aside, pick red_cube
    two       | pick red_cube: no_grasp_found: OTHERS                          | pick red_cube                                         | pick green_cube, place_aside, pick red_cube
    two       | pick red_cube: no_grasp_found: OTHERS; AWAY; pick red_cube: no_grasp_found: OTHERS | pick red_cube                                         | pick green_cube, place_aside, pick red_cube
    # A step on the way is done once.
    two       |                                                                | put red_cube on green_cube then put it at (0.2, 0)    | pick red_cube, place_on green_cube, pick red_cube, place_at
    two       | pick red_cube; place_on green_cube; red_cube at 0.35 0.1 0.1; pick red_cube: grasp_missed: | put red_cube on green_cube then put it at (0.2, 0)    | pick red_cube, place_at
    # A turn is made once, although perception cannot tell a relative turn.
    lever     |                                                                | turn the lever by 40 degrees                          | turn green_cube
    lever     |                                                                | turn the lever by 40 degrees and pick up the red cube | turn green_cube, pick red_cube
    # A search pushes what cannot be gripped, and nothing else.
    plate     | | goal: right_of(red_cube, green_cube) or left_of(red_cube, green_cube) | push red_cube
    flat      | | goal: right_of(red_cube, green_cube) or left_of(red_cube, green_cube) | pick red_cube, place_beside green_cube
    # An object out of the way comes back.
    close     | | aside(green_cube) then on(red_cube, blue_cube) then at(green_cube, here) | pick green_cube, place_aside, pick red_cube, place_on blue_cube, pick green_cube, place_at
    # Nothing is pushed up onto something.
    plate     | | STACK | no: 0.140 m wide
    # A neighbour in the way goes to its own place first.
    three     | pick red_cube: no_grasp_found: green_cube | put the red cube left of the blue cube and put the green cube right of the blue cube | pick green_cube, place_beside blue_cube, pick red_cube, place_beside blue_cube
";

fn seen(name: &str) -> Scene {
    let green = ("green_cube", 0.35, 0.1, 0);
    let with = |cubes: &[_]| Scene::new(&[&[green], cubes].concat());
    match name {
        "two" => red_and_green(),
        "three" => Scene::new(&[
            ("red_cube", 0.35, -0.1, 0),
            ("green_cube", 0.35, 0.0, 0),
            ("blue_cube", 0.35, 0.3, 0),
        ]),
        "close" => two_cubes_and_a_blocker(),
        "lever" => red_and_green().with_lever(),
        "plate" => with_plate(),
        "flat" => Scene {
            attempts: vec![],
            ..with_plate()
        },
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
    let recipes = RECIPES.lines().filter(|line| !line.contains('#'));
    let recipes = recipes.collect::<Vec<_>>().join("\n");
    for [name, history, task, expected] in rows(&recipes) {
        let mut scene = seen(&name);
        let away = "pick green_cube; place_aside; green_cube at 0.35 0.3 0.06";
        let history = history.replace("OTHERS", "green_cube table panda_link5");
        let history = history.replace("AWAY", away);
        let events = history.split(';').map(str::trim);
        for event in events.filter(|event| !event.is_empty()) {
            scene.happens(event);
        }
        let task = task.replace("STACK", "put the red cube on the green cube");
        if let Some(words) = expected.strip_prefix("no: ") {
            check_infeasible(&scene, &task, &words.split("; ").collect::<Vec<_>>());
            continue;
        }
        if let Some(reason) = expected.strip_prefix("asked: ") {
            let unclear = scene.planned(&task).unclear;
            assert_eq!(unclear, Some(Reason::from_slug(reason)), "{name}, {task}");
            continue;
        }
        let (calls, why) = expected.split_once("; ").unwrap_or((&expected, ""));
        let plan = scene.planned(&task);
        let got = short(&plan);
        assert!(plan.achievable && got == calls, "{name}, {task}: {got}");
        assert!(plan.reasoning.contains(why), "{task}: {}", plan.reasoning);
    }
}
