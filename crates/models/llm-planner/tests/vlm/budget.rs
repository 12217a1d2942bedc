//! Tokens are counted, and limits are kept.

use std::time::Duration;

use regrasp_chat::Provider;
use regrasp_chat::testing::{Reply, Server};
use regrasp_llm_planner::VlmOptions;
use serde_json::json;

use crate::scene::Situation;
use crate::{ask, ask_in, good, plan, planner, refused, request_in, usual};

#[test]
fn a_question_that_does_not_fit_is_not_asked() {
    let mut situation = Situation::new();
    situation.tokens_left = Some(500);
    let (plan, received) = ask_in(&situation, vec![good()]);
    let detail = refused(plan, "OverBudget");
    assert!(detail.contains("500"), "{detail}");
    assert!(received.is_empty());
}

/// Local servers have small context windows, and cut or refuse longer requests.
#[test]
fn a_server_is_asked_for_no_more_than_its_window_holds() {
    for (window, longest) in [
        (600, None),
        (2_000, Some(64..2_000)),
        (100_000, Some(4_096..4_097)),
    ] {
        let server = Server::scripted(vec![good()]).with_window(window);
        let made = plan(&mut usual(&server), &Situation::new());
        let received = server.received();
        match longest {
            None => {
                let why = made.expect_err("the window is too small").to_string();
                assert!(why.contains("window has 600 tokens"), "{why}");
                assert!(received.is_empty());
            }
            Some(longest) => {
                let told = received[0].body["max_tokens"].as_u64().unwrap();
                assert!(longest.contains(&told), "{told} of {window}");
            }
        }
    }
}

/// A weak model that rambles would fill the whole window, which takes minutes.
#[test]
fn an_answer_is_at_most_a_quarter_of_the_window() {
    let server = Server::scripted(vec![good()]).with_window(4_000);
    plan(&mut usual(&server), &Situation::new()).unwrap();
    assert_eq!(server.received()[0].body["max_tokens"], 1_000);
}

/// Corrections are part of a plan and do not restart its deadline.
#[test]
fn a_plan_has_one_deadline() {
    let server = Server::scripted(vec![Reply::words("Well …"), Reply::Stall(vec![])]);
    let options = VlmOptions {
        patience: Duration::from_millis(100),
        ..VlmOptions::default()
    };
    let mut planner = planner(&server, Provider::Custom, options);
    let detail = refused(plan(&mut planner, &Situation::new()), "Refused");
    assert!(detail.contains("within 0.1 s"), "{detail}");
}

#[test]
fn an_answer_may_be_as_long_as_the_budget_lets_it() {
    let mut situation = Situation::new();
    assert_eq!(request_in(&situation).body["max_tokens"], 4096);
    situation.tokens_left = Some(4000);
    let request = request_in(&situation);
    let longest = request.body["max_tokens"].as_u64().unwrap();
    assert!((64..4000).contains(&longest), "{longest}");
}

#[test]
fn a_correction_has_to_fit_too() {
    let mut situation = Situation::new();
    situation.tokens_left = Some(4000);
    let dear = Reply::ok(json!({
        "choices": [{ "message": { "content": "Well …" } }],
        "usage": { "prompt_tokens": 2000, "completion_tokens": 1500 },
    }));
    let (plan, received) = ask_in(&situation, vec![dear, good()]);
    refused(plan, "OverBudget");
    assert_eq!(received.len(), 1);
}

#[test]
fn what_was_not_counted_is_estimated_and_said_to_be() {
    let plan = ask(vec![good()]).0.unwrap();
    assert_eq!((plan.tokens, plan.tokens_are_estimated), (120, false));
    let uncounted = Reply::ok(json!({ "choices": [{ "message": { "tool_calls": [
        { "function": { "name": "home", "arguments": "{}" } }] } }] }));
    let plan = ask(vec![uncounted]).0.unwrap();
    assert!(plan.tokens > 500 && plan.tokens_are_estimated, "{plan:?}");
}
