//! A policy server that misbehaves in one of several ways.

use std::net::{SocketAddr, TcpListener as StdListener};
use std::sync::mpsc::Receiver;
use std::thread;
use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use regrasp_openpi::{NdArray, Value, decode, encode};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::{WebSocketStream, accept_async};

pub(crate) enum Does {
    /// Accepts the connection and stays silent.
    Nothing,
    /// Sends these bytes instead of a handshake.
    NoHandshake(String),
    /// Sends this instead of metadata, then answers correctly.
    FirstWord(Message),
    NoMetadata,
    /// Sends these metadata, then answers correctly.
    Metadata(Value),
    /// Behaves like RoboArena's server with these metadata.
    Roboarena(Value),
    /// Answers every request with these messages.
    Answers(Vec<Message>),
    /// Answers a request with these bytes, bypassing the WebSocket protocol, then stays silent.
    Raw(Vec<u8>),
    /// Like [`Does::Raw`], byte by byte.
    Drips(Vec<u8>),
    /// Reads a request and closes the connection.
    Leaves,
    /// Answers only the first request.
    OnlyTheFirst,
    /// Reads nothing after its metadata.
    ReadsNothing,
    /// Sends pings for ever instead of an answer.
    Pings,
    /// Answers the k-th request with k once it is allowed to.
    WhenAllowed(Receiver<()>),
}

/// Rows of a correct answer, all `value`.
pub(crate) fn rows(value: f64) -> Value {
    let rows = NdArray::f64(&[8, 8], &[value; 64]);
    Value::map([("actions", Value::Array(rows))])
}

pub(crate) fn message(value: &Value) -> Message {
    Message::binary(encode(value).expect("an encodable value"))
}

/// Starts a server for one connection. It ends with the client.
pub(crate) fn start(does: Does) -> SocketAddr {
    let listener = StdListener::bind("127.0.0.1:0").expect("a port is free");
    listener.set_nonblocking(true).expect("a socket");
    let address = listener.local_addr().expect("a bound socket");
    thread::spawn(move || {
        let mut builder = tokio::runtime::Builder::new_current_thread();
        let runtime = builder.enable_all().build().expect("a runtime");
        runtime.block_on(async {
            let listener = TcpListener::from_std(listener).expect("a socket");
            let (stream, _) = listener.accept().await.expect("a client");
            // A client that disconnects is not an error here.
            drop(serve(stream, does).await);
        });
    });
    address
}

type Socket = WebSocketStream<TcpStream>;
type Outcome = Result<(), Box<dyn std::error::Error>>;

async fn request(socket: &mut Socket) -> Result<Value, Box<dyn std::error::Error>> {
    loop {
        match socket.next().await {
            Some(Ok(Message::Binary(bytes))) => return Ok(decode(&bytes)?),
            Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
            other => return Err(format!("no request: {other:?}").into()),
        }
    }
}

async fn stay(stream: &mut TcpStream) {
    let mut bytes = [0; 4096];
    while matches!(stream.read(&mut bytes).await, Ok(n) if n > 0) {}
}

async fn roboarena(socket: &mut Socket) -> Outcome {
    loop {
        let asked = request(socket).await?;
        let chunk = NdArray::f64(&[3, 8], &[0.3; 24]);
        let is_pictured = asked.get("observation/exterior_image_0_left");
        let is_pictured = is_pictured.map(Value::described);
        socket
            .send(match asked.get("endpoint") {
                Some(Value::Text(endpoint)) if endpoint == "reset" => {
                    Message::text("reset successful")
                }
                Some(Value::Text(endpoint)) if endpoint == "infer" => {
                    assert_eq!(is_pictured.as_deref(), Some("an array [8, 16, 3] of |u1"));
                    assert!(asked.get("session_id").is_some());
                    message(&Value::Array(chunk))
                }
                _ => Message::text("Traceback\nKeyError: 'endpoint'"),
            })
            .await?;
    }
}

async fn serve(mut stream: TcpStream, does: Does) -> Outcome {
    match does {
        Does::Nothing => {
            stay(&mut stream).await;
            return Ok(());
        }
        Does::NoHandshake(answer) => {
            let mut bytes = [0; 4096];
            // Answer after any part of the request.
            let _asked = stream.read(&mut bytes).await?;
            stream.write_all(answer.as_bytes()).await?;
            stay(&mut stream).await;
            return Ok(());
        }
        _ => {}
    }
    let mut socket = accept_async(stream).await?;
    let metadata = match &does {
        Does::FirstWord(word) => Some(word.clone()),
        Does::NoMetadata => None,
        Does::Metadata(value) | Does::Roboarena(value) => Some(message(value)),
        _ => Some(message(&Value::Map(vec![]))),
    };
    if let Some(metadata) = metadata {
        socket.send(metadata).await?;
    }
    match does {
        Does::ReadsNothing => tokio::time::sleep(Duration::from_secs(60)).await,
        Does::Roboarena(_) => roboarena(&mut socket).await?,
        Does::Answers(answers) => loop {
            request(&mut socket).await?;
            for answer in &answers {
                socket.send(answer.clone()).await?;
            }
        },
        Does::Raw(bytes) => {
            request(&mut socket).await?;
            socket.get_mut().write_all(&bytes).await?;
            stay(socket.get_mut()).await;
        }
        Does::Drips(bytes) => {
            request(&mut socket).await?;
            for byte in bytes {
                socket.get_mut().write_all(&[byte]).await?;
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        }
        Does::Leaves => drop(request(&mut socket).await?),
        Does::OnlyTheFirst => {
            request(&mut socket).await?;
            socket.send(message(&rows(0.0))).await?;
            stay(socket.get_mut()).await;
        }
        Does::Pings => {
            request(&mut socket).await?;
            loop {
                socket.send(Message::Ping(vec![0; 100].into())).await?;
                // Without a pause, answers pile up until the deadline at the speed of the machine.
                tokio::time::sleep(std::time::Duration::from_millis(1)).await;
            }
        }
        Does::WhenAllowed(allowed) => {
            for k in 1_u32.. {
                request(&mut socket).await?;
                allowed.recv()?;
                socket.send(message(&rows(f64::from(k) * 0.01))).await?;
            }
        }
        _ => loop {
            request(&mut socket).await?;
            socket.send(message(&rows(0.0))).await?;
        },
    }
    Ok(())
}

/// Reply of openpi's server to an error: the traceback as text, then the end.
pub(crate) fn traceback() -> Vec<Message> {
    let close = CloseFrame {
        code: 1011.into(),
        reason: "Internal server error. Traceback included in previous frame.".into(),
    };
    vec![
        Message::text("Traceback (most recent call last):\n  File \"serve.py\"\nKeyError: 'x'"),
        Message::Close(Some(close)),
    ]
}
