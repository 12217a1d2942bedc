//! Models without tool support answer with JSON in text.

use regrasp_chat::testing::{Reply, Server};
use regrasp_chat::{AnswerMode, Provider};
use regrasp_llm_planner::VlmOptions;
use regrasp_testkit::says;
use serde_json::{Value, json};

use crate::scene::Situation;
use crate::{Asked, ask_with, calls, good_calls, plan, planner, system, user, usual};

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

fn ask(mode: AnswerMode, words: &[&str]) -> Asked {
    let replies = words.iter().map(|words| Reply::words(words)).collect();
    ask_with(replies, in_mode(mode), &Situation::new())
}

#[test]
fn a_schema_is_asked_for_and_its_answer_read() {
    let (plan, received) = ask(AnswerMode::Schema, &[&in_words()]);
    let plan = plan.unwrap();
    assert_eq!((calls(&plan).len(), plan.done), (2, true));
    let body = &received[0].body;
    assert_eq!(body.get("tools"), None);
    let schema = &body["response_format"]["json_schema"]["schema"];
    let items = &schema["properties"]["calls"]["items"]["anyOf"];
    let items = items.as_array().unwrap();
    let names = items.iter().map(|i| &i["properties"]["name"]["const"]);
    let names: Vec<_> = names.filter_map(Value::as_str).collect();
    let expected = "pick place_on home done achieve infeasible ask_user";
    assert_eq!(names.join(" "), expected);
    // A server that enforces the schema restricts object names and the number of calls.
    let object = &items[0]["properties"]["arguments"]["properties"]["object"]["enum"];
    let object = object.as_array().unwrap();
    assert!(object.contains(&json!("blue_cube")), "{object:?}");
    let n_objects = Situation::new().percept.objects.len();
    assert_eq!(object.len(), n_objects);
    assert_eq!(schema["properties"]["calls"]["maxItems"], 12);
    let home = &items[2]["properties"]["arguments"];
    assert_eq!(home["properties"], json!({}));
    assert_eq!(home["additionalProperties"], false);
}

#[test]
fn a_fence_is_asked_for_and_its_answer_read() {
    let fenced = format!("I uncover it first.\n```json\n{}\n```", in_words());
    for text in [fenced, in_words(), format!("```\n{}\n```", in_words())] {
        let (plan, received) = ask(AnswerMode::Text, &[&text]);
        assert_eq!(calls(&plan.unwrap()).len(), 2, "{text}");
        let body = &received[0].body;
        assert!(body.get("tools").is_none() && body.get("response_format").is_none());
        says(system(&received[0]), &["\"place_on\"", "```json"]);
    }
}

#[test]
fn wrong_words_go_back_and_mere_words_are_nudged() {
    let fenced = |json: &str| format!("```json\n{json}\n```");
    let calls = |calls: &str| fenced(&format!("{{\"calls\": [{calls}]}}"));
    let pick = "{\"name\": \"pick\"}";
    let fly = "{\"name\": \"fly\", \"arguments\": {}}";
    let twice = format!("{} or {}", fenced("{}"), fenced("{}"));
    let nudge = "Words alone move nothing";
    let cases = [
        (calls(pick), "\"object\" is a required property"),
        (fenced("{\"calls\": [}"), "not the JSON that was asked for"),
        (twice, "it has no `calls`"),
        (calls(fly), "nothing called `fly`"),
        ("Certainly! I will do that.".to_owned(), nudge),
        (calls(""), nudge),
    ];
    for (text, words) in cases {
        let (plan, received) = ask(AnswerMode::Text, &[&text, &in_words()]);
        assert!(plan.is_ok(), "{text}");
        let told = user(&received[1]);
        assert!(told.contains(words), "`{words}` in {told}");
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
    let mut asked = usual(&server);
    assert!(plan(&mut asked, &Situation::new()).is_ok());
    assert_eq!(server.received().len(), 3);
    assert!(plan(&mut asked, &Situation::new()).is_ok());
    assert_eq!(server.received().len(), 4, "the answer mode is kept");
    // A mode that the user chose is not changed.
    let mut told = planner(&server, Provider::Custom, in_mode(AnswerMode::Tools));
    let error = plan(&mut told, &Situation::new()).unwrap_err().to_string();
    assert!(error.contains("does not support tools"), "{error}");
}
