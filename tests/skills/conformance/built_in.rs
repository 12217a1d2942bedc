//! Conformance of each standard skill, in a scene in which its valid calls can succeed.

use std::collections::BTreeSet;
use std::f64::consts::FRAC_PI_2;
use std::sync::Mutex;
use std::thread;

use nalgebra::Vector3;
use regrasp::robot::{AnySkill, Robot, Skill};
use regrasp::scene::{Scene, builtin_scene};
use regrasp::skills::{
    CarryTo, Close, Home, Insert, Look, Open, Pick, PlaceAside, PlaceAt, PlaceBeside, PlaceOn,
    Pour, Press, Pull, Push, Reorient, Turn, WaitUntil, standard,
};
use regrasp_conformance::check;
use serde_json::{Value, json};

use crate::common::*;

fn on_the_table() -> Robot {
    cell(&builtin_scene("tabletop").unwrap()).robot
}

fn at_task(task: &str, seed: u64) -> impl Fn() -> Robot {
    let scene = instance(task, seed).scene;
    move || cell(&scene).robot
}

fn holding() -> impl Fn() -> Robot {
    after(builtin_scene("tabletop").unwrap(), "pick", of("red cube"))
}

fn holding_a_peg() -> impl Fn() -> Robot {
    let scene = instance("maniskill/peg_insertion_side", 2).scene;
    after(scene, "pick", pick_for("peg", "insert", &on("box")))
}

/// Robots that hold a can with few beads. The check stops the pour at many times, and more beads
/// would take long to come to rest after each stop.
fn holding_a_can_with_beads() -> impl Fn() -> Robot {
    const N_BEADS: usize = 4;
    let mut scene = instance("robosandbox/pour", 0).scene;
    let mut n_beads = 0;
    scene.objects.retain(|object| {
        n_beads += usize::from(object.group.is_some());
        object.group.is_none() || n_beads <= N_BEADS
    });
    let pick = pick_for("tomato_soup_can", "pour", &on("bowl"));
    after(scene, "pick", pick)
}

fn holding_a_carton_that_lay() -> impl Fn() -> Robot {
    let shape = cuboid([0.022, 0.024, 0.05]);
    let at = [0.35, -0.1, TABLE_Z + 0.022];
    let carton = object("red_carton", shape, at, Some(0.1));
    let carton = turned(carton, Vector3::y_axis(), FRAC_PI_2);
    let pick = pick_for("red_carton", "reorient", &json!({}));
    after(scene([carton]), "pick", pick)
}

fn at_an_open_drawer() -> impl Fn() -> Robot {
    let scene = instance("open_drawer", 0).scene;
    after(scene, "open", of("drawer"))
}

/// Creates robots in the state after a call, which is made once. Each robot restores this state.
fn after(scene: Scene, skill: &str, args: Value) -> impl Fn() -> Robot {
    let mut robot = cell(&scene).robot;
    robot.does(skill, args);
    let world = robot.world.rewind().unwrap().snapshot().unwrap();
    let (held, seen) = (robot.held.clone(), robot.perception.save());
    move || {
        let mut robot = cell(&scene).robot;
        robot.world.rewind().unwrap().restore(&world).unwrap();
        robot.perception.restore(&seen);
        robot.held = held.clone();
        robot
    }
}

fn conforms(skill: &dyn AnySkill, robot: &dyn Fn() -> Robot, calls: &[Value]) {
    let report = check(skill, robot, calls);
    assert!(report.is_conformant(), "{report}");
}

/// Checks of all standard skills, by name.
const CHECKS: [(&str, fn()); 18] = [
    (Pick::NAME, || {
        let calls = [
            pick_for("red cube", "place_on", &on("plate")),
            json!({"object": "blue cylinder", "force_n": 15.0}),
        ];
        conforms(&Pick, &on_the_table, &calls);
    }),
    (PlaceOn::NAME, || {
        conforms(&PlaceOn::default(), &holding(), &[on("plate")]);
    }),
    (PlaceAt::NAME, || {
        let calls = [json!({"x": 0.36, "y": -0.08})];
        conforms(&PlaceAt::default(), &holding(), &calls);
    }),
    (PlaceBeside::NAME, || {
        let calls = [json!({"target": "green cube", "side": "left"})];
        conforms(&PlaceBeside::default(), &holding(), &calls);
    }),
    (PlaceAside::NAME, || {
        let calls = [json!({}), json!({"keeping": ["on(green_cube, plate)"]})];
        conforms(&PlaceAside::default(), &holding(), &calls);
    }),
    (Pour::NAME, || {
        conforms(&Pour, &holding_a_can_with_beads(), &[on("bowl")]);
    }),
    (CarryTo::NAME, || {
        let calls = [json!({"x": 0.4, "y": 0.0, "z": 0.3})];
        conforms(&CarryTo, &holding(), &calls);
    }),
    (Open::NAME, || {
        let calls = [json!({"object": "drawer", "opening_m": 0.06})];
        conforms(&Open, &at_task("open_drawer", 0), &calls);
    }),
    (Close::NAME, || {
        conforms(&Close, &at_an_open_drawer(), &[of("drawer")]);
    }),
    (Turn::NAME, || {
        let calls = [json!({"object": "stove_knob", "by_deg": 40.0})];
        conforms(&Turn, &at_task("hinges/turn_on", 0), &calls);
    }),
    (Home::NAME, || conforms(&Home, &holding(), &[json!({})])),
    (Insert::NAME, || {
        conforms(&Insert, &holding_a_peg(), &[on("box")]);
    }),
    (Reorient::NAME, || {
        let robot = holding_a_carton_that_lay();
        conforms(&Reorient::default(), &robot, &[json!({})]);
    }),
    (Push::NAME, || {
        let calls = [json!({"object": "red cube", "direction": "forward", "distance_m": 0.06})];
        conforms(&Push, &on_the_table, &calls);
    }),
    (Pull::NAME, || {
        let calls = [json!({"object": "green cube", "direction": "back", "distance_m": 0.05})];
        conforms(&Pull, &on_the_table, &calls);
    }),
    (Press::NAME, || {
        let calls = [json!({"button": "red button"})];
        conforms(&Press, &at_task("press_button", 1), &calls);
    }),
    (WaitUntil::NAME, || {
        let until = json!({"goal": "on", "object": "red_cube", "target": "table"});
        let calls = [json!({"until": until})];
        conforms(&WaitUntil, &on_the_table, &calls);
    }),
    (Look::NAME, || {
        conforms(&Look, &on_the_table, &[of("red cube")]);
    }),
];

/// Runs the checks on two threads. Each standard skill must have a check.
#[test]
fn every_standard_skill_conforms() {
    let checked: BTreeSet<String> = CHECKS.iter().map(|(name, _)| (*name).into()).collect();
    let known = standard().specs().into_iter().map(|spec| spec.name);
    assert_eq!(checked, known.collect());
    let left = Mutex::new(CHECKS.into_iter());
    let work = || {
        loop {
            let Some((_, check)) = left.lock().unwrap().next() else {
                break;
            };
            check();
        }
    };
    thread::scope(|scope| {
        scope.spawn(work);
        work();
    });
}
