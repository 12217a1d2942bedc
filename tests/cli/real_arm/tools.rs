//! MCP tools with a real arm.

use std::io::Write;
use std::process::{ChildStdin, Stdio};

use serde_json::{Value, json};

use super::Bench;
use crate::started::Started;

struct Client {
    server: Started,
    to: ChildStdin,
    last_id: u64,
}

impl Client {
    fn start(bench: &Bench, options: &str) -> Self {
        let mcp = format!("mcp --percepts percepts.jsonl --percepts-wait 20 {options}");
        let mut server = Started::new(bench.command(&mcp).stdin(Stdio::piped()));
        let mut client = Self {
            to: server.child.stdin.take().unwrap(),
            server,
            last_id: 0,
        };
        let hello = json!({
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "a test", "version": "1"},
        });
        client.ask("initialize", hello);
        let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        writeln!(client.to, "{ready}").unwrap();
        client
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.last_id += 1;
        let id = self.last_id;
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        writeln!(self.to, "{request}").unwrap();
        loop {
            let message: Value = serde_json::from_str(&self.server.line()).unwrap();
            if message["id"] == id {
                return message;
            }
        }
    }

    /// Calls a tool. Returns true if it failed, and its output.
    fn call(&mut self, name: &str, arguments: Value) -> (bool, Value) {
        let answer = self.ask("tools/call", json!({"name": name, "arguments": arguments}));
        let result = &answer["result"];
        let is_error = result["isError"].as_bool().unwrap_or(false);
        (is_error, result["structuredContent"].clone())
    }
}

#[test]
fn tools_move_a_real_arm_once_its_first_motion_is_approved() {
    let bench = Bench::new();
    let _detector = bench.detector();
    let mut client = Client::start(&bench, "");
    let (is_error, seen) = client.call("observe", json!({}));
    assert!(!is_error, "{seen}");
    assert_eq!(seen["status"]["robot"]["mode"], "idle", "{seen}");
    assert!(seen["objects"].to_string().contains("red_cube"), "{seen}");
    let (is_error, home) = client.call("home", json!({}));
    assert!(is_error && home["reason"] == "approval_denied", "{home}");
    assert_eq!(bench.arm.arm().n_motions, 0, "motions that nobody approved");
    let plan = json!({"calls": [{"skill": "home", "args": {}}]});
    let (is_error, rehearsed) = client.call("plan_check", plan);
    assert!(is_error, "a plan for a real arm was rehearsed: {rehearsed}");
    drop(client);

    let mut client = Client::start(&bench, "--approve-motion");
    let (is_error, home) = client.call("home", json!({}));
    assert!(!is_error && home["success"] == true, "{home}");
    assert!(bench.arm.arm().n_motions > 0);
}
