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

fn planner(server: &Server, provider: Provider, options: VlmOptions) -> VlmPlanner {
    let endpoint = Endpoint::new(
        provider,
        Some(&server.url()),
        "test-model",
        Some(ApiKey::new(KEY)),
    );
    let limits = Limits {
        read: Duration::from_secs(20),
        call: Duration::from_secs(30),
        ..Limits::default()
    };
    let model = HttpModel::new(endpoint.unwrap(), limits).unwrap();
    let model = model.with_clock(Arc::new(NotedWaits::default()));
    VlmPlanner::new(Box::new(model), options)
}

fn plan(planner: &mut VlmPlanner, situation: &Situation) -> Result<Plan, PlannerError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let outcome = runtime
        .unwrap()
        .block_on(planner.plan(&situation.request()));
    assert!(
        !format!("{outcome:?}").contains(KEY),
        "a key in {outcome:?}"
    );
    outcome
}

/// A plan from these replies, and what the server was asked.
fn ask(
    replies: Vec<Reply>,
    options: VlmOptions,
    situation: &Situation,
) -> (Result<Plan, PlannerError>, Vec<Received>) {
    let server = Server::scripted(replies);
    let mut planner = planner(&server, Provider::Custom, options);
    let outcome = plan(&mut planner, situation);
    (outcome, server.received())
}

/// The calls of a plan, as text.
fn calls(plan: &Plan) -> Vec<String> {
    plan.steps
        .iter()
        .map(|step| step.call.to_string())
        .collect()
}

/// Picks the blue cube up and puts it on the plate.
fn good_calls() -> Vec<(&'static str, Value)> {
    vec![
        ("pick", json!({ "object": "blue_cube" })),
        ("place_on", json!({ "target": "plate" })),
        (
            "done",
            json!({ "answer": "the blue cube is on the plate",
                         "goal": "on(blue_cube, plate)" }),
        ),
    ]
}

fn good() -> Reply {
    Reply::calls(&good_calls())
}

/// What the user message of a request says.
fn user(request: &Received) -> &str {
    let content = &request.body["messages"][1]["content"];
    content.as_str().or(content[0]["text"].as_str()).unwrap()
}

/// The block of data in a request.
fn data(request: &Received) -> Value {
    let text = user(request);
    let (_, rest) = text.split_once("<scene_data>\n").unwrap();
    let (block, rest) = rest.split_once("\n</scene_data>").unwrap();
    assert!(!rest.contains("scene_data"), "there is one block: {text}");
    serde_json::from_str(block).unwrap()
}
