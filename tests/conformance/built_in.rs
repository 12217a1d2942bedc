//! Each skill of the standard set, in a scene in which its good calls can succeed.

use regrasp::api::{Robot, Skill};
use regrasp::scene::{builtin_scene, builtin_task};
use regrasp::skills::{
    CarryTo, CloseDrawer, Home, OpenDrawer, Pick, PlaceAt, PlaceBeside, PlaceOn, standard,
};
use regrasp_conformance::check;
use serde_json::{Value, json};

use crate::common::{call, cell};

/// Every skill here has its test; [`none_is_left_out`] compares with the standard set.
const CHECKED: &[&str] = &[
    Pick::NAME,
    PlaceOn::NAME,
    PlaceAt::NAME,
    PlaceBeside::NAME,
    CarryTo::NAME,
    OpenDrawer::NAME,
    CloseDrawer::NAME,
    Home::NAME,
];

fn on_the_table() -> Robot {
    cell(&builtin_scene("tabletop").expect("it is built in")).robot
}

fn holding() -> Robot {
    after(on_the_table(), "pick", json!({"object": "red cube"}))
}

fn at_a_drawer() -> Robot {
    let task = builtin_task("open_drawer").expect("it is built in");
    cell(&task.instantiate(0).expect("it can be drawn").scene).robot
}

fn at_an_open_drawer() -> Robot {
    after(at_a_drawer(), "open_drawer", json!({"drawer": "drawer"}))
}

fn after(mut robot: Robot, skill: &str, args: Value) -> Robot {
    let result = call(&mut robot, skill, args);
    assert!(result.success, "{}", result.reason_detail);
    robot
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
    conforms(&PlaceOn, &holding, &[json!({"target": "plate"})]);
}

#[test]
fn place_at_conforms() {
    conforms(&PlaceAt, &holding, &[json!({"x": 0.36, "y": -0.08})]);
}

#[test]
fn place_beside_conforms() {
    let calls = [json!({"target": "green cube", "side": "left"})];
    conforms(&PlaceBeside, &holding, &calls);
}

#[test]
fn carry_to_conforms() {
    conforms(&CarryTo, &holding, &[json!({"x": 0.4, "y": 0.0, "z": 0.3})]);
}

#[test]
fn open_drawer_conforms() {
    let calls = [json!({"drawer": "drawer", "opening_m": 0.06})];
    conforms(&OpenDrawer, &at_a_drawer, &calls);
}

#[test]
fn close_drawer_conforms() {
    conforms(
        &CloseDrawer,
        &at_an_open_drawer,
        &[json!({"drawer": "drawer"})],
    );
}

#[test]
fn home_conforms() {
    conforms(&Home, &holding, &[json!({})]);
}
