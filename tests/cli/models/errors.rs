//! Errors of the model's server: each ends the episode with one reason and without a motion.

use std::sync::Arc;
use std::time::{Duration, Instant};

use regrasp::api::FinalReason;
use regrasp_chat::testing::{NotedWaits, Reply, Server, response};
use regrasp_cli::ExitCode;
use serde_json::{Value, json};

use super::{COVERED, KEY, http, planner_at, play, regrasp};
use crate::Shell;
use regrasp_testkit::says;

/// Name of a behaviour (or a status code, which the final detail must contain), reply of the
/// server, expected words in the final detail, and expected number of requests.
type Case = (&'static str, Reply, &'static str, usize);

/// Number of requests for errors that may be transient: a call is tried three times, and the server
/// is given up after six consecutive failures.
const PASSING: usize = 6;
/// Number of requests if the server stays silent: the three attempts of one call.
const SILENT: usize = 3;
/// Number of requests for an unusable answer: the model is asked once for a correction, and a
/// second equal answer ends the episode.
const CORRECTED: usize = 2;
/// Number of requests if each of an episode's four plans takes one.
const ASKED: usize = 4;

fn transport() -> Vec<Case> {
    let status = |status: &str| Reply::error(status.parse().unwrap(), &format!("no, {KEY}"));
    let wait = |name, value| status("429").with_header(name, value);
    let half = response(200, &[], &"x".repeat(1000))[..200].to_vec();
    let short = b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n{\"choices\": []}".to_vec();
    let html = response(200, &[], "<html>Sign in</html>");
    let flood = Reply::Flood {
        n_bytes: 100 << 20,
        is_announced: false,
    };
    let on_200 = json!({ "error": { "message": "out of credits", "code": 402 } });
    let no_choices = Reply::ok(json!({ "choices": [] }));
    let silence = "the server sent nothing within";
    let (in_ms, in_s) = (wait("retry-after-ms", "20"), wait("retry-after", "2"));
    let absurd = wait("retry-after", "86400");
    let mut all = vec![
        ("429 in ms", in_ms, "status 429", PASSING),
        ("429 in s", in_s, "status 429", PASSING),
        ("429 absurd", absurd, "at most 60 s", 1),
        ("half a body", Reply::Raw(half), "whole answer", PASSING),
        ("wrong length", Reply::Raw(short), "not JSON", 1),
        ("HTML", Reply::Raw(html), "Sign in", 1),
        ("stall", Reply::Stall(vec![]), silence, SILENT),
        ("flood", flood, "longer than", 1),
        ("empty", no_choices, "`choices`", ASKED),
        ("nothing", Reply::ok(json!({})), "`choices`", ASKED),
        ("error on 200", Reply::ok(on_200), "out of credits", 1),
    ];
    for said in ["400", "401", "403", "404", "413", "422"] {
        all.push((said, status(said), "status", 1));
    }
    for said in ["408", "500", "503", "529"] {
        all.push((said, status(said), "status", PASSING));
    }
    all
}

fn answers() -> Vec<Case> {
    let arguments = |arguments: Value| {
        let call = json!({ "function": { "name": "pick", "arguments": arguments } });
        Reply::ok(json!({ "choices": [{ "message": { "tool_calls": [call] } }] }))
    };
    let unknown = Reply::calls(&[("drop_everything", json!({}))]);
    let endless = Reply::calls(&vec![("home", json!({})); 10_000]);
    let number = arguments(json!({ "object": 1 }));
    let ghost = arguments(json!({ "object": "ghost" }));
    let broken = arguments(json!("{\"object\": "));
    vec![
        ("prose", Reply::words("Sure!"), "makes no call", CORRECTED),
        ("unknown tool", unknown, "drop_everything", CORRECTED),
        ("wrong type", number, "/object", CORRECTED),
        ("unknown object", ghost, "ghost", CORRECTED),
        ("broken", broken, "not JSON", CORRECTED),
        ("endless", endless, "10000 calls", CORRECTED),
    ]
}

#[test]
fn every_error_ends_in_one_reason_and_moves_nothing() {
    let transport = transport().into_iter();
    let transport = transport.map(|case| (case, FinalReason::VlmTransport));
    let answers = answers().into_iter();
    let answers = answers.map(|case| (case, FinalReason::NoPlan));
    for ((name, reply, words, n_requests), end) in transport.chain(answers) {
        let server = Server::scripted(vec![reply]);
        let words = match words {
            "status" => &format!("status {name}"),
            words => words,
        };
        let begun = Instant::now();
        let (exit, paused) = check(name, &server.url(), end, words);
        let (took, n) = (begun.elapsed() + paused, server.received().len());
        // `cargo test --test cli models::errors -- --nocapture` shows the table. Its times include
        // the pauses between attempts, which the test does not wait for.
        let (secs, exit) = (took.as_secs_f64(), exit as u8);
        println!("{name:14} {n:>3} requests {secs:>6.1} s  exit code {exit}");
        assert_eq!(n, n_requests, "{name}");
    }
}

#[test]
fn nobody_there_and_connections_that_break_move_nothing() {
    let end = FinalReason::VlmTransport;
    check("nobody", &Server::nowhere(), end, "refused");
    let server = Server::resetting();
    check("reset", &server.url(), end, "whole answer");
    // Three more connections ask the server for its maximum request length.
    assert_eq!(server.n_connections(), PASSING + 3);
}

/// Checks that an episode with this server ends for the reason `end`, with these words, and without
/// a motion. Returns the exit code and the total pause between attempts.
fn check(name: &str, url: &str, end: FinalReason, words: &str) -> (ExitCode, Duration) {
    let clock = Arc::new(NotedWaits::default());
    let (episode, events) = play(COVERED, http(url).with_clock(clock.clone()));
    let result = &episode.result;
    assert_eq!(result.final_reason, end, "{name}: {}", result.final_detail);
    says(&result.final_detail, &[words]);
    assert_eq!(result.steps, 0, "{name}");
    assert!(!result.success, "{name}");
    let [before, after] = [&episode.first, &episode.last].map(|seen| &seen.joint_positions);
    for (before, after) in before.iter().zip(after) {
        let stays = (before - after).abs() < 1e-3;
        assert!(stays, "{name}: the arm moved from {before} to {after} rad");
    }
    for text in [&events, &format!("{result:?}")] {
        assert!(!text.contains(KEY), "{name}: the key is in {text}");
    }
    (ExitCode::of(result), clock.waits().iter().sum())
}

/// With `--model-timeout`, a silent server is given up at that time, without further attempts.
#[test]
fn a_hang_ends_at_the_deadline_that_is_stated() {
    let server = Server::scripted(vec![Reply::Stall(vec![])]);
    let planner = planner_at(&server.url());
    let run = format!("run --task {COVERED} {planner} --model-timeout 3");
    let begun = Instant::now();
    regrasp(&Shell::new(), &run, 11, "within 3 s");
    let took = begun.elapsed().as_secs_f64();
    println!("silence, --model-timeout 3: {took:.1} s including the simulation, exit code 11");
    assert_eq!(server.received().len(), 1, "requests before the timeout");
}

/// A model may request calls after the task is done. The state of the world decides about the end.
#[test]
fn a_model_that_forgets_to_say_done_is_done_when_the_goal_holds() {
    // From the second request on, the model would pick the cube up again.
    let server = Server::new(|n, _| {
        let all = [
            ("pick", json!({ "object": "blue_cube" })),
            ("place_aside", json!({})),
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
    // The model requests another valid call forever.
    let server = Server::new(|n, _| {
        Reply::calls(&[match n % 2 {
            0 => ("pick", json!({ "object": "blue_cube" })),
            _ => ("home", json!({})),
        }])
    });
    let (episode, _) = play(COVERED, http(&server.url()));
    assert!(!episode.result.success);
    // The budget of the episode limits the number of requests.
    assert!(server.received().len() <= 20);
    let velocities = &episode.last.joint_velocities;
    let is_at_rest = velocities.iter().all(|v| v.abs() < 0.05);
    assert!(is_at_rest, "{velocities:?}");
}
