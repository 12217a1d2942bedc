//! Whatever the model's server does, the episode ends with one reason, and the arm has not
//! moved.

use std::sync::Arc;
use std::time::{Duration, Instant};

use regrasp::api::FinalReason;
use regrasp_chat::testing::{NotedWaits, Reply, Server, response};
use regrasp_cli::ExitCode;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::cli::regrasp;
use super::{COVERED, KEY, http, play};
use regrasp_testkit::says;

/// A server's behaviour, how the episode ends, words of its detail, and how many requests
/// there may be.
struct Case {
    name: &'static str,
    reply: Reply,
    end: FinalReason,
    words: &'static str,
    n_requests: usize,
}

/// A call is tried three times, and a server that fails six times in a row is given up.
const PASSING: usize = 6;
/// A call whose tries all end at a deadline is the last one.
const SILENT: usize = 3;
/// An answer is corrected once; the same once more is the end.
const CORRECTED: usize = 2;
/// Each plan is asked for once, four times in an episode.
const ASKED: usize = 4;

fn case(
    name: &'static str,
    reply: Reply,
    end: FinalReason,
    words: &'static str,
    n_requests: usize,
) -> Case {
    Case {
        name,
        reply,
        end,
        words,
        n_requests,
    }
}

/// Trouble with the connection or the server.
fn transport() -> Vec<Case> {
    use FinalReason::VlmTransport as End;
    let status = |status: u16| Reply::error(status, &format!("no, {KEY}"));
    let wait = |name, value| status(429).with_header(name, value);
    let half = response(200, &[], &"x".repeat(1000))[..200].to_vec();
    let short = b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n{\"choices\": []}".to_vec();
    let html = response(200, &[], "<html>Sign in</html>");
    let flood = Reply::Flood {
        n_bytes: 100 << 20,
        is_announced: false,
    };
    let on_200 = json!({ "error": { "message": "out of credits", "code": 402 } });
    vec![
        case("400", status(400), End, "status 400", 1),
        case("401", status(401), End, "status 401", 1),
        case("403", status(403), End, "status 403", 1),
        case("404", status(404), End, "status 404", 1),
        case("413", status(413), End, "status 413", 1),
        case("422", status(422), End, "status 422", 1),
        case("408", status(408), End, "status 408", PASSING),
        case(
            "429 in ms",
            wait("retry-after-ms", "20"),
            End,
            "status 429",
            PASSING,
        ),
        case(
            "429 in s",
            wait("retry-after", "2"),
            End,
            "status 429",
            PASSING,
        ),
        case(
            "429 absurd",
            wait("retry-after", "86400"),
            End,
            "more than 60 s",
            1,
        ),
        case("500", status(500), End, "status 500", PASSING),
        case("503", status(503), End, "status 503", PASSING),
        case("529", status(529), End, "status 529", PASSING),
        case(
            "half a body",
            Reply::Raw(half),
            End,
            "whole answer",
            PASSING,
        ),
        case("wrong length", Reply::Raw(short), End, "no JSON", 1),
        case("HTML", Reply::Raw(html), End, "Sign in", 1),
        case(
            "stall",
            Reply::Stall(vec![]),
            End,
            "nothing was sent within",
            SILENT,
        ),
        case("flood", flood, End, "longer than", 1),
        case(
            "empty",
            Reply::ok(json!({ "choices": [] })),
            End,
            "`choices`",
            ASKED,
        ),
        case("nothing", Reply::ok(json!({})), End, "`choices`", ASKED),
        case("error on 200", Reply::ok(on_200), End, "out of credits", 1),
    ]
}

/// Answers that cannot be used.
fn answers() -> Vec<Case> {
    use FinalReason::NoPlan as End;
    let arguments = |arguments: Value| {
        let call = json!({ "function": { "name": "pick", "arguments": arguments } });
        Reply::ok(json!({ "choices": [{ "message": { "tool_calls": [call] } }] }))
    };
    let unknown = Reply::calls(&[("drop_everything", json!({}))]);
    let endless = Reply::calls(&vec![("home", json!({})); 10_000]);
    vec![
        case(
            "prose",
            Reply::words("Sure!"),
            End,
            "makes no call",
            CORRECTED,
        ),
        case("unknown tool", unknown, End, "drop_everything", CORRECTED),
        case(
            "wrong type",
            arguments(json!({ "object": 1 })),
            End,
            "/object",
            CORRECTED,
        ),
        case(
            "unknown object",
            arguments(json!({ "object": "ghost" })),
            End,
            "ghost",
            CORRECTED,
        ),
        case(
            "broken",
            arguments(json!("{\"object\": ")),
            End,
            "no JSON",
            CORRECTED,
        ),
        case("endless", endless, End, "10000 calls", CORRECTED),
    ]
}

#[test]
fn every_error_ends_in_one_reason_and_moves_nothing() {
    for case in transport().into_iter().chain(answers()) {
        let Case { name, .. } = case;
        let server = Server::scripted(vec![case.reply]);
        let begun = Instant::now();
        let (exit, paused) = check(name, &server.url(), case.end, case.words);
        let (took, n) = (begun.elapsed() + paused, server.received().len());
        // `cargo test --test cli models::errors -- --nocapture` shows the table. The pauses between
        // tries are noted and not waited for, but a person would wait for them.
        println!(
            "{name:14} {n:>3} requests {:>6.1} s  exit code {}",
            took.as_secs_f64(),
            exit as u8
        );
        assert_eq!(n, case.n_requests, "{name}");
    }
}

#[test]
fn nobody_there_and_connections_that_break_move_nothing() {
    let end = FinalReason::VlmTransport;
    check("nobody", &Server::nowhere(), end, "refused");
    let server = Server::resetting();
    check("reset", &server.url(), end, "whole answer");
    // And three in which it is asked how long a request may be.
    assert_eq!(server.n_connections(), PASSING + 3);
}

/// The exit code, and how long it was paused between tries.
fn check(name: &str, url: &str, end: FinalReason, words: &str) -> (ExitCode, Duration) {
    let clock = Arc::new(NotedWaits::default());
    let (episode, events) = play(COVERED, http(url).with_clock(clock.clone()));
    let result = &episode.result;
    assert_eq!(result.final_reason, end, "{name}: {}", result.final_detail);
    says(&result.final_detail, &[words]);
    assert_eq!(result.steps, 0, "{name}");
    assert!(!result.success, "{name}");
    for (before, after) in episode
        .first
        .joint_positions
        .iter()
        .zip(&episode.last.joint_positions)
    {
        assert!(
            (before - after).abs() < 1e-3,
            "{name}: the arm stays where it was"
        );
    }
    for text in [&events, &format!("{result:?}")] {
        assert!(!text.contains(KEY), "{name}: a key in {text}");
    }
    (ExitCode::of(result), clock.waits().iter().sum())
}

/// Silence ends once, when it was said to: not after several deadlines and the pauses between.
#[test]
fn a_hang_ends_at_the_deadline_that_is_stated() {
    let server = Server::scripted(vec![Reply::Stall(vec![])]);
    let url = server.url();
    let dir = TempDir::new().unwrap();
    let run = format!(
        "run --task {COVERED} --planner custom --model m --base-url {url} --model-timeout 3"
    );
    let begun = Instant::now();
    let said = regrasp(dir.path(), &run, 11);
    let took = begun.elapsed().as_secs_f64();
    println!("silence, --model-timeout 3: {took:.1} s with the simulation's own, exit code 11");
    assert!(
        said.contains("did not end within 3 s") || said.contains("within 3 s"),
        "{said}"
    );
    assert_eq!(server.received().len(), 1, "one deadline");
}

/// Models finish a task and go on: the world says when it is done.
#[test]
fn a_model_that_forgets_to_say_done_is_done_when_the_goal_holds() {
    // The second time, and from then on, it would pick the cube up again.
    let server = Server::new(|n, _| {
        let all = [
            ("pick", json!({ "object": "blue_cube" })),
            ("place_at", json!({ "x": 0.369, "y": -0.196 })),
            ("pick", json!({ "object": "red_cube" })),
            ("place_on", json!({ "target": "plate" })),
        ];
        Reply::calls(if n == 0 { &all } else { &all[2..3] })
    });
    let (episode, _) = play(COVERED, http(&server.url()));
    assert!(episode.result.success, "{}", episode.result.final_detail);
    assert_eq!(server.received().len(), 1);
}

#[test]
fn a_model_that_never_ends_runs_out_of_rounds_or_time() {
    // Always another round, and each a call that can be made.
    let server = Server::new(|n, _| {
        let skill = if n % 2 == 0 { "pick" } else { "home" };
        let arguments = if n % 2 == 0 {
            json!({ "object": "blue_cube" })
        } else {
            json!({})
        };
        Reply::calls(&[(skill, arguments)])
    });
    let (episode, _) = play(COVERED, http(&server.url()));
    assert!(!episode.result.success);
    assert!(
        server.received().len() <= 20,
        "at most as many rounds as the budget has"
    );
    let velocities = &episode.last.joint_velocities;
    assert!(
        velocities.iter().all(|v| v.abs() < 0.05),
        "the arm is at rest: {velocities:?}"
    );
}
