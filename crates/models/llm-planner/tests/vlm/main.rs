//! The planner against a server on the loopback interface, over real sockets.

#![expect(
    clippy::unwrap_used,
    reason = "a missing server or answer fails the test"
)]

mod budget;
mod corrections;
mod goals;
mod hostile;
mod modes;
mod plans;
mod scene;

use std::sync::Arc;

use regrasp_api::{Plan, PlanRequest, Planner, PlannerError};
use regrasp_chat::testing::{KEY, Received, Reply, Server, limits, model_at};
use regrasp_chat::{HttpModel, Provider, block_on};
use regrasp_llm_planner::{VlmOptions, VlmPlanner};
use serde_json::{Value, json};

use scene::Situation;

fn model(server: &Server, provider: Provider) -> Arc<HttpModel> {
    Arc::new(model_at(provider, &server.url(), limits()).0)
}

fn planner(server: &Server, provider: Provider, options: VlmOptions) -> VlmPlanner {
    VlmPlanner::new(model(server, provider), options)
}

fn plan(planner: &mut impl Planner, situation: &Situation) -> Result<Plan, PlannerError> {
    plan_for(planner, &situation.request())
}

fn plan_for(planner: &mut impl Planner, request: &PlanRequest<'_>) -> Result<Plan, PlannerError> {
    let outcome = block_on(planner.plan(request)).unwrap();
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
