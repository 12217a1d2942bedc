//! Goals with an open order: solutions are correct and as short as possible.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a panic is how a test fails"
)]

use std::collections::{BTreeMap, HashSet, VecDeque};

use crate::common::*;
use crate::puzzles::{Towers, drawn, goal_of, hanoi, names, slab, stacked};
use regrasp_api::{HandUse, Kind, Literal, Operator, Plan, Pose, Reason, SkillSpec};
use regrasp_testkit::{near, says};
use serde_json::json;

#[test]
fn towers_of_hanoi_take_the_fewest_moves_there_are() {
    for n in [2, 3, 4] {
        let (scene, goal) = hanoi(n);
        let plan = scene.planned(&goal);
        assert!(plan.achievable, "{:?}", plan.explanation);
        assert_eq!(
            plan.steps.len(),
            2 * ((1 << n) - 1),
            "{n}: {}",
            plan.reasoning
        );
    }
}

/// Fewest moves by breadth-first search over whole configurations, independent of the planner.
fn fewest_moves(start: &Towers, goal: &Towers) -> usize {
    let sorted = |towers: &Towers| {
        let mut towers: Towers = towers.iter().filter(|t| !t.is_empty()).cloned().collect();
        towers.sort();
        towers
    };
    let goal = sorted(goal);
    let mut seen = HashSet::from([sorted(start)]);
    let mut queue = VecDeque::from([(sorted(start), 0)]);
    while let Some((towers, n)) = queue.pop_front() {
        if towers == goal {
            return n;
        }
        for from in 0..towers.len() {
            for to in 0..=towers.len() {
                let mut next = towers.clone();
                next.push(vec![]);
                let Some(block) = next[from].pop() else {
                    continue;
                };
                next[to].push(block);
                let next = sorted(&next);
                if seen.insert(next.clone()) {
                    queue.push_back((next, n + 1));
                }
            }
        }
    }
    panic!("every configuration can be reached");
}

#[test]
fn blocks_are_restacked_with_the_fewest_moves_there_are() {
    for n in [3, 4, 5] {
        for seed in 1..=8 {
            let (start, goal) = (drawn(n, seed), drawn(n, seed + 100));
            let plan = stacked(&start).planned(&goal_of(&goal));
            assert!(plan.achievable, "{:?}", plan.explanation);
            let fewest = fewest_moves(&start, &goal);
            assert_eq!(
                plan.steps.len(),
                2 * fewest,
                "{start:?} -> {goal:?}: {:?}",
                short(&plan)
            );
        }
    }
}

/// Executes a plan symbolically, and returns the support of each object after it.
fn carried_out(scene: &Scene, plan: &Plan) -> BTreeMap<String, String> {
    let mut on: BTreeMap<String, String> = BTreeMap::new();
    for object in scene.percept.objects.iter().filter(|o| o.movable) {
        let below = scene.percept.objects.iter();
        let mut below = below.filter(|b| regrasp_relations::is_supported_by(object, b));
        let below = below
            .next()
            .map_or("table".to_owned(), |b| b.id.to_string());
        on.insert(object.id.to_string(), below);
    }
    let mut held: Option<String> = None;
    for step in &plan.steps {
        let text = |key: &str| step.call.args.get(key).and_then(|v| v.as_str());
        match step.call.skill.as_str() {
            "pick" => {
                let object = text("object").unwrap().to_owned();
                assert!(
                    held.is_none(),
                    "{object} is picked with {held:?} in the hand"
                );
                assert!(on.values().all(|b| *b != object), "{object} is covered");
                on.remove(&object);
                held = Some(object);
            }
            "place_on" => {
                let target = text("target").unwrap().to_owned();
                let is_free = target == "table" || on.values().all(|b| *b != target);
                assert!(is_free, "{target} is not free");
                on.insert(held.take().unwrap(), target);
            }
            "place_at" | "place_aside" => {
                on.insert(held.take().unwrap(), "table".to_owned());
            }
            other => panic!("{other}"),
        }
    }
    on
}

#[test]
fn eight_blocks_come_to_be_as_they_should() {
    for seed in 1..=6 {
        let (start, goal) = (drawn(8, seed), drawn(8, seed + 100));
        let scene = stacked(&start);
        let plan = scene.planned(&goal_of(&goal));
        assert!(plan.achievable, "{:?}", plan.explanation);
        let on = carried_out(&scene, &plan);
        for tower in &goal {
            let below = [None].into_iter().chain(tower.iter().map(Some));
            for (block, below) in tower.iter().zip(below) {
                let below = below.map_or("table", |b| names()[*b]);
                assert_eq!(on[names()[*block]], below, "{start:?} -> {goal:?}");
            }
        }
    }
}

pub(crate) fn two_cubes_and_a_blocker() -> Scene {
    Scene::new(&[
        ("red_cube", 0.4, 0.0, 0),
        ("green_cube", 0.4, 0.05, 0),
        ("blue_cube", 0.5, -0.25, 0),
    ])
}

#[test]
fn what_was_in_the_way_is_put_back() {
    let mut scene = two_cubes_and_a_blocker();
    let mut planner = feedback();
    let goal = "on(red_cube, blue_cube) and at(green_cube, here)";
    check_plan(
        &scene,
        &mut planner,
        goal,
        "pick red_cube, place_on blue_cube",
    );
    scene.pick_failed("red_cube", Reason::PathBlocked, &["green_cube"]);
    let expected = "pick green_cube, place_aside, pick red_cube, place_on blue_cube, \
                    pick green_cube, place_at";
    let mended = check_plan(&scene, &mut planner, goal, expected);
    let [x, y] = crate::common::points(&mended)[0];
    near("x", x, 0.4, 1e-6);
    near("y", y, 0.05, 1e-6);
}

#[test]
fn of_several_ways_the_one_that_is_left_is_taken() {
    let mut scene = two_cubes_and_a_blocker();
    let mut planner = feedback();
    let goal = "on(red_cube, blue_cube) or on(green_cube, blue_cube)";
    let first = scene.plan(&mut planner, goal);
    let is_red = short(&first).starts_with("pick red_cube");
    let other = if is_red { "green_cube" } else { "red_cube" };
    let taken = first.steps[0].call.args.clone();
    scene.failed("pick", taken, Reason::Unreachable, &[]);
    let second = scene.plan(&mut planner, goal);
    let calls = short(&second);
    assert!(calls.starts_with(&format!("pick {other}, ")), "{calls}");
    scene.failed("pick", object(other), Reason::Unreachable, &[]);
    let none = scene.plan(&mut planner, goal);
    assert!(!none.achievable);
    let why = none.explanation.unwrap();
    says(&why, &["impossible", "unreachable"]);
}

/// A rule that nothing monitors could be violated unnoticed, even if the goal holds already.
#[test]
fn a_rule_that_nothing_knows_is_refused() {
    for goal in ["on(red_cube, table)", "on(red_cube, green_cube)"] {
        let rule = "never(inside(green_cube, table))";
        let task = format!("{goal}; {rule}");
        check_infeasible(&red_and_green(), &task, &[rule, "cannot be monitored"]);
    }
}

#[test]
fn a_place_that_is_forbidden_but_not_judged_is_refused() {
    let task = "goal: on(red_cube, table) and not beside(red_cube, green_cube)";
    let words = ["`not beside(red_cube, green_cube)` cannot be judged"];
    check_infeasible(&red_and_green(), task, &words);
}

#[test]
fn what_must_never_be_held_is_not_picked_up() {
    let task = "on(red_cube, green_cube); never(holding(red_cube))";
    let rule = "the task says never to pick it up (red_cube)";
    check_infeasible(&red_and_green(), task, &["impossible", rule]);
    // A rule that prevents nothing is not blamed.
    let task = format!("{task}; never(holding(green_cube))");
    check_infeasible(&red_and_green(), &task, &[&format!("but {rule}")]);
}

#[test]
fn what_is_in_place_at_each_stage_is_not_done_again() {
    let mut scene = two_cubes_and_a_blocker();
    let goal = "on(red_cube, blue_cube) then on(red_cube, green_cube)";
    let mut planner = feedback();
    let whole = format!("{goal} ; never(on(blue_cube, red_cube))");
    let expected = "pick red_cube, place_on blue_cube, pick red_cube, place_on green_cube";
    check_plan(&scene, &mut planner, &whole, expected);
    scene.did("pick", object("red_cube"));
    scene.did("place_on", target("blue_cube"));
    scene.object_mut("red_cube").world_from_object =
        Pose::translation(0.5, -0.25, TABLE_Z + 3.0 * HALF_M);
    scene.pick_failed("red_cube", Reason::GraspSlipped, &[]);
    check_plan(
        &scene,
        &mut planner,
        goal,
        "pick red_cube, place_on green_cube",
    );
}

/// The plan claims the alternative that holds, in whichever order they are named.
#[test]
fn of_a_choice_what_holds_already_is_claimed() {
    let [first, second] = ["on(red_cube, green_cube)", "on(red_cube, table)"];
    for goal in [
        format!("{first} or {second}"),
        format!("{second} or {first}"),
    ] {
        let plan = red_and_green().planned(&goal);
        assert!(plan.steps.is_empty(), "{goal}: {:?}", short(&plan));
        let claimed: Vec<_> = plan.goals.iter().map(ToString::to_string).collect();
        assert_eq!(claimed, [second], "{goal}");
    }
}

/// The goals of an alternative share one place, too; the alternative of one call is preferred.
#[test]
fn several_goals_about_one_object_are_met_at_one_place() {
    let mut scene = two_cubes_and_a_blocker();
    let tray = slab("tray", 0.12, 0.6, 0.2, TABLE_Z);
    scene.add(tray);
    let both = "left_of(red_cube, blue_cube) and on(red_cube, tray)";
    let either = "(behind(red_cube, tray) and left_of(red_cube, blue_cube)) or home";
    for (goal, skill, meeting) in [
        (both, "place_on", "left_of(red_cube, blue_cube)"),
        (either, "home", ""),
    ] {
        let plan = scene.planned(goal);
        let last = &plan.steps.last().expect(goal).call;
        assert_eq!(last.skill, skill, "{goal}: {:?}", short(&plan));
        let met = last.args.get("meeting");
        let met = met.map_or("", |met| met[0].as_str().unwrap());
        assert_eq!(met, meeting, "{goal}");
        let n_places = short(&plan).matches("place").count();
        assert!(n_places <= 1, "{goal}: {:?}", short(&plan));
    }
}

#[test]
fn two_things_change_places() {
    let scene = two_cubes_and_a_blocker();
    let plan = scene.planned("swap the red cube and the blue cube");
    assert_eq!(plan.steps.len(), 6, "{:?}", short(&plan));
}

#[test]
fn a_phrase_stands_for_all_or_any_of_its_things() {
    let mut scene = two_cubes_and_a_blocker();
    let tray = slab("tray", 0.12, 0.6, 0.2, TABLE_Z);
    scene.add(tray);
    let all = scene.planned("on(all cubes, tray)");
    let n_on = short(&all).matches("place_on tray").count();
    assert_eq!(n_on, 3, "{:?}", short(&all));
    let any = scene.planned("on(any cube, tray)");
    assert_eq!(any.steps.len(), 2, "{:?}", short(&any));
}

/// Operator of a skill that the planner does not know.
const POLISH: Operator = Operator {
    parameters: &[("object", Kind::Movable)],
    needs: &[
        Literal::so("hand_empty", &[]),
        Literal::so("clear", &["object"]),
    ],
    brings: &[Literal::so("shiny", &["object"])],
};

fn polish() -> SkillSpec {
    SkillSpec {
        args_schema: json!({"properties": {"object": {"type": "string"}}}),
        operators: &[POLISH],
        ..regrasp_testkit::skill_spec("polish", HandUse::Empty)
    }
}

#[test]
fn a_new_skill_is_used_by_its_declaration_alone() {
    let mut scene = Scene::new(&[("red_cube", 0.4, 0.0, 0), ("green_cube", 0.4, 0.0, 1)]);
    let refused = scene.planned("shiny(red_cube)");
    assert!(!refused.achievable);
    says(&refused.explanation.unwrap(), &["no skill"]);
    scene.skills.push(polish());
    let plan = scene.planned("shiny(red_cube)");
    assert_eq!(
        short(&plan),
        "pick green_cube, place_aside, polish red_cube"
    );
}

#[test]
fn what_nothing_takes_up_is_pushed_out_of_the_way() {
    let mut scene = two_cubes_and_a_blocker();
    let mut planner = feedback();
    let goal = "aside(green_cube) then on(red_cube, blue_cube)";
    let gripped = short(&scene.plan(&mut planner, goal));
    assert!(
        gripped.starts_with("pick green_cube, place_aside"),
        "{gripped}"
    );
    scene.pick_failed("green_cube", Reason::NoGraspFound, &[]);
    let expected = "push green_cube, pick red_cube, place_on blue_cube";
    let plan = check_plan(&scene, &mut planner, goal, expected);
    let args = json!({ "object": "green_cube", "aside": true });
    assert_eq!(plan.steps[0].call.args, args);
}

#[test]
fn the_seventieth_fact_of_a_goal_is_searched_like_the_first() {
    let names: Vec<String> = (0..70).map(|i| format!("cube_{i}")).collect();
    let at = |i: usize| (0.2 + 0.1 * (i % 10) as f64, -0.3 + 0.1 * (i / 10) as f64);
    let cubes = names.iter().enumerate();
    let cubes: Vec<_> = cubes.map(|(i, id)| (&**id, at(i).0, at(i).1, 0)).collect();
    let mut scene = Scene::new(&cubes);
    scene.skills.push(polish());
    let (last, others) = names.split_last().unwrap();
    for id in others {
        scene.did("polish", object(id));
    }
    let goal: Vec<String> = names.iter().map(|id| format!("shiny({id})")).collect();
    let plan = scene.planned(&goal.join(" and "));
    assert!(plan.achievable, "{:?}", plan.explanation);
    assert_eq!(short(&plan), format!("polish {last}"));
}

#[test]
fn what_contradicts_itself_is_found_to_be_impossible() {
    let scene = two_cubes_and_a_blocker();
    let plan = scene.planned("on(red_cube, blue_cube) and on(red_cube, green_cube)");
    assert!(!plan.achievable);
    assert!(plan.explanation.unwrap().starts_with("impossible"));
}

#[test]
fn a_call_leaves_the_fact_for_which_it_was_made() {
    let specs = regrasp_skills::standard().specs();
    let mut n_declared = 0;
    for spec in &specs {
        for operator in spec.operators {
            let value = |kind: &Kind| match kind {
                Kind::Point => vec!["0.35".to_owned(), "-0.125".to_owned(), "0.2".to_owned()],
                Kind::LevelPoint => vec!["0.35".to_owned(), "-0.125".to_owned()],
                Kind::Side => vec!["in_front".to_owned()],
                Kind::Zone => vec!["left_edge".to_owned()],
                Kind::Flag(_) | Kind::Goals => vec![],
                Kind::Number => vec!["0.1".to_owned()],
                _ => vec![format!("thing_{n_declared}")],
            };
            let named = |(name, kind): &(&str, Kind)| match *name {
                "object" => ("object".to_owned(), vec!["cube".to_owned()]),
                name => (name.to_owned(), value(kind)),
            };
            let bound = operator.parameters.iter().map(named).collect();
            for literal in operator.brings {
                let fact = literal.fact(&bound).expect("every parameter has a value");
                let found = operator.unified(&fact, literal.holds).expect(&spec.name);
                let args = spec.args(operator, &found);
                let effects = spec.effects(&args, Some("cube"));
                assert_eq!(effects, [(fact, literal.holds)], "{}{args}", spec.name);
                n_declared += 1;
            }
        }
    }
    assert!(n_declared > 15, "{n_declared}");
}

#[test]
fn what_a_place_refers_to_stays_on_its_support() {
    let mut scene = two_cubes_and_a_blocker();
    let tray = slab("tray", 0.06, 0.6, 0.2, TABLE_Z);
    let top_z = tray.aabb_in_world().max[2];
    scene.add(tray);
    let on_tray = cube("blue_cube", 0.6, 0.2, top_z + 0.02).world_from_object;
    scene.object_mut("blue_cube").world_from_object = on_tray;
    let goal = "on(red_cube, tray) and left_of(red_cube, blue_cube)";
    check_steps(&scene, goal, "pick red_cube, place_on tray");
    let args = json!({"target": "tray", "meeting": ["left_of(red_cube, blue_cube)"]});
    scene.failed("place_on", args, Reason::TargetOccupied, &["blue_cube"]);
    let steps = "pick blue_cube, place_on tray, pick red_cube, place_on tray";
    check_steps(&scene, goal, steps);
}

#[test]
fn what_is_taken_off_leaves_all_that_carries_it_there() {
    let mut scene = two_cubes_and_a_blocker();
    let tray = slab("tray", 0.06, 0.6, 0.2, TABLE_Z);
    let tray_z = tray.aabb_in_world().max[2];
    scene.add(tray);
    for (id, z) in [("blue_cube", tray_z + 0.02), ("red_cube", tray_z + 0.06)] {
        scene.object_mut(id).world_from_object = cube(id, 0.6, 0.2, z).world_from_object;
    }
    check_steps(
        &scene,
        "not on(red_cube, tray)",
        "pick red_cube, place_aside",
    );
}
