//! A client of the live page.

use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::{Message, WebSocket, client};

use super::Bench;
use crate::started::Started;

/// Timeout of all waiting. It is exceeded only if something hangs.
const PATIENCE: Duration = Duration::from_secs(120);

/// `regrasp serve` with an arm; killed when dropped.
pub(crate) struct Served {
    pub(crate) started: Started,
    address: String,
}

impl Served {
    pub(crate) fn start(bench: &Bench, options: &str) -> Self {
        let mut command = bench.command(&format!("serve --port 0 {options}"));
        let mut started = Started::new(&mut command);
        let line = started.line();
        let address = line.trim().rsplit("http://").next().unwrap();
        Self {
            address: address.trim_end_matches('/').to_owned(),
            started,
        }
    }

    pub(crate) fn page(&self) -> Page {
        Page::open(&self.address)
    }
}

/// One connection to the page's server, with the last messages.
pub(crate) struct Page {
    socket: WebSocket<TcpStream>,
    next_id: u64,
    pub(crate) status: Value,
    /// Last message with the positions of links and objects, in binary form.
    pub(crate) shot: Vec<u8>,
}

impl Page {
    fn open(address: &str) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let (socket, _) = client(format!("ws://{address}/ws"), stream).unwrap();
        Self {
            socket,
            next_id: 1,
            status: Value::Null,
            shot: vec![],
        }
    }

    /// Receives one message. Returns it if it is JSON, and `None` for positions and control frames.
    fn take(&mut self) -> Option<Value> {
        match self.socket.read().unwrap() {
            Message::Text(text) => {
                let message: Value = serde_json::from_str(&text).unwrap();
                if message["type"] == "status" {
                    self.status = message["status"].clone();
                }
                Some(message)
            }
            Message::Binary(bytes) => {
                self.shot = bytes.to_vec();
                None
            }
            _ => None,
        }
    }

    #[track_caller]
    pub(crate) fn until(&mut self, what: &str, mut is_so: impl FnMut(&Self) -> bool) {
        let began = Instant::now();
        while !is_so(self) {
            assert!(began.elapsed() < PATIENCE, "{what}: {}", self.status);
            self.take();
        }
    }

    /// Receives messages until a field of the status has a value.
    pub(crate) fn until_is(&mut self, what: &str, pointer: &str, expected: impl Into<Value>) {
        let expected = expected.into();
        self.until(what, |page| page.status.pointer(pointer) == Some(&expected));
    }

    fn send(&mut self, order: &Value) -> u64 {
        let id = self.next_id;
        self.next_id += 1;
        let text = json!({"id": id, "order": order}).to_string();
        self.socket.send(Message::text(text)).unwrap();
        id
    }

    /// Starts an order that takes time. [`Page::outcome`] waits for its end.
    #[track_caller]
    pub(crate) fn begin(&mut self, order: &Value) -> u64 {
        let id = self.send(order);
        let answer = self.answer(id);
        assert_eq!(answer["type"], "reply", "{answer}");
        id
    }

    /// Sends an order that is executed or refused immediately.
    pub(crate) fn say(&mut self, order: &Value) -> Value {
        let id = self.send(order);
        self.answer(id)
    }

    fn answer(&mut self, id: u64) -> Value {
        loop {
            if let Some(message) = self.take()
                && message["re"] == id
            {
                return message;
            }
        }
    }

    /// Waits for the end of a started order.
    pub(crate) fn outcome(&mut self, id: u64) -> Value {
        loop {
            let message = self.answer(id);
            if message["type"] == "outcome" {
                return message;
            }
        }
    }
}
