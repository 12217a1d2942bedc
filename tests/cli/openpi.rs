//! The command line's two sides of openpi's protocol, before each other.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Output, Stdio};

use crate::argv;
use serde_json::Value;

const REGRASP: &str = crate::REGRASP;

/// A server that ends with the test.
struct Server {
    child: Child,
    /// `ws://…`.
    url: String,
}

impl Server {
    fn start(arguments: &[&str]) -> Self {
        let mut child = Command::new(REGRASP)
            .args(["policy-server", "--listen", "127.0.0.1:0"])
            .args(arguments)
            .env("OWN_KEY", "sesame")
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        stdout.read_line(&mut line).unwrap();
        let url = line.split_whitespace().last().unwrap_or_default();
        assert!(url.starts_with("ws://127.0.0.1:"), "{line}");
        Self {
            url: url.to_owned(),
            child,
        }
    }

    fn policy(&self) -> String {
        format!("openpi:{}", self.url)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

fn regrasp(arguments: &[&str]) -> Output {
    let runs = tempfile::tempdir().unwrap();
    Command::new(REGRASP)
        .args(arguments)
        .env("OWN_KEY", "sesame")
        .env("WRONG_KEY", "simsalabim")
        .current_dir(runs.path())
        .output()
        .unwrap()
}

fn run(arguments: &[&str]) -> (Option<i32>, Value) {
    let output = regrasp(&[&["run", "--json"], arguments].concat());
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let result = serde_json::from_slice(&output.stdout);
    (output.status.code(), result.unwrap_or(Value::String(said)))
}

/// By changes of joints, by velocities of joints, and by changes of the tool.
#[test]
fn a_loop_over_the_wire_picks_and_the_judge_agrees() {
    for mapping in ["joints", "droid", "libero"] {
        let server = Server::start(&["--task", "pick_cube", "--mapping", mapping]);
        let policy = server.policy();
        let mut arguments = vec!["--task", "pick_cube", "--policy", &policy];
        arguments.extend(["--policy-deadline", "30"]);
        if mapping != "joints" {
            // These never say that they are done.
            arguments.extend(["--policy-mapping", mapping, "--policy-time", "10"]);
        }
        let (code, result) = run(&arguments);
        assert_eq!(code, Some(0), "{mapping}: {result:#}");
        let wanted = if mapping == "joints" {
            "plan_complete"
        } else {
            "timeout"
        };
        assert_eq!(result["final_reason"], wanted, "{mapping}: {result:#}");
    }
}

/// Each world has a seed that the client tells.
#[test]
fn many_seeds_are_driven_by_one_server() {
    let server = Server::start(&["--task", "pick_cube"]);
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("results");
    let policy = server.policy();
    let mut arguments = vec![
        "bench",
        "--tasks",
        "pick_cube",
        "--seeds",
        "4",
        "--jobs",
        "2",
    ];
    arguments.extend(["--policy", &policy, "--policy-deadline", "30", "--out"]);
    arguments.push(out.to_str().unwrap());
    let output = regrasp(&arguments);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let summary = std::fs::read(out.join("summary.json")).unwrap();
    let summary: Value = serde_json::from_slice(&summary).unwrap();
    let task = &summary["tasks"][0];
    assert_eq!(task["successes"], 4, "{summary:#}");
}

/// An arm that is sent slowly keeps to its way where things stand close together.
#[test]
fn a_slow_way_through_clutter_touches_nothing_else() {
    let server = Server::start(&["--task", "clutter_pick", "--speed", "0.25"]);
    let policy = server.policy();
    let (code, result) = run(&argv(&format!(
        "--task clutter_pick --seed 1 --policy {policy} \
             --policy-deadline 30"
    )));
    assert_eq!(code, Some(0), "{result:#}");
}

/// What is asked for is what is played, and what cannot be is said by the server.
#[test]
fn the_prompt_says_what_is_played() {
    let server = Server::start(&["--scene", "tabletop", "pick up the red cube"]);
    let (code, result) = run(&[
        "--scene",
        "tabletop",
        "paint the wall",
        "--policy",
        &server.policy(),
    ]);
    assert_eq!(code, Some(11), "{result:#}");
    assert_eq!(result["final_reason"], "policy_unavailable");
    let detail = result["final_detail"].as_str().unwrap();
    assert!(
        detail.contains("do not succeed at \"paint the wall\""),
        "{detail}"
    );
}

#[test]
fn a_key_is_asked_for_and_health_is_not_secret() {
    let server = Server::start(&["--task", "pick_cube", "--key-env", "OWN_KEY"]);
    let policy = server.policy();
    let short = format!("--task pick_cube --policy-time 1 --policy {policy}");
    let short = argv(&short);
    let (code, result) = run(&[&short[..], &["--policy-key-env", "WRONG_KEY"]].concat());
    assert_eq!(code, Some(11), "{result:#}");
    let detail = result["final_detail"].as_str().unwrap();
    assert!(detail.contains("401 Unauthorized"), "{detail}");
    let (_, result) = run(&[&short[..], &["--policy-key-env", "OWN_KEY"]].concat());
    assert_eq!(result["final_reason"], "timeout", "{result:#}");

    let mut stream = TcpStream::connect(server.url.trim_start_matches("ws://")).unwrap();
    stream
        .write_all(b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 OK"), "{answer}");
    assert!(answer.ends_with("OK\n"), "{answer}");
}

#[test]
fn what_cannot_be_meant_is_refused() {
    let check = |arguments: &[&str], code: i32, says: &str| {
        let output = regrasp(arguments);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains(says), "{says} is not in: {said}");
        assert_eq!(output.status.code(), Some(code), "{said}");
    };
    let run = ["run", "x", "--policy"];
    check(
        &[&run[..], &["openpi:http://x"]].concat(),
        2,
        "begin with ws://",
    );
    let openpi = [&run[..], &["openpi:ws://127.0.0.1:1"]].concat();
    let cameras = [&openpi[..], &["--policy-cameras", "top"]].concat();
    check(&cameras, 2, "whose mapping names the cameras");
    let mapping = [&openpi[..], &["--policy-mapping", "none.yaml"]].concat();
    check(&mapping, 12, "joints, droid, libero");
    let key = [&openpi[..], &["--policy-key-env", "NO_SUCH_KEY"]].concat();
    check(&key, 2, "NO_SUCH_KEY is not set");
    let process = [&run[..], &["process:true", "--policy-mapping", "droid"]].concat();
    check(&process, 2, "no openpi server");
    let open = ["policy-server", "--listen", "0.0.0.0:0", "--task", "home"];
    check(&open, 2, "anybody could connect");
}

#[test]
fn the_schema_is_printed() {
    let output = regrasp(&["schema", "policy-mapping"]);
    let schema: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(schema["title"], "Mapping");
}
