//! Exchanges are replayed as they were recorded, for the same requests only.

use std::path::Path;

use regrasp_chat::testing::{KEY, Reply, Server, limits, model_at};
use regrasp_chat::{Cassette, ChatModel, ChatRequest, Player, Provider, Recorder};
use serde_json::json;
use tempfile::TempDir;

use crate::{ask, question, with_picture};

fn record(path: &Path, replies: Vec<Reply>, requests: &[ChatRequest]) -> String {
    let server = Server::scripted(replies);
    let (model, _) = model_at(Provider::OpenAi, &server.url(), limits());
    let recorder = Recorder::new(model, path, "made by a test");
    for request in requests {
        ask(&recorder, request).unwrap();
    }
    std::fs::read_to_string(path).unwrap()
}

fn player(path: &Path, model: Option<&str>) -> Player {
    Cassette::load(path).unwrap().player(path, model)
}

#[test]
fn what_was_recorded_is_played_in_order() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("cassette.json");
    let nulls = json!({ "object": "red_cube", "force_n": null });
    let replies = vec![
        Reply::words(&format!("first, with {KEY}")),
        Reply::words("second"),
        Reply::calls(&[("pick", nulls)]),
    ];
    let requests = [question(), question(), with_picture(question())];
    let text = record(&path, replies, &requests);
    assert!(!text.contains(KEY), "a key in a cassette");
    let has_picture = text.contains("iVBOR") || text.contains("PNG");
    assert!(!has_picture, "a picture in a cassette");
    let player = player(&path, None);
    assert_eq!(player.model(), "test-model");
    let said = |request: &ChatRequest| ask(&player, request).unwrap().text;
    assert_eq!(said(&question()), "first, with [key]");
    assert_eq!(said(&question()), "second");
    assert_eq!(said(&question()), "second", "the last answer again");
    let picked = ask(&player, &requests[2]).unwrap();
    let expected = json!({ "object": "red_cube" });
    // The answer is decoded in the format of its request.
    assert_eq!(picked.calls[0].arguments, Ok(expected));
}

#[test]
fn a_request_that_was_not_recorded_is_told_with_what_differs() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("cassette.json");
    record(&path, vec![Reply::words("ok")], &[question()]);
    let mut other_text = question();
    other_text.user = "Put the blue cube on the plate.".into();
    let mut other_tool = question();
    other_tool.tools[0].name = "grab".into();
    let mut other_schema = question();
    other_schema.tools[0].description = "Grabs.".into();
    let other = Some("another-model");
    let cases = [
        (
            other_text,
            None,
            "line 1 of the user prompt is `Put the blue cube",
        ),
        (
            other_tool,
            None,
            "the tools are grab, but pick were recorded",
        ),
        (other_schema, None, "the tools or the answer format differ"),
        (with_picture(question()), None, "the pictures are ["),
        (question(), other, "the model is `another-model`"),
    ];
    for (request, model, words) in cases {
        let error = ask(&player(&path, model), &request).expect_err("not recorded");
        assert!(error.to_string().ends_with("record it again"), "{error}");
        assert!(error.to_string().contains(words), "`{words}` in {error}");
        assert!(!error.cause.may_pass());
    }
}

#[test]
fn files_that_are_no_cassettes_are_told() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("cassette.json");
    let error = Cassette::load(&path).expect_err("a missing file");
    assert!(error.to_string().contains("cassette.json"), "{error}");
    for text in ["", "{}", r#"{"format": "other", "exchanges": []}"#, "[1]"] {
        std::fs::write(&path, text).unwrap();
        let error = Cassette::load(&path).expect_err(text);
        assert!(error.to_string().starts_with("use the cassette"), "{error}");
    }
}
