//! Insertion of fixed pegs into rings and nuts, in simulation: the object is lowered over the peg
//! and released, or the failure is reported.

use std::f64::consts::FRAC_PI_2;

use crate::common::*;
use nalgebra::Vector3;
use regrasp::Cell;
use regrasp::api::{Connection, PortKind, Pose, Reason};

/// Length of the peg that is in the object's hole, in ground truth, m.
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
    assert_goal(&mut cell, &inserted("square_nut", "square_peg"), false);
    cell.picks_and("square_nut", "insert", on("the square peg"));
    assert!(cell.robot.held.is_none());
    assert_inserted(&mut cell, "square_nut", "square_peg");
    assert_goal(&mut cell, &inserted("square_nut", "round_peg"), false);
}

#[test]
fn a_second_ring_comes_to_rest_on_the_first() {
    let mut scene = instance("nut_on_peg", 3).scene;
    let ports = scene.ports.clone();
    let hole = ports.iter().find(|p| p.kind == PortKind::Hole).unwrap();
    let plug = ports.iter().find(|p| p.kind == PortKind::Plug).unwrap();
    let world_from_peg = thing(&scene, "peg").world_from_object;
    let mut first = thing(&scene, "nut").clone();
    first.id = id("first_nut");
    let seated = Pose::translation(-plug.depth_m, 0.0, 0.0);
    first.world_from_object =
        world_from_peg * plug.object_from_port * seated * hole.object_from_port.inverse();
    let mut of_first = hole.clone();
    of_first.object = id("first_nut");
    scene.ports.push(of_first);
    scene.objects.push(first);
    let mut cell = cell(&scene);
    assert_goal(&mut cell, &inserted("first_nut", "peg"), true);
    cell.picks_and("nut", "insert", on("peg"));
    let depths_m = ["first_nut", "nut"].map(|nut| depth_m(&cell, nut, "peg"));
    let apart_m = depths_m[0] - depths_m[1];
    near("between the nuts, m", apart_m, hole.depth_m, 0.003);
    // The second nut counts as inserted although it rests on the first.
    assert_goal(&mut cell, &inserted("nut", "peg"), true);
}

#[test]
fn what_sits_on_the_peg_is_told_with_how_much_of_it_is_free() {
    let mut scene = instance("ring_on_post", 2).scene;
    let post = thing(&scene, "post");
    let plug = scene.ports.iter().find(|p| p.object == id("post")).unwrap();
    let tip = post.world_from_object * plug.object_from_port;
    let at = tip.translation.vector + Vector3::z() * 0.01;
    let lid = object("lid", cuboid([0.06, 0.06, 0.01]), at.into(), Some(0.1));
    scene.objects.push(lid);
    let mut cell = cell(&scene);
    cell.does("pick", of("blue_ring"));
    let words = ["lid", "0.0000 m of the peg"];
    cell.refuses("insert", on("post"), Reason::PathBlocked, &words);
}

#[test]
fn what_does_not_go_over_the_peg_is_told_before_anything_moves() {
    let mut scene = instance("nut_on_peg", 1).scene;
    let mut cell = cell(&scene);
    cell.does("pick", of("nut"));
    let words = ["no peg for the hole of nut (objects with one: peg)"];
    cell.fails("insert", on("table"), Reason::BadArguments, &words);
    let ports = scene.ports.iter_mut().filter(|p| p.kind == PortKind::Hole);
    ports.for_each(|p| p.half_size_m = [0.009; 2]);
    let mut cell = crate::common::cell(&scene);
    cell.does("pick", of("nut"));
    let words = ["the hole of nut only 18.0 x 18.0 mm"];
    cell.refuses("insert", on("peg"), Reason::BadArguments, &words);
}

#[test]
fn a_ring_whose_hole_is_declared_from_above_goes_on_all_the_same() {
    let mut scene = instance("ring_on_post", 5).scene;
    let mut ports = scene.ports.iter_mut();
    let hole = ports.find(|p| p.kind == PortKind::Hole).unwrap();
    let above = Vector3::z() * (0.5 * hole.depth_m);
    hole.object_from_port = Pose::new(above, Vector3::y() * FRAC_PI_2);
    let mut cell = cell(&scene);
    cell.picks_and("blue_ring", "insert", on("post"));
    assert_goal(&mut cell, &inserted("blue_ring", "post"), true);
}
