//! Client and server of openpi's protocol on the command line, connected to each other.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use regrasp_testkit::says;
use serde_json::Value;

use crate::shell::command;
use crate::started::Started;
use crate::{Shell, text};

/// A server that is killed at the end of the test.
struct Server {
    _started: Started,
    url: String,
}

impl Server {
    fn start(arguments: &str) -> Self {
        let line = format!("policy-server --listen 127.0.0.1:0 {arguments}");
        let mut command = command(&std::env::temp_dir(), &line);
        let mut started = Started::new(command.env("OWN_KEY", "sesame"));
        let line = started.line();
        let url = line.split_whitespace().last().unwrap_or_default();
        assert!(url.starts_with("ws://127.0.0.1:"), "{line}");
        Self {
            url: url.to_owned(),
            _started: started,
        }
    }

    /// Runs an episode with this server's policy. Returns exit code and result.
    fn run(&self, arguments: &str) -> (Option<i32>, Value) {
        let (shell, policy) = (Shell::new(), self.policy());
        let mut command = shell.command(&format!("run --json {arguments} --policy {policy}"));
        command
            .env("OWN_KEY", "sesame")
            .env("WRONG_KEY", "simsalabim");
        let output = command.output().unwrap();
        let result = serde_json::from_slice(&output.stdout);
        let result = result.unwrap_or_else(|_| Value::String(text(&output.stderr)));
        (output.status.code(), result)
    }

    fn policy(&self) -> String {
        format!("openpi:{}", self.url)
    }
}

/// Covers the three kinds of actions: joint displacements, joint velocities, and tool
/// displacements.
#[test]
fn a_loop_over_the_wire_picks_and_the_judge_agrees() {
    for mapping in ["joints", "droid", "libero"] {
        let server = Server::start(&format!("--task pick_cube --mapping {mapping}"));
        // The other mappings have no `done` flag.
        let (more, wanted) = match mapping {
            "joints" => (String::new(), "plan_complete"),
            _ => {
                let more = format!("--policy-mapping {mapping} --policy-time 10");
                (more, "timeout")
            }
        };
        let arguments = format!("--task pick_cube --policy-deadline 30 {more}");
        let (code, result) = server.run(&arguments);
        assert_eq!(code, Some(0), "{mapping}: {result:#}");
        assert_eq!(result["final_reason"], wanted, "{mapping}: {result:#}");
    }
}

/// A policy without a `done` flag may continue after success and put the cube back.
#[test]
fn the_first_success_ends_an_episode_if_asked_for() {
    let server = Server::start("--task pick_cube --mapping droid");
    let droid = "--policy-deadline 30 --policy-mapping droid --policy-until-met";
    let (code, result) = server.run(&format!("--task pick_cube {droid}"));
    assert_eq!(code, Some(0), "{result:#}");
    assert_eq!(result["final_reason"], "plan_complete", "{result:#}");
    let sim_s = result["sim_s"].as_f64().unwrap();
    assert!(sim_s < 10.0, "the episode lasted {sim_s} s");
}

/// Checks that one server plays many seeds, because the client sends the seed of each world.
#[test]
fn many_seeds_are_driven_by_one_server() {
    let server = Server::start("--task pick_cube");
    let (shell, policy) = (Shell::new(), server.policy());
    let bench = "bench --tasks pick_cube --seeds 4 --jobs 2 --out results";
    let bench = format!("{bench} --policy {policy} --policy-deadline 30");
    shell.check(&bench, 0, "");
    let summary = shell.json("results/summary.json");
    let task = &summary["tasks"][0];
    assert_eq!(task["successes"], 4, "{summary:#}");
}

/// Checks that the arm stays on its path in clutter at different speeds, although each action is
/// relative to the present joint positions.
#[test]
fn a_path_through_clutter_touches_nothing_else() {
    for (speed, seeds) in [(0.25, 1..2), (1.0, 1..5)] {
        let server = Server::start(&format!("--task clutter_pick --speed {speed}"));
        for seed in seeds {
            let arguments = format!("--task clutter_pick --seed {seed} --policy-deadline 30");
            let (code, result) = server.run(&arguments);
            assert_eq!(code, Some(0), "speed {speed}, seed {seed}: {result:#}");
        }
    }
}

/// Checks that the client's prompt selects the task, and that impossible tasks are reported.
#[test]
fn the_prompt_says_what_is_played() {
    let server = Server::start("--scene tabletop 'pick up the red cube'");
    let (code, result) = server.run("--scene tabletop 'paint the wall'");
    assert_eq!(code, Some(11), "{result:#}");
    assert_eq!(result["final_reason"], "policy_unavailable");
    let detail = result["final_detail"].as_str().unwrap();
    says(detail, &["fail at \"paint the wall\""]);
}

#[test]
fn a_key_is_asked_for_and_health_is_not_secret() {
    let server = Server::start("--task pick_cube --key-env OWN_KEY");
    let short = |key: &str| {
        let key = format!("--policy-key-env {key}");
        server.run(&format!("--task pick_cube --policy-time 1 {key}"))
    };
    let (code, result) = short("WRONG_KEY");
    assert_eq!(code, Some(11), "{result:#}");
    let detail = result["final_detail"].as_str().unwrap();
    says(detail, &["401 Unauthorized"]);
    let (_, result) = short("OWN_KEY");
    assert_eq!(result["final_reason"], "timeout", "{result:#}");

    let mut stream = TcpStream::connect(server.url.trim_start_matches("ws://")).unwrap();
    let asked = b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    stream.write_all(asked).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 OK"), "{answer}");
    assert!(answer.ends_with("OK\n"), "{answer}");
}

#[test]
fn what_cannot_be_meant_is_refused() {
    let table = "
        run x --policy openpi:http://x                        | 2  | begin with ws://
        run x --policy URL --policy-cameras top               | 2  | whose mapping names the cameras
        run x --policy URL --policy-mapping none.yaml         | 12 | joints, droid, libero
        run x --policy URL --policy-key-env NO_SUCH_KEY       | 2  | NO_SUCH_KEY is not set
        run x --policy process:true --policy-mapping droid    | 2  | not an openpi server
        policy-server --listen 0.0.0.0:0 --task home          | 2  | anybody could connect";
    Shell::new().check_all("", &table.replace("URL", "openpi:ws://127.0.0.1:1"));
}

#[test]
fn the_schema_is_printed() {
    let schema = Shell::new().asked("schema policy-mapping");
    assert_eq!(schema["title"], "Mapping");
}
