//! Effects of orders on the arm.

use std::time::Duration;

use regrasp_session::{Flow, Shot, StationOptions};
use serde_json::{Value, json};

use crate::common::{Live, live, live_with, met, run, teleoperate};
use regrasp_testkit::says;
use regrasp_web::ServerOptions;

const TEXT: &str = "put the red cube on the plate";

fn joints(live: &Live) -> Vec<f64> {
    let shots = live.session.history();
    let last: Option<&Shot> = shots.last().map(AsRef::as_ref);
    last.map(|shot| shot.joint_positions.clone())
        .unwrap_or_default()
}

fn furthest(a: &[f64], b: &[f64]) -> f64 {
    let apart = a.iter().zip(b).map(|(a, b)| (a - b).abs());
    apart.fold(0.0, f64::max)
}

#[tokio::test]
async fn a_stop_in_the_middle_holds_the_arm_within_the_stop_rule() {
    let (live, mut client) = met("covered", 1.0).await;
    let id = client.tell(json!({"order": run(TEXT)})).await;
    client.phase("approach").await;
    // Wait until the arm is in the middle of a motion.
    let start = joints(&live);
    while furthest(&joints(&live), &start) < 0.2 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    client.accepted(json!({"do": "stop"})).await;
    let ended = client.outcome(id).await;
    assert_eq!(ended["result"]["final_reason"], "cancelled", "{ended}");
    // The cancel token is checked in every step of the world; the arm brakes from there on.
    let log = log_of(&live);
    let motions = log.iter().map(|entry| &entry["event"]);
    let cut_short = motions.filter(|event| event["end"]["end"] == "cancelled");
    let braked_secs = cut_short.map(|event| {
        let number = |value: &Value| value.as_f64().unwrap_or(f64::NAN);
        number(&event["duration_secs"]) - number(&event["end"]["at_secs"])
    });
    let braked_secs: Vec<_> = braked_secs.collect();
    let is_quick = matches!(braked_secs[..], [secs] if secs <= 0.05);
    assert!(is_quick, "it took {braked_secs:?} s");
    let ended_secs = live.session.status().sim_secs;
    let held = joints(&live);
    // A repair lets time pass, in which the arm must not move.
    client.order(json!({"do": "repair"})).await;
    while live.session.status().sim_secs < ended_secs + 0.15 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    live.digest().await;
    let apart = furthest(&joints(&live), &held);
    assert!(apart < 2e-3, "the arm went on for {apart} rad");
    client.order(json!({"do": "speed", "times": 0.0})).await;
    client.succeeds(run(TEXT)).await;
}

#[tokio::test]
async fn the_pace_changes_nothing_that_happens() {
    let mut digests = vec![];
    for speed in [0.0, 8.0] {
        let live = live("unstack_to_plate", speed).await;
        let mut client = live.connect().await;
        let ended = client.succeeds(run(TEXT)).await;
        digests.push(ended["result"]["state_digest"].clone());
    }
    let alone = tokio::task::spawn_blocking(|| {
        let loaded = regrasp::LoadedRobot::panda().expect("the built-in robot loads");
        let task = regrasp::scene::builtin_task("unstack_to_plate");
        let task = task.and_then(|task| task.instantiate(0));
        let task = task.expect("a built-in task");
        let options = regrasp::EpisodeOptions::default();
        let episode = loaded.episode(&task.scene, TEXT, options);
        episode.expect("the episode can be simulated").result
    });
    let result = alone.await.expect("the episode ends");
    digests.push(Value::String(result.state_digest));
    assert!(digests.windows(2).all(|d| d[0] == d[1]), "{digests:?}");
}

/// A server that asks for approval of this skill.
async fn asking(skill: &str) -> Live {
    let change = |options: &mut StationOptions| {
        let mut policy = regrasp_api::ApprovalPolicy::default();
        policy.risks.irreversible = vec![skill.to_owned()];
        options.agent.approval = Some(policy);
    };
    live_with("covered", 0.0, change, ServerOptions::default()).await
}

#[tokio::test]
async fn steps_are_made_one_by_one_and_approved_one_by_one() {
    let live = asking("place_on").await;
    let mut client = live.connect().await;
    let order = json!({"do": "run", "order": {"text": TEXT, "step_by_step": true}});
    let id = client.tell(json!({"order": order})).await;
    client.status(|status| status["flow"] == "paused").await;
    let n_started = || {
        let log = log_of(&live).into_iter();
        log.filter(|entry| entry["event"]["event"] == "step_started")
            .count()
    };
    assert_eq!(n_started(), 1, "the first step waits");
    let at = live.session.status().sim_secs;
    client.order(json!({"do": "step"})).await;
    client.status(|status| status["flow"] == "paused").await;
    assert_eq!(n_started(), 2, "the second step waits");
    assert!(live.session.status().sim_secs >= at);
    client.order(json!({"do": "resume"})).await;
    let pending = client.question().await;
    assert_eq!(pending["request"]["call"]["skill"], "place_on", "{pending}");
    let no = json!({"do": "answer", "id": pending["id"], "approve": false, "text": "not today"});
    client.order(no).await;
    let ended = client.outcome(id).await;
    assert_eq!(ended["result"]["success"], false, "{ended}");
    says(&ended.to_string(), &["approval_denied", "not today"]);
}

#[tokio::test]
async fn a_skill_that_is_called_by_hand_waits_for_approval_too() {
    let live = asking("pick").await;
    let mut client = live.connect().await;
    let picked = json!({"do": "skill", "skill": "pick", "args": {"object": "blue_cube"}});
    let no = json!({"approve": false, "text": "not today"});
    for (answer, reason) in [
        (no, json!("approval_denied")),
        (json!({"approve": true}), Value::Null),
    ] {
        let id = client.tell(json!({"order": picked})).await;
        let pending = client.question().await;
        let risks = &pending["request"]["risks"];
        assert_eq!(*risks, json!(["pick cannot be undone"]));
        let mut order = answer;
        order["do"] = json!("answer");
        order["id"] = pending["id"].clone();
        client.order(order).await;
        let ended = client.outcome(id).await;
        assert_eq!(ended["result"]["reason"], reason, "{ended}");
    }
    says(&text_of(&live), &["approval_asked"]);
    // An order that waits for an answer can be stopped, and the robot is free afterwards.
    let id = client.tell(json!({"order": picked})).await;
    client.question().await;
    client.order(json!({"do": "stop"})).await;
    let ended = client.outcome(id).await;
    assert_eq!(ended["result"]["reason"], "cancelled", "{ended}");
    // `home` is harmless and needs no approval.
    let home = json!({"do": "skill", "skill": "home", "args": {}});
    client.succeeds(home).await;
}

#[tokio::test]
async fn a_pause_holds_time_and_what_is_moved_meanwhile_is_moved() {
    let (live, mut client) = met("covered", 2.0).await;
    let id = client.tell(json!({"order": run(TEXT)})).await;
    client.phase("approach").await;
    client.order(json!({"do": "pause"})).await;
    assert_eq!(live.session.status().flow, Flow::Paused);
    tokio::time::sleep(Duration::from_millis(100)).await;
    let at = live.session.status().sim_secs;
    let busy = client.order(json!({"do": "gripper", "open": false})).await;
    assert_eq!(busy["kind"], "busy", "{busy}");
    let away = json!({"do": "move", "object": "blue_cube", "xy": [0.45, -0.25]});
    client.accepted(away).await;
    tokio::time::sleep(Duration::from_millis(100)).await;
    let now = live.session.status().sim_secs;
    assert!((now - at).abs() < 1e-9, "time passed: {at} to {now} s");
    client.order(json!({"do": "speed", "times": 0.0})).await;
    client.order(json!({"do": "resume"})).await;
    let ended = client.outcome(id).await;
    assert_eq!(ended["result"]["success"], true, "the agent coped: {ended}");
    says(&text_of(&live), &["blue_cube was put"]);
}

fn log_of(live: &Live) -> Vec<Value> {
    let entries = live.session.subscribe().now().entries;
    let values = entries.iter().map(serde_json::to_value);
    let values = values.map(|value| value.expect("entries have an encoding"));
    values.collect()
}

fn text_of(live: &Live) -> String {
    let texts: Vec<_> = log_of(live).iter().map(Value::to_string).collect();
    texts.join("\n")
}

#[tokio::test]
async fn by_hand_the_arm_goes_where_it_can_and_says_why_not_elsewhere() {
    let (_live, mut client) = met("pick_cube", 0.0).await;
    for _ in 0..4 {
        // Moves the tool over the table.
        client.succeeds(teleoperate([0.08, 0.0, 0.0])).await;
    }
    let mut until_it_fails = async |by_m: [f64; 3], reasons: &[&str]| {
        for _ in 0..30 {
            let last = client.carry_out(teleoperate(by_m)).await;
            if last["result"]["success"] != true {
                let reason = last["result"]["reason"].as_str().unwrap_or_default();
                assert!(reasons.contains(&reason), "expected {reasons:?}: {last}");
                return last;
            }
        }
        panic!("30 moves by {by_m:?} m succeeded");
    };
    let low = ["goal_in_collision", "path_blocked"];
    let last = until_it_fails([0.0, 0.0, -0.08], &low).await;
    let blockers = last["result"]["entities"].as_array();
    assert!(blockers.is_some_and(|names| !names.is_empty()), "{last}");
    until_it_fails([0.0, 0.0, 0.1], &["unreachable", "path_blocked"]).await;
    let closed = json!({"do": "gripper", "open": false});
    let closed = client.succeeds(closed).await;
    says(&closed.to_string(), &["holds nothing"]);
}

#[tokio::test]
async fn a_fault_during_a_run_is_noticed_and_repaired() {
    let (live, mut client) = met("tabletop", 4.0).await;
    let put = run("put the red cube on the green cube");
    let id = client.tell(json!({"order": put})).await;
    client.phase("lift").await;
    let taken = json!({"do": "move", "object": "red_cube", "xy": [0.5, -0.2]});
    client.accepted(taken).await;
    let ended = client.outcome(id).await;
    let failed = log_of(&live).into_iter().find(|entry| {
        let event = &entry["event"];
        event["event"] == "step_finished" && event["result"]["success"] == false
    });
    assert!(failed.is_some(), "{}", text_of(&live));
    assert_eq!(ended["result"]["success"], true, "{ended}");
}

#[tokio::test]
async fn a_fault_of_the_eyes_waits_for_the_next_run() {
    let (live, mut client) = met("covered", 0.0).await;
    let fault = json!({"sight_misses": {"object": "plate"}});
    client.order(json!({"do": "fault", "fault": fault})).await;
    assert_eq!(live.session.status().armed.len(), 1);
    let ended = client.carry_out(run(TEXT)).await;
    assert_eq!(ended["result"]["success"], false, "{ended}");
    assert!(
        live.session.status().armed.is_empty(),
        "the fault stays armed after a run"
    );
    client.succeeds(run(TEXT)).await;
}
