//! Pouring, and "in" versus "on".

use crate::common::{Scene, TABLE_Z, check_infeasible, check_steps, feedback, short, spec, target};
use regrasp_api::solids::boxed;
use regrasp_api::{Goal, PerceivedGroup, Pose, Reason, Shape};
use regrasp_planner::StubPlanner;
use regrasp_relations::{Evidence, InHand};

/// An open box, 8 cm wide and 6 cm high, on the table.
fn tub(scene: &mut Scene, id: &str, x: f64, y: f64) {
    let plank = |at, half_extents| boxed(at, half_extents, 0.0);
    let object = scene.object_mut(id);
    object.category = "tub".into();
    object.shape = Shape::compound([
        plank([0.0, 0.0, -0.028], [0.04, 0.04, 0.002]),
        plank([0.038, 0.0, 0.0], [0.002, 0.04, 0.03]),
        plank([-0.038, 0.0, 0.0], [0.002, 0.04, 0.03]),
        plank([0.0, 0.038, 0.0], [0.04, 0.002, 0.03]),
        plank([0.0, -0.038, 0.0], [0.04, 0.002, 0.03]),
    ]);
    object.world_from_object = Pose::translation(x, y, TABLE_Z + 0.03);
}

/// Peas in the red tub, and a green tub beside it.
fn peas_in(x: f64, y: f64) -> Scene {
    let mut scene = Scene::new(&[
        ("red_tub", 0.35, -0.1, 0),
        ("green_tub", 0.35, 0.1, 0),
        ("blue_cube", 0.5, 0.0, 0),
    ]);
    tub(&mut scene, "red_tub", 0.35, -0.1);
    tub(&mut scene, "green_tub", 0.35, 0.1);
    scene.skills.push(spec("pour"));
    scene.percept.groups = vec![PerceivedGroup {
        id: "peas".into(),
        category: "beads".into(),
        color: Some("green".into()),
        radius_m: 0.005,
        positions: (0..10)
            .map(|i| [x, y + 0.001 * f64::from(i), TABLE_Z + 0.01])
            .collect(),
    }];
    scene
}

const POUR: &str = "pour the peas into the green tub";
const INTO: &str = "put the blue cube in the green tub";

#[test]
fn to_pour_the_peas_is_to_pour_what_they_are_in() {
    let scene = peas_in(0.35, -0.1);
    let feedback = scene.planned(POUR);
    let stub = scene.plan(&mut StubPlanner, "pour the red tub into the green tub");
    for plan in [feedback, stub] {
        assert_eq!(short(&plan), "pick red_tub, pour green_tub");
        let goal = Goal::Poured {
            object: "red_tub".into(),
            target: "green_tub".into(),
            at_least: 0.8,
        };
        assert_eq!(plan.goals, std::slice::from_ref(&goal));
        assert!(!is_met(&scene, &goal), "the peas are still in the red tub");
    }
}

#[test]
fn what_was_poured_is_not_poured_again_and_the_tub_goes_on() {
    let mut scene = peas_in(0.35, 0.1);
    let task = "pour the red tub into the green tub, then put the red tub on the table";
    scene.hold("red_tub");
    let plan = check_steps(&scene, task, "place_on table");
    assert_eq!(plan.goals.len(), 2, "the pouring must stay a goal");
}

#[test]
fn with_something_else_in_the_hand_that_is_put_down_first() {
    let mut scene = peas_in(0.35, -0.1);
    scene.hold("blue_cube");
    check_steps(&scene, POUR, "place_aside, pick red_tub, pour green_tub");
}

#[test]
fn a_spill_and_an_empty_tub_leave_nothing_to_try() {
    for reason in [Reason::Spilled, Reason::NothingToPour] {
        let mut scene = peas_in(0.6, 0.3);
        scene.hold("red_tub");
        scene.failed("pour", target("green_tub"), reason.clone(), &[]);
        let task = "pour the red tub into the green tub";
        check_infeasible(&scene, task, &[reason.slug()]);
    }
}

#[test]
fn in_is_inside_what_is_hollow_and_on_what_is_flat() {
    let scene = peas_in(0.35, -0.1);
    let goals = |task: &str| scene.planned(task).goals;
    let inside = Goal::In {
        object: "blue_cube".into(),
        target: "green_tub".into(),
    };
    let on = Goal::On {
        object: "blue_cube".into(),
        target: "green_tub".into(),
    };
    let on_tub = goals("put the blue cube on the green tub");
    assert_eq!(goals(INTO), std::slice::from_ref(&inside));
    assert_eq!(on_tub, std::slice::from_ref(&on));
    // A table has no inside, so nothing moves.
    let task = "put the blue cube in the table";
    let refused = scene.try_plan(&mut feedback(), task);
    let why = refused.expect_err("a table has no inside").to_string();
    assert!(why.contains("table is not a container"), "{why}");

    let mut scene = scene;
    let at = |scene: &mut Scene, y: f64, z: f64| {
        scene.object_mut("blue_cube").world_from_object = Pose::translation(0.35, y, z);
    };
    at(&mut scene, 0.1, TABLE_Z + 0.004 + 0.02);
    assert!(is_met(&scene, &inside) && is_met(&scene, &on));
    let plan = scene.planned(INTO);
    assert!(plan.steps.is_empty(), "the cube is in the tub already");
    at(&mut scene, 0.138, TABLE_Z + 0.06 + 0.02);
    assert!(is_met(&scene, &on), "a cube on the rim is on the tub");
    assert!(
        !is_met(&scene, &inside),
        "a cube on the rim is not in the tub"
    );
}

fn is_met(scene: &Scene, goal: &Goal) -> bool {
    let evidence = Evidence {
        percept: &scene.percept,
        observation: &scene.observation,
        hand: &InHand::as_found(None),
        moving: &[],
        robot: &scene.robot,
    };
    evidence.judge(goal).is_met()
}
