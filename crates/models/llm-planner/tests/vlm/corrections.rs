//! Unusable answers go back once, with the error, and then the plan fails.

use regrasp_chat::testing::Reply;
use regrasp_testkit::says;
use serde_json::{Value, json};

use crate::scene::Situation;
use crate::{ask, calls, good, refused, request_in, user};

fn pick(args: Value) -> Reply {
    Reply::calls(&[("pick", args)])
}

fn raw_arguments(arguments: Value) -> Reply {
    Reply::ok(json!({ "choices": [{ "message": { "tool_calls": [
        { "function": { "name": "pick", "arguments": arguments } }] } }] }))
}

/// Wrong answers, each with words of the correction that the model gets.
fn wrong_answers() -> Vec<(Reply, &'static str)> {
    let call = |name: &str, args: Value| Reply::calls(&[(name, args)]);
    let then = json!({ "skill": "place_on", "target": "the purple plate" });
    let with_then = json!({ "object": "blue_cube", "then": then });
    let fast = json!({ "object": "blue_cube", "speed": 3 });
    let weak = json!({ "object": "blue_cube", "force_n": 0.1 });
    let (unicorn, cube) = (json!({ "object": "unicorn" }), json!({ "object": "cube" }));
    let known = "known objects: table, red_cube, blue_cube, plate";
    let cubes = "names more than one object: red_cube, blue_cube";
    let cut = raw_arguments(json!("{\"object\": \"blue_cube\""));
    let quoted = raw_arguments(json!("{'object': 'blue_cube'}"));
    let word = raw_arguments(json!("blue_cube"));
    let home = ("home", json!({}));
    let done_first = [("done", json!({ "answer": "x" })), home.clone()];
    let ask_last = [home.clone(), ("ask_user", json!({ "question": "?" }))];
    let ghost = json!({ "answer": "x", "goal": "on(ghost, plate)" });
    let all = "pick, place_on, home, done, achieve, infeasible, ask_user";
    let not_understood = "the goal `on(ghost, plate)` is not understood";
    let unknown = "there is nothing called `levitate`";
    vec![
        (call("levitate", json!({})), unknown),
        (call("", json!({})), all),
        (pick(json!({ "object": 7 })), "`/object`: 7 is not of type"),
        (pick(json!({})), "\"object\" is a required property"),
        (pick(fast), "'speed' was unexpected"),
        (pick(weak), "less than the minimum"),
        (pick(unicorn.clone()), "`/object`: `unicorn` is not known"),
        (pick(unicorn), known),
        (pick(cube), cubes),
        (pick(with_then), "`/then/target`: `the purple plate`"),
        (pick(json!(["blue_cube"])), "is not of type \"object\""),
        (cut, "are not JSON: EOF"),
        (quoted, "are not JSON"),
        (word, "are not JSON"),
        (Reply::calls(&done_first), "`done` must be the last call"),
        (Reply::calls(&ask_last), "`ask_user` must be the only call"),
        (
            call("done", json!({ "answer": " " })),
            "the `answer` is empty",
        ),
        (call("done", ghost), not_understood),
        (Reply::calls(&vec![home; 41]), "it has 41 calls, at most 40"),
    ]
}

#[test]
fn a_wrong_answer_goes_back_once_with_what_is_wrong() {
    for (reply, words) in wrong_answers() {
        let (plan, received) = ask(vec![reply, good()]);
        let plan = plan.unwrap();
        assert_eq!(received.len(), 2, "{words}");
        let told = user(&received[1]);
        assert!(told.contains(words), "`{words}` in {told}");
        assert!(told.contains("Nothing of that was done"));
        assert_eq!(calls(&plan).len(), 2);
        // The wrong answer costs tokens, too.
        assert!(plan.tokens >= 120, "{}", plan.tokens);
    }
}

#[test]
fn the_same_wrong_answer_once_more_is_the_end() {
    for (reply, words) in wrong_answers() {
        let (plan, received) = ask(vec![reply]);
        let detail = refused(plan, "Unreadable");
        assert!(detail.contains(words), "`{words}` in {detail}");
        assert_eq!(received.len(), 2, "one correction and no more");
    }
}

#[test]
fn another_wrong_answer_is_a_failed_plan_that_the_agent_may_ask_for_again() {
    let wrong = ["unicorn", "dragon"].map(|object| pick(json!({ "object": object })));
    let detail = refused(ask(wrong.to_vec()).0, "Unusable");
    says(&detail, &["it begins", "dragon"]);
}

#[test]
fn a_model_that_only_thinks_is_told_with_what_it_thought() {
    let thinks = Reply::ok(json!({ "choices": [{ "message": {
        "content": "", "reasoning_content": "I looked at the cube for long." } }] }));
    let (plan, received) = ask(vec![thinks]);
    let detail = refused(plan, "Unreadable");
    let thought = "only thought: I looked at the cube";
    assert!(detail.contains(thought), "{detail}");
    assert_eq!(received.len(), 2);
}

#[test]
fn words_are_answered_with_one_nudge() {
    let words = Reply::words("I would pick up the blue cube, if I were you.");
    let (plan, received) = ask(vec![words.clone(), good()]);
    assert_eq!(calls(&plan.unwrap()).len(), 2);
    says(
        user(&received[1]),
        &["Words alone move nothing", "if I were you"],
    );
    // A model without tool support is asked for JSON with a schema.
    let asked_for = |n: usize, key: &str| received[n].body.get(key).is_some();
    assert!(asked_for(0, "tools") && !asked_for(0, "response_format"));
    assert!(asked_for(1, "response_format") && !asked_for(1, "tools"));

    let (plan, received) = ask(vec![words.clone()]);
    refused(plan, "Unreadable");
    assert_eq!(received.len(), 2);

    // After one correction and one request for calls, the plan fails.
    let wrong = pick(json!({ "object": "unicorn" }));
    let (plan, received) = ask(vec![words, wrong.clone(), wrong]);
    assert!(plan.is_err());
    assert_eq!(received.len(), 3);
}

#[test]
fn calls_written_into_words_are_calls() {
    let home = "{\"name\": \"functions.home\", \"arguments\": \"{}\"}";
    for words in [
        format!("So:\n```json\n{{\"calls\": [{home}]}}\n```"),
        format!("<think>hm</think><tool_call>{home}</tool_call>"),
        "<function=home>\n</function>".to_owned(),
    ] {
        let (plan, received) = ask(vec![Reply::words(&words)]);
        let plan = plan.unwrap();
        assert_eq!(calls(&plan).len(), 1, "{words}");
        assert_eq!(plan.reasoning, "", "{words}");
        assert_eq!(received.len(), 1);
    }
}

#[test]
fn an_answer_that_was_cut_off_is_told_as_such() {
    let cut = Reply::ok(json!({ "choices": [{ "finish_reason": "length",
        "message": { "content": "Let me think about this for a while" } }] }));
    assert!(
        ask(vec![cut])
            .0
            .unwrap_err()
            .to_string()
            .contains("cut off")
    );
}

#[test]
fn a_refusal_is_a_failed_plan_at_once() {
    let refusal = Reply::ok(json!({ "choices": [{ "finish_reason": "content_filter",
        "message": { "content": null, "refusal": "I cannot help with cubes." } }] }));
    let (plan, received) = ask(vec![refusal]);
    let error = plan.unwrap_err().to_string();
    assert!(error.contains("I cannot help with cubes"), "{error}");
    assert_eq!(received.len(), 1);
}

#[test]
fn what_the_agent_objects_to_is_passed_on() {
    let mut situation = Situation::new();
    situation.correction = Some("`done` needs a `final_answer`".into());
    let request = request_in(&situation);
    assert!(user(&request).contains("`done` needs a `final_answer`"));
}

#[test]
fn trouble_of_the_moment_and_trouble_for_good_are_told_apart() {
    let banned = Reply::error(429, "enough").with_header("retry-after", "86400");
    for (reply, name, n_requests) in [
        (Reply::error(503, "loading"), "Transport", 3),
        (Reply::error(401, "wrong key"), "Refused", 1),
        (Reply::error(400, "no"), "Refused", 1),
        (banned, "Refused", 1),
    ] {
        let (plan, received) = ask(vec![reply]);
        refused(plan, name);
        assert_eq!(received.len(), n_requests, "{name}");
    }
}
