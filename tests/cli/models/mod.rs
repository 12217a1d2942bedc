//! Episodes with a model as planner, from the requests to the last motion.
//!
//! The models are servers on the loopback interface with hand-written answers.

#![expect(clippy::print_stdout, reason = "a failed test shows its command")]

mod cassette;
mod cli;
mod errors;
mod marks;
mod pictures;
mod pointer;
mod reader;
mod recovery;
mod weak;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use regrasp::agent::AgentOptions;
use regrasp::api::StampedEvent;
use regrasp::{Episode, EpisodeOptions, PictureOptions};
use regrasp_chat::testing::{NotedWaits, Received, Reply, Server};
use regrasp_chat::{ApiKey, ChatModel, Endpoint, HttpModel, Limits, Provider};
use regrasp_llm_planner::{VlmOptions, VlmPlanner};
use serde_json::{Value, json};

use crate::Shell;
use crate::common::{instance, played};
use crate::shell::expect;

/// Key with characters that JSON, URLs and base64 encode differently.
const KEY: &str = "sk-very/secret+0123=456789";
/// Task in which the cube for the plate is covered by another cube.
const COVERED: &str = "unstack_to_plate";

/// Runs a command line with the key in `TEST_KEY`. Checks its exit code, the words of its output,
/// and that the output does not contain the key.
#[track_caller]
fn regrasp(shell: &Shell, line: &str, code: i32, words: &str) -> String {
    let mut command = shell.command(line);
    command.env("TEST_KEY", KEY).env("RUST_LOG", "trace");
    let output = command.env_remove("OPENAI_API_KEY").output().unwrap();
    println!("{line}");
    let said = expect(&output, code, words);
    assert!(!said.contains(KEY), "the key is in {said}");
    said
}

/// Options of the command line for the planner of a server.
fn planner_at(url: &str) -> String {
    format!("--planner custom --model by-hand --base-url {url}")
}

fn http(url: &str) -> HttpModel {
    let key = Some(ApiKey::new(KEY));
    let endpoint = Endpoint::new(Provider::Custom, Some(url), "by-hand", key);
    let limits = Limits {
        read: Duration::from_millis(500),
        call: Duration::from_secs(60),
        max_body: 1 << 20,
        ..Limits::default()
    };
    let model = HttpModel::new(endpoint.unwrap(), limits).unwrap();
    model.with_clock(Arc::new(NotedWaits::default()))
}

/// Plays an episode of a task. Also returns all its events as text.
fn play(task: &str, model: impl ChatModel + 'static) -> (Episode, String) {
    play_with(task, model, None)
}

fn play_with(
    task: &str,
    model: impl ChatModel + 'static,
    pictures: Option<PictureOptions>,
) -> (Episode, String) {
    let task = instance(task, 0);
    let events: Arc<Mutex<Vec<StampedEvent>>> = Arc::default();
    let mut agent = AgentOptions::default();
    agent.budgets.min_interval_secs = 0.0;
    let options = EpisodeOptions {
        planner: Box::new(VlmPlanner::new(Arc::new(model), VlmOptions::default())),
        agent,
        pictures,
        sink: Box::new(Arc::clone(&events)),
        ..EpisodeOptions::default()
    };
    let episode = played(&task.scene, &task.prompt, options);
    let events = serde_json::to_string(&*events.lock().unwrap()).unwrap();
    (episode, events)
}

fn data(request: &Received) -> Value {
    let content = &request.body["messages"][1]["content"];
    // With pictures, the text is the first of several parts.
    let text = content.as_str().or(content[0]["text"].as_str());
    let text = text.unwrap_or_default();
    let block = text.split_once("<scene_data>\n");
    let block = block.and_then(|(_, rest)| rest.split_once("\n</"));
    serde_json::from_str(block.map_or("null", |(block, _)| block)).unwrap()
}

fn done() -> (&'static str, Value) {
    (
        "done",
        json!({ "answer": "The red cube is on the plate.", "goal": "on(red_cube, plate)" }),
    )
}

/// A model that notices the covering object only after feedback, and then removes the object that
/// the feedback names.
fn uncovers(_: usize, request: &Received) -> Reply {
    let failures = data(request)["failures"].as_array().cloned();
    let failures = failures.unwrap_or_default();
    let pick = ("pick", json!({ "object": "red_cube" }));
    let onto_plate = [pick, ("place_on", json!({ "target": "plate" })), done()];
    let Some(last) = failures.last().filter(|f| f["reason"] == "object_covered") else {
        return Reply::calls(&onto_plate);
    };
    let picked = json!({ "object": last["about"][0] });
    let mut calls = vec![("pick", picked), ("place_aside", json!({}))];
    calls.extend(onto_plate);
    Reply::calls(&calls)
}

fn uncovering_server() -> Server {
    Server::new(uncovers)
}
