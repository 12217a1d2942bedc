//! A client of the live page, by hand: the program is another process here, and nothing else in
//! these tests needs a WebSocket.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::Bench;

/// Nothing here takes so long, unless it hangs.
const PATIENCE: Duration = Duration::from_secs(120);

/// `regrasp serve` before an arm; killed when it is dropped.
pub(crate) struct Served {
    pub(crate) child: Child,
    address: String,
    _said: BufReader<ChildStdout>,
}

impl Served {
    pub(crate) fn start(bench: &Bench, options: &str) -> Self {
        let mut child = bench
            .command(&format!("serve --port 0 {options}"))
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        said.read_line(&mut line).unwrap();
        let address = line.trim().rsplit("http://").next().unwrap();
        Self {
            child,
            address: address.trim_end_matches('/').to_owned(),
            _said: said,
        }
    }

    pub(crate) fn page(&self) -> Page {
        Page::open(&self.address)
    }

    /// As Ctrl-C.
    pub(crate) fn interrupt(&self) {
        let kill = format!("kill -INT {}", self.child.id());
        let signal = Command::new("sh").args(["-c", &kill]).status();
        assert!(signal.unwrap().success());
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// One connection, and what it was told last.
pub(crate) struct Page {
    socket: TcpStream,
    next_id: u64,
    pub(crate) status: Value,
    /// The last positions, as they came.
    pub(crate) shot: Vec<u8>,
}

impl Page {
    fn open(address: &str) -> Self {
        let mut socket = TcpStream::connect(address).unwrap();
        socket.set_read_timeout(Some(PATIENCE)).unwrap();
        let request = format!(
            "GET /ws HTTP/1.1\r\nHost: {address}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
             Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        );
        socket.write_all(request.as_bytes()).unwrap();
        let mut head = vec![];
        while !head.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            socket.read_exact(&mut byte).unwrap();
            head.push(byte[0]);
        }
        assert!(
            head.starts_with(b"HTTP/1.1 101"),
            "{}",
            String::from_utf8_lossy(&head)
        );
        Self {
            socket,
            next_id: 1,
            status: Value::Null,
            shot: vec![],
        }
    }

    /// One message: JSON, or `None` for positions and what is no message.
    fn take(&mut self) -> Option<Value> {
        let mut head = [0; 2];
        self.socket.read_exact(&mut head).unwrap();
        let mut length = usize::from(head[1] & 0x7f);
        if length == 126 {
            let mut more = [0; 2];
            self.socket.read_exact(&mut more).unwrap();
            length = usize::from(u16::from_be_bytes(more));
        } else if length == 127 {
            let mut more = [0; 8];
            self.socket.read_exact(&mut more).unwrap();
            length = usize::try_from(u64::from_be_bytes(more)).unwrap();
        }
        let mut bytes = vec![0; length];
        self.socket.read_exact(&mut bytes).unwrap();
        match head[0] & 0x0f {
            1 => {
                let message: Value = serde_json::from_slice(&bytes).unwrap();
                if message["type"] == "status" {
                    self.status = message["status"].clone();
                }
                Some(message)
            }
            2 => {
                self.shot = bytes;
                None
            }
            _ => None,
        }
    }

    /// Reads on until it is so.
    #[track_caller]
    pub(crate) fn until(&mut self, what: &str, mut is_so: impl FnMut(&Self) -> bool) {
        let began = Instant::now();
        while !is_so(self) {
            assert!(began.elapsed() < PATIENCE, "{what}: {}", self.status);
            self.take();
        }
    }

    fn send(&mut self, order: &Value) -> u64 {
        let id = self.next_id;
        self.next_id += 1;
        let text = json!({"id": id, "order": order}).to_string();
        let length = u16::try_from(text.len()).unwrap();
        let mut frame = vec![0x81];
        match u8::try_from(length) {
            Ok(short) if short < 126 => frame.push(0x80 | short),
            _ => {
                frame.push(0x80 | 126);
                frame.extend(length.to_be_bytes());
            }
        }
        // A mask of nothing is one.
        frame.extend([0; 4]);
        frame.extend(text.as_bytes());
        self.socket.write_all(&frame).unwrap();
        id
    }

    /// Gives an order that takes time; its end is [`Page::outcome`].
    #[track_caller]
    pub(crate) fn begin(&mut self, order: &Value) -> u64 {
        let id = self.send(order);
        let answer = self.answer(id);
        assert_eq!(answer["type"], "reply", "{answer}");
        id
    }

    /// Gives an order that is done at once, or refused.
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

    /// How an order ended that was begun.
    pub(crate) fn outcome(&mut self, id: u64) -> Value {
        loop {
            let message = self.answer(id);
            if message["type"] == "outcome" {
                return message;
            }
        }
    }
}
