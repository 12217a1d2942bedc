//! Every failure ends in one error, in time, without excess retries and without a key in its text.

use std::time::{Duration, Instant, SystemTime};

use regrasp_api::CancelToken;
use regrasp_chat::testing::{KEY, NotedWaits, Reply, Server, limits, model_at, response};
use regrasp_chat::{
    ChatAnswer, ChatError, ChatRequest, Feature, Limits, ModelError, Patience, Provider, WireLog,
};
use serde_json::{Value, json};
use tempfile::NamedTempFile;

use crate::{ask, question, with_picture};

struct Failed {
    cause: ChatError,
    error: String,
    n_requests: usize,
    waits: Vec<Duration>,
}

impl Failed {
    /// Checks the variant of the cause and the number of requests.
    #[track_caller]
    fn is(&self, name: &str, n_requests: usize) {
        assert_eq!(self.n_requests, n_requests, "{:?}", self.cause);
        assert_eq!(name_of(&self.cause), name, "{:?}", self.cause);
    }

    #[track_caller]
    fn says(&self, words: &str) {
        assert!(self.error.contains(words), "{words}: {}", self.error);
    }
}

fn name_of(cause: &ChatError) -> String {
    let shown = format!("{cause:?}");
    let name = shown.split(|c: char| !c.is_alphanumeric()).next();
    name.unwrap_or_default().to_owned()
}

fn fail_with(server: &Server, limits: Limits, request: &ChatRequest) -> Failed {
    let (call, begun) = (limits.call, Instant::now());
    let (outcome, waits, log) = attempt(server, limits, request);
    let error = outcome.expect_err("this server gives no answer");
    let patience = call + Duration::from_secs(10);
    assert!(begun.elapsed() < patience, "the call ends in time");
    for text in [&error.to_string(), &format!("{error:?}"), &log] {
        assert!(!text.contains(KEY), "a key in {text}");
    }
    let has_request = log.contains("Put the red cube");
    assert!(has_request, "the log has the request: {log}");
    Failed {
        error: error.to_string(),
        cause: error.cause,
        n_requests: error.n_tries,
        waits,
    }
}

type Outcome = Result<ChatAnswer, ModelError>;

fn attempt(
    server: &Server,
    limits: Limits,
    request: &ChatRequest,
) -> (Outcome, Vec<Duration>, String) {
    let (model, clock) = model_at(Provider::OpenAi, &server.url(), limits);
    let file = NamedTempFile::new().unwrap();
    let log = std::sync::Arc::new(WireLog::create(file.path()).unwrap());
    let outcome = ask(&model.with_log(log), request);
    let log = std::fs::read_to_string(file.path()).unwrap();
    (outcome, clock.waits(), log)
}

fn fail(replies: Vec<Reply>) -> Failed {
    let server = Server::scripted(replies);
    let failed = fail_with(&server, limits(), &question());
    assert_eq!(server.received().len(), failed.n_requests);
    failed
}

/// A reply that is not retried, its error's variant, whether it may pass, and words of its message.
type Final = (Reply, &'static str, bool, &'static [&'static str]);

/// Error statuses, and waits beyond the limit.
fn refusals() -> Vec<Final> {
    let refused = |status| {
        let reply = Reply::error(status, "no, and that is final");
        (reply, "Status", false, &["no, and that is final"][..])
    };
    // The server asks for a wait beyond the limit, and an earlier retry would be rejected.
    let absurd = |(name, value): (&'static str, &str)| {
        let reply = Reply::error(429, "come back later").with_header(name, value);
        (reply, "Other", false, &["429", "at most 60 s"][..])
    };
    let far = "Fri, 01 Jan 2027 12:00:00 GMT";
    let waits = [
        ("retry-after", "86400"),
        ("retry-after-ms", "61000"),
        ("retry-after", far),
        ("retry-after", "inf"),
    ];
    // A pause beyond the call's time limit is not begun.
    let outlasts = Reply::error(503, "loading").with_header("retry-after", "50");
    let mut all = vec![(outlasts, "Status", true, &["503"][..])];
    all.extend([400, 401, 403, 404, 413, 422].map(refused));
    all.extend(waits.map(absurd));
    all
}

fn nonsense() -> Vec<Final> {
    const NO_JSON: &str = "it is not JSON";
    let short = "HTTP/1.1 200 OK\r\ncontent-length: 12\r\n\r\n{\"choices\": [{\"message\": {}}]}";
    let page = "<html><body>Sign in to the hotel's network</body></html>";
    let page = Reply::Raw(response(200, &[], page));
    let mut all = vec![
        (Reply::Raw(short.into()), "Other", false, &[NO_JSON][..]),
        (page, "Other", false, &[NO_JSON, "Sign in"]),
    ];
    // A retry would only get the next flood.
    all.extend([true, false].map(|is_announced| {
        let n_bytes = 100 << 20;
        let flood = Reply::Flood {
            n_bytes,
            is_announced,
        };
        (flood, "Other", false, &["1048576"][..])
    }));
    let malformed = [
        json!({ "choices": [] }),
        json!({ "choices": null }),
        json!({ "id": "x" }),
        json!({ "choices": [{ "finish_reason": "stop" }] }),
        json!({ "choices": [{ "message": null }] }),
        json!({ "choices": "none" }),
    ];
    all.extend(malformed.map(|b| (Reply::ok(b), "Malformed", true, &["read the answer"][..])));
    let broken = [json!([1, 2]), json!([]), json!("hello"), Value::Null];
    all.extend(broken.map(|b| (Reply::ok(b), "Other", false, &[NO_JSON][..])));
    all
}

#[test]
fn what_no_try_can_mend_is_tried_once() {
    for (reply, name, may_pass, words) in refusals().into_iter().chain(nonsense()) {
        let shown = format!("{reply:?}");
        let failed = fail(vec![reply.clone()]);
        failed.is(name, 1);
        assert!(failed.waits.is_empty(), "{shown}");
        assert_eq!(failed.cause.may_pass(), may_pass, "{shown}");
        words.iter().for_each(|words| failed.says(words));
        if let Reply::Json(status @ 400.., ..) = reply {
            failed.says(&status.to_string());
        }
    }
}

#[test]
fn what_may_pass_is_tried_three_times_with_growing_pauses() {
    for status in [408, 409, 429, 500, 503, 529] {
        let failed = fail(vec![Reply::error(status, "busy")]);
        assert_eq!(failed.n_requests, 3, "{status}");
        assert!(failed.cause.may_pass(), "{status}");
        let [first, second] = failed.waits[..] else {
            panic!("expected two pauses between three attempts");
        };
        assert!((0.5..1.0).contains(&first.as_secs_f64()), "{first:?}");
        assert!((1.0..2.0).contains(&second.as_secs_f64()), "{second:?}");
        failed.says("tried 3 times");
    }
}

#[test]
fn trouble_that_passes_leaves_an_answer() {
    let good = Reply::calls(&[("pick", json!({ "object": "red_cube" }))]);
    let (loading, busy) = (Reply::error(503, "loading"), Reply::error(529, "x"));
    let server = Server::scripted(vec![loading, busy, good]);
    let (outcome, _, log) = attempt(&server, limits(), &question());
    assert_eq!(outcome.unwrap().calls[0].name, "pick");
    assert_eq!(log.lines().count(), 3, "one line per attempt");
    assert!(!log.contains(KEY));
}

#[test]
fn waits_that_the_server_asks_for_are_kept() {
    // The tests' clock stands at noon of 1 January 2026.
    let in_45_secs = "Thu, 01 Jan 2026 12:00:45 GMT";
    let noon = Duration::from_secs(1_767_268_800);
    assert_eq!(NotedWaits::noon(), SystemTime::UNIX_EPOCH + noon);
    let cases = [
        (&[("retry-after-ms", "1500"), ("retry-after", "9")][..], 1.5),
        (&[("retry-after", "2.5")], 2.5),
        (&[("retry-after", in_45_secs)], 45.0),
        (&[("retry-after", "60")], 60.0),
        (&[("retry-after", "0")], 0.0),
    ];
    for (headers, wait_secs) in cases {
        let mut reply = Reply::error(429, "slow down");
        for (name, value) in headers {
            reply = reply.with_header(name, *value);
        }
        // Pauses are only recorded, but one beyond the call's time limit would not begin.
        let limits = Limits {
            call: Duration::from_secs(300),
            ..limits()
        };
        let failed = fail_with(&Server::scripted(vec![reply]), limits, &question());
        let expected = [Duration::from_secs_f64(wait_secs); 2];
        assert_eq!(failed.waits, expected, "{headers:?}");
    }
}

#[test]
fn broken_connections_are_tried_again() {
    let (model, clock) = model_at(Provider::OpenAi, &Server::nowhere(), limits());
    let error = ask(&model, &question()).expect_err("no server listens");
    assert_eq!(name_of(&error.cause), "Unreachable", "{error:?}");
    assert_eq!((error.n_tries, clock.waits().len()), (3, 2));
    assert!(error.to_string().contains("refused"), "{error}");

    let server = Server::resetting();
    fail_with(&server, limits(), &question()).is("Broken", 3);
    assert_eq!(server.n_connections(), 3);

    let body = json!({ "choices": [] }).to_string();
    let whole = response(200, &[], &body);
    let half = whole[..whole.len() - body.len() / 2].to_vec();
    fail(vec![Reply::Raw(half)]).is("Broken", 3);
    let other = b"SSH-2.0-OpenSSH_9.6\r\n".to_vec();
    fail(vec![Reply::Raw(other)]).is("Broken", 3);
}

#[test]
fn silence_ends_at_the_read_deadline_and_the_call_at_its_own() {
    let short = |read_ms, call_ms| Limits {
        read: Duration::from_millis(read_ms),
        call: Duration::from_millis(call_ms),
        ..limits()
    };
    let begun = "HTTP/1.1 200 OK\r\ncontent-length: 900\r\n\r\n{\"choices\"";
    for sent in ["", begun] {
        let server = Server::scripted(vec![Reply::Stall(sent.into())]);
        let failed = fail_with(&server, short(300, 60_000), &question());
        // A silent server is asked again.
        failed.is("TimedOut", 3);
        let is_read =
            matches!(failed.cause, ChatError::TimedOut { what, .. } if what == Patience::Read);
        assert!(is_read, "{:?}", failed.cause);
    }
    let server = Server::scripted(vec![Reply::error(503, "loading"), Reply::Stall(vec![])]);
    let (model, _) = model_at(Provider::OpenAi, &server.url(), short(60_000, 3_000));
    let error = ask(&model, &question()).expect_err("the call times out");
    let ChatError::TimedOut {
        what: Patience::Call,
        last,
        ..
    } = error.cause
    else {
        panic!("{error:?}");
    };
    let before = last.unwrap();
    assert!(before.contains("503"), "the earlier error: {before}");
}

#[test]
fn a_cancel_ends_a_call() {
    let cancel = CancelToken::new();
    let for_server = cancel.clone();
    let server = Server::new(move |_, _| {
        for_server.cancel();
        Reply::Stall(vec![])
    });
    let (model, _) = model_at(Provider::OpenAi, &server.url(), limits());
    let outcome = ask(&model.with_cancel(cancel), &question());
    let error = outcome.expect_err("the call was cancelled");
    assert_eq!(error.cause, ChatError::Cancelled);
}

#[test]
fn errors_under_a_good_status_are_errors() {
    let error = |code: Value| {
        let body = json!({ "error": { "message": "provider is out", "code": code } });
        fail(vec![Reply::ok(body)])
    };
    assert_eq!(error(json!(502)).n_requests, 3, "502 may pass");
    assert_eq!(error(json!("429")).n_requests, 3, "codes may be strings");
    assert_eq!(error(json!(402)).n_requests, 1, "402 will not pass");
    assert_eq!(error(Value::Null).n_requests, 1);
    let text = json!({ "error": "model not found" });
    fail(vec![Reply::ok(text)]).says("model not found");
    let in_choice = json!({ "choices": [{ "finish_reason": "error",
        "error": { "message": "upstream broke", "code": 400 }, "message": {} }] });
    fail(vec![Reply::ok(in_choice)]).says("upstream broke");
}

fn unsupported(failed: &Failed) -> Option<Feature> {
    match failed.cause {
        ChatError::Unsupported { feature, .. } => Some(feature),
        _ => None,
    }
}

#[test]
fn a_picture_for_a_model_without_eyes_is_told_apart_from_trouble() {
    let said = "image input is not supported - hint: if this is unexpected, you may need to \
                provide the mmproj";
    let body = json!({ "error": { "code": 500, "message": said, "type": "server_error" } });
    let server = Server::scripted(vec![Reply::Json(500, vec![], body.clone())]);
    let failed = fail_with(&server, limits(), &with_picture(question()));
    assert_eq!(server.received().len(), 1, "no retry can succeed");
    assert_eq!(unsupported(&failed), Some(Feature::Images));
    // Without a picture in the request, the status is an ordinary server error.
    let failed = fail(vec![Reply::Json(500, vec![], body)]);
    assert_eq!(failed.n_requests, 3);
    let no_tools = fail(vec![Reply::error(400, "model:2b does not support tools")]);
    assert_eq!(unsupported(&no_tools), Some(Feature::Tools));
}

#[test]
fn keys_that_servers_send_back_go_no_further() {
    let echo = format!("Incorrect API key provided: {KEY}. You sent: Bearer {KEY}");
    fail(vec![Reply::error(401, &echo)]).says("[key]");
    let server = Server::scripted(vec![Reply::words(&echo).with_header("x-request-id", KEY)]);
    let (outcome, _, log) = attempt(&server, limits(), &question());
    let answer = outcome.unwrap();
    assert!(!format!("{answer:?}").contains(KEY));
    assert!(!log.contains(KEY), "{log}");
    let received = &server.received()[0];
    let header = received.header("authorization").unwrap();
    assert_eq!(header, format!("Bearer {KEY}"), "the key in the header");
}

#[test]
fn a_redirect_is_not_followed() {
    let elsewhere = Server::scripted(vec![Reply::words("caught")]);
    let reply = Reply::Json(307, vec![("location", elsewhere.url())], json!({}));
    let failed = fail(vec![reply]);
    failed.is("Status", 1);
    failed.says("307");
    let n_connections = elsewhere.n_connections();
    assert_eq!(n_connections, 0, "the key stays with its server");
}

/// The server echoes the key in several encodings. The key must appear neither in the raw text nor
/// in decoded parts.
#[test]
fn a_key_that_is_echoed_shows_nowhere() {
    let escaped: String = KEY.bytes().map(|c| format!("\\u{c:04x}")).collect();
    let percent: String = KEY.bytes().map(|c| format!("%{c:02X}")).collect();
    let entities: String = KEY.bytes().map(|c| format!("&#{c};")).collect();
    let message = |key: &str| format!("{{\"error\": {{\"message\": \"wrong key {key}\"}}}}");
    let bodies = [
        message(&escaped),
        message(&percent),
        message(&entities),
        format!("{{\"error\": {{\"message\": \"wrong key\", \"{escaped}\": 1}}}}"),
        format!("<html>wrong key {entities} or {percent}</html>"),
        format!("wrong key {escaped}"),
    ];
    for body in bodies {
        let reply = Reply::Raw(response(401, &[], &body));
        // `fail` searches for the key in the error and in the log.
        let failed = fail(vec![reply]);
        for text in [&failed.error, &format!("{:?}", failed.cause)] {
            let decoded = text.replace("&#", "").replace('%', "");
            assert!(!decoded.contains(&percent.replace('%', "")), "{text}");
            assert!(!text.contains(&escaped), "{text}");
        }
    }
    let answer = format!(
        "{{\"choices\": [{{\"message\": {{\"content\": \"{escaped}\", \"tool_calls\": [{{\"id\": \
         \"1\", \"function\": {{\"name\": \"home\", \"arguments\": \"{{\\\"a\\\": \\\"{}\\\"}}\"}}}}]}}}}]}}",
        escaped.replace('\\', "\\\\")
    );
    let server = Server::scripted(vec![Reply::Raw(response(200, &[], &answer))]);
    let (outcome, _, log) = attempt(&server, limits(), &question());
    let answer = outcome.expect("an answer");
    for text in [format!("{answer:?}"), answer.text, log] {
        assert!(!text.contains(KEY) && !text.contains("u0073"), "{text}");
    }
}

#[test]
fn a_wait_that_a_server_asks_for_is_kept_by_the_next_call_too() {
    let busy = Reply::error(429, "slow down").with_header("retry-after", "40");
    let server = Server::scripted(vec![busy]);
    let limits = Limits {
        call: Duration::from_secs(60),
        retry: regrasp_chat::RetryPolicy {
            max_retries: 0,
            ..limits().retry
        },
        ..limits()
    };
    let (model, clock) = model_at(Provider::OpenAi, &server.url(), limits);
    assert!(ask(&model, &question()).is_err());
    assert_eq!(clock.waits(), [], "one try, and no pause after it");
    assert!(ask(&model, &question()).is_err());
    let waited = clock.waits()[0].as_secs_f64();
    assert!((39.0..=40.0).contains(&waited), "{waited} s");
}

#[test]
fn a_dead_server_is_asked_six_times_in_all() {
    let server = Server::scripted(vec![Reply::error(503, "down")]);
    let (model, _) = model_at(Provider::OpenAi, &server.url(), limits());
    let error = || ask(&model, &question()).expect_err("the server is down");
    let finals = [error().is_final, error().is_final];
    assert_eq!(finals, [false, true], "the second call is the last");
    assert_eq!(server.received().len(), 6);
}

#[test]
fn odd_figures_and_marks_do_not_spoil_an_answer() {
    let body = "\u{feff}{\"choices\": [{\"message\": {\"content\": \"yes\"}}], \"usage\": \
                {\"prompt_tokens\": -1, \"completion_tokens\": \"many\"}}";
    let server = Server::scripted(vec![Reply::Raw(response(200, &[], body))]);
    let (outcome, ..) = attempt(&server, limits(), &question());
    let answer = outcome.expect("an answer");
    assert_eq!(answer.text, "yes");
    assert!(answer.usage.is_estimate, "{:?}", answer.usage);
}

/// A model on a CPU takes minutes for an answer. It does not count as dead while pieces arrive, and
/// the progress is reported.
#[test]
fn an_answer_that_comes_word_by_word_is_put_together() {
    let body = include_str!("../data/completions.sse");
    let broken = &body[..body.find("pick.").unwrap()];
    let streams = [broken, body].map(|events| Reply::stream("text/event-stream", events));
    let server = Server::scripted(streams.into());
    let (model, _) = model_at(Provider::Custom, &server.url(), limits());
    let heard = std::sync::Arc::new(std::sync::Mutex::new(vec![]));
    let ear = std::sync::Arc::clone(&heard);
    let model = model.with_progress(std::sync::Arc::new(move |p| ear.lock().unwrap().push(p)));
    let answer = ask(&model, &question()).expect("the second stream is complete");
    assert_eq!(answer.text, "I pick.");
    assert_eq!(answer.usage.completion, 7);
    let heard = heard.lock().unwrap();
    assert!(heard.iter().any(|p| p.n_pieces >= 4), "{heard:?}");
    let n_over = heard.iter().filter(|p| p.is_over).count();
    assert_eq!(n_over, 2, "each attempt reports its end");
    assert_eq!(server.received()[0].body["stream"], true);
}
