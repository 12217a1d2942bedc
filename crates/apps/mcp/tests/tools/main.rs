//! Tests of the tools, through the protocol and with a real simulation.

mod approvals;
mod client;

use std::time::Duration;

use regrasp_mcp::Limits;
use regrasp_testkit::{says, wrong_facts};
use serde_json::{Value, json};

use crate::client::{Client, Setup};

#[tokio::test(flavor = "multi_thread")]
async fn skills_are_tools_whose_failures_are_results_with_a_reason() {
    let mut client = Client::new(Setup::default()).await;
    let listed = client.ask("tools/list", json!({})).await;
    let tools = listed["result"]["tools"].as_array().expect("tools").clone();
    let tool = |name: &str| {
        let found = tools.iter().find(|tool| tool["name"] == name);
        found.expect("the tool is listed")
    };
    assert!(tool("pick")["inputSchema"]["properties"]["object"].is_object());
    assert_eq!(tool("pick")["annotations"]["readOnlyHint"], json!(false));
    assert_eq!(tool("observe")["annotations"]["readOnlyHint"], json!(true));

    let call = json!({
        "name": "pick",
        "arguments": {"object": "red_cube"},
        "_meta": {"progressToken": "p"},
    });
    let answer = client.ask("tools/call", call).await;
    assert_eq!(answer["result"]["isError"], json!(false), "{answer}");
    says(&client.progress.join("\n"), &["lift"]);

    let result = client.fails("pick", json!({"object": "red_cube"})).await;
    assert_eq!(result["reason"], "gripper_occupied");
    let result = client.fails("pick", json!({"thing": "red_cube"})).await;
    assert_eq!(result["reason"], "bad_arguments");
    let unknown = client.ask("tools/call", json!({"name": "dance"})).await;
    says(&unknown["error"]["message"].to_string(), &["pick"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_fact_is_refused() {
    let mut client = Client::new(Setup::default()).await;
    // Only some of the facts, because each begins an episode; a test of the planner covers all.
    let facts = wrong_facts(["red_cube", "green_cube", "plate"]);
    for (fact, why) in facts.into_iter().step_by(13) {
        let text = json!({ "text": format!("goal: {fact}") });
        let (is_error, result) = client.call("run", text).await;
        let detail = result["final_detail"].as_str().unwrap_or_default();
        // The two objects of `swapped` are looked up as phrases first.
        let unseen = fact.starts_with("swapped") && detail.contains("called `0.3`");
        assert!(
            is_error && (detail.contains(why) || unseen),
            "{fact}: {result}"
        );
    }
}

/// Collects what strict clients reject in a schema: unknown keywords, and parts without a type.
fn refused(schema: &Value, at: &str, found: &mut Vec<String>) {
    let Some(fields) = schema.as_object() else {
        found.push(format!("{at} is {schema}"));
        return;
    };
    for word in ["$ref", "$defs", "$schema", "format", "title"] {
        if fields.contains_key(word) {
            found.push(format!("{at} has {word}"));
        }
    }
    let alternatives = ["anyOf", "oneOf"].iter().find_map(|key| fields.get(*key));
    if alternatives.is_none() && !fields.contains_key("type") {
        found.push(format!("{at} has no type: {schema}"));
    }
    for part in alternatives.and_then(Value::as_array).into_iter().flatten() {
        refused(part, at, found);
    }
    if let Some(items) = fields.get("items") {
        refused(items, &format!("{at}[]"), found);
    }
    let properties = fields.get("properties").and_then(Value::as_object);
    for (name, part) in properties.into_iter().flatten() {
        refused(part, &format!("{at}.{name}"), found);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn strict_clients_take_every_schema() {
    let mut client = Client::new(Setup::default()).await;
    let listed = client.ask("tools/list", json!({})).await;
    let mut found = vec![];
    for tool in listed["result"]["tools"].as_array().expect("tools") {
        let schema = &tool["inputSchema"];
        assert_eq!(schema["type"], "object", "{tool}");
        refused(schema, tool["name"].as_str().expect("a name"), &mut found);
    }
    assert!(found.is_empty(), "{found:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn arguments_that_are_no_object_are_invalid_parameters() {
    let mut client = Client::new(Setup::default()).await;
    for params in [
        json!({"name": "pick", "arguments": "{\"object\": \"red_cube\"}"}),
        json!({"name": "pick", "arguments": ["red_cube"]}),
        json!({"name": 7, "arguments": {}}),
        json!({"arguments": {}}),
    ] {
        let answer = client.ask("tools/call", params.clone()).await;
        assert_eq!(answer["error"]["code"], -32602, "{params}: {answer}");
    }
    let answer = client.ask("no/such", json!({})).await;
    assert_eq!(answer["error"]["code"], -32601, "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rehearsal_says_how_it_would_end_and_moves_nothing() {
    let mut client = Client::new(Setup::default()).await;
    let (_, before) = client.call("observe", json!({})).await;
    let plan = |target: &str| {
        json!({"calls": [
            {"skill": "pick", "args": {"object": "red_cube"}},
            {"skill": "place_on", "args": {"target": target}},
        ]})
    };
    let good = client.succeeds("plan_check", plan("plate")).await;
    assert_eq!(good["feasible"], json!(true));
    let bad = client.fails("plan_check", plan("moon")).await;
    assert_eq!(bad["results"][0]["success"], json!(true));
    assert_eq!(bad["results"][1]["reason"], "object_not_found");
    let (_, after) = client.call("observe", json!({})).await;
    assert_eq!(before["objects"], after["objects"]);
    assert_eq!(after["status"]["held"], Value::Null);
    client.fails("plan_check", json!({"calls": []})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_is_taken_back_stops_the_arm() {
    // In real time a motion takes a second, so the cancellation comes in the middle of it.
    let mut client = Client::new(Setup {
        speed: 1.0,
        ..Setup::default()
    })
    .await;
    let picking = json!({"name": "pick", "arguments": {"object": "red_cube"}});
    let id = client.begin("tools/call", picking).await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    client.take_back(id).await;
    // The next call finds the robot free and at rest.
    let (is_error, _) = client.call("wait_until", json!({})).await;
    let (_, status) = client.call("status", json!({})).await;
    assert_eq!(status["doing"], Value::Null, "{is_error}");
    assert_eq!(status["held"], Value::Null);
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_and_their_arguments_are_limited() {
    let limits = Limits {
        calls: 3,
        argument_bytes: 100,
        ..Limits::default()
    };
    let mut client = Client::new(Setup {
        limits,
        ..Setup::default()
    })
    .await;
    let long = json!({"name": "status", "arguments": {"x": "y".repeat(200)}});
    let refused = client.ask("tools/call", long).await;
    assert!(refused["error"].is_object(), "{refused}");
    for _ in 0..2 {
        client.call("status", json!({})).await;
    }
    let refused = client.ask("tools/call", json!({"name": "status"})).await;
    says(&refused["error"]["message"].to_string(), &["3 calls"]);
}
