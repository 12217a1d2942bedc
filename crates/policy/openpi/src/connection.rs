//! A connection to a server, with a time limit for every operation.

use std::fmt::Display;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use rustls_platform_verifier::BuilderVerifierExt;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::runtime::{Builder, Runtime};
use tokio::time::{Instant, timeout_at};
use tokio_rustls::TlsConnector;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::http::header::AUTHORIZATION;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{Error as SocketError, Message, error::ProtocolError};
use tokio_tungstenite::{WebSocketStream, client_async_with_config};

use crate::text::shortened;
use crate::{Address, OpenpiError, Value, pack};

/// Maximum size of a server's message, bytes: twice that of a chunk of 1,000 actions of 64 numbers.
pub const MAX_MESSAGE: usize = 1 << 20;
/// Maximum number of characters that are shown of a server's message.
const SHOWN_CHARS: usize = 600;
/// Time for which unsolicited messages are polled.
const GLANCE: Duration = Duration::from_millis(1);

/// A connection. Its socket is driven only during a call.
pub(crate) struct Connection {
    runtime: Runtime,
    socket: WebSocketStream<Box<dyn Stream>>,
    address: Address,
}

trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> Stream for S {}

#[derive(Debug)]
pub(crate) enum NoMessage {
    /// Timeout; the message may still arrive.
    Late,
    /// The connection has failed.
    Gone(OpenpiError),
}

impl Connection {
    /// Connects and receives the server's metadata within a time limit.
    pub(crate) fn open(
        address: &Address,
        key: Option<&str>,
        within: Duration,
    ) -> Result<(Self, Value), OpenpiError> {
        let runtime = Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| OpenpiError::Other(format!("start a runtime: {error}")))?;
        let failed = |why: String| unconnected(address, why);
        let until = Instant::now() + within;
        let shaken = before(&runtime, until, shake_hands(address, key));
        let late = |what: &str| failed(format!("{what} within {:.1} s", within.as_secs_f64()));
        let shaken = shaken.ok_or_else(|| late("it did not accept the connection"))?;
        let mut connection = Self {
            runtime,
            socket: shaken?,
            address: address.clone(),
        };
        match connection.receive(until) {
            Ok(metadata @ Value::Map(_)) => Ok((connection, metadata)),
            Ok(other) => Err(failed(format!(
                "its first message is {}; expected a map of metadata",
                other.described()
            ))),
            Err(NoMessage::Late) => Err(late("it sent no metadata")),
            Err(NoMessage::Gone(error)) => Err(error),
        }
    }

    pub(crate) fn send(&mut self, message: Vec<u8>, until: Instant) -> Result<(), NoMessage> {
        let sent = self.socket.send(Message::binary(message));
        let sent = before(&self.runtime, until, sent);
        self.in_time(sent)
    }

    fn in_time(&self, sent: Option<Result<(), SocketError>>) -> Result<(), NoMessage> {
        let sent = sent.ok_or(NoMessage::Late)?;
        sent.map_err(|error| NoMessage::Gone(self.lost(error)))
    }

    pub(crate) fn receive(&mut self, until: Instant) -> Result<Value, NoMessage> {
        // Send the rest of a message whose sending timed out.
        let sent = before(&self.runtime, until, self.socket.flush());
        self.in_time(sent)?;
        loop {
            // A server may send pings without end, so the deadline is checked before each message.
            let received = match Instant::now() < until {
                true => before(&self.runtime, until, self.socket.next()),
                false => None,
            };
            let received = received.ok_or(NoMessage::Late)?;
            if let Some(value) = self.read(received).map_err(NoMessage::Gone)? {
                return Ok(value);
            }
        }
    }

    /// Waits for the text with which RoboArena's servers confirm a reset.
    pub(crate) fn receive_reset(&mut self, until: Instant) -> Result<(), NoMessage> {
        match self.receive(until) {
            Err(NoMessage::Gone(OpenpiError::Reported { text, .. }))
                if text.trim_start().starts_with("reset") =>
            {
                Ok(())
            }
            received => received.map(drop),
        }
    }

    /// Returns true if an unsolicited message has arrived.
    pub(crate) fn has_more(&mut self) -> Result<bool, OpenpiError> {
        match self.receive(Instant::now() + GLANCE) {
            Ok(_) => Ok(true),
            Err(NoMessage::Late) => Ok(false),
            Err(NoMessage::Gone(error)) => Err(error),
        }
    }

    /// Parses a message; `None` for control frames such as pings.
    fn read(
        &self,
        received: Option<Result<Message, SocketError>>,
    ) -> Result<Option<Value>, OpenpiError> {
        match received {
            None => Err(self.closed("without a message")),
            Some(Err(error)) => Err(self.lost(error)),
            Some(Ok(Message::Binary(bytes))) => {
                let address = &self.address;
                pack::decode(&bytes).map(Some).map_err(|why| {
                    let message =
                        format!("read a message of the policy server at {address}: {why}");
                    OpenpiError::Other(message)
                })
            }
            Some(Ok(Message::Text(text))) => Err(OpenpiError::Reported {
                address: self.address.to_string(),
                text: end_of(&text),
            }),
            Some(Ok(Message::Close(frame))) => Err(match frame {
                None => self.closed("without a reason"),
                Some(frame) => self.closed(&format!("{}: {}", frame.code, frame.reason)),
            }),
            Some(Ok(Message::Ping(_) | Message::Pong(_) | Message::Frame(_))) => Ok(None),
        }
    }

    fn closed(&self, detail: &str) -> OpenpiError {
        let detail = shortened(detail, SHOWN_CHARS);
        self.broken(&format!("it closed the connection ({detail})"))
    }

    fn broken(&self, why: &str) -> OpenpiError {
        let address = &self.address;
        OpenpiError::Other(format!(
            "continue with the policy server at {address}: {why}"
        ))
    }

    fn lost(&self, error: SocketError) -> OpenpiError {
        match error {
            SocketError::Capacity(error) => {
                self.broken(&format!("its message is refused ({error})"))
            }
            error => self.closed(&error.to_string()),
        }
    }
}

/// Polls a future until a time; `None` on timeout. The operation can be continued by a later call.
fn before<T>(runtime: &Runtime, until: Instant, future: impl Future<Output = T>) -> Option<T> {
    runtime.block_on(async { timeout_at(until, future).await.ok() })
}

fn unconnected(address: &Address, why: impl Display) -> OpenpiError {
    OpenpiError::Other(format!("connect to the policy server at {address}: {why}"))
}

async fn shake_hands(
    address: &Address,
    key: Option<&str>,
) -> Result<WebSocketStream<Box<dyn Stream>>, OpenpiError> {
    let other = |error: &dyn Display| unconnected(address, error);
    let mut request = address.url().into_client_request().map_err(|e| other(&e))?;
    if let Some(key) = key {
        let value = format!("Api-Key {key}").parse().map_err(|_| {
            let why = "send the key: it contains characters that a header cannot contain";
            OpenpiError::Other(why.to_owned())
        })?;
        request.headers_mut().insert(AUTHORIZATION, value);
    }
    let stream = TcpStream::connect((address.host.as_str(), address.port)).await;
    let stream = stream.map_err(|e| other(&e))?;
    // Send without delay (no Nagle's algorithm), because an observation is a single message.
    stream.set_nodelay(true).map_err(|e| other(&e))?;
    let stream: Box<dyn Stream> = if address.is_secure {
        Box::new(encrypted(address, stream).await?)
    } else {
        Box::new(stream)
    };
    let config = WebSocketConfig::default()
        .max_message_size(Some(MAX_MESSAGE))
        .max_frame_size(Some(MAX_MESSAGE));
    match client_async_with_config(request, stream, Some(config)).await {
        Ok((socket, _)) => Ok(socket),
        Err(SocketError::Http(response)) => {
            let body = response.body().as_deref().unwrap_or_default();
            let body = String::from_utf8_lossy(body);
            let body_text = shortened(body.trim(), SHOWN_CHARS);
            let status = response.status();
            Err(other(&match status.as_u16() {
                401 | 403 => format!("it answers {status} ({body_text})"),
                _ => format!(
                    "it answers HTTP, but is not a WebSocket server ({status}: {body_text})"
                ),
            }))
        }
        Err(SocketError::Protocol(
            error @ (ProtocolError::WrongHttpVersion
            | ProtocolError::MissingConnectionUpgradeHeader
            | ProtocolError::MissingUpgradeWebSocketHeader
            | ProtocolError::SecWebSocketAcceptKeyMismatch),
        )) => Err(other(&format_args!(
            "it answers HTTP, but is not a WebSocket server ({error})"
        ))),
        Err(error) => Err(other(&error)),
    }
}

async fn encrypted(
    address: &Address,
    stream: TcpStream,
) -> Result<tokio_rustls::client::TlsStream<TcpStream>, OpenpiError> {
    let failed = |error: &dyn Display| unconnected(address, format_args!("no TLS: {error}"));
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .and_then(BuilderVerifierExt::with_platform_verifier)
        .map_err(|e| failed(&e))?
        .with_no_client_auth();
    let name = ServerName::try_from(address.host.clone()).map_err(|e| failed(&e))?;
    let connector = TlsConnector::from(Arc::new(config));
    let encrypted = connector.connect(name, stream).await;
    encrypted.map_err(|e| failed(&e))
}

/// Returns the end of a traceback, which contains the error itself.
fn end_of(text: &str) -> String {
    let text = text.trim();
    let skipped = text.chars().count().saturating_sub(SHOWN_CHARS);
    match skipped {
        0 => text.to_owned(),
        _ => format!("…{}", text.chars().skip(skipped).collect::<String>()),
    }
}
