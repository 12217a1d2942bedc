//! Approval of steps by a person behind the client.

use std::time::Duration;

use regrasp_api::{ApprovalMode, ApprovalPolicy};
use regrasp_mcp::{Limits, Unasked};
use regrasp_testkit::says;
use serde_json::{Value, json};

use crate::client::{Client, Setup, said};

/// Policy by which `pick` is critical.
fn critical() -> Option<ApprovalPolicy> {
    let mut policy = ApprovalPolicy::default();
    policy.risks.irreversible = vec!["pick".into()];
    Some(policy)
}

/// Client whose person answers `says`.
async fn asking(says: Option<Value>, limits: Limits) -> Client {
    Client::new(Setup {
        limits,
        policy: critical(),
        capabilities: json!({"elicitation": {}}),
        says,
        ..Setup::default()
    })
    .await
}

fn yes() -> Value {
    json!({"action": "accept", "content": {"approve": true}})
}

fn red_cube() -> Value {
    json!({"object": "red_cube"})
}

/// Simulated time, s; it advances only during calls.
async fn sim_secs(client: &mut Client) -> Value {
    let status = client.succeeds("status", json!({})).await;
    assert_eq!(status["doing"], Value::Null, "{status}");
    status["sim_secs"].clone()
}

fn assert_denied(result: &Value, why: &str) {
    assert_eq!(result["reason"], "approval_denied", "{result}");
    let detail = result["reason_detail"].as_str().unwrap_or_default();
    says(detail, &[why, "cannot be undone"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_critical_call_is_made_when_somebody_says_yes() {
    let mut client = asking(Some(yes()), Limits::default()).await;
    client.succeeds("pick", red_cube()).await;
    let [(asked, withdrawn)] = client.asked.as_slice() else {
        panic!("expected one question, got {:?}", client.asked);
    };
    assert!(!withdrawn, "an answered question is not withdrawn");
    let form = &asked["params"];
    let message = form["message"].as_str().unwrap_or_default();
    let call = "pick({\"object\":\"red_cube\"})";
    says(message, &[call, "cannot be undone"]);
    let schema = &form["requestedSchema"];
    assert_eq!(schema["properties"]["approve"]["type"], "boolean");
    assert_eq!(schema["required"], json!(["approve"]));
    client.succeeds("home", json!({})).await;
    assert_eq!(client.asked.len(), 1, "a harmless call needs no approval");
}

#[tokio::test(flavor = "multi_thread")]
async fn only_a_plain_yes_is_one_and_a_no_is_a_result_with_its_reason() {
    let mut client = asking(None, Limits::default()).await;
    let before = sim_secs(&mut client).await;
    let filled = |content: Value| json!({"action": "accept", "content": content});
    for (says, why) in [
        (json!({"action": "decline"}), "a person declined"),
        (json!({"action": "cancel"}), "dismissed"),
        (json!({"action": "accept"}), "not have the requested form"),
        (
            filled(json!({"approve": "yes"})),
            "not have the requested form",
        ),
        (filled(json!({"approve": false})), "a person declined"),
        (
            filled(json!({"approve": false, "why": "not today"})),
            "not today",
        ),
    ] {
        client.says = Some(says);
        let result = client.fails("pick", red_cube()).await;
        assert_denied(&result, why);
    }
    assert_eq!(sim_secs(&mut client).await, before, "nothing moved");
    client.says = Some(yes());
    client.succeeds("pick", red_cube()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_asks_like_a_single_call() {
    let no = json!({"action": "decline"});
    let mut client = asking(Some(no), Limits::default()).await;
    let text = json!({"text": "put the red cube on the plate"});
    let result = client.fails("run", text.clone()).await;
    let detail = result["final_detail"].as_str().unwrap_or_default();
    says(detail, &["approval_denied", "a person declined"]);
    client.says = Some(yes());
    client.succeeds("run", text).await;
    assert_eq!(client.asked.len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn where_nobody_can_be_asked_the_setting_decides() {
    let setup = |unasked, mode| Setup {
        policy: critical().map(|policy| ApprovalPolicy { mode, ..policy }),
        unasked,
        ..Setup::default()
    };
    // This client declares only elicitation by URL, so it cannot be asked by a form.
    let mut client = Client::new(Setup {
        capabilities: json!({"elicitation": {"url": {}}}),
        ..setup(Unasked::Refuse, ApprovalMode::Critical)
    })
    .await;
    let result = client.fails("pick", red_cube()).await;
    assert_denied(&result, "declares no elicitation");
    assert!(client.asked.is_empty());
    assert!(!client.tools().await.contains(&"answer".to_owned()));
    let answer = json!({"name": "answer", "arguments": {"id": 1, "approve": true}});
    let refused = client.ask("tools/call", answer).await;
    assert!(refused["error"].is_object(), "{refused}");

    let mut client = Client::new(setup(Unasked::Refuse, ApprovalMode::Never)).await;
    client.succeeds("pick", red_cube()).await;

    let mut client = Client::new(setup(Unasked::Refuse, ApprovalMode::Always)).await;
    let result = client.fails("home", json!({})).await;
    let detail = result["reason_detail"].as_str().unwrap_or_default();
    assert!(detail.contains("every step has to be approved"), "{detail}");

    let mut client = Client::new(setup(Unasked::Wait, ApprovalMode::Critical)).await;
    assert!(client.tools().await.contains(&"answer".to_owned()));
    let call = json!({"name": "pick", "arguments": red_cube()});
    let picking = client.begin("tools/call", call).await;
    let id = loop {
        let status = client.succeeds("status", json!({})).await;
        if !status["pending"].is_null() {
            break status["pending"]["id"].clone();
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    };
    // The result of the call may arrive before that of `answer`.
    let yes = json!({"name": "answer", "arguments": {"id": id, "approve": true}});
    client.begin("tools/call", yes).await;
    let (is_error, result) = said(&client.answer(picking).await);
    assert!(!is_error, "{result}");
}

#[tokio::test(flavor = "multi_thread")]
async fn no_answer_in_time_is_a_refusal() {
    let limits = Limits {
        answer: Duration::from_millis(50),
        ..Limits::default()
    };
    let mut client = asking(None, limits).await;
    let result = client.fails("pick", red_cube()).await;
    assert_denied(&result, "nobody answered");
    client.check_withdrawn();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_is_taken_back_while_somebody_thinks_frees_the_robot() {
    let mut client = asking(None, Limits::default()).await;
    let call = json!({"name": "pick", "arguments": red_cube()});
    let id = client.begin("tools/call", call).await;
    client.until(|m| m["method"] == "elicitation/create").await;
    client.take_back(id).await;
    client.succeeds("home", json!({})).await;
    client.check_withdrawn();
    client.says = Some(yes());
    client.succeeds("pick", red_cube()).await;
}

/// Client of the protocol version that asks between two calls.
async fn newest(limits: Limits) -> Client {
    Client::new(Setup {
        limits,
        policy: critical(),
        version: "2026-07-28",
        capabilities: json!({"elicitation": {"form": {}}}),
        ..Setup::default()
    })
    .await
}

/// Calls `pick` and returns the state that came with the question.
async fn asked_by_result(client: &mut Client) -> Value {
    let call = json!({"name": "pick", "arguments": red_cube()});
    let answer = client.ask("tools/call", call).await;
    let result = &answer["result"];
    assert_eq!(result["resultType"], "input_required", "{answer}");
    let request = &result["inputRequests"]["answer"];
    assert_eq!(request["method"], "elicitation/create", "{answer}");
    let message = request["params"]["message"].as_str().unwrap_or_default();
    assert!(message.contains("cannot be undone"), "{answer}");
    result["requestState"].clone()
}

/// Repeats the call with an answer; returns true for an error, and the content.
async fn again(client: &mut Client, state: &Value, answer: Value) -> (bool, Value) {
    let call = json!({
        "name": "pick",
        "arguments": red_cube(),
        "inputResponses": {"answer": answer},
        "requestState": state,
    });
    said(&client.ask("tools/call", call).await)
}

#[tokio::test(flavor = "multi_thread")]
async fn clients_of_the_newest_version_ask_between_two_calls() {
    let mut client = newest(Limits::default()).await;
    let state = asked_by_result(&mut client).await;
    let (is_error, result) = again(&mut client, &state, json!({"action": "decline"})).await;
    assert!(is_error);
    assert_denied(&result, "a person declined");
    let (is_error, result) = again(&mut client, &state, yes()).await;
    assert!(is_error, "a second answer is accepted: {result}");

    let state = asked_by_result(&mut client).await;
    let (is_error, result) = again(&mut client, &json!("0123456789abcdef"), yes()).await;
    assert!(is_error, "an unknown state is accepted: {result}");
    let (is_error, result) = again(&mut client, &state, yes()).await;
    assert!(!is_error, "{result}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_between_two_calls_holds_the_robot_no_longer_than_allowed() {
    // Ended by a stop.
    let mut client = newest(Limits::default()).await;
    let state = asked_by_result(&mut client).await;
    client.succeeds("stop", json!({})).await;
    client.succeeds("home", json!({})).await;
    let (is_error, result) = again(&mut client, &state, yes()).await;
    assert!(is_error, "{result}");
    assert_eq!(result["reason"], "cancelled");
    assert!(client.asked.is_empty(), "the server sent a request");

    // Ended by the time limit.
    let limits = Limits {
        answer: Duration::from_millis(20),
        ..Limits::default()
    };
    let mut client = newest(limits).await;
    asked_by_result(&mut client).await;
    client.succeeds("home", json!({})).await;
}
