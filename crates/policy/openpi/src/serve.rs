//! Server of scripted episodes as a policy behind a WebSocket.

use std::net::SocketAddr;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Instant;

use axum::Router;
use axum::extract::State;
use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade};
use axum::http::{HeaderMap, StatusCode, header::AUTHORIZATION};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get};
use parking_lot::Mutex;
use subtle::ConstantTimeEq;
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, oneshot};

use crate::policy::MAPPING_KEY;
use crate::{Dialect, Follower, Mapping, OpenpiError, Track, Value, pack};

/// Maximum size of an observation, bytes: five pictures of 1080 x 1920.
const MAX_OBSERVATION: usize = 32 << 20;
const MAX_CONNECTIONS: usize = 32;
/// Reason with which openpi's servers close the connection after an error.
const CLOSING: &str = "Internal server error. Traceback included in previous frame.";

/// Source of scripted episodes: returns the episode for a prompt and a seed, `None` where the
/// observation lacks one, or a message for the client on why there is no such episode.
pub type Scripts =
    Box<dyn Fn(Option<&str>, Option<u64>) -> Result<Arc<Track>, String> + Send + Sync>;

/// Options of the server.
#[derive(Clone, Debug)]
pub struct ServeOptions {
    /// Address to listen on; with port 0, the system chooses.
    pub listen: SocketAddr,
    /// Key that clients must send as `Authorization: Api-Key KEY`, if any.
    pub key: Option<String>,
    /// Layout of observations and actions.
    pub mapping: Mapping,
    /// Additional metadata.
    pub metadata: Vec<(String, Value)>,
}

/// A server that runs until it is dropped.
pub struct PolicyServer {
    address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    scripts: Scripts,
    mapping: Mapping,
    metadata: Vec<u8>,
    key: Option<String>,
    places: Arc<Semaphore>,
}

impl PolicyServer {
    /// Starts to listen.
    ///
    /// # Errors
    ///
    /// [`OpenpiError`] if it cannot listen, if the mapping's dialect is not openpi's, or if the
    /// address is not a loopback address and no key is required.
    pub fn start(options: ServeOptions, scripts: Scripts) -> Result<Self, OpenpiError> {
        let failed = |why: String| {
            OpenpiError::Other(format!("serve a policy on {}: {why}", options.listen))
        };
        if options.mapping.dialect != Dialect::Openpi {
            let name = &options.mapping.name;
            return Err(failed(format!(
                "the mapping `{name}` has a dialect that cannot be served; expected `openpi`"
            )));
        }
        if options.key.is_none() && !options.listen.ip().is_loopback() {
            return Err(failed(
                "anybody could connect; set a key for clients, or listen on 127.0.0.1".into(),
            ));
        }
        let metadata = Value::map(metadata(&options));
        let shared = Arc::new(Shared {
            scripts,
            metadata: pack::encode(&metadata).map_err(|e| failed(e.to_string()))?,
            mapping: options.mapping.clone(),
            key: options.key.clone(),
            places: Arc::new(Semaphore::new(MAX_CONNECTIONS)),
        });
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|e| failed(e.to_string()))?;
        let listener = runtime.block_on(TcpListener::bind(options.listen));
        let listener = listener.map_err(|e| failed(e.to_string()))?;
        let address = listener.local_addr().map_err(|e| failed(e.to_string()))?;
        let (stop, stopped) = oneshot::channel::<()>();
        let thread = thread::spawn(move || {
            let app = Router::new()
                .route("/healthz", get(|| async { "OK\n" }))
                .fallback(any(connect))
                .with_state(shared);
            // Connections end with the runtime; an error of the listener ends the server.
            runtime.block_on(async {
                tokio::select! {
                    served = async { axum::serve(listener, app).await } => drop(served),
                    _ = stopped => {}
                }
            });
            runtime.shutdown_background();
        });
        Ok(Self {
            address,
            stop: Some(stop),
            thread: Some(thread),
        })
    }

    /// Address on which the server listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for PolicyServer {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}

fn metadata(options: &ServeOptions) -> Vec<(String, Value)> {
    let mapping = &options.mapping;
    let state = mapping.state.iter().map(|entry| Value::text(&entry.key));
    let keys = state.chain(mapping.prompt.iter().map(Value::text));
    let mut entries = vec![
        (MAPPING_KEY.to_owned(), Value::text(&mapping.name)),
        ("action_key".to_owned(), Value::text(&mapping.actions.key)),
        ("action_horizon".to_owned(), count(2 * mapping.horizon)),
        ("replan_steps".to_owned(), count(mapping.horizon)),
        ("control_hz".to_owned(), Value::Float(mapping.rate_hz)),
        ("observation_keys".to_owned(), Value::List(keys.collect())),
    ];
    entries.extend(options.metadata.iter().cloned());
    entries
}

fn count(n: usize) -> Value {
    Value::Int(i128::try_from(n).unwrap_or(i128::MAX))
}

async fn connect(
    State(shared): State<Arc<Shared>>,
    headers: HeaderMap,
    upgrade: Result<WebSocketUpgrade, axum::extract::ws::rejection::WebSocketUpgradeRejection>,
) -> Response {
    if let Some(key) = &shared.key {
        let given = headers.get(AUTHORIZATION).map(|v| v.as_bytes());
        let wanted = format!("Api-Key {key}");
        if !given.is_some_and(|given| given.ct_eq(wanted.as_bytes()).into()) {
            let says = "expected the header `Authorization: Api-Key KEY` with this server's key\n";
            return (StatusCode::UNAUTHORIZED, says).into_response();
        }
    }
    let upgrade = match upgrade {
        Ok(upgrade) => upgrade,
        Err(rejection) => return rejection.into_response(),
    };
    let Ok(place) = Arc::clone(&shared.places).try_acquire_owned() else {
        let says = format!("there are {MAX_CONNECTIONS} connections already\n");
        return (StatusCode::SERVICE_UNAVAILABLE, says).into_response();
    };
    upgrade
        .max_message_size(MAX_OBSERVATION)
        .max_frame_size(MAX_OBSERVATION)
        .on_upgrade(async move |socket| {
            // A client that disconnects is not an error.
            drop(session(socket, shared).await);
            drop(place);
        })
}

async fn session(mut socket: WebSocket, shared: Arc<Shared>) -> Result<(), axum::Error> {
    let metadata = Message::Binary(shared.metadata.clone().into());
    socket.send(metadata).await?;
    let session = Arc::new(Mutex::new(Session {
        shared,
        followed: None,
    }));
    while let Some(message) = socket.recv().await {
        let answered = match message? {
            Message::Binary(bytes) => {
                let session = Arc::clone(&session);
                // An answer can take long, because the episode may have to be played first.
                let answer = move || session.lock().answer(&bytes);
                let answered = tokio::task::spawn_blocking(answer).await;
                answered.unwrap_or_else(|error| Err(error.to_string()))
            }
            Message::Text(_) => Err("received text; observations are binary MessagePack".into()),
            Message::Close(_) => return Ok(()),
            Message::Ping(_) | Message::Pong(_) => continue,
        };
        match answered {
            Ok(reply) => socket.send(Message::Binary(reply.into())).await?,
            Err(error) => {
                socket.send(Message::Text(error.into())).await?;
                let close = CloseFrame {
                    code: 1011,
                    reason: CLOSING.into(),
                };
                return socket.send(Message::Close(Some(close))).await;
            }
        }
    }
    Ok(())
}

/// One connection, with one or several consecutive episodes.
struct Session {
    shared: Arc<Shared>,
    followed: Option<Followed>,
}

struct Followed {
    prompt: Option<String>,
    seed: Option<u64>,
    follower: Follower,
}

impl Session {
    fn answer(&mut self, bytes: &[u8]) -> Result<Vec<u8>, String> {
        let began = Instant::now();
        let observation = pack::decode(bytes).map_err(|e| format!("read the observation: {e}"))?;
        let mut reply = self.follower(&observation)?.answer(&observation)?;
        if let Value::Map(entries) = &mut reply {
            let infer_ms = Value::Float(1e3 * began.elapsed().as_secs_f64());
            let timing = Value::map([("infer_ms", infer_ms)]);
            entries.push((Value::text("server_timing"), timing));
        }
        pack::encode(&reply).map_err(|e| e.to_string())
    }

    /// Returns the follower of the requested episode; starts another one if the request changed.
    fn follower(&mut self, observation: &Value) -> Result<&mut Follower, String> {
        let mapping = &self.shared.mapping;
        let value_of = |key: &Option<String>| key.as_deref().and_then(|key| observation.get(key));
        let prompt = value_of(&mapping.prompt).and_then(Value::as_text);
        let prompt = prompt.map(str::to_owned);
        let seed = value_of(&mapping.seed).and_then(Value::count);
        let is_it = |f: &Followed| f.prompt == prompt && f.seed == seed;
        let followed = match self.followed.take().filter(is_it) {
            Some(followed) => followed,
            None => {
                let track = (self.shared.scripts)(prompt.as_deref(), seed)?;
                Followed {
                    prompt,
                    seed,
                    follower: Follower::new(track),
                }
            }
        };
        Ok(&mut self.followed.insert(followed).follower)
    }
}
