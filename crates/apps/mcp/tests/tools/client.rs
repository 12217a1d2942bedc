//! Client that speaks the protocol line by line.

use std::time::Duration;

use regrasp::LoadedRobot;
use regrasp_api::ApprovalPolicy;
use regrasp_mcp::{Limits, McpServer, Unasked};
use regrasp_session::{Session, SimBackend, StationOptions};
use rmcp::ServiceExt as _;
use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf,
};
use tokio::time::timeout;

/// Time limit of each answer: longer than any call in these tests takes.
const PATIENCE: Duration = Duration::from_secs(120);
/// First protocol version whose clients do not initialise.
const WITHOUT_BEGIN: &str = "2026-07-28";

#[derive(smart_default::SmartDefault)]
pub(crate) struct Setup {
    pub(crate) limits: Limits,
    pub(crate) speed: f64,
    pub(crate) unasked: Unasked,
    pub(crate) policy: Option<ApprovalPolicy>,
    #[default("2025-06-18")]
    pub(crate) version: &'static str,
    #[default(json!({}))]
    pub(crate) capabilities: Value,
    /// Answer of the client's person to every question; `None` if nobody answers.
    pub(crate) says: Option<Value>,
}

pub(crate) struct Client {
    to: WriteHalf<DuplexStream>,
    from: Lines<BufReader<ReadHalf<DuplexStream>>>,
    n: u64,
    version: &'static str,
    capabilities: Value,
    /// Progress messages received while waiting for an answer.
    pub(crate) progress: Vec<String>,
    /// Questions of the server; true if it withdrew the question.
    pub(crate) asked: Vec<(Value, bool)>,
    pub(crate) says: Option<Value>,
}

impl Client {
    /// Connects a client to a robot at a table with a few objects.
    pub(crate) async fn new(setup: Setup) -> Self {
        let loaded = LoadedRobot::panda().expect("the built-in robot loads");
        let mut options = StationOptions::default();
        options.agent.approval = setup.policy;
        let backend = Box::new(SimBackend::new(loaded, options));
        let session = Session::start(backend, "tabletop", 0, setup.speed);
        let session = session.expect("the scene is there");
        let server = McpServer::new(session, setup.limits).with_unasked(setup.unasked);
        let (ours, theirs) = tokio::io::duplex(1 << 20);
        tokio::spawn(async move {
            let running = server.serve(theirs).await;
            drop(running.expect("the client initialises").waiting().await);
        });
        let (from, to) = tokio::io::split(ours);
        let mut client = Self {
            to,
            from: BufReader::new(from).lines(),
            n: 0,
            version: setup.version,
            capabilities: setup.capabilities,
            progress: vec![],
            asked: vec![],
            says: setup.says,
        };
        if client.version < WITHOUT_BEGIN {
            client.initialize().await;
        }
        client
    }

    async fn initialize(&mut self) {
        let hello = json!({
            "protocolVersion": self.version,
            "capabilities": self.capabilities,
            "clientInfo": {"name": "test", "version": "0"},
        });
        let answer = self.ask("initialize", hello).await;
        assert_eq!(answer["result"]["serverInfo"]["name"], "regrasp");
        self.say(json!({"method": "notifications/initialized"}))
            .await;
    }

    pub(crate) async fn say(&mut self, mut message: Value) {
        message["jsonrpc"] = json!("2.0");
        let line = format!("{message}\n");
        let sent = self.to.write_all(line.as_bytes()).await;
        sent.expect("the server reads");
    }

    pub(crate) async fn begin(&mut self, method: &str, mut params: Value) -> u64 {
        self.n += 1;
        let id = self.n;
        if self.version >= WITHOUT_BEGIN {
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": self.version,
                "io.modelcontextprotocol/clientCapabilities": self.capabilities,
                "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "0"},
            });
        }
        self.say(json!({"id": id, "method": method, "params": params}))
            .await;
        id
    }

    /// Receives messages until one matches; questions of the server are answered.
    pub(crate) async fn until(&mut self, is_meant: impl Fn(&Value) -> bool) -> Value {
        loop {
            let line = timeout(PATIENCE, self.from.next_line()).await;
            let line = line.expect("the server answers in time");
            let line = line.expect("the server writes");
            let line = line.expect("the server is connected");
            let message: Value = serde_json::from_str(&line).expect("a line is JSON");
            self.note(&message).await;
            if is_meant(&message) {
                return message;
            }
        }
    }

    async fn note(&mut self, message: &Value) {
        match message["method"].as_str() {
            Some("notifications/progress") => {
                let text = message["params"]["message"].as_str().unwrap_or_default();
                self.progress.push(text.to_owned());
            }
            Some("notifications/cancelled") => {
                let id = &message["params"]["requestId"];
                let mut asked = self.asked.iter_mut();
                if let Some(asked) = asked.find(|(asked, _)| asked["id"] == *id) {
                    asked.1 = true;
                }
            }
            Some("elicitation/create") => {
                self.asked.push((message.clone(), false));
                if let Some(says) = self.says.clone() {
                    self.say(json!({"id": message["id"], "result": says})).await;
                }
            }
            _ => {}
        }
    }

    pub(crate) async fn take_back(&mut self, id: u64) {
        let params = json!({"requestId": id});
        self.say(json!({"method": "notifications/cancelled", "params": params}))
            .await;
    }

    /// Checks that one question was asked and then withdrawn.
    #[track_caller]
    pub(crate) fn check_withdrawn(&self) {
        let is_it = matches!(self.asked.as_slice(), [(_, true)]);
        assert!(is_it, "{:?}", self.asked);
    }

    pub(crate) async fn answer(&mut self, id: u64) -> Value {
        self.until(|message| message["id"] == json!(id) && message["method"].is_null())
            .await
    }

    pub(crate) async fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.begin(method, params).await;
        self.answer(id).await
    }

    /// Calls a tool; returns true for an error, and the content.
    pub(crate) async fn call(&mut self, tool: &str, arguments: Value) -> (bool, Value) {
        let call = json!({"name": tool, "arguments": arguments});
        let answer = self.ask("tools/call", call).await;
        said(&answer)
    }

    /// Calls a tool, which has to succeed; returns the content.
    pub(crate) async fn succeeds(&mut self, tool: &str, arguments: Value) -> Value {
        let (is_error, result) = self.call(tool, arguments).await;
        assert!(!is_error, "{tool}: {result}");
        result
    }

    /// Calls a tool, which has to fail; returns the content.
    pub(crate) async fn fails(&mut self, tool: &str, arguments: Value) -> Value {
        let (is_error, result) = self.call(tool, arguments).await;
        assert!(is_error, "{tool}: {result}");
        result
    }

    pub(crate) async fn tools(&mut self) -> Vec<String> {
        let listed = self.ask("tools/list", json!({})).await;
        let tools = listed["result"]["tools"].as_array().expect("tools").clone();
        let names = tools.iter().filter_map(|tool| tool["name"].as_str());
        names.map(str::to_owned).collect()
    }
}

/// Error flag and content of a tool's result.
pub(crate) fn said(answer: &Value) -> (bool, Value) {
    let result = &answer["result"];
    assert!(result.is_object(), "{answer}");
    let is_error = result["isError"] == json!(true);
    (is_error, result["structuredContent"].clone())
}
