//! Models on the command line.

use std::fs;
use std::path::Path;

use regrasp_chat::testing::{Received, Reply, Server, response};
use serde_json::{Value, json};

use super::{COVERED, KEY, planner_at, regrasp, uncovering_server};
use crate::Shell;

fn everything_in(dir: &Path) -> String {
    let entries = fs::read_dir(dir).unwrap();
    let texts = entries.map(|entry| match entry.unwrap().path() {
        folder if folder.is_dir() => everything_in(&folder),
        file => String::from_utf8_lossy(&fs::read(file).unwrap()).into_owned(),
    });
    texts.collect()
}

#[test]
fn a_run_is_recorded_and_played_to_the_same_end_without_a_server() {
    let shell = Shell::new();
    let server = uncovering_server();
    let url = server.url();
    let played = format!(
        "run --task {COVERED} --planner custom --model by-hand --json --cassette tape.json"
    );
    let recorded = format!(
        "{played} --base-url {url} --api-key-env TEST_KEY --record-cassette --wire-log wire.jsonl"
    );
    regrasp(&shell, &recorded, 0, "");
    let received = server.received();
    let header = received[0].header("authorization").map(str::to_owned);
    assert_eq!(header, Some(format!("Bearer {KEY}")));
    drop(server);
    regrasp(&shell, &played, 0, "");
    let left = everything_in(shell.path());
    assert!(!left.contains(KEY), "a file contains the key");
    let log = shell.read("wire.jsonl");
    let lines = log.lines().map(|line| serde_json::from_str(line).unwrap());
    let lines: Vec<Value> = lines.collect();
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[0]["status"], 200);
    let runs = fs::read_dir(shell.path().join("runs")).unwrap();
    let results = runs.map(|run| shell.json(run.unwrap().path().join("result.json")));
    let digests: Vec<_> = results.map(|it| it["state_digest"].clone()).collect();
    assert_eq!(digests.len(), 2);
    assert_eq!(digests[0], digests[1]);
    // The cassette has no answer for another task.
    let other = "run 'pick up the red cube' --planner custom --cassette tape.json";
    regrasp(&shell, other, 11, "was recorded");
}

/// A simulated model with the given capabilities.
fn able(tools: bool, schema: bool) -> impl Fn(usize, &Received) -> Reply + Send + Sync {
    move |_, request| {
        if request.body.get("tools").is_some() && tools {
            return Reply::calls(&[("report_number", json!({ "number": 7351 }))]);
        }
        if request.body.get("response_format").is_some() && schema {
            return Reply::words("{\"greeting_in_words\": [\"hello\"]}");
        }
        if request.body["messages"][1]["content"].is_array() {
            return Reply::error(500, &format!("image input is not supported, {KEY}"));
        }
        Reply::words("Hello!")
    }
}

#[test]
fn models_tells_the_modes_apart() {
    let shell = Shell::new();
    for (tools, schema, mode) in [
        (true, true, "tools"),
        (false, true, "schema"),
        (false, false, "text"),
    ] {
        let server = Server::new(able(tools, schema));
        let planner = planner_at(&server.url());
        let args = format!("models {planner} --api-key-env TEST_KEY");
        let words = &format!("reachable:    yes; images:       refused; answer mode:  {mode}");
        regrasp(&shell, &args, 0, words);
    }
    let nowhere = Server::nowhere();
    let args = format!("models --planner ollama --model m --base-url {nowhere} --json");
    regrasp(&shell, &args, 11, "\"mode\": null; refused");
}

#[test]
fn conflicting_arguments_are_rejected() {
    let shell = Shell::new();
    for (args, code, words) in [
        ("openai", 2, "--model"),
        ("openai --model m", 2, "OPENAI_API_KEY"),
        ("custom --model m", 2, "base URL"),
        ("stub --model m", 2, "a planner without a model"),
        ("custom --cassette no.json", 12, "no.json"),
        ("custom --record-cassette", 2, "--cassette"),
    ] {
        regrasp(&shell, &format!("run x --planner {args}"), code, words);
    }
}

/// All spellings in which a server may echo a key.
fn spellings(key: &str) -> Vec<String> {
    use base64::Engine as _;
    use base64::engine::general_purpose::{STANDARD, URL_SAFE};
    let each = |spell: &dyn Fn(u8) -> String| key.bytes().map(spell).collect::<String>();
    let mut all = vec![
        key.to_owned(),
        key.replace('/', "\\/"),
        key.replace('/', "\\\\\\/"),
        each(&|c| format!("\\u{c:04x}")),
        each(&|c| format!("\\u{c:04X}")),
        each(&|c| format!("\\\\u{c:04x}")),
        each(&|c| format!("\\x{c:02x}")),
        each(&|c| format!("%{c:02X}")),
        each(&|c| format!("%{c:02x}")),
        each(&|c| format!("%25{c:02X}")),
        key.replace('/', "%2F")
            .replace('+', "%2B")
            .replace('=', "%3D"),
        each(&|c| format!("&#{c};")),
        each(&|c| format!("&#x{c:x};")),
        key.replace('/', "&sol;")
            .replace('+', "&plus;")
            .replace('=', "&equals;"),
        key.replace('/', "&amp;#47;"),
        each(&|c| format!("{c:02x}")),
        each(&|c| format!("{c:02X}")),
        each(&|c| format!("{}\u{200b}", char::from(c))),
    ];
    for before in ["", "a", "ab"] {
        let text = format!("{before}{key} and more");
        all.extend([STANDARD.encode(&text), URL_SAFE.encode(&text)]);
    }
    all
}

/// Letters and digits of a text, which no further escaping changes.
fn bare(text: &str) -> String {
    text.chars().filter(char::is_ascii_alphanumeric).collect()
}

/// Searches all files and outputs of a run for secrets: the key, in every spelling in which the
/// server echoes it, and secrets of the command line.
#[test]
fn nothing_that_a_run_leaves_holds_a_secret() {
    const IN_URL: &str = "qu3ry-s3cret-9876";
    let echoes = spellings(KEY);
    let echo = echoes.join(" ");
    // The server sends the key with JSON escapes, and then all spellings in one JSON text.
    let escaped: String = KEY.bytes().map(|c| format!("\\u{c:04x}")).collect();
    let raw = format!("{escaped} {}", KEY.replace('/', "\\/"));
    let proper = serde_json::to_string(&echo).unwrap();
    for echo in [format!("\"{raw}\""), proper] {
        let body = format!(
            "{{\"choices\": [{{\"message\": {{\"content\": {echo}, \"tool_calls\": [{{\"id\": {echo}, \
             \"function\": {{\"name\": \"infeasible\", \"arguments\": {{\"explanation\": {echo}}}}}}}]}}}}]}}"
        );
        let answer = Reply::Raw(response(200, &[], &body));
        let header = [("x-request-id", KEY.to_owned())];
        let error = format!("{{\"message\": {echo}, \"param\": \"{IN_URL}\"}}");
        let error = format!("{{\"error\": {error}}}");
        let refusal = Reply::Raw(response(401, &header, &error));
        let page = Reply::Raw(response(200, &[], &format!("<html>{echo} {IN_URL}</html>")));
        for (reply, code) in [(answer, 10), (refusal, 11), (page, 11)] {
            leaves_no_secret(reply, code, &echoes, IN_URL);
        }
    }
}

fn leaves_no_secret(reply: Reply, code: i32, echoes: &[String], in_url: &str) {
    let shell = Shell::new();
    let server = Server::scripted(vec![reply]);
    let planner = planner_at(&format!("{}?key={in_url}&b=2", server.url()));
    let kept = "--cassette tape.json --record-cassette --wire-log wire.jsonl --store store.db \
                --run-key one --record";
    let args = format!("run --task {COVERED} {planner} --api-key-env TEST_KEY {kept}");
    let said = regrasp(&shell, &args, code, "");
    assert!(!server.received().is_empty(), "{said}");
    let left = everything_in(shell.path()) + &said;
    let searched = bare(&left);
    for secret in echoes.iter().map(String::as_str).chain([in_url]) {
        assert!(!left.contains(secret), "a file or output contains {secret}");
        // The middle of a base64 text depends only on the key.
        let bare = bare(secret);
        let own = bare.get(4..28).unwrap_or(&bare);
        assert!(!searched.contains(own), "{secret} is in a file, escaped");
    }
    // The run did write files, in which the command is redacted.
    for words in ["by-hand", "[key]", "key=[redacted]&b=[redacted]"] {
        assert!(left.contains(words), "no file or output contains {words}");
    }
}
