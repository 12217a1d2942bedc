//! Live view of a running world in Foxglove.
//!
//! **Purpose.** While the world runs, a [`LiveServer`] sends the channels of a recording, except
//! cameras, to Foxglove (<https://foxglove.dev>) and other clients of its WebSocket protocol. The
//! messages are those of [`regrasp_record::Encoder`], so that one layout of Foxglove shows both a
//! running world and a recording.
//!
//! **Out of scope.** Commands and access control: clients can only watch, and everybody who can
//! reach the address can do so.
//!
//! **Entry point.** [`LiveServer::start`].
//!
//! # Dependencies
//!
//! - `foxglove`, the official SDK, follows the versions of the protocol and drops messages to slow
//!   clients, so that no client delays the world.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use foxglove::websocket::{ChannelView, Client, ServerListener};
use foxglove::{ChannelBuilder, Context, FoxgloveError, PartialMetadata, RawChannel, Schema};
use foxglove::{WebSocketServer, WebSocketServerHandle};
use regrasp_api::StampedEvent;
use regrasp_ground_truth::Frame;
use regrasp_record::{Encoder, Geometry, Message, channels};

/// Failure of a live server.
#[derive(Debug, thiserror::Error)]
pub enum LiveError {
    /// The server cannot start, for example because the port is in use.
    #[error("serve Foxglove at {host}:{port}: {source}")]
    Start {
        /// Address.
        host: IpAddr,
        /// Port.
        port: u16,
        /// Cause.
        source: Box<FoxgloveError>,
    },
    /// A message cannot be encoded.
    #[error("encode a message for Foxglove: {0}")]
    Encode(#[source] Box<dyn std::error::Error + Send + Sync>),
}

/// Server through which clients watch a running world. Dropping the server disconnects them.
pub struct LiveServer {
    /// `None` once the server is dropped.
    handle: Option<WebSocketServerHandle>,
    /// Connects the channels with the server. Kept here because the channels do not keep it alive.
    _context: Arc<Context>,
    channels: BTreeMap<&'static str, Arc<RawChannel>>,
    encoder: Encoder,
    newcomers: Arc<Newcomers>,
}

/// Set if a client has subscribed since the last frame. Such a client needs the whole scene.
#[derive(Default)]
struct Newcomers(AtomicBool);

impl ServerListener for Newcomers {
    fn on_subscribe(&self, _: Client, _: ChannelView) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl LiveServer {
    /// Starts a server in its own threads. With port 0, the system chooses a free port.
    ///
    /// # Errors
    ///
    /// [`LiveError::Start`], for example if the port is in use.
    pub fn start(host: IpAddr, port: u16) -> Result<Self, LiveError> {
        let failed = |source| LiveError::Start {
            host,
            port,
            source: Box::new(source),
        };
        let context = Context::new();
        let newcomers = Arc::new(Newcomers::default());
        let channel = |(topic, name, schema): (&'static str, &str, &'static str)| {
            let schema = Schema::new(name, "jsonschema", schema.as_bytes());
            let channel = ChannelBuilder::new(topic).context(&context).schema(schema);
            Ok((topic, channel.message_encoding("json").build_raw()?))
        };
        let channels: Result<_, FoxgloveError> = channels().map(channel).collect();
        let server = WebSocketServer::new()
            .name(concat!("regrasp ", env!("CARGO_PKG_VERSION")))
            .bind(host.to_string(), port)
            .context(&context)
            .listener(Arc::clone(&newcomers) as Arc<dyn ServerListener>);
        Ok(Self {
            channels: channels.map_err(failed)?,
            handle: Some(server.start_blocking().map_err(failed)?),
            _context: context,
            encoder: Encoder::new(()),
            newcomers,
        })
    }

    /// Port on which the server listens.
    pub fn port(&self) -> u16 {
        let handle = self.handle.as_ref();
        handle.map_or(0, WebSocketServerHandle::port)
    }

    /// Switches to another world. Clients clear the world that they show.
    pub fn begin(&mut self, geometry: impl Geometry + 'static) {
        self.encoder = Encoder::new(geometry);
        if let Some(handle) = &self.handle {
            handle.clear_session(None);
        }
    }

    /// Sends a frame to all clients, if there are any.
    ///
    /// # Errors
    ///
    /// [`LiveError::Encode`] if the frame has values that JSON cannot represent.
    pub fn frame(&mut self, frame: &Frame) -> Result<(), LiveError> {
        if self.newcomers.0.swap(false, Ordering::Relaxed) {
            self.encoder.repeat_scene();
        }
        if self.channels.values().any(|channel| channel.has_sinks()) {
            let messages = self.encoder.frame(frame).map_err(encode)?;
            self.send(frame.time_secs, &messages);
        }
        Ok(())
    }

    /// Sends an event to all clients, and its remarks to Foxglove's log.
    ///
    /// # Errors
    ///
    /// [`LiveError::Encode`] if the event has values that JSON cannot represent.
    pub fn event(&self, event: &StampedEvent) -> Result<(), LiveError> {
        let messages = Encoder::event(event).map_err(encode)?;
        self.send(event.sim_secs, &messages);
        Ok(())
    }

    fn send(&self, time_secs: f64, messages: &[Message]) {
        let log_time = (time_secs * 1e9).round() as u64;
        for message in messages {
            if let Some(channel) = self.channels.get(message.topic) {
                let log_time = PartialMetadata::with_log_time(log_time);
                channel.log_with_meta(&message.data, log_time);
            }
        }
    }
}

fn encode(error: impl std::error::Error + Send + Sync + 'static) -> LiveError {
    LiveError::Encode(Box::new(error))
}

impl Drop for LiveServer {
    fn drop(&mut self) {
        if let Some(handle) = self.handle.take() {
            // Waiting for the returned handle would wait until the clients leave. Dropping it
            // disconnects them.
            let _ = handle.stop();
        }
    }
}
