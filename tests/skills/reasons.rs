//! Failure reasons of the skills, each provoked in simulation without mocks.

use crate::common::*;
use regrasp::Cell;
use regrasp::api::{
    Event, GripperCommand, Monitor, MotionEnd, Phase, Reason, Shape, SkillResult, StampedEvent,
};
use regrasp::scene::Scene;
use regrasp::sim::{Disturbance, When};
use serde_json::{Value, json};

type Call = (&'static str, Value);

/// Makes calls in a disturbed scene. All but the last must succeed; the last must fail with this
/// reason and mention these words. Returns the result of the last call and the cell.
#[track_caller]
fn check(
    scene: &Scene,
    disturbances: &[(When, Disturbance)],
    calls: &[Call],
    reason: Reason,
    words: &[&str],
) -> (SkillResult, Cell) {
    let mut cell = cell(scene);
    for (when, disturbance) in disturbances {
        disturb(&cell, when.clone(), disturbance.clone());
    }
    let (last, before) = calls.split_last().unwrap();
    for (skill, args) in before {
        cell.does(skill, args.clone());
    }
    let result = cell.fails(last.0, last.1.clone(), reason, words);
    (result, cell)
}

#[track_caller]
fn disturbed(
    disturbances: &[(When, Disturbance)],
    calls: &[Call],
    reason: Reason,
    words: &[&str],
) -> (SkillResult, Cell) {
    check(&three_cubes(), disturbances, calls, reason, words)
}

fn pick() -> Vec<Call> {
    vec![("pick", of("red cube"))]
}

fn pick_and(skill: &'static str, args: Value) -> Vec<Call> {
    vec![("pick", of("red cube")), (skill, args)]
}

/// Simulated time at which a phase begins in undisturbed calls in the scene of three cubes, s.
fn begin(calls: &[Call], phase: &str) -> f64 {
    time_of(&phase_times(&three_cubes(), calls), phase)
}

/// Checks that the failure names the stopped motion, and that the motion was stopped at most 20 ms
/// after the cause. `cause_secs` is the time of the cause after the start of the motion, s.
fn told_in_time(result: &SkillResult, during: &str, cause_secs: f64) {
    let moment = result.moment.as_ref().unwrap();
    let late_secs = moment.at_secs - cause_secs;
    assert_eq!(moment.during, during);
    within("stop after the cause, s", late_secs, 1e-12..=0.02 + 1e-9);
    assert_eq!(result.phase, Phase::Execute);
}

fn push(name: &str, force_in_world: [f64; 3], duration_secs: f64) -> Disturbance {
    Disturbance::PushObject {
        object: id(name),
        force_in_world,
        duration_secs,
    }
}

fn three_cubes() -> Scene {
    scene([
        cube("red_cube", 0.015, 0.4, -0.1),
        cube("green_cube", 0.015, 0.4, 0.0),
        cube("blue_cube", 0.015, 0.4, 0.1),
    ])
}

#[test]
fn objects_not_found_and_ambiguous_ones_are_listed() {
    let words = ["teapot", "red_cube", "green_cube", "blue_cube"];
    let calls = [("pick", of("teapot"))];
    let (result, _) = check(&three_cubes(), &[], &calls, Reason::ObjectNotFound, &words);
    assert!(!result.world_changed, "the call changed the world");
    let words = ["3 objects", "red_cube", "green_cube", "blue_cube"];
    let calls = [("pick", of("cube"))];
    check(&three_cubes(), &[], &calls, Reason::AmbiguousObject, &words);
}

#[test]
fn unreachable_says_how_far() {
    let far = scene([cube("red_cube", 0.012, 1.2, 0.0)]);
    let words = ["IK did not converge", "pos_err=", "the arm reaches at most"];
    let (result, _) = check(&far, &[], &pick(), Reason::Unreachable, &words);
    assert_eq!(result.phase, Phase::Plan);
    assert!(!result.world_changed, "the call changed the world");
    let miss = &result.measured[0];
    assert!(miss.value > 0.3 && miss.limit.is_some(), "{miss:?}");
}

#[test]
fn what_is_out_of_reach_is_not_freed_by_moving_its_neighbour() {
    // The neighbour is within reach and leaves no room for the hand beside the target.
    let far = scene([
        cube("red_cube", 0.018, 0.66, 0.1),
        cube("green_cube", 0.018, 0.605, 0.1),
    ]);
    let words = ["red_cube is out of reach"];
    let (result, _) = check(&far, &[], &pick(), Reason::Unreachable, &words);
    assert!(!result.entities.contains(&id("green_cube")), "it is named");
}

#[test]
fn object_covered_names_the_cover() {
    let red = cube("red_cube", 0.02, 0.4, 0.0);
    let blue = cube_on("blue_cube", 0.018, &red);
    let words = ["blue_cube"];
    let covered = scene([red, blue]);
    let (result, _) = check(&covered, &[], &pick(), Reason::ObjectCovered, &words);
    assert_eq!(result.entities, [id("blue_cube")]);
}

#[test]
fn no_grasp_found_tells_the_width() {
    let shape = cuboid([0.05, 0.045, 0.03]);
    let crate_ = object("brown_crate", shape, [0.45, 0.0, TABLE_Z + 0.03], Some(0.3));
    let words = ["0.0900 m wide", "0.0800 m"];
    let calls = [("pick", of("crate"))];
    check(&scene([crate_]), &[], &calls, Reason::NoGraspFound, &words);
}

#[test]
fn no_grasp_found_names_what_hems_the_target_in() {
    let wall =
        |id, x0: f64, y0: f64, x1: f64, y1: f64| fixed(id, [x0, y0, TABLE_Z], [x1, y1, 0.16]);
    let hemmed = scene([
        cube("red_cube", 0.02, 0.45, 0.0),
        wall("wall_left", 0.38, 0.025, 0.52, 0.035),
        wall("wall_right", 0.38, -0.035, 0.52, -0.025),
        wall("wall_near", 0.415, -0.024, 0.425, 0.024),
        wall("wall_far", 0.475, -0.024, 0.485, 0.024),
    ]);
    let words = ["in_collision", "in the way"];
    let (result, _) = check(&hemmed, &[], &pick(), Reason::NoGraspFound, &words);
    let named = &result.entities;
    let are_walls = named.iter().all(|id| id.as_str().starts_with("wall"));
    assert!(are_walls, "{named:?}");
}

#[test]
fn no_grasp_found_names_the_one_that_blocks_every_grasp() {
    let rail = |id, y: f64| fixed(id, [0.38, y - 0.005, TABLE_Z], [0.52, y + 0.005, 0.06]);
    let hemmed = scene([
        cube("red_cube", 0.015, 0.45, 0.0),
        rail("rail_left", 0.025),
        rail("rail_right", -0.025),
        cube("blue_cube", 0.015, 0.485, 0.0),
    ]);
    let words = ["moving blue_cube alone"];
    let (result, _) = check(&hemmed, &[], &pick(), Reason::NoGraspFound, &words);
    // Fixed objects, and objects whose removal would not help, are not named.
    assert_eq!(result.entities, [id("blue_cube")]);
}

#[test]
fn goal_in_collision_names_what_is_there() {
    let wall = fixed("grey_wall", [0.32, 0.15, TABLE_Z], [0.5, 0.25, 0.25]);
    let walled = scene([cube("red_cube", 0.015, 0.45, 0.0), wall]);
    let calls = pick_and("carry_to", json!({"x": 0.41, "y": 0.2, "z": 0.15}));
    let words = ["grey_wall"];
    let (result, _) = check(&walled, &[], &calls, Reason::GoalInCollision, &words);
    assert_eq!(result.entities, [id("grey_wall")]);
}

#[test]
fn start_in_collision_names_the_pair() {
    let mut cell = cell(&three_cubes());
    let hand = cell.robot.world_from_tool().unwrap().translation.vector;
    let into_the_palm = move_to("blue_cube", hand.x, hand.y, hand.z + 0.06);
    disturb(&cell, When::Now, into_the_palm);
    cell.robot.wait(0.002).unwrap();
    let (reason, words) = (Reason::StartInCollision, ["panda_hand"]);
    let result = cell.fails("pick", of("red cube"), reason, &words);
    assert_eq!(result.entities, [id("blue_cube")]);
    assert_eq!(result.phase, Phase::Plan);
}

#[test]
fn path_blocked_names_what_was_touched() {
    // The hand swings to the right over a pillar that is too low to be in the way. A heavy block
    // then appears on the pillar, directly in front of the hand.
    let mut probe = cell(&scene([]));
    let mut aside = probe.robot.info.home.clone();
    aside[0] -= 0.5;
    probe.robot.move_joints(&aside).unwrap();
    let hand = probe.robot.world_from_tool().unwrap().translation.vector;
    let top = hand.z - 0.06;
    let low = [hand.x - 0.05, hand.y - 0.05, TABLE_Z];
    let pillar = fixed("pillar", low, [hand.x + 0.05, hand.y + 0.05, top]);
    let half = 0.05;
    let shape = cuboid([half; 3]);
    let block = object("grey_block", shape, [0.6, 0.45, TABLE_Z + half], Some(8.0));
    let mut cell = cell(&scene([pillar, block]));
    let appears = move_to("grey_block", hand.x, hand.y, top + half);
    disturb(&cell, at(0.1), appears);
    let mut beyond = aside;
    beyond[0] -= 0.5;
    let failure = cell.robot.move_joints(&beyond).unwrap_err();
    assert_eq!(failure.reason, Reason::PathBlocked, "{}", failure.detail);
    assert_eq!(failure.entities, [id("grey_block")], "{}", failure.detail);
    assert_eq!(failure.phase, Some(Phase::Execute));
    let words = ["panda_", "grey_block", "x=", "limit 25 N"];
    says(&failure.detail, &words);
    assert!(failure.moment.is_some_and(|m| m.at_secs > 0.1));
    let told = &failure.measured;
    assert!(told[0].value > 25.0, "the measured force: {told:?}");
    let contacts = cell.truth().contacts;
    let is_logged = contacts
        .iter()
        .any(|c| c.with == id("grey_block") && c.peak_force_n > 25.0 && c.first_secs > 0.0);
    assert!(is_logged, "the contacts that the judge gets: {contacts:?}");
}

#[test]
fn gripper_occupied_and_gripper_empty_are_told_before_anything_moves() {
    let calls = pick_and("pick", of("green cube"));
    let (result, _) = disturbed(&[], &calls, Reason::GripperOccupied, &["red_cube"]);
    assert!(!result.world_changed);
    assert_eq!(result.phase, Phase::Precondition);
    let calls = [("place_on", on("green cube"))];
    let (result, _) = disturbed(&[], &calls, Reason::GripperEmpty, &["the hand is empty"]);
    assert!(!result.world_changed);
}

#[test]
fn gripper_empty_when_what_was_held_is_gone() {
    let calls = pick_and("place_on", on("table"));
    let phases = phase_times(&three_cubes(), &calls);
    let mut cell = cell(&three_cubes());
    assert!(call(&mut cell.robot, "pick", of("red cube")).success);
    let now = cell.robot.time_secs();
    assert!(now <= time_of(&phases, "transport") + 1e-9);
    disturb(&cell, When::Now, push("red_cube", [0.0, 0.0, -80.0], 0.2));
    cell.robot.wait(0.5).unwrap();
    let words = ["no longer in the hand"];
    cell.fails("place_on", on("table"), Reason::GripperEmpty, &words);
}

#[test]
fn grasp_missed_when_the_object_leaves_as_the_fingers_close() {
    let calls = pick();
    let close = begin(&calls, "close");
    let away = move_to("red_cube", 0.45, -0.25, TABLE_Z + 0.015);
    let gone = [(at(close - 0.05), away)];
    let (result, mut cell) = disturbed(&gone, &calls, Reason::GraspMissed, &["stopped at"]);
    assert!(result.state_after.held.is_none());
    // After the failure, the hand has retreated and can pick again.
    cell.does("pick", of("red cube"));
}

#[test]
fn object_moved_once_is_followed_and_twice_is_told() {
    let calls = pick();
    let x_at = |i: usize| 0.4 + 0.004 * i as f64;
    let nudge = |i: usize| {
        let to = move_to("red_cube", x_at(i), -0.1, TABLE_Z + 0.015);
        (at(0.2 + 0.1 * i as f64), to)
    };
    let mut followed = cell(&three_cubes());
    let (when, to) = nudge(3);
    disturb(&followed, when, to);
    followed.does("pick", of("red cube"));

    let restless: Vec<_> = (1..25).map(nudge).collect();
    let words = ["moved", "2 approaches"];
    disturbed(&restless, &calls, Reason::ObjectMoved, &words);
}

#[test]
fn wrong_object_grasped_names_what_is_in_the_hand() {
    let calls = pick();
    let close = begin(&calls, "close");
    let away = move_to("red_cube", 0.45, -0.25, TABLE_Z + 0.015);
    let instead = move_to("green_cube", 0.4, -0.1, TABLE_Z + 0.015);
    let swap = [(at(close - 0.05), away), (at(close - 0.048), instead)];
    let words = ["green_cube", "red_cube"];
    let (result, cell) = disturbed(&swap, &calls, Reason::WrongObjectGrasped, &words);
    assert_eq!(result.entities, [id("green_cube")]);
    assert_eq!(cell.robot.held.map(|held| held.id), Some(id("green_cube")));
}

#[test]
fn grasp_slipped_when_it_is_pulled_out_during_the_lift() {
    let calls = pick();
    let lift = begin(&calls, "lift");
    let pull = (at(lift + 0.15), push("red_cube", [0.0, 0.0, -80.0], 0.3));
    let words = ["red_cube", "the hand", "(lift)", "slip", "limit 2.0 mm"];
    let (result, _) = disturbed(&[pull], &calls, Reason::GraspSlipped, &words);
    assert_eq!(result.entities, [id("red_cube")]);
    told_in_time(&result, "lift", 0.15);
}

#[test]
fn object_dropped_when_the_grip_fails_in_transport() {
    let calls = pick_and("place_on", on("blue cube"));
    let transport = begin(&calls, "transport");
    let pull = push("red_cube", [0.0, 0.0, -80.0], 0.3);
    let pull = (at(transport + 0.1), pull);
    let words = ["red_cube left the hand", "(transport)"];
    let (result, _) = disturbed(&[pull], &calls, Reason::ObjectDropped, &words);
    assert!(result.world_changed);
    told_in_time(&result, "transport", 0.1);
}

/// Makes the pads slippery for such a short time that the cube shifts, but does not fall.
fn a_drop_of_oil(at_secs: f64) -> [(When, Disturbance); 2] {
    let oil = Disturbance::SlipperyPads { factor: 0.0 };
    let gone = (at(at_secs + 0.02), Disturbance::Repair);
    [(at(at_secs), oil), gone]
}

/// Checks that a cube that shifts slightly in the hand is placed, and that the shift is noticed
/// once.
#[test]
fn a_shift_in_transport_is_made_good() {
    let calls = pick_and("place_on", on("blue cube"));
    let transport = begin(&calls, "transport");
    let mut cell = cell(&three_cubes());
    let events = recorded(&mut cell.robot);
    for (when, disturbance) in a_drop_of_oil(transport + 0.2) {
        disturb(&cell, when, disturbance);
    }
    for (skill, args) in calls {
        cell.does(skill, args);
    }
    let events = events.lock().unwrap();
    let slips_secs = events.iter().filter_map(|e| match &e.event {
        Event::MotionFinished {
            end: MotionEnd::Stopped(stop),
            ..
        } if matches!(stop.monitor, Monitor::HeldSlips { .. }) => Some(stop.at_secs),
        _ => None,
    });
    let slips_secs: Vec<f64> = slips_secs.collect();
    let is_soon = matches!(slips_secs[..], [secs] if secs > 0.2 && secs <= 0.22 + 1e-9);
    assert!(is_soon, "one slip expected at 0.2 s: {slips_secs:?} s");
}

/// Checks that repeated slipping is a failure, although the cube is still held.
#[test]
fn grasp_slipped_but_still_held_in_transport() {
    let calls = pick_and("place_on", on("blue cube"));
    let transport = begin(&calls, "transport");
    let drops = [0.2, 0.45, 0.7].map(|secs| a_drop_of_oil(transport + secs));
    let words = ["red_cube moved in the hand", "still held"];
    let drops = drops.concat();
    let (result, mut cell) = disturbed(&drops, &calls, Reason::GraspSlipped, &words);
    let red = id("red_cube");
    assert_eq!(result.state_after.held.as_ref(), Some(&red));
    // The estimated pose in the hand is updated, and the cube can still be placed.
    let held = cell.robot.held.clone().unwrap();
    let believed = cell.robot.world_from_tool().unwrap() * held.tool_from_object;
    let seen = cell.robot.perceive().unwrap();
    let seen = seen.object(&red).unwrap().position();
    let off_m = (believed.translation.vector - seen).norm();
    within("believed position of the cube off, m", off_m, ..1e-3);
    cell.does("place_on", on("blue cube"));
}

#[test]
fn path_blocked_when_a_finger_is_stopped_while_opening() {
    let (low, high) = ([0.9, 0.5, TABLE_Z], [0.96, 0.56, TABLE_Z + 0.08]);
    let mut cell = cell(&scene([fixed("grey_post", low, high)]));
    let speed_m_per_s = 0.1;
    let to = |width_m| GripperCommand::MoveTo {
        width_m,
        speed_m_per_s,
    };
    cell.robot.grip(to(0.01)).unwrap();
    let before = cell.robot.world_from_tool().unwrap();
    // The near side of the post is about 4 cm from the hand's centre, outside the closed finger.
    let beside = before * nalgebra::Point3::new(0.0, 0.075, 0.025);
    let appears = move_to("grey_post", beside.x, beside.y, beside.z);
    disturb(&cell, When::Now, appears);
    cell.robot.wait(0.01).unwrap();
    cell.robot.begin("open");
    let failure = cell.robot.grip(to(0.08)).unwrap_err();
    assert_eq!(failure.reason, Reason::PathBlocked, "{}", failure.detail);
    assert_eq!(failure.entities, [id("grey_post")], "{}", failure.detail);
    assert_eq!(failure.phase, Some(Phase::Execute));
    says(&failure.detail, &["finger"]);
    let moment = failure.moment.unwrap();
    let is_late = moment.during == "open" && moment.at_secs > 0.05;
    assert!(is_late, "{moment:?}");
}

#[test]
fn tracking_error_when_the_gripper_is_stuck() {
    let mut cell = cell(&three_cubes());
    let stuck = Disturbance::StuckGripper;
    disturb(&cell, When::Now, stuck);
    let command = GripperCommand::MoveTo {
        width_m: 0.04,
        speed_m_per_s: 0.1,
    };
    let failure = cell.robot.grip(command).unwrap_err();
    assert_eq!(failure.reason, Reason::TrackingError, "{}", failure.detail);
    says(&failure.detail, &["panda_finger_joint"]);
    assert!(failure.moment.unwrap().at_secs <= 0.02);
}

#[test]
fn target_occupied_names_who_stands_there() {
    let red = cube("red_cube", 0.015, 0.4, -0.15);
    let green = cube("green_cube", 0.02, 0.4, 0.05);
    let blue = cube_on("blue_cube", 0.018, &green);
    let calls = pick_and("place_on", on("green cube"));
    let stacked = scene([red, green, blue]);
    let words = ["blue_cube"];
    let (result, _) = check(&stacked, &[], &calls, Reason::TargetOccupied, &words);
    assert_eq!(result.entities, [id("blue_cube")]);
    assert!(!result.world_changed);
}

#[test]
fn placement_unstable_before_the_fact_and_after_it() {
    let shape = Shape::Sphere { radius: 0.03 };
    let ball = object("white_ball", shape, [0.45, 0.1, TABLE_Z + 0.03], Some(0.2));
    let round = scene([cube("red_cube", 0.015, 0.4, -0.1), ball]);
    let calls = pick_and("place_on", on("ball"));
    let (result, _) = check(&round, &[], &calls, Reason::PlacementUnstable, &["flat"]);
    assert_eq!(result.phase, Phase::Precondition);

    let calls = pick_and("place_on", on("blue cube"));
    let release = begin(&calls, "release");
    let gone = [(at(release), remove("blue_cube"))];
    let words = ["did not stay"];
    let (result, _) = disturbed(&gone, &calls, Reason::PlacementUnstable, &words);
    assert_eq!(result.phase, Phase::Verify);
}

#[test]
fn placed_off_target_when_it_slides_away() {
    let calls = pick_and("place_at", json!({"x": 0.42, "y": -0.2}));
    let retreat = begin(&calls, "retreat");
    let shove = (at(retreat + 0.5), push("red_cube", [0.8, 0.0, 0.0], 0.25));
    let words = ["from its place on table"];
    disturbed(&[shove], &calls, Reason::PlacedOffTarget, &words);
}

#[test]
fn object_out_of_workspace_when_it_lies_on_the_floor() {
    let floor = fixed("floor", [0.0, -2.0, -0.6], [2.0, 2.0, -0.55]);
    let shape = cuboid([0.015; 3]);
    let fallen = object("red_cube", shape, [0.5, 0.9, -0.535], Some(0.05));
    let scene = scene([floor, fallen]);
    let reason = Reason::ObjectOutOfWorkspace;
    check(&scene, &[], &pick(), reason, &["z=-0.5"]);
}

#[test]
fn tracking_error_when_a_joint_is_blocked() {
    let block = Disturbance::BlockJoint {
        joint: "panda_joint2".into(),
    };
    let block = [(at(0.35), block)];
    let words = ["panda_joint2", "off its command", "(approach)"];
    let (result, _) = disturbed(&block, &pick(), Reason::TrackingError, &words);
    told_in_time(&result, "approach", 0.35);
}

/// The cube is removed from the hand in the last step of the motion: too late for a monitor, so
/// that only the verification notices.
#[test]
fn verification_failed_when_it_is_snatched_as_the_motion_ends() {
    let calls = pick_and("carry_to", json!({"x": 0.45, "y": 0.0, "z": 0.25}));
    let mut calm = cell(&three_cubes());
    for (skill, args) in calls.clone() {
        calm.does(skill, args);
    }
    let last_step = calm.robot.time_secs() - 0.0025;
    let away = move_to("red_cube", 0.45, 0.2, 0.25);
    let away = [(at(last_step), away)];
    let words = ["red_cube is 0.2", "from its target point"];
    let (result, _) = disturbed(&away, &calls, Reason::VerificationFailed, &words);
    assert_eq!(result.phase, Phase::Verify);
    assert_eq!(result.entities, [id("red_cube")]);
}

#[test]
fn cancelled_stops_within_50_ms_and_holds() {
    let mut cell = cell(&three_cubes());
    let token = cell.robot.cancel.clone();
    cell.robot.set_sink(Box::new(move |event: &StampedEvent| {
        if matches!(&event.event, Event::PhaseStarted { name } if name == "approach") {
            token.cancel();
        }
    }));
    let before = cell.robot.time_secs();
    cell.fails("pick", of("red cube"), Reason::Cancelled, &[]);
    let after = cell.robot.observe().unwrap();
    within("time to stop, s", after.time_secs - before, ..=0.05);
    let speeds = after.joint_velocities.iter();
    let speed = speeds.fold(0.0f64, |m, v| m.max(v.abs()));
    assert!(speed < 0.05, "the stopped arm moves at {speed} rad/s");
}

#[test]
fn sim_diverged_is_told_as_such() {
    let poison = Disturbance::PoisonObject {
        object: id("green_cube"),
    };
    let poison = [(at(0.3), poison)];
    disturbed(&poison, &pick(), Reason::SimDiverged, &["green_cube"]);
}

#[test]
fn bad_arguments_name_the_field_and_unknown_skills_list_the_known() {
    let wrong = [
        (json!({"objekt": "red cube"}), "objekt"),
        (json!({"object": 3}), "argument `object`"),
        (json!({}), "missing field `object`"),
        (json!("red cube"), "pick"),
    ];
    for (args, word) in wrong {
        let calls = [("pick", args)];
        disturbed(&[], &calls, Reason::BadArguments, &[word]);
    }
    let words = ["juggle", "pick", "place_on", "home"];
    let calls = [("juggle", json!({}))];
    disturbed(&[], &calls, Reason::UnknownSkill, &words);
}

#[test]
fn every_failure_leaves_a_readable_trail() {
    let mut cell = cell(&three_cubes());
    let events = recorded(&mut cell.robot);
    assert!(call(&mut cell.robot, "pick", of("red cube")).success);
    let events = events.lock().unwrap();
    let expected = ["approach", "descend", "close", "lift"];
    assert_eq!(phase_names(&events), expected);
    let mut pairs = events.windows(2);
    assert!(pairs.all(|w| w[0].seq + 1 == w[1].seq && w[0].sim_secs <= w[1].sim_secs));
}
