//! Places that reach the skills unchanged, relations between them, and invalid facts.

use regrasp_api::solids::boxed;
use regrasp_api::{Fact, Goal, KnownZone, ObjectId, Percept, Plan, Reason, Shape};
use regrasp_planner::{StubPlanner, plan_for};
use regrasp_testkit as testkit;
use serde_json::{Value, json};

use super::common::*;

/// Two cubes, and a shelf: a board on two legs, with a declared zone.
fn scene() -> Scene {
    let mut scene = Scene::new(&[("red_cube", 0.4, 0.2, 0), ("blue_cube", 0.4, -0.2, 0)]);
    let parts = vec![
        boxed([0.0, 0.0, 0.21], [0.15, 0.1, 0.01], 0.0),
        boxed([0.14, 0.0, 0.1], [0.01, 0.1, 0.1], 0.0),
        boxed([-0.14, 0.0, 0.1], [0.01, 0.1, 0.1], 0.0),
    ];
    let shape = Shape::Compound { parts };
    let shelf = testkit::fixed("shelf", "shelf", shape, [0.6, 0.0, TABLE_Z]);
    scene.add(shelf);
    let known = json!({
        "object": "shelf",
        "zones": [KnownZone::new("upper_board", [0.0, 0.0, 0.25], [0.15, 0.1, 0.03])],
    });
    let known = serde_json::from_value(known).expect("plain data");
    scene.percept.known.push(known);
    scene
}

fn last(plan: &Plan) -> (String, Value) {
    let call = &plan.steps.last().expect("the plan has a call").call;
    (call.skill.clone(), call.args.clone())
}

#[test]
fn a_place_travels_as_a_place() {
    for [task, skill, args] in testkit::rows(
        r#"
        goal: on(red_cube, table.left_edge)     | place_on | {"target": "table", "zone": "left_edge"}
        goal: on(red_cube, shelf.upper_board)   | place_on | {"target": "shelf", "zone": "upper_board"}
        put the red cube between the blue cube and the shelf | place_beside | {"target": "blue_cube", "also": "shelf"}
        goal: against(red_cube, blue_cube)      | place_beside | {"target": "blue_cube", "close": true}
    "#,
    ) {
        let scene = scene();
        let wanted = (skill, serde_json::from_str(&args).expect("arguments"));
        let plan = scene.planned(&task);
        assert_eq!(last(&plan), wanted, "{task}");
        assert_eq!(plan.goals.len(), 1, "{task}");
        let stub = scene.plan(&mut StubPlanner, &task);
        assert_eq!(last(&stub), wanted, "{task}");
    }
}

#[test]
fn something_is_put_under_what_hangs_over() {
    let under = json!({"target": "shelf", "relation": "under"});
    for task in [
        "put the red cube under the shelf",
        "slide the red cube under the shelf",
        "place the red cube beneath the shelf",
        "stell den roten Würfel unter das Regal",
        "goal: under(red_cube, shelf)",
        "goal: under(red_cube, the shelf) and on(blue_cube, blue_cube.left)",
    ] {
        let scene = scene();
        let outcome = scene.try_plan(&mut feedback(), task);
        if task.contains("blue_cube.left") {
            outcome.expect_err(task);
            continue;
        }
        let plan = outcome.expect(task);
        let wanted = ("place_on".to_owned(), under.clone());
        assert_eq!(last(&plan), wanted, "{task}");
        let goals: Vec<_> = plan.goals.iter().map(Goal::to_string).collect();
        assert_eq!(goals, ["under(red_cube, shelf)"], "{task}");
    }
    for task in [
        "put the red cube under the table",
        "put the red cube under the blue cube",
        "stell den roten Würfel unter den Tisch",
    ] {
        let outcome = scene().try_plan(&mut feedback(), task);
        let error = outcome.expect_err(task).to_string();
        assert!(error.contains("there is no space under"), "{task}: {error}");
    }
}

fn as_data(fact: &str) -> Value {
    let (predicate, of) = fact.split_once('(').unwrap_or((fact, ""));
    let of = of.trim_end_matches(')').split(", ");
    let of: Vec<&str> = of.filter(|id| !id.is_empty()).collect();
    json!({ "goal": "declared", "fact": { "predicate": predicate, "of": of } })
}

/// Each invalid fact through each entry: goal notation, list of facts, rule, goal of a model or
/// program, plan data, and text.
#[test]
fn a_wrong_fact_comes_in_by_no_door() {
    let scene = scene();
    let percept: &Percept = &scene.percept;
    let request = testkit::request("", percept, &scene.observation, &scene.skills, &scene.robot);
    let notation = |text: &str| match scene.try_plan(&mut feedback(), text) {
        Err(error) => error.to_string(),
        Ok(plan) => format!("{:?}", plan.question.or(plan.explanation)),
    };
    for (fact, why) in testkit::wrong_facts(["red_cube", "blue_cube", "shelf"]) {
        let data = serde_json::from_value::<Goal>(as_data(&fact)).map(|goal| goal.to_string());
        let doors = [
            ("notation", notation(&format!("goal: {fact}"))),
            ("with others", notation(&format!("goal: home and {fact}"))),
            ("negated", notation(&format!("goal: not {fact}"))),
            ("rule", notation(&format!("goal: home; never({fact})"))),
            (
                "model",
                plan_for(&fact, &request).map_or_else(|e| e, |p| format!("{p:?}")),
            ),
            ("data", data.unwrap_or_else(|error| error.to_string())),
            (
                "fact",
                fact.parse::<Fact>().map_or_else(|e| e, |f| f.to_string()),
            ),
        ];
        for (door, said) in doors {
            // The objects of a swap are resolved as phrases first.
            let unseen = fact.starts_with("swapped") && said.contains("called `0.3`");
            assert!(said.contains(why) || unseen, "{fact} by {door}: {said}");
        }
    }
    // Names without an object.
    for fact in [
        "on(red_cube, tray)",
        "under(tray, shelf)",
        "on(red_cube, shelf.cellar)",
    ] {
        for said in [
            notation(&format!("goal: {fact}")),
            plan_for(fact, &request).map_or_else(|e| e, |p| format!("{p:?}")),
        ] {
            let named = said.contains("tray") || said.contains("no place called cellar");
            assert!(named, "{fact}: {said}");
        }
    }
    // Impossible placements in sentences.
    for (text, why) in [
        ("put the red cube on the red cube", "itself"),
        ("put the red cube under the red cube", "itself"),
        ("put the red cube against itself", "itself"),
        ("put the red cube next to the red cube", "itself"),
        ("stell den roten Würfel unter den roten Würfel", "itself"),
        ("put the shelf under the red cube", "shelf is fixed"),
    ] {
        let said = notation(text);
        assert!(said.contains(why), "{text}: {said}");
    }
}

#[test]
fn what_a_destination_was_computed_from_is_not_moved_away() {
    let task = "put the red cube 2 cm to the left of the green cube";
    let mut scene = Scene::new(&[
        ("red_cube", 0.35, -0.1, 0),
        ("green_cube", 0.45, 0.1, 0),
        ("blue_cube", 0.25, 0.16, 0),
    ]);
    let plan = check_steps(&scene, task, "pick red_cube, place_at");
    let stays = |goal: &&Goal| goal.objects() == [&ObjectId::new("green_cube")];
    let goals = &plan.goals;
    assert!(goals.iter().any(|goal| stays(&goal)), "{goals:?}");
    let args = plan.steps[1].call.args.clone();
    let blocked = |scene: &mut Scene, by: &[&str]| {
        scene.failed("place_at", args.clone(), Reason::PathBlocked, by);
    };
    // Moving only the blue cube may be enough.
    scene.hold("red_cube");
    blocked(&mut scene, &["green_cube", "blue_cube"]);
    let steps = "place_aside, pick blue_cube, place_aside, pick red_cube, place_at";
    check_steps(&scene, task, steps);
    scene.attempts.clear();
    blocked(&mut scene, &["green_cube"]);
    check_infeasible(&scene, task, &["green_cube is in the way", "destination"]);
    // The cube that carries the green one must not be moved either.
    scene.add(cube("white_cube", 0.45, 0.1, TABLE_Z + HALF_M));
    scene
        .object_mut("green_cube")
        .world_from_object
        .translation
        .z += 2.0 * HALF_M;
    scene.attempts.clear();
    blocked(&mut scene, &["white_cube"]);
    let words = ["white_cube is in the way", "carries green_cube"];
    check_infeasible(&scene, task, &words);
}

#[test]
fn a_short_move_is_not_done_before_it_is_made() {
    let mut scene = red_and_green();
    let task = "move the red cube 1 cm to the left";
    let mut planner = feedback();
    let plan = check_plan(&scene, &mut planner, task, "pick red_cube, place_at");
    let args = plan.steps[1].call.args.clone();
    scene.did("pick", object("red_cube"));
    scene.did("place_at", args);
    for (y, is_done) in [(-0.096, false), (-0.088, true)] {
        scene.object_mut("red_cube").world_from_object.translation.y = y;
        let plan = scene.plan(&mut planner, task);
        assert_eq!(plan.steps.is_empty(), is_done, "at y = {y}");
    }
}

#[test]
fn what_must_not_be_on_something_is_put_down_elsewhere() {
    let mut scene = red_and_green();
    let flat = testkit::cuboid([0.08, 0.08, 0.005]);
    let tray = testkit::thing("tray", "tray", flat, [0.5, -0.3, TABLE_Z + 0.005]);
    scene.add(tray);
    let task = "goal: not on(red_cube, table)";
    let plan = scene.planned(task);
    assert!(!plan.achievable, "the tray itself is on the table");
    scene.object_mut("tray").movable = false;
    check_steps(&scene, task, "pick red_cube, place_on tray");
    scene.object_mut("tray").movable = true;
    let task = "goal: on(red_cube, tray) then not on(red_cube, tray)";
    let steps = "pick red_cube, place_on tray, pick red_cube, place_aside";
    check_steps(&scene, task, steps);
}

/// Puts a book below cubes.
fn with_book(scene: &mut Scene, cubes: &[&str]) {
    let flat = testkit::cuboid([0.1, 0.08, 0.01]);
    let book = testkit::thing("book", "book", flat, [0.36, -0.1, TABLE_Z + 0.01]);
    scene.add(book);
    for id in cubes {
        scene.object_mut(id).world_from_object.translation.z += 0.02;
    }
}

#[test]
fn what_lies_on_a_book_is_put_back_on_the_book() {
    let mut scene = Scene::new(&[("red_cube", 0.35, -0.1, 0)]);
    with_book(&mut scene, &["red_cube"]);
    let task = "pick up the red cube and put it back";
    let mut planner = feedback();
    let plan = check_plan(&scene, &mut planner, task, "pick red_cube, place_at");
    let goals: Vec<String> = plan.goals.iter().map(Goal::to_string).collect();
    assert_eq!(
        goals,
        ["at(red_cube, 0.350, -0.100, 0.080)"],
        "the goal is the place on the book"
    );
    // The book stays where it is while the cube is in the hand.
    scene.did("pick", object("red_cube"));
    scene.hold("red_cube");
    check_plan(&scene, &mut planner, task, "place_at");
    // Two cubes on the book exchange their places there.
    let mut scene = Scene::new(&[("red_cube", 0.31, -0.1, 0), ("green_cube", 0.41, -0.1, 0)]);
    with_book(&mut scene, &["red_cube", "green_cube"]);
    let plan = scene.planned("swap the red cube and the green cube");
    let moved = short(&plan);
    assert_eq!(plan.steps.len(), 6, "{moved}");
    assert!(!moved.contains("book"), "{moved}");
}
