//! Endpoints with different features are distinguished.

use regrasp_chat::testing::{KEY, Received, Reply, Server, limits, model_at};
use regrasp_chat::{AnswerMode, ProbeReport, Provider, Support, block_on, probe};
use serde_json::json;

/// Answers as a model that supports the given features: tools, schemas, images.
fn answer([tools, schema, images]: [bool; 3], request: &Received) -> Reply {
    let body = &request.body;
    let has_image = body["messages"][1]["content"].is_array();
    if body.get("tools").is_some() {
        return match tools {
            true => Reply::calls(&[("report_number", json!({ "number": 7351 }))]),
            false => Reply::error(400, "this model does not support tools"),
        };
    }
    if body.get("response_format").is_some() && schema {
        return Reply::words(r#"{"greeting_in_words": ["hello"]}"#);
    }
    match (has_image, images) {
        (true, true) => Reply::words("Blue on the left and yellow on the right."),
        (true, false) => Reply::error(500, "image input is not supported"),
        _ => Reply::words("Hello!"),
    }
}

fn report(able: [bool; 3]) -> ProbeReport {
    let server = Server::new(move |_, request| answer(able, request));
    report_of(&server.url())
}

fn report_of(url: &str) -> ProbeReport {
    let (model, _) = model_at(Provider::Custom, url, limits());
    block_on(probe(&model)).unwrap()
}

#[test]
fn the_best_way_to_ask_is_found() {
    let all = report([true, true, true]);
    assert_eq!(all.mode, Some(AnswerMode::Tools));
    assert!(all.tools.is_honoured() && all.json_schema.is_honoured() && all.images.is_honoured());
    assert!(all.latency_secs.is_some());

    let no_tools = report([false, true, false]);
    assert_eq!(no_tools.mode, Some(AnswerMode::Schema));
    for support in [no_tools.tools, no_tools.images] {
        assert!(matches!(support, Support::Refused { .. }), "{support:?}");
    }

    let words_only = report([false, false, true]);
    assert_eq!(words_only.mode, Some(AnswerMode::Text));
    assert!(matches!(words_only.json_schema, Support::Ignored { .. }));
}

#[test]
fn an_endpoint_that_does_not_answer_is_told() {
    let report = report_of(&Server::nowhere());
    assert!(report.unreachable.unwrap().contains("refused"));
    assert_eq!((report.mode, report.latency_secs), (None, None));
    let locked = Server::scripted(vec![Reply::error(401, &format!("wrong key {KEY}"))]);
    let report = report_of(&locked.url());
    let why = report.unreachable.unwrap();
    assert!(why.contains("401") && !why.contains(KEY), "{why}");
    let n_asked = locked.received().len();
    assert_eq!(n_asked, 1, "no more requests after a wrong key");
}

#[test]
fn the_picture_of_the_probe_is_what_it_asks_about() {
    let reader = png::Decoder::new(std::io::Cursor::new(include_bytes!("../../src/probe.png")));
    let mut reader = reader.read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    let at = |x: usize, y: usize| {
        let start = 3 * (y * info.width as usize + x);
        [pixels[start], pixels[start + 1], pixels[start + 2]]
    };
    for y in [0, 63] {
        assert_eq!(at(0, y), [0, 40, 215], "blue on the left");
        assert_eq!(at(63, y), [255, 215, 0], "yellow on the right");
    }
}
