//! Pouring, and carrying a filled container, in simulation.

use crate::common::*;
use nalgebra::Vector3;
use regrasp::api::{ObjectId, Percept, Reason};
use regrasp::relations::{count_in, objects_in};
use regrasp::scene::Scene;
use regrasp::{Cell, EpisodeOptions};
use serde_json::{Value, json};

fn pour_scene(seed: u64) -> Scene {
    instance("robosandbox/pour", seed).scene
}

fn look(cell: &mut Cell) -> Percept {
    cell.robot.perceive().unwrap()
}

fn count(cell: &mut Cell, id: &str) -> usize {
    let percept = look(cell);
    count_in(&percept, percept.object(&ObjectId::new(id)).unwrap())
}

fn pick_to_pour() -> Value {
    pick_for("tomato_soup_can", "pour", &on("bowl"))
}

fn picked(scene: &Scene) -> Cell {
    let mut cell = cell(scene);
    cell.does("pick", pick_to_pour());
    cell
}

#[test]
fn what_is_in_the_can_comes_along_upright_and_ends_in_the_bowl() {
    let mut cell = picked(&pour_scene(0));
    let n = count(&mut cell, "tomato_soup_can");
    assert_eq!(n, 24, "beads in the can after the lift");
    let events = recorded(&mut cell.robot);
    cell.does("pour", on("bowl"));
    let n = count(&mut cell, "bowl");
    assert!(n >= 20, "{n} of 24 beads are in the bowl");
    let percept = look(&mut cell);
    let can = percept.object(&id("tomato_soup_can")).unwrap();
    let lean = (can.world_from_object.rotation * Vector3::z()).angle(&Vector3::z());
    assert!(lean < 0.1, "the can leans by {lean} rad after the pour");
    assert!(cell.robot.held.is_some());
    let phases = phase_names(&events.lock().unwrap());
    assert_eq!(phases, ["transport", "tilt", "turn_back"]);
}

#[test]
fn what_cannot_be_poured_is_said_before_anything_moves() {
    let mut cell = cell(&pour_scene(0));
    let fails = |cell: &mut Cell, args: Value, reason: Reason, word: &str| {
        let result = cell.fails("pour", args, reason, &[word]);
        assert!(!result.world_changed);
    };
    let empty = Reason::GripperEmpty;
    fails(&mut cell, on("bowl"), empty, "pick an object");
    cell.does("pick", pick_to_pour());
    for (args, word) in [
        (on("table"), "is not a container"),
        (on("tomato_soup_can"), "itself"),
        (json!({ "target": "bowl", "at_least": 1.5 }), "from 0 to 1"),
    ] {
        fails(&mut cell, args, Reason::BadArguments, word);
    }
    fails(&mut cell, on("cup"), Reason::ObjectNotFound, "bowl");
}

#[test]
fn an_empty_can_and_a_covered_bowl_have_reasons_of_their_own() {
    let mut scene = pour_scene(0);
    scene.objects.retain(|o| o.group.is_none());
    let mut cell = picked(&scene);
    cell.fails("pour", on("bowl"), Reason::NothingToPour, &[]);

    let mut scene = pour_scene(0);
    let bowl = thing(&scene, "bowl");
    let aabb = bowl.shape.aabb(&bowl.world_from_object);
    let center = aabb.center();
    let mut lid = cube("blue_lid", 0.01, center.x, center.y);
    lid.shape = cuboid([0.09, 0.09, 0.01]);
    lid.world_from_object.translation.z = aabb.max[2] + 0.01;
    scene.objects.push(lid);
    let mut cell = picked(&scene);
    let result = cell.fails("pour", on("bowl"), Reason::ObjectCovered, &[]);
    assert_eq!(result.entities, [id("blue_lid")]);
}

#[test]
fn the_words_for_the_beads_name_what_holds_them_and_the_goal_is_where_they_end() {
    let instance = instance("robosandbox/pour", 2);
    let command = "pour the orange beads into the bowl and put the can on the table";
    let episode = episode(&instance.scene, command);
    let result = &episode.result;
    assert!(result.success, "{}", result.final_detail);
    let group = id("beads");
    let bowl = episode.last.object(&id("bowl")).unwrap();
    let is_in = |o: &&regrasp::ground_truth::GroundTruthObject| {
        let at = nalgebra::Point3::from(o.world_from_object.translation.vector);
        let at = bowl.world_from_object.inverse_transform_point(&at);
        bowl.shape.encloses(&at)
    };
    let n = episode.last.members(&group).filter(is_in).count();
    assert!(n >= 20, "{n} of 24 beads are in the bowl");
}

#[test]
fn what_is_inside_is_no_obstacle_to_its_container() {
    // A block stands in the mug and sticks out of it.
    let mut scene = instance("robosandbox/pick_mug", 0).scene;
    let mug = thing(&scene, "mug");
    let p = mug.world_from_object.translation.vector;
    let mut block = cube("red_block", 0.012, p.x, p.y);
    block.shape = cuboid([0.012, 0.012, 0.04]);
    block.world_from_object.translation.z = p.z - 0.04 + 0.0045 + 0.04;
    scene.objects.push(block);
    let mut cell = cell(&scene);
    cell.does("pick", of("mug"));
    let percept = look(&mut cell);
    let planning = cell.robot.planning_scene(&percept);
    let block = id("red_block");
    let moves_along = planning.obstacles.iter().all(|o| o.id != block);
    assert!(moves_along, "the block in the held mug is an obstacle");
    assert!(planning.keep_up.is_some(), "motions may tilt the mug");
    let attached = planning.attached.unwrap();
    let seen = percept.object(&block).unwrap().aabb_in_world();
    let world_from_tool = cell.robot.world_from_tool().unwrap();
    let at = world_from_tool * attached.tool_from_object;
    let top = attached.shape.aabb(&at).max[2];
    near("top of the held shape, m", top, seen.max[2], 0.003);
    let carry = json!({ "x": 0.4, "y": 0.15, "z": 0.2 });
    cell.does("carry_to", carry);
    let percept = look(&mut cell);
    let mug = percept.object(&id("mug")).unwrap();
    let n = objects_in(&percept, mug).len();
    assert_eq!(n, 1, "objects in the carried mug");
}

#[test]
fn what_is_held_for_a_time_is_watched_after_the_end() {
    let instance = instance("robosandbox/pour", 0);
    let options = EpisodeOptions {
        watch_secs: 0.42,
        ..EpisodeOptions::default()
    };
    let episode = played(&instance.scene, "go home", options);
    let secs = episode.after.last().unwrap().time_secs - episode.last.time_secs;
    near("time watched, s", secs, 0.42, 0.003);
    assert!(episode.after.len() >= 8);
}
