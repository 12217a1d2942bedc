//! Rings and nuts over fixed pegs, in the physics: down to what the peg stands on, let go of, and
//! what is told when it cannot be.

use std::f64::consts::FRAC_PI_2;

use crate::common::*;
use nalgebra::Vector3;
use regrasp::Cell;
use regrasp::api::{Connection, Goal, PortKind, Pose, Reason};
use regrasp::relations::{Evidence, is_inserted};
use regrasp::robot::Settled;
use serde_json::json;

#[track_caller]
fn pick_for(cell: &mut Cell, object: &str, target: &str) {
    let then = json!({ "skill": "insert", "target": target });
    cell.does("pick", json!({ "object": object, "then": then }));
}

/// Whether a goal holds as the robot sees it.
fn is_met(cell: &mut Cell, object: &str, target: &str) -> bool {
    let robot = &mut cell.robot;
    let Settled { percept, moving } = robot.settle(2.0).unwrap();
    let evidence = Evidence {
        percept: &percept,
        observation: &robot.observe().unwrap(),
        hand: &robot.in_hand(&percept).unwrap(),
        moving: &moving,
        robot: &robot.info,
    };
    let goal = Goal::Inserted {
        object: id(object),
        target: id(target),
    };
    evidence.judge(&goal).is_met()
}

/// How far the peg stands in what is over it, in truth, m.
fn depth_m(cell: &Cell, object: &str, target: &str) -> f64 {
    let truth = cell.truth();
    let pose = |name| truth.object(&id(name)).unwrap().world_from_object;
    let connection = Connection::find(&truth.ports, &id(object), &id(target)).unwrap();
    assert!(connection.over);
    connection.mating(&pose(object), &pose(target)).depth_m
}

#[test]
fn a_nut_goes_down_a_peg_and_is_let_go_of() {
    let mut cell = cell(&instance("robosuite/nut_assembly_square", 1).scene);
    assert!(!is_met(&mut cell, "square_nut", "square_peg"));
    pick_for(&mut cell, "square_nut", "square_peg");
    cell.does("insert", on("the square peg"));
    assert!(cell.robot.held.is_none());
    let truth = cell.truth();
    let pose = |name| truth.object(&id(name)).unwrap().world_from_object;
    let hole = truth.port(&id("square_nut"), PortKind::Hole).unwrap();
    let plug = truth.port(&id("square_peg"), PortKind::Plug).unwrap();
    let mating = hole.mating(plug, &pose("square_nut"), &pose("square_peg"));
    assert!(is_inserted(&mating, hole, plug), "{mating:?}");
    assert!(is_met(&mut cell, "square_nut", "square_peg"));
    assert!(!is_met(&mut cell, "square_nut", "round_peg"));
}

#[test]
fn a_second_ring_comes_to_rest_on_the_first() {
    let mut scene = instance("nut_on_peg", 3).scene;
    let ports = scene.ports.clone();
    let hole = ports.iter().find(|p| p.kind == PortKind::Hole).unwrap();
    let plug = ports.iter().find(|p| p.kind == PortKind::Plug).unwrap();
    let peg = scene.objects.iter().find(|o| o.id == id("peg")).unwrap();
    let world_from_peg = peg.world_from_object;
    let mut first = scene
        .objects
        .iter()
        .find(|o| o.id == id("nut"))
        .unwrap()
        .clone();
    first.id = id("first_nut");
    let seated = Pose::translation(-plug.depth_m, 0.0, 0.0);
    first.world_from_object =
        world_from_peg * plug.object_from_port * seated * hole.object_from_port.inverse();
    let mut of_first = hole.clone();
    of_first.object = id("first_nut");
    scene.ports.push(of_first);
    scene.objects.push(first);
    let mut cell = cell(&scene);
    assert!(is_met(&mut cell, "first_nut", "peg"));
    pick_for(&mut cell, "nut", "peg");
    cell.does("insert", on("peg"));
    let (first_m, second_m) = (
        depth_m(&cell, "first_nut", "peg"),
        depth_m(&cell, "nut", "peg"),
    );
    let between_m = first_m - second_m - hole.depth_m;
    assert!(
        between_m.abs() < 0.003,
        "{first_m} and {second_m} m down the peg"
    );
    assert!(
        is_met(&mut cell, "nut", "peg"),
        "on the first is as far as it goes"
    );
}

#[test]
fn what_sits_on_the_peg_is_told_with_how_much_of_it_is_free() {
    let mut scene = instance("ring_on_post", 2).scene;
    let post = scene.objects.iter().find(|o| o.id == id("post")).unwrap();
    let plug = scene.ports.iter().find(|p| p.object == id("post")).unwrap();
    let tip = (post.world_from_object * plug.object_from_port)
        .translation
        .vector;
    let shape = cuboid([0.06, 0.06, 0.01]);
    let at = tip + Vector3::z() * 0.01;
    scene
        .objects
        .push(object("lid", shape, [at.x, at.y, at.z], Some(0.1)));
    let mut cell = cell(&scene);
    cell.does("pick", of("blue_ring"));
    let before = cell.robot.state_digest();
    let result = call(&mut cell.robot, "insert", on("post"));
    let why = &result.reason_detail;
    assert_eq!(result.reason, Some(Reason::PathBlocked), "{why}");
    says(&why, &["lid", "0.0000 m of the peg"]);
    assert_eq!(cell.robot.state_digest(), before, "nothing moved");
}

#[test]
fn what_does_not_go_over_the_peg_is_told_before_anything_moves() {
    let mut scene = instance("nut_on_peg", 1).scene;
    let mut cell = cell(&scene);
    cell.does("pick", of("nut"));
    let result = call(&mut cell.robot, "insert", on("table"));
    let why = &result.reason_detail;
    assert_eq!(result.reason, Some(Reason::BadArguments), "{why}");
    says(&why, &["nothing that nut goes over (known: peg)"]);
    let ports = scene.ports.iter_mut().filter(|p| p.kind == PortKind::Hole);
    ports.for_each(|p| p.half_size_m = [0.009; 2]);
    let mut cell = crate::common::cell(&scene);
    cell.does("pick", of("nut"));
    let before = cell.robot.state_digest();
    let result = call(&mut cell.robot, "insert", on("peg"));
    let why = &result.reason_detail;
    assert_eq!(result.reason, Some(Reason::BadArguments), "{why}");
    says(&why, &["the hole of nut 18.0 x 18.0 mm"]);
    assert_eq!(cell.robot.state_digest(), before, "nothing moved");
}

#[test]
fn a_ring_whose_hole_is_declared_from_above_goes_on_all_the_same() {
    let mut scene = instance("ring_on_post", 5).scene;
    let hole = scene
        .ports
        .iter_mut()
        .find(|p| p.kind == PortKind::Hole)
        .unwrap();
    let from_above = Pose::new(
        Vector3::z() * (0.5 * hole.depth_m),
        Vector3::y() * FRAC_PI_2,
    );
    hole.object_from_port = from_above;
    let mut cell = cell(&scene);
    pick_for(&mut cell, "blue_ring", "post");
    cell.does("insert", on("post"));
    assert!(is_met(&mut cell, "blue_ring", "post"));
}
