//! A server on the loopback interface that gives scripted replies, in valid or broken HTTP, and
//! records its requests. It does not use the code that it tests.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use parking_lot::Mutex;
use serde_json::{Value, json};

/// A received request.
#[derive(Clone, Debug)]
pub struct Received {
    /// Method and path, for example `POST /v1/chat/completions`.
    pub line: String,
    /// Headers with names in lower case.
    pub headers: Vec<(String, String)>,
    /// Body as JSON; null if it is not JSON.
    pub body: Value,
}

impl Received {
    /// Returns the value of a header, by its name in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        let header = self.headers.iter().find(|(n, _)| n == name);
        header.map(|(_, value)| value.as_str())
    }
}

/// Reply of the server to a request.
#[derive(Clone, Debug)]
pub enum Reply {
    /// Answers with JSON.
    Json(u16, Vec<(&'static str, String)>, Value),
    /// Sends these bytes and closes the connection.
    Raw(Vec<u8>),
    /// Sends these bytes, then nothing more, and keeps the connection open.
    Stall(Vec<u8>),
    /// Answers 200 and sends a body of `n_bytes`, until the client stops reading.
    Flood {
        /// Length of the body, bytes.
        n_bytes: usize,
        /// Set if the header announces the length.
        is_announced: bool,
    },
}

impl Reply {
    /// Answers 200 with JSON.
    pub fn ok(body: Value) -> Self {
        Self::Json(200, vec![], body)
    }

    /// Answers with an error in OpenAI's format.
    pub fn error(status: u16, message: &str) -> Self {
        let error = json!({ "message": message, "type": "some_error", "code": null });
        Self::Json(status, vec![], json!({ "error": error }))
    }

    /// Adds a header.
    pub fn with_header(self, name: &'static str, value: impl Into<String>) -> Self {
        match self {
            Self::Json(status, mut headers, body) => {
                headers.push((name, value.into()));
                Self::Json(status, headers, body)
            }
            other => other,
        }
    }

    /// Answers with a chat completion with these calls, arguments as a string.
    pub fn calls(calls: &[(&str, Value)]) -> Self {
        let calls = calls.iter().enumerate().map(|(idx, (name, arguments))| {
            json!({ "id": format!("call_{idx}"), "type": "function", "function": {
                "name": name, "arguments": arguments.to_string(),
            }})
        });
        let calls: Vec<_> = calls.collect();
        let message = json!({ "role": "assistant", "content": null, "tool_calls": calls });
        Self::completion(message, "tool_calls")
    }

    /// Answers with a chat completion of text only.
    pub fn words(text: &str) -> Self {
        Self::completion(json!({ "role": "assistant", "content": text }), "stop")
    }

    fn completion(message: Value, finish_reason: &str) -> Self {
        Self::ok(json!({
            "id": "chatcmpl-1", "object": "chat.completion",
            "choices": [{ "index": 0, "finish_reason": finish_reason, "message": message }],
            "usage": { "prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120 },
        }))
    }

    /// Answers 200 with server-sent events under a content type.
    pub fn stream(kind: &str, events: &str) -> Self {
        let kind = [("content-type", kind.to_owned())];
        Self::Raw(response(200, &kind, events))
    }
}

/// Returns the reply to the n-th request, counted from 0.
type Handler = dyn Fn(usize, &Received) -> Reply + Send + Sync;

struct Shared {
    handler: Option<Box<Handler>>,
    received: Mutex<Vec<Received>>,
    n_connections: AtomicUsize,
    window: AtomicU64,
    is_over: AtomicBool,
}

/// A server that runs until this value is dropped.
pub struct Server {
    address: SocketAddr,
    shared: Arc<Shared>,
}

impl Server {
    /// Starts a server that answers each request with `handler`.
    pub fn new(handler: impl Fn(usize, &Received) -> Reply + Send + Sync + 'static) -> Self {
        Self::start(Some(Box::new(handler)))
    }

    /// Starts a server that gives these replies in order, and then the last one again.
    pub fn scripted(replies: Vec<Reply>) -> Self {
        Self::new(move |n, _| replies[n.min(replies.len() - 1)].clone())
    }

    /// Starts a server that closes every connection within the request, which resets it.
    pub fn resetting() -> Self {
        Self::start(None)
    }

    /// Returns an address without a listener.
    pub fn nowhere() -> String {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("a bound socket");
        format!("http://{address}/v1")
    }

    fn start(handler: Option<Box<Handler>>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("a bound socket");
        let shared = Arc::new(Shared {
            handler,
            received: Mutex::default(),
            n_connections: AtomicUsize::new(0),
            window: AtomicU64::new(0),
            is_over: AtomicBool::new(false),
        });
        let for_thread = Arc::clone(&shared);
        thread::spawn(move || {
            for stream in listener.incoming() {
                if for_thread.is_over.load(Ordering::SeqCst) {
                    break;
                }
                let shared = Arc::clone(&for_thread);
                let Ok(stream) = stream else { continue };
                shared.n_connections.fetch_add(1, Ordering::SeqCst);
                // A client may disconnect at any time.
                thread::spawn(move || shared.serve(stream).ok());
            }
        });
        Self { address, shared }
    }

    /// Sets the context window that the server reports, tokens.
    pub fn with_window(self, tokens: u64) -> Self {
        self.shared.window.store(tokens, Ordering::SeqCst);
        self
    }

    /// Base URL of the server.
    pub fn url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// Requests received so far.
    pub fn received(&self) -> Vec<Received> {
        self.shared.received.lock().clone()
    }

    /// Number of connections so far.
    pub fn n_connections(&self) -> usize {
        self.shared.n_connections.load(Ordering::SeqCst)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.is_over.store(true, Ordering::SeqCst);
        // Wakes the thread that waits for connections.
        let _ = TcpStream::connect(self.address);
    }
}

impl Shared {
    fn serve(&self, mut stream: TcpStream) -> std::io::Result<()> {
        let Some(handler) = &self.handler else {
            // Closing a socket with unread data resets the connection.
            return stream.read_exact(&mut [0]);
        };
        let request = read_request(&mut stream)?;
        if request.line.starts_with("GET ") {
            return stream.write_all(&self.about(&request));
        }
        let n = {
            let mut received = self.received.lock();
            received.push(request.clone());
            received.len() - 1
        };
        match handler(n, &request) {
            Reply::Json(status, headers, body) => {
                stream.write_all(&response(status, &headers, &body.to_string()))
            }
            Reply::Raw(bytes) => stream.write_all(&bytes),
            Reply::Stall(bytes) => {
                stream.write_all(&bytes)?;
                while !self.is_over.load(Ordering::SeqCst) {
                    thread::sleep(Duration::from_millis(5));
                }
                Ok(())
            }
            Reply::Flood {
                n_bytes,
                is_announced,
            } => flood(&mut stream, n_bytes, is_announced),
        }
    }
}

impl Shared {
    /// Answers requests about the server as vLLM does. They are not recorded.
    fn about(&self, request: &Received) -> Vec<u8> {
        let window = self.window.load(Ordering::SeqCst);
        match window > 0 && request.line.ends_with("/models") {
            true => {
                let list = json!({ "data": [{ "id": "any", "max_model_len": window }] });
                response(200, &[], &list.to_string())
            }
            false => response(404, &[], "{}"),
        }
    }
}

fn flood(stream: &mut TcpStream, n_bytes: usize, is_announced: bool) -> std::io::Result<()> {
    let mut head = "HTTP/1.1 200 OK\r\nconnection: close\r\n".to_owned();
    if is_announced {
        head += &format!("content-length: {n_bytes}\r\n");
    }
    stream.write_all(format!("{head}\r\n").as_bytes())?;
    let chunk = [b' '; 1 << 16];
    for _ in 0..n_bytes / chunk.len() {
        stream.write_all(&chunk)?;
    }
    Ok(())
}

/// Formats a complete HTTP response.
pub fn response(status: u16, headers: &[(&'static str, String)], body: &str) -> Vec<u8> {
    let n_bytes = body.len();
    let mut head = format!("HTTP/1.1 {status} Whatever\r\ncontent-length: {n_bytes}\r\n");
    head += "connection: close\r\n";
    for (name, value) in headers {
        head += &format!("{name}: {value}\r\n");
    }
    format!("{head}\r\n{body}").into_bytes()
}

fn read_request(stream: &mut TcpStream) -> std::io::Result<Received> {
    let mut bytes = vec![];
    let head_len = loop {
        if let Some(at) = bytes.windows(4).position(|w| w == b"\r\n\r\n") {
            break at + 4;
        }
        read_some(stream, &mut bytes)?;
    };
    let head = String::from_utf8_lossy(&bytes[..head_len]).into_owned();
    let mut lines = head.lines();
    let line = lines.next().unwrap_or_default();
    let line = line.trim_end_matches(" HTTP/1.1").to_owned();
    let headers = lines.filter_map(|line| {
        let (name, value) = line.split_once(':')?;
        Some((name.to_lowercase(), value.trim().to_owned()))
    });
    let headers: Vec<_> = headers.collect();
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let length = length.and_then(|(_, n)| n.parse().ok()).unwrap_or(0);
    while bytes.len() < head_len + length {
        read_some(stream, &mut bytes)?;
    }
    Ok(Received {
        line,
        headers,
        body: serde_json::from_slice(&bytes[head_len..]).unwrap_or_default(),
    })
}

fn read_some(stream: &mut TcpStream, bytes: &mut Vec<u8>) -> std::io::Result<()> {
    let mut chunk = [0; 1 << 14];
    let n = stream.read(&mut chunk)?;
    if n == 0 {
        return Err(ErrorKind::UnexpectedEof.into());
    }
    bytes.extend_from_slice(&chunk[..n]);
    Ok(())
}
