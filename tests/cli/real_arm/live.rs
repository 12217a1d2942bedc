//! The live page with a real arm (a fake): it shows the idle arm, asks before the first motion, and
//! gives stop orders priority.

use std::fs;
use std::thread;
use std::time::Duration;

use serde_json::json;

use super::page::Served;
use super::{Bench, START};
use crate::common::detector::Repeated;
use crate::shell::interrupt;
use regrasp_testkit::{says, within};

const EYES: &str = "--percepts percepts.jsonl --percepts-wait 20";

/// A cell whose arm moves slowly, so that there is time to stop it.
fn bench(speed: f64) -> (Bench, Repeated) {
    let bench = Bench::new();
    let settings = bench.alone.read("safety.yaml") + &format!("speed: {speed}\n");
    bench.alone.write("safety.yaml", settings);
    let detector = bench.detector();
    (bench, detector)
}

#[test]
fn the_page_shows_an_arm_that_nobody_commands() {
    let (bench, _detector) = bench(0.3);
    let served = Served::start(&bench, EYES);
    let mut page = served.page();
    page.until_is("the arm is there", "/robot/mode", "idle");
    let name = page.status["robot"]["name"].as_str().unwrap().to_owned();
    assert!(name.starts_with("FR3 at 127.0.0.1"), "{name}");
    page.until("positions", |page| !page.shot.is_empty());
    let before = page.shot.clone();
    // Somebody guides the idle arm by hand.
    bench.arm.arm().q[0] += 0.3;
    // The first 24 bytes of the positions are a header.
    page.until("the shown links move", |page| {
        page.shot[24..] != before[24..]
    });
    bench.arm.arm().mode = 4;
    page.until_is("a reflex", "/robot/mode", "stopped by reflex");
    bench.arm.arm().dead = true;
    page.until_is("a silent arm", "/robot/heard", false);
    let n_motions = bench.arm.arm().n_motions;
    assert_eq!(n_motions, 0, "motions of the idle arm");

    // Orders that need a simulation are refused.
    for order in [
        json!({"do": "repair"}),
        json!({"do": "speed", "times": 2.0}),
        json!({"do": "move", "object": "red_cube", "xy": [0.5, 0.0]}),
    ] {
        let answer = page.say(&order);
        assert_eq!(answer["type"], "error", "{order}: {answer}");
        let why = answer["message"].as_str().unwrap();
        says(why, &["not simulated"]);
    }
}

#[test]
fn somebody_at_the_page_approves_the_first_motion_and_watches_it() {
    let (bench, _detector) = bench(0.3);
    let served = Served::start(&bench, EYES);
    let mut page = served.page();
    let run = json!({"do": "run", "order": {"text": "go home"}});
    let ask = |page: &mut super::page::Page, approve: bool| {
        let run = page.begin(&run);
        page.until_is("a question", "/pending/kind", "approval");
        let pending = page.status["pending"].clone();
        let motion = pending["request"]["risks"][0].as_str().unwrap();
        says(motion, &["no joint faster than"]);
        page.say(&json!({"do": "answer", "id": pending["id"], "approve": approve}));
        (page.outcome(run), bench.arm.arm().n_motions)
    };
    let (refused, n_motions) = ask(&mut page, false);
    assert_eq!(refused["result"]["success"], false, "{refused}");
    assert_eq!(n_motions, 0);
    let (done, n_motions) = ask(&mut page, true);
    assert_eq!(done["result"]["success"], true, "{done}");
    assert!(n_motions > 0);
    let again = page.begin(&run);
    let done = page.outcome(again);
    assert_eq!(done["result"]["success"], true, "without approval: {done}");

    // Runs are stored with the arm's positions.
    let runs = bench.path().join("runs");
    assert_eq!(fs::read_dir(&runs).unwrap().count(), 3);
    let at = fs::read_dir(&runs).unwrap().map(|run| run.unwrap().path());
    let turned = at.map(|run| {
        let mut recording = regrasp_record::Recording::open(&run.join("recording.mcap")).unwrap();
        assert!(recording.is_complete());
        let frames: Vec<_> = recording.frames().map(Result::unwrap).collect();
        let joint = |k: usize| frames[k].joints.position[1];
        (joint(frames.len() - 1) - joint(0)).abs()
    });
    let turned: Vec<f64> = turned.collect();
    assert!(turned.iter().any(|by| *by > 0.05), "{turned:?}");

    // A reset reconnects. The scene is perceived again, and the first motion is asked for again.
    let reset = page.begin(&json!({"do": "reset", "scene": "real cell"}));
    let outcome = page.outcome(reset);
    assert_eq!(outcome["outcome"], "done", "{outcome}");
    assert!(bench.arm.arm().n_connections > 1);
    bench.arm.arm().q = START;
    bench.arm.arm().q_d = START;
    let (refused, _) = ask(&mut page, false);
    assert_eq!(refused["result"]["success"], false, "{refused}");
}

#[test]
fn anybody_at_the_page_stops_the_arm_and_so_does_losing_who_commands_it() {
    let (bench, _detector) = bench(0.008);
    let served = Served::start(&bench, &format!("{EYES} --approve-motion"));
    let mut page = served.page();
    let turned = || (bench.arm.arm().q[1] - START[1]).abs();
    let home = json!({"do": "skill", "skill": "home", "args": {}});
    let moves = |by: f64| {
        while turned() < by {
            thread::sleep(Duration::from_millis(2));
        }
    };
    let order = page.begin(&home);
    moves(0.005);
    // A second page has no control of the arm, but can stop it.
    let mut other = served.page();
    let refused = other.say(&json!({"do": "gripper", "open": true}));
    assert_eq!(refused["kind"], "not_in_control", "{refused}");
    assert_eq!(other.say(&json!({"do": "stop"}))["type"], "reply");
    let outcome = page.outcome(order);
    assert_eq!(outcome["result"]["reason"], "cancelled", "{outcome}");
    let stood = turned();
    within("turn of joint 2, rad", stood, 0.005..0.06);
    // The arm can be stopped while idle, and stays stopped until the next order.
    assert_eq!(other.say(&json!({"do": "stop"}))["type"], "reply");
    other.until_is("a stopped arm", "/robot/stopped", true);

    let _order = page.begin(&home);
    moves(stood + 0.005);
    drop(page);
    other.until("the arm is at rest", |page| {
        page.status["doing"].is_null() && page.status["robot"]["stopped"] == true
    });
    within("turn of joint 2, rad", turned(), ..stood + 0.06);

    let mut served = served;
    interrupt(&served.started.child);
    assert!(served.started.child.wait().unwrap().success());
}

#[test]
fn a_real_arm_has_its_own_cell_and_eyes() {
    let bench = Bench::new();
    let no_scene = "serve covered --percepts percepts.jsonl";
    bench.check(no_scene, 2, "SCENE: it has no effect");
    let speed = "mcp --speed 2 --percepts percepts.jsonl";
    bench.check(speed, 2, "--speed: it has no effect");
    bench.check("serve", 2, "--percepts FILE|URL or --rgbd");
    assert_eq!(bench.arm.arm().n_connections, 0);
}
