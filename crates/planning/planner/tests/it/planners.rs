//! Plans for hand-made percepts and failures, one test per rule.

use crate::common::*;
use regrasp_api::{Goal, Plan, PlanRequest, Planner, PlannerError, Pose, Reason, Side, SkillCall};
use regrasp_planner::{AblatedPlanner, FeedbackLevel, Remedy, StubPlanner, remedy_for};
use regrasp_testkit::{cuboid, rows, says};
use serde_json::json;

const STACK: &str = "put the red cube on the green cube";

#[test]
fn the_stub_turns_each_command_into_its_calls() {
    let scene = red_and_green();
    let table = "
        pick up the red cube                     | pick red_cube                             | 1
        put the red cube on the green cube       | pick red_cube, place_on green_cube        | 1
        put red_cube at (0.4, 0)                 | pick red_cube, place_at                   | 1
        hold red_cube at (0.4, 0, 0.3)           | pick red_cube, carry_to                   | 2
        put red_cube on green_cube; go home      | pick red_cube, place_on green_cube, home  | 2
    ";
    for [task, steps, n_goals] in rows(table) {
        let plan = scene.plan(&mut StubPlanner, &task);
        assert_eq!(short(&plan), steps, "{task}");
        let n = plan.goals.len().to_string();
        assert_eq!(n, n_goals, "{task}: {:?}", plan.goals);
        assert!(plan.achievable);
    }
}

#[test]
fn the_stub_ignores_prior_attempts() {
    let mut scene = covered();
    let before = scene.plan(&mut StubPlanner, STACK);
    scene.pick_failed("red_cube", Reason::ObjectCovered, &["blue_cube"]);
    assert_eq!(scene.plan(&mut StubPlanner, STACK), before);
}

fn listed(goals: &[Goal]) -> String {
    let goals: Vec<_> = goals.iter().map(Goal::to_string).collect();
    goals.join(", ")
}

#[test]
fn goals_are_what_holds_in_the_end() {
    let scene = red_and_green();
    // A cube on the table is at 0.06 m: the table is at 0.04 m, and half a cube is 0.02 m.
    let table = "
        put red_cube on green_cube then go home       | on(red_cube, green_cube), home
        go home then put red_cube on green_cube       | on(red_cube, green_cube)
        put red_cube on green_cube then put it on table | on(red_cube, table)
        put red_cube at (0.4, 0)                      | at(red_cube, 0.400, 0.000, 0.060)
        hold red_cube at (0.4, 0, 0.3)                | holding(red_cube), at(red_cube, 0.400, 0.000, 0.300)
        pick red_cube then pick green_cube            | holding(green_cube)
        pick red_cube then go home                    | holding(red_cube), home
    ";
    for [task, goals] in rows(table) {
        for planner in [&mut feedback() as &mut dyn Planner, &mut StubPlanner] {
            let plan = scene.plan(planner, &task);
            assert_eq!(listed(&plan.goals), goals, "{}: {task}", planner.name());
        }
    }
    // No fact of a conjunction is left out, whichever of them holds already.
    let table = "
        goal: on(red_cube, table) and beside(red_cube, green_cube)  | on(red_cube, table), beside(red_cube, green_cube)
        goal: beside(red_cube, green_cube) and on(red_cube, table)  | beside(red_cube, green_cube), on(red_cube, table)
        goal: on(red_cube, green_cube) and not on(red_cube, table)  | on(red_cube, green_cube), not on(red_cube, table)
        goal: holding(red_cube) and on(green_cube, table)           | holding(red_cube), on(green_cube, table)
        goal: at(red_cube, 0.4, 0) and on(green_cube, table)        | at(red_cube, 0.400, 0.000, 0.060), on(green_cube, table)
    ";
    for [task, goals] in rows(table) {
        let plan = scene.planned(&task);
        assert_eq!(listed(&plan.goals), goals, "{task}");
    }
    // The feedback planner refuses a point without support; the stub keeps it as a goal.
    for task in [
        "put red_cube at (7, 7)",
        "goal: at(red_cube, 7, 7) and on(green_cube, table)",
    ] {
        check_infeasible(&scene, task, &["nothing at x=7.000 y=7.000", "red_cube"]);
        let stub = scene.plan(&mut StubPlanner, task);
        says(&listed(&stub.goals), &["at(red_cube, 7.000, 7.000)"]);
    }
    // Intermediate states are not goals at the end, but are still achieved.
    let table = "
        put red_cube on green_cube then put it on table | on(red_cube, green_cube)
        put red_cube on green_cube then take it off     | on(red_cube, green_cube)
        pick red_cube then put it on table              | holding(red_cube)
        put red_cube left of green_cube, then put green_cube left of red_cube | left_of(red_cube, green_cube)
        goal: on(red_cube, green_cube) and home then on(green_cube, red_cube) | on(red_cube, green_cube), home
    ";
    for [task, between] in rows(table) {
        let plan = scene.planned(&task);
        assert_eq!(listed(&plan.on_the_way), between, "{task}");
    }
}

#[test]
fn a_turn_is_a_goal_beside_what_holds_already() {
    let scene = red_and_green().with_lever();
    let plan = |task: &str| scene.planned(task);
    let turned = plan("turn the lever by 40 degrees and put the red cube on the table");
    let goals = ["open(green_cube, 45.73", "on(red_cube, table)"];
    says(&listed(&turned.goals), &goals);
    assert_eq!(short(&turned), "turn green_cube");
    // Each turn counts from the end of the one before. The opening for "on" is not known.
    for (task, ends) in [
        (
            "turn the lever by 20 degrees, then turn the lever by 40 degrees",
            "open(green_cube, 65.73",
        ),
        (
            "turn the lever by 40 degrees and then turn it back by 20 degrees",
            "open(green_cube, 25.73",
        ),
        (
            "turn the lever by 20 degrees, then turn it by 20 degrees",
            "open(green_cube, 45.73",
        ),
        ("switch the lever on and turn it back by 20 degrees", ""),
    ] {
        let plan = plan(task);
        assert_eq!(plan.steps.len(), 2, "{task}");
        let goals = listed(&plan.goals);
        assert!(goals.starts_with(ends), "{task}: {goals:?}");
        assert_eq!(goals.is_empty(), ends.is_empty(), "{task}: {goals:?}");
    }
    let passing = plan("turn the lever by 40 degrees, then switch it off");
    says(&listed(&passing.on_the_way), &["open(green_cube, 45.73"]);
}

#[test]
fn what_is_unclear_is_asked_before_anything_moves() {
    let scene = red_and_green();
    for task in [
        "pick up the cube",
        "put the red cube on the plate and the cube in it",
        "put the red cube beside the cube and go home",
    ] {
        let plan = scene.try_plan(&mut feedback(), task);
        let steps = plan.map(|plan| {
            let explained = plan.explanation.is_some_and(|e| e.contains("plate"));
            let is_told = plan.question.is_some() || !plan.achievable && explained;
            (plan.steps.len(), is_told)
        });
        assert!(matches!(steps, Ok((0, true)) | Err(_)), "{task}: {steps:?}");
    }
    let asked = scene.planned("pick up the cube");
    let question = asked.question.unwrap_or_default();
    says(&question, &["red_cube", "green_cube"]);
    assert_eq!(asked.unclear, Some(Reason::AmbiguousObject));
}

#[test]
fn what_nobody_sees_is_looked_for_before_anything_else() {
    let mut scene = red_and_green();
    let first = scene.planned("pick up the teapot");
    assert_eq!(short(&first), "pick teapot");
    assert!(!first.done);
    let task = "put the red cube on the teapot";
    assert!(!scene.planned(task).achievable);
    scene.skills.push(regrasp_api::SkillSpec {
        name: "look".into(),
        ..scene.skills[0].clone()
    });
    check_steps(&scene, task, "look teapot");
}

#[test]
fn a_phrase_keeps_the_object_that_it_named_first() {
    let mut scene = red_and_green();
    let mut planner = feedback();
    let task = "put the cube on the left at (0.3, -0.3)";
    let first = check_plan(&scene, &mut planner, task, "pick green_cube, place_at");
    // The green cube was moved, but not quite to its place, so that the red cube is the left one.
    scene.object_mut("green_cube").world_from_object = Pose::translation(0.3, -0.25, 0.06);
    scene.did("pick", object("green_cube"));
    let args = json!({"x": 0.3, "y": -0.3});
    scene.failed("place_at", args, Reason::PlacedOffTarget, &[]);
    let second = check_plan(&scene, &mut planner, task, "pick green_cube, place_at");
    assert_eq!(first.goals, second.goals);
}

#[test]
fn an_occupied_point_of_the_task_is_cleared() {
    let mut scene = red_and_green();
    let task = "put red_cube at (0.36, 0.11)";
    scene.hold("red_cube");
    let args = json!({"x": 0.36, "y": 0.11});
    scene.failed("place_at", args, Reason::TargetOccupied, &["green_cube"]);
    let steps = "place_aside, pick green_cube, place_aside, pick red_cube, place_at";
    let plan = check_steps(&scene, task, steps);
    assert_eq!(points(&plan), [[0.36, 0.11]]);
    assert_eq!(
        plan.steps[2].call.args["keeping"],
        json!(["at(red_cube, 0.360, 0.110, 0.060)"]),
        "the place of red_cube is kept free"
    );
}

#[test]
fn bad_luck_is_retried_twice() {
    let retried = [
        Reason::ObjectMoved,
        Reason::GraspMissed,
        Reason::GraspSlipped,
        Reason::ObjectDropped,
        Reason::TrackingError,
        Reason::PlacementUnstable,
        Reason::PlacedOffTarget,
        Reason::SkillTimeout,
        Reason::Custom("tea_cold".into()),
    ];
    for reason in retried {
        let mut scene = red_and_green();
        for _ in 0..2 {
            scene.failed("pick", object("red_cube"), reason.clone(), &["red_cube"]);
            check_steps(&scene, STACK, "pick red_cube, place_on green_cube");
        }
        scene.failed("pick", object("red_cube"), reason.clone(), &["red_cube"]);
        check_infeasible(&scene, STACK, &["occurred 3 times", reason.slug()]);
    }
}

#[test]
fn a_failure_that_leaves_everything_where_it_was_is_retried_once() {
    let mut scene = red_and_green();
    for n_alike in 1..=2 {
        check_steps(&scene, "pick red_cube", "pick red_cube");
        scene.pick_failed("red_cube", Reason::StartInCollision, &[]);
        let last = scene.attempts.last_mut().expect("an attempt was added");
        last.n_alike = n_alike;
    }
    check_infeasible(&scene, "pick red_cube", &["occurred 2 times"]);
}

#[test]
fn what_the_agent_tried_by_itself_is_not_planned_once_more() {
    let mut scene = red_and_green();
    scene.pick_failed("red_cube", Reason::GraspSlipped, &[]);
    let stronger = json!({"object": "red_cube", "force_n": 70.0});
    scene.failed("pick", stronger, Reason::GraspSlipped, &[]);
    let last = scene.attempts.last_mut().expect("an attempt was added");
    last.n_alike = 2;
    last.varied = Some(json!({"force_n": 70.0}));
    let words = ["occurred 2 times, also with force_n 70.0"];
    check_infeasible(&scene, STACK, &words);
}

#[test]
fn a_drawer_in_the_way_is_not_carried_off() {
    let mut scene = red_and_green();
    scene.add_joint(["table", "green_cube"], "slide", [0.1, 0.2]);
    let entities = ["green_cube"];
    scene.failed("pick", object("red_cube"), Reason::PathBlocked, &entities);
    let plan = scene.try_plan(&mut feedback(), "pick red_cube");
    let steps = plan.map(|plan| short(&plan)).unwrap_or_default();
    assert!(!steps.contains("pick green_cube"), "{steps}");
}

/// A scene in which an open drawer, the green cube, barred a grasp of the red one.
fn barred(pick: serde_json::Value) -> Scene {
    let mut scene = Scene::new(&[
        ("red_cube", 0.35, -0.1, 0),
        ("green_cube", 0.35, 0.1, 0),
        ("blue_cube", 0.45, 0.2, 0),
    ]);
    scene.add_joint(["table", "green_cube"], "slide", [0.18, 0.2]);
    scene.skills.extend(["open", "close"].map(spec));
    let entities = ["table", "green_cube"];
    scene.failed("pick", pick, Reason::NoGraspFound, &entities);
    scene
}

#[test]
fn an_open_drawer_in_the_way_is_closed_and_opened_again_if_it_is_to_be_open() {
    let scene = barred(object("red_cube"));
    let close = "close green_cube, pick red_cube, place_on blue_cube";
    check_steps(&scene, "put the red cube on the blue cube", close);
    let both = "goal: open(green_cube) then on(red_cube, blue_cube)";
    check_steps(&scene, both, &format!("{close}, open green_cube"));
    // The search learns the same constraint.
    let any = "goal: on(red_cube, blue_cube) and not holding(blue_cube)";
    check_steps(&scene, any, close);
    let words = ["green_cube is in the way, but the task says"];
    let only = "put the red cube on the blue cube and touch nothing else";
    check_infeasible(&scene, only, &words);
    // The drawer is not closed if the object is to be put into it.
    let into = json!({ "skill": "place_on", "target": "green_cube" });
    let scene = barred(json!({ "object": "red_cube", "then": into }));
    let steps = "pick red_cube, place_on green_cube";
    check_steps(&scene, "put the red cube on the green cube", steps);
}

#[test]
fn what_was_put_aside_is_moved_again_if_it_is_in_the_way_again() {
    let mut scene = barred(object("red_cube"));
    scene.attempts.clear();
    scene.percept.joints[0].opening = 0.0;
    let task = "open green_cube";
    let open = object("green_cube");
    for n in 1..=3 {
        let blue = ["blue_cube"];
        scene.failed("open", open.clone(), Reason::PathBlocked, &blue);
        let steps = "pick blue_cube, place_aside, open green_cube";
        let plan = scene.planned(task);
        match n {
            3 => assert!(
                !plan.achievable,
                "the same obstacle must not be moved a third time"
            ),
            _ => assert_eq!(short(&plan), steps, "{n}"),
        }
        scene.did("pick", object("blue_cube"));
        scene.did("place_aside", json!({}));
    }
    // A failure with another obstacle counts separately.
    scene.failed("open", open, Reason::PathBlocked, &["red_cube"]);
    let steps = "pick red_cube, place_aside, open green_cube";
    check_steps(&scene, task, steps);
}

#[test]
fn what_bars_the_drawer_that_it_belongs_in_is_put_aside_first() {
    let mut scene = barred(object("blue_cube"));
    scene.attempts.clear();
    scene.percept.joints[0].opening = 0.0;
    let open = object("green_cube");
    scene.failed("open", open, Reason::PathBlocked, &["red_cube"]);
    let steps = "pick red_cube, place_aside, open green_cube, pick red_cube, place_on green_cube";
    check_steps(&scene, "put the red cube on the green cube", steps);
}

#[test]
fn the_adviser_takes_over_once_and_only_if_it_may() {
    let scene = red_and_green();
    let advised = |may| {
        let inner = Box::new(Scripted(Plan::complete([] as [SkillCall; 0], "nothing")));
        AblatedPlanner::new(inner, FeedbackLevel::Remedies).handing_over(may)
    };
    let mut planner = advised(true);
    assert!(scene.plan(&mut planner, "pick red_cube").steps.is_empty());
    assert!(planner.hand_over() && !planner.hand_over());
    check_plan(&scene, &mut planner, "pick red_cube", "pick red_cube");
    let mut resumed = advised(true);
    resumed.restore(&planner.save());
    check_plan(&scene, &mut resumed, "pick red_cube", "pick red_cube");
    assert!(!advised(false).hand_over());
}

struct Scripted(Plan);

#[async_trait::async_trait]
impl Planner for Scripted {
    fn name(&self) -> &str {
        "scripted"
    }

    async fn plan(&mut self, _: &PlanRequest<'_>) -> Result<Plan, PlannerError> {
        Ok(self.0.clone())
    }
}

/// The width of a door is irrelevant, because it is gripped by its handle.
#[test]
fn a_wide_door_that_no_grasp_works_for_is_cleared_or_given_up_for_that_reason() {
    let mut scene = red_and_green().with_lever();
    scene.object_mut("green_cube").shape = cuboid([0.15; 3]);
    let (task, call) = ("turn the lever by 40 degrees", object("green_cube"));
    scene.failed("turn", call.clone(), Reason::NoGraspFound, &["red_cube"]);
    let steps = "pick red_cube, place_aside, turn green_cube";
    check_steps(&scene, task, steps);
    scene.attempts.clear();
    scene.failed("turn", call, Reason::NoGraspFound, &["table"]);
    let plan = scene.try_plan(&mut feedback(), task).expect("a plan");
    let why = plan.explanation.unwrap_or_default();
    assert!(!plan.achievable && !why.contains("wide"), "{why}");
}

#[test]
fn an_explanation_says_what_was_achieved() {
    let mut scene = red_and_green();
    scene.add(cube("blue_cube", 1.2, 0.0, 0.06));
    scene.did("pick", object("red_cube"));
    scene.did("place_on", target("green_cube"));
    scene.object_mut("red_cube").world_from_object = Pose::translation(0.35, 0.1, 0.1);
    scene.pick_failed("blue_cube", Reason::Unreachable, &["blue_cube"]);
    let task = "put red_cube on green_cube and put blue_cube on table";
    let words = ["done so far: pick red_cube, place_on green_cube"];
    check_infeasible(&scene, task, &words);
    assert_eq!(scene.planned(task).goals.len(), 2);
}

#[test]
fn the_robot_is_not_asked_for_skills_that_it_lacks() {
    let mut scene = red_and_green();
    scene.skills.retain(|skill| skill.name != "place_on");
    let none = "no skill of this robot achieves `on(red_cube, green_cube)`";
    check_infeasible(&scene, STACK, &[none, "pick, place_beside, place_at"]);
}

#[test]
fn an_object_that_is_too_wide_is_infeasible() {
    let mut scene = red_and_green();
    scene.object_mut("red_cube").shape = cuboid([0.05, 0.06, 0.02]);
    scene.pick_failed("red_cube", Reason::NoGraspFound, &[]);
    let words = ["0.100 m wide", "opens to 0.080 m"];
    check_infeasible(&scene, "pick red_cube", &words);
    let mut scene = red_and_green();
    scene.pick_failed("table", Reason::NoGraspFound, &["table"]);
    check_infeasible(&scene, "pick table", &["table is fixed"]);
}

#[test]
fn what_was_seen_before_gets_one_more_look() {
    let mut scene = red_and_green();
    let mut planner = feedback();
    scene.plan(&mut planner, "pick the red cube");
    let objects = &mut scene.percept.objects;
    objects.retain(|o| o.id.as_str() != "red_cube");
    scene.pick_failed("red_cube", Reason::ObjectNotFound, &[]);
    check_plan(&scene, &mut planner, "pick the red cube", "pick red_cube");
    scene.pick_failed("red_cube", Reason::ObjectNotFound, &[]);
    let given_up = scene.plan(&mut planner, "pick the red cube");
    assert!(!given_up.achievable);
}

#[test]
fn what_no_plan_can_mend_is_infeasible_at_once() {
    for reason in Reason::BUILT_IN {
        if remedy_for(reason) == Remedy::GiveUp {
            let mut scene = red_and_green();
            scene.failed("pick", object("red_cube"), reason.clone(), &[]);
            check_infeasible(&scene, "pick red_cube", &[reason.slug(), "as measured"]);
        }
    }
}

#[test]
fn no_failure_makes_it_panic_and_the_same_request_gives_the_same_plan() {
    let tasks = [
        STACK,
        "stack red_cube on green_cube on blue_cube; go home; pick table",
        "put red_cube on blue_cube and put green_cube on blue_cube",
        "put red_cube on green_cube and put green_cube on blue_cube",
        "hold green_cube at (0, 0, 0) then put it at (9, 9)",
    ];
    for reason in Reason::BUILT_IN {
        for task in tasks {
            for args in [
                json!(null),
                object("red_cube"),
                target("it"),
                json!({"x": 1e9, "y": "a"}),
            ] {
                let mut scene = covered();
                scene.failed("place_at", args, reason.clone(), &["blue_cube", "red_cube"]);
                let first = scene.planned(task);
                let mut names = feedback();
                assert_eq!(names.name(), "feedback");
                assert_eq!(scene.plan(&mut names, task), first);
            }
        }
    }
    let both = "put red_cube on green_cube and put green_cube on red_cube";
    let refused = covered().try_plan(&mut feedback(), both);
    let why = refused.expect_err("the two goals exclude each other");
    assert!(why.to_string().contains("same time"), "{why}");
}

#[test]
fn beside_is_a_placement_with_a_side() {
    let scene = red_and_green();
    for planner in [&mut feedback() as &mut dyn Planner, &mut StubPlanner] {
        let task = "put the red cube to the left of the green cube";
        let plan = check_plan(
            &scene,
            planner,
            task,
            "pick red_cube, place_beside green_cube",
        );
        assert_eq!(plan.steps[1].call.args["side"], "left");
        let goal = Goal::Beside {
            object: "red_cube".into(),
            target: "green_cube".into(),
            side: Some(Side::Left),
        };
        assert_eq!(plan.goals, [goal]);
    }
    let plan = scene.planned("put red_cube next to green_cube");
    assert_eq!(plan.steps[1].call.args, target("green_cube"));
}

#[test]
fn what_is_moved_away_keeps_what_holds_of_it() {
    let mut scene = Scene::new(&[
        ("red_cube", 0.35, 0.07, 0),
        ("green_cube", 0.35, -0.2, 0),
        ("blue_cube", 0.35, 0.14, 0),
    ]);
    let args = json!({"target": "red_cube", "side": "left"});
    scene.failed("place_beside", args, Reason::TargetOccupied, &["blue_cube"]);
    let task = "put the red cube right of the blue cube, then the green one left of the red cube";
    let steps = "pick blue_cube, place_aside, pick green_cube, place_beside red_cube";
    let plan = check_steps(&scene, task, steps);
    let keeping = [
        "right_of(red_cube, blue_cube)",
        "left_of(green_cube, red_cube)",
    ];
    assert_eq!(plan.steps[1].call.args["keeping"], json!(keeping));
}

#[test]
fn nothing_is_moved_aside_where_the_task_forbids_it() {
    let task = "pick up the red cube and touch nothing else";
    let mut scene = red_and_green();
    let plan = check_steps(&scene, task, "pick red_cube");
    let stays = plan.goals.iter().any(|goal| {
        matches!(goal, Goal::At { object, position, released: false, .. }
            if object.as_str() == "green_cube" && *position == [0.35, 0.1, 0.06].into())
    });
    assert!(stays, "no goal keeps green_cube in place: {:?}", plan.goals);
    scene.pick_failed("red_cube", Reason::NoGraspFound, &["green_cube"]);
    let words = [
        "green_cube is in the way",
        "touch nothing else",
        "as measured",
    ];
    check_infeasible(&scene, task, &words);
    let steps = "pick green_cube, place_aside, pick red_cube";
    check_steps(&scene, "pick up the red cube", steps);
}

#[test]
fn what_stands_in_the_way_at_its_own_place_returns_there_afterwards() {
    let on_table = |id: &str, x: f64| (id.to_owned(), x);
    let places = [on_table("red_cube", 0.4), on_table("green_cube", 0.5)];
    let tasks = [
        "put the red cube on the tray and the green cube on the tray",
        "on(red_cube, tray) and on(green_cube, tray)",
    ];
    for task in tasks {
        let cubes = places.iter().map(|(id, x)| (id.as_str(), *x, 0.0, 0));
        let mut scene = Scene::new(&cubes.collect::<Vec<_>>());
        let at = [0.4, 0.3, TABLE_Z + 0.005];
        let mut tray = cube("tray", at[0], at[1], at[2]);
        tray.shape = cuboid([0.1, 0.1, 0.005]);
        scene.add(tray);
        let mut planner = feedback();
        scene.plan(&mut planner, task);
        scene.did("pick", object("red_cube"));
        scene.did("place_on", target("tray"));
        scene.did("pick", object("green_cube"));
        let on_tray = Pose::translation(at[0], at[1], TABLE_Z + 0.01 + HALF_M);
        scene.object_mut("red_cube").world_from_object = on_tray;
        scene.hold("green_cube");
        let entities = ["red_cube", "panda_hand"];
        let tray = target("tray");
        scene.failed("place_on", tray, Reason::GoalInCollision, &entities);
        let steps = "place_aside, pick red_cube, place_aside, pick green_cube, place_on tray, \
                     pick red_cube, place_on tray";
        check_plan(&scene, &mut planner, task, steps);
    }
}
