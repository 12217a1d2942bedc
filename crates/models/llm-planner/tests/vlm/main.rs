//! The planner against a server on the loopback interface, over real sockets.

#![expect(
    clippy::unwrap_used,
    reason = "a server or an answer that cannot be had fails the test"
)]

mod budget;
mod corrections;
mod goals;
mod hostile;
mod modes;
mod plans;
mod scene;

use std::sync::Arc;
use std::time::Duration;

use regrasp_api::{Plan, Planner, PlannerError};
use regrasp_chat::testing::{NotedWaits, Received, Reply, Server};
use regrasp_chat::{ApiKey, Endpoint, HttpModel, Limits, Provider};
use regrasp_llm_planner::{VlmOptions, VlmPlanner};
use serde_json::{Value, json};

use scene::Situation;

const KEY: &str = "sk-very-secret-0123456789";

fn model(server: &Server, provider: Provider) -> Box<HttpModel> {
    let (url, key) = (server.url(), ApiKey::new(KEY));
    let endpoint = Endpoint::new(provider, Some(&url), "test-model", Some(key));
    let limits = Limits {
        read: Duration::from_secs(20),
        call: Duration::from_secs(30),
        ..Limits::default()
    };
    let model = HttpModel::new(endpoint.unwrap(), limits).unwrap();
    Box::new(model.with_clock(Arc::new(NotedWaits::default())))
}

fn planner(server: &Server, provider: Provider, options: VlmOptions) -> VlmPlanner {
    VlmPlanner::new(model(server, provider), options)
}

fn plan(planner: &mut impl Planner, situation: &Situation) -> Result<Plan, PlannerError> {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_all().build().unwrap();
    let outcome = runtime.block_on(planner.plan(&situation.request()));
    let shown = format!("{outcome:?}");
    assert!(!shown.contains(KEY), "a key in {shown}");
    outcome
}

fn usual(server: &Server) -> VlmPlanner {
    planner(server, Provider::Custom, VlmOptions::default())
}

type Asked = (Result<Plan, PlannerError>, Vec<Received>);

fn ask_with(replies: Vec<Reply>, options: VlmOptions, situation: &Situation) -> Asked {
    let server = Server::scripted(replies);
    let mut planner = planner(&server, Provider::Custom, options);
    let outcome = plan(&mut planner, situation);
    (outcome, server.received())
}

fn ask_in(situation: &Situation, replies: Vec<Reply>) -> Asked {
    ask_with(replies, VlmOptions::default(), situation)
}

fn ask(replies: Vec<Reply>) -> Asked {
    ask_in(&Situation::new(), replies)
}

fn request_in(situation: &Situation) -> Received {
    let (plan, received) = ask_in(situation, vec![good()]);
    assert!(plan.is_ok(), "{plan:?}");
    received[0].clone()
}

#[track_caller]
fn refused(plan: Result<Plan, PlannerError>, name: &str) -> String {
    let error = plan.expect_err(name);
    let shown = format!("{error:?}");
    assert!(shown.starts_with(name), "{shown}");
    error.to_string()
}

fn calls(plan: &Plan) -> Vec<String> {
    let steps = plan.steps.iter();
    steps.map(|step| step.call.to_string()).collect()
}

/// Calls that pick up the blue cube and put it on the plate.
fn good_calls() -> Vec<(&'static str, Value)> {
    let answer = "the blue cube is on the plate";
    let done = json!({ "answer": answer, "goal": "on(blue_cube, plate)" });
    vec![
        ("pick", json!({ "object": "blue_cube" })),
        ("place_on", json!({ "target": "plate" })),
        ("done", done),
    ]
}

fn good() -> Reply {
    Reply::calls(&good_calls())
}

fn system(request: &Received) -> &str {
    request.body["messages"][0]["content"].as_str().unwrap()
}

fn user(request: &Received) -> &str {
    let content = &request.body["messages"][1]["content"];
    content.as_str().or(content[0]["text"].as_str()).unwrap()
}

fn data(request: &Received) -> Value {
    let text = user(request);
    let (_, rest) = text.split_once("<scene_data>\n").unwrap();
    let (block, rest) = rest.split_once("\n</scene_data>").unwrap();
    assert!(!rest.contains("scene_data"), "there is one block: {text}");
    serde_json::from_str(block).unwrap()
}
