//! One WebSocket connection.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::Bytes;
use axum::extract::State;
use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade, close_code};
use axum::http::StatusCode;
use axum::response::Response;
use regrasp_session::{Command, News, Reply, Ticket};
use tokio::sync::mpsc;
use tokio::time::timeout;

use crate::assets::HAS_3D;
use crate::control::Crew;
use crate::http::plain;
use crate::protocol::{ClientMessage, ControlRequest, MAX_MESSAGE_BYTES, ServerMessage, VERSION};
use crate::rate::{Bucket, PATIENCE, PER_SECOND, Pass};
use crate::shared::Shared;

/// Timeout for a client that does not receive.
const SEND_PATIENCE: Duration = Duration::from_secs(5);

pub(crate) async fn connect(
    State(shared): State<Arc<Shared>>,
    upgrade: WebSocketUpgrade,
) -> Response {
    let Some(id) = shared.control.enter() else {
        return plain(StatusCode::SERVICE_UNAVAILABLE, "too many connections");
    };
    let place = Slot { shared, id };
    upgrade
        .max_message_size(MAX_MESSAGE_BYTES)
        .max_frame_size(MAX_MESSAGE_BYTES)
        .on_upgrade(move |socket| async move {
            let connection = Connection {
                socket,
                bucket: Bucket::new(Instant::now()),
                place,
            };
            connection.serve().await;
        })
}

/// Place of a connection; dropping it gives up the place and, if held, control.
struct Slot {
    shared: Arc<Shared>,
    id: u64,
}

impl Drop for Slot {
    fn drop(&mut self) {
        if self.shared.control.leave(self.id) {
            self.shared.session.abandon();
        }
    }
}

struct Connection {
    socket: WebSocket,
    bucket: Bucket,
    place: Slot,
}

struct Gone;

impl Connection {
    async fn serve(mut self) {
        // The connection is over either way, so no one needs the error.
        let _ = self.speak().await;
        let _ = timeout(SEND_PATIENCE, self.socket.send(Message::Close(None))).await;
    }

    async fn speak(&mut self) -> Result<(), Gone> {
        let shared = Arc::clone(&self.place.shared);
        let mut news = shared.session.subscribe();
        let mut crew = shared.control.watch();
        let (ended, mut outcomes) = mpsc::channel(64);
        self.say(&ServerMessage::Hello {
            protocol: VERSION,
            you: self.place.id,
            catalogue: Box::new(shared.session.catalogue().clone()),
            has_3d: HAS_3D,
        })
        .await?;
        crew.mark_changed();
        loop {
            tokio::select! {
                message = self.socket.recv() => match message {
                    Some(Ok(message)) => self.take(message, &ended).await?,
                    _ => return Err(Gone),
                },
                some = news.next() => match some {
                    Some(news) => self.tell(news).await?,
                    None => return Ok(()),
                },
                changed = crew.changed() => {
                    if changed.is_err() {
                        return Ok(());
                    }
                    let Crew { controller, n_connections } = *crew.borrow_and_update();
                    let connections = n_connections;
                    self.say(&ServerMessage::Control { controller, connections }).await?;
                }
                Some(outcome) = outcomes.recv() => self.say(&outcome).await?,
                () = shared.closing.cancelled() => return Ok(()),
            }
        }
    }

    /// Sends the status first: the page drops its data when the status names a new world.
    async fn tell(&mut self, news: News) -> Result<(), Gone> {
        if let Some(status) = news.status {
            let status = Box::new(status);
            self.say(&ServerMessage::Status { status }).await?;
        }
        if !news.entries.is_empty() {
            let News {
                entries, missed, ..
            } = news;
            self.say(&ServerMessage::Log { entries, missed }).await?;
        }
        if let Some(shot) = news.shot {
            let bytes = Bytes::from(shot.to_bytes());
            self.send(Message::Binary(bytes)).await?;
        }
        Ok(())
    }

    async fn take(
        &mut self,
        message: Message,
        ended: &mpsc::Sender<ServerMessage>,
    ) -> Result<(), Gone> {
        let text = match message {
            Message::Close(_) => return Err(Gone),
            Message::Text(text) => Some(text),
            Message::Ping(_) | Message::Pong(_) | Message::Binary(_) => None,
        };
        match self.bucket.take(Instant::now()) {
            Pass::Yes => {}
            Pass::TooFast => {
                let text = format!("more than {PER_SECOND} messages a second");
                return self.refuse(None, "too_fast", text).await;
            }
            Pass::Enough => {
                let reason = format!("{PATIENCE} messages too many").into();
                let code = close_code::POLICY;
                let close = Message::Close(Some(CloseFrame { code, reason }));
                self.send(close).await?;
                return Err(Gone);
            }
        }
        let Some(text) = text else {
            return Ok(());
        };
        match serde_json::from_str::<ClientMessage>(&text) {
            Ok(message) => self.act(message, ended).await,
            Err(error) => {
                let id = serde_json::from_str::<serde_json::Value>(&text);
                let id = id.ok().and_then(|value| value.get("id")?.as_u64());
                self.refuse(id, "malformed", error.to_string()).await
            }
        }
    }

    async fn act(
        &mut self,
        message: ClientMessage,
        ended: &mpsc::Sender<ServerMessage>,
    ) -> Result<(), Gone> {
        let re = message.id;
        match (message.order, message.control) {
            (Some(order), None) => self.order(re, order, ended).await,
            (None, Some(wish)) => self.control(re, wish).await,
            _ => {
                let text = "a message has either an `order` or a `control`";
                self.refuse(Some(re), "malformed", text).await
            }
        }
    }

    async fn order(
        &mut self,
        re: u64,
        order: Command,
        ended: &mpsc::Sender<ServerMessage>,
    ) -> Result<(), Gone> {
        let shared = Arc::clone(&self.place.shared);
        if order != Command::Stop && !shared.control.has(self.place.id) {
            let text = "another connection is in control; this one may watch, and stop";
            return self.refuse(Some(re), "not_in_control", text).await;
        }
        match shared.session.command(order) {
            Ok(Reply::Done) => self.say(&ServerMessage::Reply { re, begun: false }).await,
            Ok(Reply::Later(ticket)) => {
                tokio::spawn(report(re, ticket, ended.clone()));
                self.say(&ServerMessage::Reply { re, begun: true }).await
            }
            Err(refusal) => {
                let kind = serde_json::to_value(refusal.kind).unwrap_or_default();
                let kind = kind.as_str().unwrap_or("refused").to_owned();
                self.refuse(Some(re), &kind, refusal.message).await
            }
        }
    }

    async fn control(&mut self, re: u64, wish: ControlRequest) -> Result<(), Gone> {
        let (control, id) = (&self.place.shared.control, self.place.id);
        let done = match wish {
            ControlRequest::Take => control.take(id),
            ControlRequest::Release => control.release(id),
        };
        if done {
            return self.say(&ServerMessage::Reply { re, begun: false }).await;
        }
        let text = match wish {
            ControlRequest::Take => {
                "another connection is in control, until it leaves or gives it up"
            }
            ControlRequest::Release => "this connection is not in control",
        };
        self.refuse(Some(re), "not_in_control", text).await
    }

    async fn refuse(
        &mut self,
        re: Option<u64>,
        kind: &str,
        message: impl Into<String>,
    ) -> Result<(), Gone> {
        self.say(&ServerMessage::Error {
            re,
            kind: kind.to_owned(),
            message: message.into(),
        })
        .await
    }

    async fn say(&mut self, message: &ServerMessage) -> Result<(), Gone> {
        let text = serde_json::to_string(message).map_err(|error| {
            tracing::error!(%error, "a message cannot be written as JSON");
            Gone
        })?;
        self.send(Message::Text(text.into())).await
    }

    async fn send(&mut self, message: Message) -> Result<(), Gone> {
        match timeout(SEND_PATIENCE, self.socket.send(message)).await {
            Ok(Ok(())) => Ok(()),
            _ => Err(Gone),
        }
    }
}

/// Sends the outcome of an order once it has ended, if the client is still connected.
async fn report(re: u64, ticket: Ticket, ended: mpsc::Sender<ServerMessage>) {
    let outcome = Box::new(ticket.outcome().await);
    let _ = ended.send(ServerMessage::Outcome { re, outcome }).await;
}
