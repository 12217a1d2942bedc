//! Answers that cannot be used go back once, with what is wrong, and then fail.

use regrasp_api::PlannerError;
use regrasp_chat::testing::Reply;
use regrasp_llm_planner::VlmOptions;
use serde_json::{Value, json};

use crate::scene::Situation;
use crate::{ask, calls, good, user};

fn pick(args: Value) -> Reply {
    Reply::calls(&[("pick", args)])
}

fn raw_arguments(arguments: Value) -> Reply {
    Reply::ok(json!({ "choices": [{ "message": { "tool_calls": [
        { "function": { "name": "pick", "arguments": arguments } }] } }] }))
}

/// Each wrong answer, and words that the model is told about it.
fn wrong_answers() -> Vec<(Reply, &'static str)> {
    let then = json!({ "skill": "place_on", "target": "the purple plate" });
    vec![
        (
            Reply::calls(&[("levitate", json!({}))]),
            "there is nothing called `levitate`",
        ),
        (
            Reply::calls(&[("", json!({}))]),
            "pick, place_on, home, done, achieve, infeasible, ask_user",
        ),
        (pick(json!({ "object": 7 })), "`/object`: 7 is not of type"),
        (pick(json!({})), "\"object\" is a required property"),
        (
            pick(json!({ "object": "blue_cube", "speed": 3 })),
            "'speed' was unexpected",
        ),
        (
            pick(json!({ "object": "blue_cube", "force_n": 0.1 })),
            "less than the minimum",
        ),
        (
            pick(json!({ "object": "unicorn" })),
            "`/object`: `unicorn` is not known",
        ),
        (
            pick(json!({ "object": "unicorn" })),
            "known objects: table, red_cube, blue_cube, plate",
        ),
        (
            pick(json!({ "object": "cube" })),
            "names more than one object: red_cube, blue_cube",
        ),
        (
            pick(json!({ "object": "blue_cube", "then": then })),
            "`/then/target`: `the purple plate`",
        ),
        (pick(json!(["blue_cube"])), "is not of type \"object\""),
        (
            raw_arguments(json!("{\"object\": \"blue_cube\"")),
            "are no JSON: EOF",
        ),
        (
            raw_arguments(json!("{'object': 'blue_cube'}")),
            "are no JSON",
        ),
        (raw_arguments(json!("blue_cube")), "are no JSON"),
        (
            Reply::calls(&[("done", json!({ "answer": "x" })), ("home", json!({}))]),
            "`done` must be the last call",
        ),
        (
            Reply::calls(&[
                ("home", json!({})),
                ("ask_user", json!({ "question": "?" })),
            ]),
            "`ask_user` must be the only call",
        ),
        (
            Reply::calls(&[("done", json!({ "answer": " " }))]),
            "the `answer` is empty",
        ),
        (
            Reply::calls(&[("done", json!({ "answer": "x", "goal": "on(ghost, plate)" }))]),
            "the goal `on(ghost, plate)` is not understood",
        ),
        (
            Reply::calls(&vec![("home", json!({})); 41]),
            "it has 41 calls, at most 40",
        ),
    ]
}

#[test]
fn a_wrong_answer_goes_back_once_with_what_is_wrong() {
    for (reply, words) in wrong_answers() {
        let (plan, received) = ask(
            vec![reply, good()],
            VlmOptions::default(),
            &Situation::new(),
        );
        let plan = plan.unwrap();
        assert_eq!(received.len(), 2, "{words}");
        let told = user(&received[1]);
        assert!(told.contains(words), "`{words}` in {told}");
        assert!(told.contains("Nothing of that was done"));
        assert_eq!(calls(&plan).len(), 2);
        assert!(
            plan.tokens >= 120,
            "the answer that was wrong cost, too: {}",
            plan.tokens
        );
    }
}

#[test]
fn the_same_wrong_answer_once_more_is_the_end() {
    for (reply, words) in wrong_answers() {
        let (plan, received) = ask(vec![reply], VlmOptions::default(), &Situation::new());
        let Err(PlannerError::Unreadable { detail }) = plan else {
            panic!("{words}: {plan:?}");
        };
        assert!(detail.contains(words), "`{words}` in {detail}");
        assert_eq!(received.len(), 2, "one correction and no more");
    }
}

#[test]
fn another_wrong_answer_is_a_failed_plan_that_the_agent_may_ask_for_again() {
    let wrong = ["unicorn", "dragon"].map(|object| pick(json!({ "object": object })));
    let (plan, _) = ask(wrong.to_vec(), VlmOptions::default(), &Situation::new());
    let Err(PlannerError::Unusable { detail }) = plan else {
        panic!("{plan:?}");
    };
    assert!(
        detail.contains("its answer begins") && detail.contains("dragon"),
        "{detail}"
    );
}

#[test]
fn a_model_that_only_thinks_is_told_with_what_it_thought() {
    let thinks = Reply::ok(json!({ "choices": [{ "message": {
        "content": "", "reasoning_content": "I looked at the cube for long." } }] }));
    let (plan, received) = ask(vec![thinks], VlmOptions::default(), &Situation::new());
    let Err(PlannerError::Unreadable { detail }) = plan else {
        panic!("{plan:?}");
    };
    assert!(
        detail.contains("only thought: I looked at the cube"),
        "{detail}"
    );
    assert_eq!(received.len(), 2);
}

#[test]
fn words_are_answered_with_one_nudge() {
    let words = Reply::words("I would pick up the blue cube, if I were you.");
    let (plan, received) = ask(
        vec![words.clone(), good()],
        VlmOptions::default(),
        &Situation::new(),
    );
    assert_eq!(calls(&plan.unwrap()).len(), 2);
    let told = user(&received[1]);
    assert!(
        told.contains("Words alone move nothing") && told.contains("if I were you"),
        "{told}"
    );
    // A model that knows no tools is asked for JSON that its server keeps to a schema.
    let asked_for = |n: usize, key: &str| received[n].body.get(key).is_some();
    assert!(asked_for(0, "tools") && !asked_for(0, "response_format"));
    assert!(asked_for(1, "response_format") && !asked_for(1, "tools"));

    let (plan, received) = ask(
        vec![words.clone()],
        VlmOptions::default(),
        &Situation::new(),
    );
    assert!(
        matches!(plan, Err(PlannerError::Unreadable { .. })),
        "{plan:?}"
    );
    assert_eq!(received.len(), 2);

    // One of each, and then it is over.
    let wrong = pick(json!({ "object": "unicorn" }));
    let (plan, received) = ask(
        vec![words, wrong.clone(), wrong],
        VlmOptions::default(),
        &Situation::new(),
    );
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
        let reply = Reply::words(&words);
        let (plan, received) = ask(vec![reply], VlmOptions::default(), &Situation::new());
        let plan = plan.unwrap();
        assert_eq!(
            (calls(&plan).len(), plan.reasoning.as_str()),
            (1, ""),
            "{words}"
        );
        assert_eq!(received.len(), 1);
    }
}

#[test]
fn an_answer_that_was_cut_off_is_told_as_such() {
    let cut = Reply::ok(json!({ "choices": [{ "finish_reason": "length",
        "message": { "content": "Let me think about this for a while" } }] }));
    let (plan, _) = ask(vec![cut], VlmOptions::default(), &Situation::new());
    assert!(plan.unwrap_err().to_string().contains("cut off"));
}

#[test]
fn a_refusal_is_a_failed_plan_at_once() {
    let refusal = Reply::ok(json!({ "choices": [{ "finish_reason": "content_filter",
        "message": { "content": null, "refusal": "I cannot help with cubes." } }] }));
    let (plan, received) = ask(vec![refusal], VlmOptions::default(), &Situation::new());
    let error = plan.unwrap_err().to_string();
    assert!(error.contains("I cannot help with cubes"), "{error}");
    assert_eq!(received.len(), 1);
}

#[test]
fn what_the_agent_objects_to_is_passed_on() {
    let mut situation = Situation::new();
    situation.correction = Some("`done` needs a `final_answer`".into());
    let (_, received) = ask(vec![good()], VlmOptions::default(), &situation);
    assert!(user(&received[0]).contains("`done` needs a `final_answer`"));
}

#[test]
fn trouble_of_the_moment_and_trouble_for_good_are_told_apart() {
    let fail = |reply: Reply| ask(vec![reply], VlmOptions::default(), &Situation::new());
    let (plan, received) = fail(Reply::error(503, "loading"));
    assert!(
        matches!(plan, Err(PlannerError::Transport { .. })),
        "{plan:?}"
    );
    assert_eq!(received.len(), 3);
    for reply in [
        Reply::error(401, "wrong key"),
        Reply::error(400, "no"),
        Reply::error(429, "enough").with_header("retry-after", "86400"),
    ] {
        let (plan, received) = fail(reply);
        assert!(
            matches!(plan, Err(PlannerError::Refused { .. })),
            "{plan:?}"
        );
        assert_eq!(received.len(), 1);
    }
}
