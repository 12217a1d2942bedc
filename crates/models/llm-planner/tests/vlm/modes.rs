//! Models without tools answer in words of a form.

use regrasp_chat::AnswerMode;
use regrasp_chat::testing::{Reply, Server};
use regrasp_llm_planner::VlmOptions;
use serde_json::{Value, json};

use crate::scene::Situation;
use crate::{ask, calls, good_calls, plan, planner, user};

/// The good plan as JSON in words.
fn in_words() -> String {
    let calls = good_calls();
    let calls = calls
        .iter()
        .map(|(name, args)| json!({ "name": name, "arguments": args }));
    json!({ "calls": calls.collect::<Vec<Value>>() }).to_string()
}

fn in_mode(mode: AnswerMode) -> VlmOptions {
    VlmOptions {
        mode: Some(mode),
        ..VlmOptions::default()
    }
}

#[test]
fn a_schema_is_asked_for_and_its_answer_read() {
    let reply = Reply::words(&in_words());
    let (plan, received) = ask(vec![reply], in_mode(AnswerMode::Schema), &Situation::new());
    let plan = plan.unwrap();
    assert_eq!((calls(&plan).len(), plan.done), (2, true));
    let body = &received[0].body;
    assert_eq!(body.get("tools"), None);
    let schema = &body["response_format"]["json_schema"]["schema"];
    let items = schema["properties"]["calls"]["items"]["anyOf"]
        .as_array()
        .unwrap();
    let names: Vec<_> = items
        .iter()
        .map(|i| &i["properties"]["name"]["const"])
        .collect();
    assert_eq!(
        names,
        [
            "pick",
            "place_on",
            "home",
            "done",
            "achieve",
            "infeasible",
            "ask_user"
        ]
    );
    // A server that keeps to it lets nothing be named but what there is, and ends the list.
    let object = &items[0]["properties"]["arguments"]["properties"]["object"]["enum"];
    let object = object.as_array().unwrap();
    assert!(object.contains(&json!("blue_cube")), "{object:?}");
    assert_eq!(
        object.len(),
        Situation::new().request().percept.objects.len()
    );
    assert_eq!(schema["properties"]["calls"]["maxItems"], 12);
    let home = &items[2]["properties"]["arguments"];
    assert_eq!(home["properties"], json!({}));
    assert_eq!(home["additionalProperties"], false);
}

#[test]
fn a_fence_is_asked_for_and_its_answer_read() {
    let fenced = format!("I uncover it first.\n```json\n{}\n```", in_words());
    for text in [fenced, in_words(), format!("```\n{}\n```", in_words())] {
        let (plan, received) = ask(
            vec![Reply::words(&text)],
            in_mode(AnswerMode::Text),
            &Situation::new(),
        );
        assert_eq!(calls(&plan.unwrap()).len(), 2, "{text}");
        let body = &received[0].body;
        assert!(body.get("tools").is_none() && body.get("response_format").is_none());
        let system = body["messages"][0]["content"].as_str().unwrap();
        assert!(
            system.contains("\"place_on\"") && system.contains("```json"),
            "{system}"
        );
    }
}

#[test]
fn wrong_words_go_back_and_mere_words_are_nudged() {
    let good = Reply::words(&in_words());
    let cases = [
        (
            "```json\n{\"calls\": [{\"name\": \"pick\"}]}\n```",
            "\"object\" is a required property",
        ),
        (
            "```json\n{\"calls\": [}\n```",
            "not the JSON that was asked for",
        ),
        ("```json\n{}\n``` or ```json\n{}\n```", "it has no `calls`"),
        (
            "```json\n{\"calls\": [{\"name\": \"fly\", \"arguments\": {}}]}\n```",
            "nothing called `fly`",
        ),
        ("Certainly! I will do that.", "Words alone move nothing"),
        ("```json\n{\"calls\": []}\n```", "Words alone move nothing"),
    ];
    for (text, words) in cases {
        let replies = vec![Reply::words(text), good.clone()];
        let (plan, received) = ask(replies, in_mode(AnswerMode::Text), &Situation::new());
        assert!(plan.is_ok(), "{text}");
        assert!(
            user(&received[1]).contains(words),
            "`{words}` in {}",
            user(&received[1])
        );
    }
}

#[test]
fn a_model_that_cannot_call_is_asked_in_another_way() {
    let server = Server::new(|_, request| {
        if request.body.get("tools").is_some() {
            Reply::error(400, "registry/model:2b does not support tools")
        } else if request.body.get("response_format").is_some() {
            Reply::error(400, "response_format json_schema is not supported")
        } else {
            Reply::words(&format!("```json\n{}\n```", in_words()))
        }
    });
    let mut asked = planner(
        &server,
        regrasp_chat::Provider::Custom,
        VlmOptions::default(),
    );
    assert!(plan(&mut asked, &Situation::new()).is_ok());
    assert_eq!(server.received().len(), 3);
    assert!(plan(&mut asked, &Situation::new()).is_ok());
    assert_eq!(server.received().len(), 4, "what was found out is kept");
    // Who says how to ask is not asked otherwise.
    let mut told = planner(
        &server,
        regrasp_chat::Provider::Custom,
        in_mode(AnswerMode::Tools),
    );
    let error = plan(&mut told, &Situation::new()).unwrap_err().to_string();
    assert!(error.contains("does not support tools"), "{error}");
}
