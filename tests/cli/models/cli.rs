//! Models on the command line.

use std::fs;
use std::path::Path;
use std::process::Command;

use regrasp_chat::testing::{Received, Reply, Server, response};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{COVERED, KEY, uncovering_server};
use regrasp_testkit::says;

/// Runs a command line with the key in `TEST_KEY`, checks its exit code, and returns its output.
pub(crate) fn regrasp(dir: &Path, line: &str, code: i32) -> String {
    let output = Command::new(crate::REGRASP)
        .args(shlex::split(line).unwrap())
        .env("TEST_KEY", KEY)
        .env("RUST_LOG", "trace")
        .env_remove("OPENAI_API_KEY")
        .current_dir(dir)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let logged = String::from_utf8_lossy(&output.stderr).into_owned();
    let said = said + &logged;
    assert_eq!(output.status.code(), Some(code), "{line} said: {said}");
    assert!(!said.contains(KEY), "a key in {said}");
    said
}

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
    let dir = TempDir::new().unwrap();
    let server = uncovering_server();
    let url = server.url();
    let played = format!(
        "run --task {COVERED} --planner custom --model by-hand --json --cassette tape.json"
    );
    let recorded = format!(
        "{played} --base-url {url} --api-key-env TEST_KEY --record-cassette --wire-log wire.jsonl"
    );
    regrasp(dir.path(), &recorded, 0);
    let header = server.received()[0]
        .header("authorization")
        .map(str::to_owned);
    assert_eq!(header, Some(format!("Bearer {KEY}")));
    drop(server);
    regrasp(dir.path(), &played, 0);
    assert!(!everything_in(dir.path()).contains(KEY), "a key in a file");
    let log = fs::read_to_string(dir.path().join("wire.jsonl")).unwrap();
    let lines = log.lines().map(|line| serde_json::from_str(line).unwrap());
    let lines: Vec<Value> = lines.collect();
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[0]["status"], 200);
    let runs = fs::read_dir(dir.path().join("runs")).unwrap();
    let digests = runs.map(|run| {
        let result = fs::read_to_string(run.unwrap().path().join("result.json")).unwrap();
        serde_json::from_str::<Value>(&result).unwrap()["state_digest"].clone()
    });
    let digests: Vec<_> = digests.collect();
    assert_eq!(digests.len(), 2);
    assert_eq!(digests[0], digests[1]);
    // The cassette has no answer for another task.
    let other = "run 'pick up the red cube' --planner custom --cassette tape.json";
    let said = regrasp(dir.path(), other, 11);
    says(&said, &["was recorded"]);
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
    let dir = TempDir::new().unwrap();
    for (tools, schema, mode) in [
        (true, true, "tools"),
        (false, true, "schema"),
        (false, false, "text"),
    ] {
        let server = Server::new(able(tools, schema));
        let url = server.url();
        let args = format!(
            "models --planner custom --model m --base-url {url} \
             --api-key-env TEST_KEY"
        );
        let said = regrasp(dir.path(), &args, 0);
        let mode = format!("answer mode:  {mode}");
        let refused = "images:       refused";
        says(&said, &["reachable:    yes", refused, &mode]);
    }
    let nowhere = Server::nowhere();
    let args = format!("models --planner ollama --model m --base-url {nowhere} --json");
    let said = regrasp(dir.path(), &args, 11);
    says(&said, &["\"mode\": null", "refused"]);
}

#[test]
fn conflicting_arguments_are_rejected() {
    let dir = TempDir::new().unwrap();
    for (args, code, words) in [
        ("openai", 2, "--model"),
        ("openai --model m", 2, "OPENAI_API_KEY"),
        ("custom --model m", 2, "base URL"),
        ("stub --model m", 2, "a planner without a model"),
        ("custom --cassette no.json", 12, "no.json"),
        ("custom --record-cassette", 2, "--cassette"),
    ] {
        let said = regrasp(dir.path(), &format!("run x --planner {args}"), code);
        says(&said, &[words]);
    }
}

/// All spellings in which a server may echo a key.
fn spellings(key: &str) -> Vec<String> {
    use base64::Engine as _;
    use base64::engine::general_purpose::{STANDARD, URL_SAFE};
    let each =
        |spell: &dyn Fn(u8) -> String| -> String { key.bytes().map(spell).collect::<String>() };
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

/// Letters and digits only, which no further escaping changes.
fn bare(text: &str) -> String {
    text.chars().filter(char::is_ascii_alphanumeric).collect()
}

/// All files and outputs of a run are searched for confidential texts: the key in every spelling in
/// which the server echoes it, and secrets of the command line.
#[test]
fn nothing_that_a_run_leaves_holds_a_secret() {
    const IN_URL: &str = "qu3ry-s3cret-9876";
    let echoes = spellings(KEY);
    let echo = echoes.join(" ");
    // JSON escapes as a server writes them, and all spellings as text.
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
    let dir = TempDir::new().unwrap();
    let server = Server::scripted(vec![reply]);
    let url = format!("{}?key={in_url}&b=2", server.url());
    let args = format!(
        "run --task {COVERED} --planner custom --model by-hand --base-url \
         {url} --api-key-env TEST_KEY --cassette tape.json \
         --record-cassette --wire-log wire.jsonl --store store.db --run-key \
         one --record"
    );
    let said = regrasp(dir.path(), &args, code);
    assert!(!server.received().is_empty(), "{said}");
    let left = everything_in(dir.path()) + &said;
    let searched = bare(&left);
    for secret in echoes.iter().map(String::as_str).chain([in_url]) {
        assert!(!left.contains(secret), "{secret} is left");
        // The part of a base64 text that encodes only the key.
        let bare = bare(secret);
        let own = bare.get(4..28).unwrap_or(&bare);
        assert!(!searched.contains(own), "{secret} is left, escaped");
    }
    // The run did write files, and they hold the command with redactions.
    for words in ["by-hand", "[key]", "key=[redacted]&b=[redacted]"] {
        assert!(left.contains(words), "{words}");
    }
}
