//! A server with a robot in a real simulation, and its clients.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use regrasp::LoadedRobot;
use regrasp_session::{Session, SimBackend, StationOptions};
use regrasp_web::{Server, ServerOptions, Stopper};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout};
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::HeaderValue;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

/// Time limit of each wait: longer than anything in these tests takes.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

pub(crate) struct Live {
    pub(crate) session: Arc<Session>,
    pub(crate) address: SocketAddr,
    pub(crate) stopper: Stopper,
    pub(crate) served: JoinHandle<()>,
    _runs: tempfile::TempDir,
}

/// Serves a scene at `speed` times real time.
pub(crate) async fn live(scene: &str, speed: f64) -> Live {
    live_with(scene, speed, |_| {}, ServerOptions::default()).await
}

/// Serves a scene, and connects a client.
pub(crate) async fn met(scene: &str, speed: f64) -> (Live, Client) {
    let live = live(scene, speed).await;
    let client = live.connect().await;
    (live, client)
}

pub(crate) async fn live_with(
    scene: &str,
    speed: f64,
    change: impl FnOnce(&mut StationOptions),
    options: ServerOptions,
) -> Live {
    let runs = tempfile::tempdir().expect("a folder for runs");
    let mut live = StationOptions {
        runs_dir: Some(runs.path().to_owned()),
        exports: regrasp_export::exports(),
        ..StationOptions::default()
    };
    change(&mut live);
    let loaded = LoadedRobot::panda().expect("the built-in robot loads");
    let backend = Box::new(SimBackend::new(loaded, live));
    let session = Session::start(backend, scene, 0, speed).expect("the scene can be simulated");
    let session = Arc::new(session);
    let options = ServerOptions { port: 0, ..options };
    let server = Server::bind(Arc::clone(&session), &options).await;
    let server = server.expect("a port is free");
    let (address, stopper) = (server.address(), server.stopper());
    let served = tokio::spawn(async move { server.run().await.expect("the server ends well") });
    Live {
        session,
        address,
        stopper,
        served,
        _runs: runs,
    }
}

pub(crate) struct Client {
    socket: WebSocketStream<MaybeTlsStream<TcpStream>>,
    next_id: u64,
    pub(crate) sim_secs: f64,
    /// The last positions, as received.
    pub(crate) shot: Vec<u8>,
    pub(crate) n_shots: usize,
}

/// Connects with these headers; an HTTP status if the connection is rejected.
pub(crate) async fn connect_with(
    address: SocketAddr,
    headers: &[(&'static str, String)],
) -> Result<Client, u16> {
    let mut request = format!("ws://{address}/ws")
        .into_client_request()
        .expect("the address is valid");
    for (name, value) in headers {
        let value = HeaderValue::from_str(value).expect("the header is plain");
        request.headers_mut().insert(*name, value);
    }
    match connect_async(request).await {
        Ok((socket, _)) => Ok(Client {
            socket,
            next_id: 1,
            sim_secs: 0.0,
            shot: vec![],
            n_shots: 0,
        }),
        Err(Error::Http(response)) => Err(response.status().as_u16()),
        Err(error) => panic!("the connection failed: {error}"),
    }
}

impl Live {
    /// Connects and receives the greeting.
    pub(crate) async fn connect(&self) -> Client {
        let origin = format!("http://{}", self.address);
        let connected = connect_with(self.address, &[("origin", origin)]).await;
        let mut client = connected.expect("the page's own Origin is let in");
        client.until(|m| m["type"] == "hello").await;
        client
    }

    /// Hash of the world's state, once nothing is under way.
    pub(crate) async fn digest(&self) -> String {
        let end = Instant::now() + PATIENCE;
        loop {
            let (_, _, body) = get(self.address, "/api/status", &[]).await;
            let body: Value = serde_json::from_slice(&body).expect("the status is JSON");
            if let Some(digest) = body["digest"].as_str() {
                return digest.to_owned();
            }
            assert!(Instant::now() < end, "a job does not end: {body}");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
}

impl Client {
    pub(crate) async fn send_text(&mut self, text: &str) {
        let sent = self.socket.send(Message::text(text)).await;
        sent.expect("the server listens");
    }

    pub(crate) async fn send(&mut self, message: Message) -> Result<(), Error> {
        self.socket.send(message).await
    }

    /// Next message of the server; `None` when it closed the connection.
    pub(crate) async fn next(&mut self) -> Option<Value> {
        loop {
            let message = timeout(PATIENCE, self.socket.next()).await;
            match message.expect("the server says something")? {
                Ok(Message::Text(text)) => {
                    return Some(serde_json::from_str(&text).expect("the server speaks JSON"));
                }
                Ok(Message::Binary(bytes)) => {
                    let secs = bytes[8..16].try_into().expect("eight bytes");
                    self.sim_secs = f64::from_le_bytes(secs);
                    self.shot = bytes.to_vec();
                    self.n_shots += 1;
                }
                Ok(Message::Close(_)) | Err(_) => return None,
                Ok(_) => {}
            }
        }
    }

    /// First message that matches; earlier ones are dropped.
    pub(crate) async fn until(&mut self, is_meant: impl Fn(&Value) -> bool) -> Value {
        let end = Instant::now() + PATIENCE;
        loop {
            assert!(Instant::now() < end, "no message matches");
            let message = self.next().await.expect("the server stays");
            if is_meant(&message) {
                return message;
            }
        }
    }

    /// Sends a message and returns its reply or error.
    pub(crate) async fn ask(&mut self, body: Value) -> Value {
        let id = self.tell(body).await;
        self.until(|m| m["re"] == id && m["type"] != "outcome")
            .await
    }

    pub(crate) async fn tell(&mut self, body: Value) -> u64 {
        let id = self.next_id;
        self.next_id += 1;
        let mut body = body;
        body["id"] = json!(id);
        self.send_text(&body.to_string()).await;
        id
    }

    pub(crate) async fn order(&mut self, order: Value) -> Value {
        self.ask(json!({"order": order})).await
    }

    /// Gives an order that has to be accepted.
    pub(crate) async fn accepted(&mut self, order: Value) {
        let answer = self.order(order).await;
        assert_eq!(answer["type"], "reply", "{answer}");
    }

    /// Gives an order and returns its outcome.
    pub(crate) async fn carry_out(&mut self, order: Value) -> Value {
        let id = self.tell(json!({"order": order})).await;
        self.until(|m| m["re"] == id && (m["type"] == "outcome" || m["type"] == "error"))
            .await
    }

    /// Carries out an order that has to succeed.
    pub(crate) async fn succeeds(&mut self, order: Value) -> Value {
        let ended = self.carry_out(order).await;
        assert_eq!(ended["result"]["success"], true, "{ended}");
        ended
    }

    pub(crate) async fn outcome(&mut self, id: u64) -> Value {
        self.until(|m| m["re"] == id && m["type"] == "outcome")
            .await
    }

    pub(crate) async fn status(&mut self, is_meant: impl Fn(&Value) -> bool) -> Value {
        let is_meant = |m: &Value| m["type"] == "status" && is_meant(&m["status"]);
        self.until(is_meant).await["status"].clone()
    }

    /// Waits for an open question.
    pub(crate) async fn question(&mut self) -> Value {
        let status = self.status(|status| !status["pending"].is_null()).await;
        status["pending"].clone()
    }

    /// Waits until this phase of a skill begins; any phase if `name` is empty.
    pub(crate) async fn phase(&mut self, name: &str) {
        let is_meant = |event: &Value| {
            event["event"] == "phase_started" && (name.is_empty() || event["name"] == name)
        };
        self.until(|m| {
            let entries = m["entries"].as_array().into_iter().flatten();
            let mut events = entries.filter(|entry| entry["entry"] == "event");
            events.any(|entry| is_meant(&entry["event"]))
        })
        .await;
    }

    pub(crate) async fn close(mut self) {
        self.socket
            .close(None)
            .await
            .expect("the connection closes");
    }
}

/// Sends a GET request: returns status, head and body.
pub(crate) async fn get(
    address: SocketAddr,
    path: &str,
    headers: &[(&str, &str)],
) -> (u16, String, Vec<u8>) {
    let mut head = format!("GET {path} HTTP/1.1\r\nConnection: close\r\n");
    if !headers.iter().any(|(name, _)| *name == "Host") {
        head += &format!("Host: {address}\r\n");
    }
    for (name, value) in headers {
        head += &format!("{name}: {value}\r\n");
    }
    let stream = TcpStream::connect(address).await;
    let mut stream = stream.expect("the server listens");
    let sent = stream.write_all(format!("{head}\r\n").as_bytes()).await;
    sent.expect("the server reads");
    let mut answer = vec![];
    let read = timeout(PATIENCE, stream.read_to_end(&mut answer)).await;
    read.expect("an answer in time").expect("an answer");
    let end = answer.windows(4).position(|w| w == b"\r\n\r\n");
    let end = end.expect("an answer has a head");
    let head = String::from_utf8_lossy(&answer[..end]).into_owned();
    let status = head.split(' ').nth(1).and_then(|code| code.parse().ok());
    let status = status.expect("an answer has a status");
    (status, head, answer[end + 4..].to_vec())
}

pub(crate) fn run(text: &str) -> Value {
    json!({"do": "run", "order": {"text": text}})
}

pub(crate) fn teleoperate(by_m: [f64; 3]) -> Value {
    json!({"do": "teleoperate", "by_m": by_m})
}
