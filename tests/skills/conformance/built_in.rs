//! Each standard skill, in a scene in which its valid calls can succeed.

use std::f64::consts::FRAC_PI_2;

use nalgebra::{UnitQuaternion, Vector3};
use regrasp::robot::{Robot, Skill};
use regrasp::scene::{Scene, builtin_scene};
use regrasp::skills::{
    CarryTo, Close, Home, Insert, Look, Open, Pick, PlaceAside, PlaceAt, PlaceBeside, PlaceOn,
    Pour, Press, Pull, Push, Reorient, Turn, WaitUntil, standard,
};
use regrasp_conformance::check;
use serde_json::{Value, json};

use crate::common::*;

/// Every skill here has a test; [`none_is_left_out`] compares with the standard set.
const CHECKED: &[&str] = &[
    Pick::NAME,
    PlaceOn::NAME,
    PlaceAt::NAME,
    PlaceBeside::NAME,
    PlaceAside::NAME,
    CarryTo::NAME,
    Open::NAME,
    Close::NAME,
    Turn::NAME,
    Home::NAME,
    Insert::NAME,
    Reorient::NAME,
    Push::NAME,
    Pull::NAME,
    Press::NAME,
    WaitUntil::NAME,
    Look::NAME,
    Pour::NAME,
];

fn on_the_table() -> Robot {
    cell(&builtin_scene("tabletop").expect("it is built in")).robot
}

fn at_task(name: &str, seed: u64) -> Scene {
    instance(name, seed).scene
}

fn at_a_drawer() -> Robot {
    cell(&at_task("open_drawer", 0)).robot
}

fn holding() -> impl Fn() -> Robot {
    let scene = builtin_scene("tabletop").expect("it is built in");
    after(scene, "pick", of("red cube"))
}

fn holding_a_peg() -> impl Fn() -> Robot {
    let scene = at_task("maniskill/peg_insertion_side", 2);
    let then = json!({"skill": "insert", "target": "box"});
    after(scene, "pick", json!({"object": "peg", "then": then}))
}

/// Only a few beads, because every stop on the way is tested and many take long to come to rest.
fn holding_a_can_with_beads() -> impl Fn() -> Robot {
    const N_BEADS: usize = 4;
    let mut scene = at_task("robosandbox/pour", 0);
    let mut n_beads = 0;
    scene.objects.retain(|object| {
        n_beads += usize::from(object.group.is_some());
        object.group.is_none() || n_beads <= N_BEADS
    });
    let then = json!({"skill": "pour", "target": "bowl"});
    let pick = json!({"object": "tomato_soup_can", "then": then});
    after(scene, "pick", pick)
}

fn holding_a_carton_that_lay() -> impl Fn() -> Robot {
    let shape = cuboid([0.022, 0.024, 0.05]);
    let at = [0.35, -0.1, TABLE_Z + 0.022];
    let mut carton = object("red_carton", shape, at, Some(0.1));
    carton.world_from_object.rotation =
        UnitQuaternion::from_axis_angle(&Vector3::y_axis(), FRAC_PI_2);
    let pick = json!({"object": "red_carton", "then": {"skill": "reorient"}});
    after(scene([carton]), "pick", pick)
}

fn at_an_open_drawer() -> impl Fn() -> Robot {
    let scene = at_task("open_drawer", 0);
    after(scene, "open", of("drawer"))
}

/// Creates robots in the state after a call, which is made once and then restored.
fn after(scene: Scene, skill: &str, args: Value) -> impl Fn() -> Robot {
    let mut robot = cell(&scene).robot;
    robot.does(skill, args);
    let world = robot
        .world
        .rewind()
        .expect("a simulator can go back")
        .snapshot()
        .expect("it can be copied");
    let (held, seen) = (robot.held.clone(), robot.perception.save());
    move || {
        let mut robot = cell(&scene).robot;
        robot
            .world
            .rewind()
            .expect("a simulator can go back")
            .restore(&world)
            .expect("it is a copy of this");
        robot.perception.restore(&seen);
        robot.held = held.clone();
        robot
    }
}

fn conforms<S: Skill>(skill: &S, robot: &dyn Fn() -> Robot, calls: &[Value]) {
    let report = check(skill, robot, calls);
    assert!(report.is_conformant(), "{report}");
}

#[test]
fn none_is_left_out() {
    for spec in standard().specs() {
        assert!(CHECKED.contains(&spec.name.as_str()), "{}", spec.name);
    }
}

#[test]
fn pick_conforms() {
    let calls = [
        json!({"object": "red cube", "then": {"skill": "place_on", "target": "plate"}}),
        json!({"object": "blue cylinder", "force_n": 15.0}),
    ];
    conforms(&Pick, &on_the_table, &calls);
}

#[test]
fn place_on_conforms() {
    conforms(&PlaceOn::default(), &holding(), &[on("plate")]);
}

#[test]
fn place_at_conforms() {
    conforms(
        &PlaceAt::default(),
        &holding(),
        &[json!({"x": 0.36, "y": -0.08})],
    );
}

#[test]
fn place_beside_conforms() {
    let calls = [json!({"target": "green cube", "side": "left"})];
    conforms(&PlaceBeside::default(), &holding(), &calls);
}

#[test]
fn place_aside_conforms() {
    let calls = [json!({}), json!({"keeping": ["on(green_cube, plate)"]})];
    conforms(&PlaceAside::default(), &holding(), &calls);
}

#[test]
fn pour_conforms() {
    conforms(&Pour, &holding_a_can_with_beads(), &[on("bowl")]);
}

#[test]
fn carry_to_conforms() {
    let calls = [json!({"x": 0.4, "y": 0.0, "z": 0.3})];
    conforms(&CarryTo, &holding(), &calls);
}

#[test]
fn open_conforms() {
    let calls = [json!({"object": "drawer", "opening_m": 0.06})];
    conforms(&Open, &at_a_drawer, &calls);
}

#[test]
fn close_conforms() {
    conforms(&Close, &at_an_open_drawer(), &[of("drawer")]);
}

#[test]
fn turn_conforms() {
    let at_a_knob = || cell(&at_task("hinges/turn_on", 0)).robot;
    let calls = [json!({"object": "stove_knob", "by_deg": 40.0})];
    conforms(&Turn, &at_a_knob, &calls);
}

#[test]
fn home_conforms() {
    conforms(&Home, &holding(), &[json!({})]);
}

#[test]
fn insert_conforms() {
    conforms(&Insert, &holding_a_peg(), &[on("box")]);
}

#[test]
fn reorient_conforms() {
    conforms(
        &Reorient::default(),
        &holding_a_carton_that_lay(),
        &[json!({})],
    );
}

#[test]
fn push_conforms() {
    let calls = [json!({"object": "red cube", "direction": "forward", "distance_m": 0.06})];
    conforms(&Push, &on_the_table, &calls);
}

#[test]
fn pull_conforms() {
    let calls = [json!({"object": "green cube", "direction": "back", "distance_m": 0.05})];
    conforms(&Pull, &on_the_table, &calls);
}

#[test]
fn tap_conforms() {
    let robot = || cell(&at_task("press_button", 1)).robot;
    conforms(&Press, &robot, &[json!({"button": "red button"})]);
}

#[test]
fn wait_until_conforms() {
    let until = json!({"goal": "on", "object": "red_cube", "target": "table"});
    conforms(&WaitUntil, &on_the_table, &[json!({"until": until})]);
}

#[test]
fn look_conforms() {
    conforms(&Look, &on_the_table, &[of("red cube")]);
}
