//! Every message of a client is answered or rejected; `tests/outside` describes the method.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

#[path = "../../../../tests/outside/harness.rs"]
mod harness;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use regrasp::LoadedRobot;
use regrasp_mcp::{Limits, McpServer};
use regrasp_session::{Session, SimBackend, StationOptions};
use rmcp::ServiceExt as _;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::time::timeout;

use harness::{Target, target};

const HELLO: &str = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{\"elicitation\":{}},\"clientInfo\":{\"name\":\"test\",\"version\":\"0\"}}}\n{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n";
const LIST: &str = r#"{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{}}"#;
const STATUS: &str =
    r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"status","arguments":{}}}"#;
const PICK: &str = r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"pick","arguments":{"object":"red_cube","then":{"skill":"place_on","target":"plate"}},"_meta":{"progressToken":"p"}}}"#;
const CHECK: &str = r#"{"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"name":"plan_check","arguments":{"calls":[{"skill":"pick","args":{"object":"red_cube"}},{"skill":"place_on","args":{"target":"plate"}}]}}}"#;
const RUN: &str = r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"run","arguments":{"text":"put the red cube on the plate"}}}"#;
const ANSWER: &str = r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"answer","arguments":{"id":1,"approve":true,"text":"yes"}}}"#;
const CANCEL: &str =
    r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}"#;
const PIECES: &str = "\"id\":|\"id\":null|\"method\":|\"params\":|\"arguments\":|\"name\":\"observe\"|\
 \"name\":\"stop\"|\"name\":\"reset\"|\"scene\":|\"result\":{}|\
 \"error\":{\"code\":-1,\"message\":\"\"}|\"requestState\":\"x\"|tools/list|ping|\
 resources/list|\"_meta\":{}";

/// Client that initialises, sends the input and disconnects; true if the input was answered.
fn server() -> Target {
    let backend = SimBackend::new(LoadedRobot::panda().unwrap(), StationOptions::default());
    let session = Session::start(Box::new(backend), "tabletop", 0, 0.0).unwrap();
    // No call gets the robot: each is parsed, and rejected before anything moves.
    let limits = Limits {
        waiting: 0,
        answer: Duration::from_millis(1),
        ..Limits::default()
    };
    let server = Arc::new(Mutex::new(McpServer::new(session, limits)));
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_all().build().unwrap();
    let samples = [LIST, STATUS, PICK, CHECK, RUN, ANSWER, CANCEL];
    let samples = samples.map(|said| format!("{HELLO}{said}\n"));
    let samples: Vec<&str> = samples.iter().map(String::as_str).collect();
    target("mcp", &samples, PIECES, 50, move |input| {
        let server = server.lock().unwrap().another();
        runtime.block_on(async {
            let (mut ours, theirs) = tokio::io::duplex(4 << 20);
            let served = tokio::spawn(async move {
                if let Ok(running) = server.serve(theirs).await {
                    drop(running.waiting().await);
                }
            });
            ours.write_all(input).await.unwrap();
            let mut said = vec![];
            let mut part = [0; 4096];
            // The server has answered when it is silent for a moment.
            while let Ok(Ok(n @ 1..)) =
                timeout(Duration::from_millis(3), ours.read(&mut part)).await
            {
                said.extend_from_slice(&part[..n]);
            }
            drop(ours);
            let served = timeout(Duration::from_secs(10), served).await;
            served.unwrap().unwrap();
            said.iter().filter(|byte| **byte == b'\n').count() > 1
        })
    })
}

#[test]
fn what_a_client_says_is_answered_or_refused() {
    harness::try_all([server()]);
}
