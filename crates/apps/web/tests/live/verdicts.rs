//! Verdicts of a task's judge on runs.

use std::fs;
use std::path::Path;

use regrasp::LoadedRobot;
use regrasp::scene::load_task;
use regrasp_session::{StartScene, StationOptions};
use regrasp_web::ServerOptions;
use serde_json::{Value, json};

use crate::common::{Client, Live, live_with, met, run};

const PROMPT: &str = "put the red cube on the plate";

/// Adds a task with the prompt [`PROMPT`] and these conditions of success.
fn with_task(options: &mut StationOptions, folder: &Path, success: &str) {
    let text = format!(
        "name: judged\ndescription: A test.\nprompt: {PROMPT}\nscene:\n  \
           arm: {{position: [-0.3, 0.0, 0.0]}}\n  objects:\n    \
             - {{id: table, kind: table, size: [1.3, 1.2], top_z: 0.04, xy: [0.75, 0.0]}}\n    \
             - {{id: plate, kind: plate, radius: 0.09, thickness: 0.01, fixed: true, on: table, xy: [0.45, 0.18]}}\n    \
             - {{id: red_cube, kind: cube, half_extents: 0.014, mass_kg: 0.04, color: red, on: table, xy: [0.38, -0.05]}}\n    \
             - {{id: blue_cube, kind: cube, half_extents: 0.025, mass_kg: 0.1, color: blue, on: table, xy: [0.38, -0.2]}}\n\
         success:\n{success}"
    );
    let path = folder.join("judged.yaml");
    fs::write(&path, text).expect("a folder that can be written to");
    let loaded = LoadedRobot::panda().expect("the built-in robot loads");
    let task = load_task(&path, loaded.file()).expect("the task is right");
    let task = StartScene::Task(Box::new(task));
    options.scenes.push(("judged".to_owned(), task));
}

async fn judged(success: &str) -> Live {
    let folder = tempfile::tempdir().expect("a folder for the task");
    let change = |options: &mut StationOptions| with_task(options, folder.path(), success);
    live_with("judged", 0.0, change, ServerOptions::default()).await
}

/// Runs a text; returns its outcome and the log's last entry about the end of a run.
async fn run_to_its_end(client: &mut Client, live: &Live, text: &str) -> (Value, Value) {
    let ended = client.carry_out(run(text)).await;
    let entries = live.session.subscribe().now().entries;
    let entries = entries.iter();
    let entries = entries.filter_map(|it| serde_json::to_value(it).ok());
    let mut ends = entries.filter(|entry| entry["entry"] == "run_finished");
    let last = ends.next_back().expect("the run ended");
    (ended, last)
}

#[tokio::test]
async fn a_task_that_is_done_is_said_to_be_and_a_free_text_is_not_judged() {
    let held = "  - on: {object: red_cube, target: plate}\n  - held_for:\n      \
                seconds: 0.7\n      condition: {on: {object: red_cube, target: plate}}\n";
    let live = judged(held).await;
    let mut client = live.connect().await;
    let (ended, entry) = run_to_its_end(&mut client, &live, PROMPT).await;
    assert_eq!(entry["verdict"], json!({"judged": "success"}), "{ended}");
    assert_eq!(ended["verdict"], entry["verdict"], "{ended}");
    let (sim_s, now) = (ended["result"]["sim_s"].as_f64(), live.session.status());
    let watched_secs = now.sim_secs - sim_s.expect("a run takes time");
    assert!(
        watched_secs > 0.65,
        "the world was watched for {watched_secs:.2} s"
    );
    let (ended, entry) = run_to_its_end(&mut client, &live, "go home").await;
    assert_eq!(ended["result"]["success"], true, "{ended}");
    assert_eq!(entry["verdict"], Value::Null, "a free text has no verdict");
}

#[tokio::test]
async fn unmet_conditions_are_reported_whatever_is_claimed() {
    let other = "  - on: {object: red_cube, target: plate}\n  \
                 - on: {object: red_cube, target: blue_cube}\n";
    let live = judged(other).await;
    let mut client = live.connect().await;
    let (ended, entry) = run_to_its_end(&mut client, &live, PROMPT).await;
    assert_eq!(
        ended["result"]["success"], true,
        "the agent claims success: {ended}"
    );
    let verdict = &entry["verdict"];
    assert_eq!(verdict["judged"], "failure");
    assert_eq!(verdict["false_success"], true);
    let unmet = verdict["unmet"].as_array().expect("conditions");
    assert_eq!(unmet.len(), 1, "only one condition is unmet: {verdict}");
    let condition = unmet[0]["condition"].as_str().unwrap_or_default();
    assert!(condition.contains("blue_cube"), "{verdict}");
    assert_eq!(ended["verdict"], *verdict);
}

#[tokio::test]
async fn a_run_that_is_stopped_is_not_judged() {
    let (_live, mut client) = met("unstack_to_plate", 1.0).await;
    let id = client.tell(json!({"order": run(PROMPT)})).await;
    client.phase("").await;
    client.order(json!({"do": "stop"})).await;
    let ended = client.outcome(id).await;
    assert_eq!(ended["verdict"], json!({"judged": "not_judged"}), "{ended}");
}

#[tokio::test]
async fn a_task_that_cannot_be_done_is_a_success_if_it_is_refused_for_the_right_reason() {
    let (live, mut client) = met("pick_unreachable_cube", 0.0).await;
    let prompt = live.session.status().prompt.expect("a task has a prompt");
    let (ended, entry) = run_to_its_end(&mut client, &live, &prompt).await;
    assert_eq!(ended["result"]["success"], false, "{ended}");
    assert_eq!(entry["verdict"], json!({"judged": "success"}), "{ended}");
}
