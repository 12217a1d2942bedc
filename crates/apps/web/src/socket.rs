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
    let registration = Registration { shared, id };
    upgrade
        .max_message_size(MAX_MESSAGE_BYTES)
        .max_frame_size(MAX_MESSAGE_BYTES)
        .on_upgrade(move |socket| async move {
            let connection = Connection {
                socket,
                bucket: Bucket::new(Instant::now()),
                registration,
            };
            connection.serve().await;
        })
}

/// Place of a connection; dropping it gives up the place and, if held, control.
struct Registration {
    shared: Arc<Shared>,
    id: u64,
}

impl Drop for Registration {
    fn drop(&mut self) {
        if self.shared.control.leave(self.id) {
            self.shared.session.abandon();
        }
    }
}

struct Connection {
    socket: WebSocket,
    bucket: Bucket,
    registration: Registration,
}

struct Disconnected;

impl Connection {
    async fn serve(mut self) {
        // The connection is closed in any case, so the error has no consequence.
        let _ = self.run().await;
        let _ = timeout(SEND_PATIENCE, self.socket.send(Message::Close(None))).await;
    }

    async fn run(&mut self) -> Result<(), Disconnected> {
        let shared = Arc::clone(&self.registration.shared);
        let mut news = shared.session.subscribe();
        let mut connections = shared.control.watch();
        let (ended, mut outcomes) = mpsc::channel(64);
        self.send_message(&ServerMessage::Hello {
            protocol: VERSION,
            you: self.registration.id,
            catalogue: Box::new(shared.session.catalogue().clone()),
            has_3d: HAS_3D,
        })
        .await?;
        connections.mark_changed();
        loop {
            tokio::select! {
                message = self.socket.recv() => match message {
                    Some(Ok(message)) => self.take(message, &ended).await?,
                    _ => return Err(Disconnected),
                },
                some = news.next() => match some {
                    Some(news) => self.send_news(news).await?,
                    None => return Ok(()),
                },
                changed = connections.changed() => {
                    if changed.is_err() {
                        return Ok(());
                    }
                    let now = *connections.borrow_and_update();
                    let (controller, connections) = (now.controller, now.n_connections);
                    self.send_message(&ServerMessage::Control { controller, connections }).await?;
                }
                Some(outcome) = outcomes.recv() => self.send_message(&outcome).await?,
                () = shared.closing.cancelled() => return Ok(()),
            }
        }
    }

    /// Sends the status first: the page drops its data when the status names a new world.
    async fn send_news(&mut self, news: News) -> Result<(), Disconnected> {
        if let Some(status) = news.status {
            let status = Box::new(status);
            self.send_message(&ServerMessage::Status { status }).await?;
        }
        if !news.entries.is_empty() {
            let News {
                entries, missed, ..
            } = news;
            self.send_message(&ServerMessage::Log { entries, missed })
                .await?;
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
    ) -> Result<(), Disconnected> {
        let text = match message {
            Message::Close(_) => return Err(Disconnected),
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
                let reason = format!("{PATIENCE} messages over the limit").into();
                let code = close_code::POLICY;
                let close = Message::Close(Some(CloseFrame { code, reason }));
                self.send(close).await?;
                return Err(Disconnected);
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
    ) -> Result<(), Disconnected> {
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
    ) -> Result<(), Disconnected> {
        let shared = Arc::clone(&self.registration.shared);
        if order != Command::Stop && !shared.control.has(self.registration.id) {
            let text = "another connection is in control; this one may only watch and stop";
            return self.refuse(Some(re), "not_in_control", text).await;
        }
        match shared.session.command(order) {
            Ok(Reply::Done) => self.reply(re, false).await,
            Ok(Reply::Later(ticket)) => {
                tokio::spawn(report(re, ticket, ended.clone()));
                self.reply(re, true).await
            }
            Err(refusal) => {
                let kind = serde_json::to_value(refusal.kind).unwrap_or_default();
                let kind = kind.as_str().unwrap_or("refused").to_owned();
                self.refuse(Some(re), &kind, refusal.message).await
            }
        }
    }

    async fn control(&mut self, re: u64, wish: ControlRequest) -> Result<(), Disconnected> {
        let (control, id) = (&self.registration.shared.control, self.registration.id);
        let (is_done, otherwise) = match wish {
            ControlRequest::Take => (
                control.take(id),
                "another connection is in control until it disconnects or releases control",
            ),
            ControlRequest::Release => (control.release(id), "this connection is not in control"),
        };
        match is_done {
            true => self.reply(re, false).await,
            false => self.refuse(Some(re), "not_in_control", otherwise).await,
        }
    }

    async fn reply(&mut self, re: u64, begun: bool) -> Result<(), Disconnected> {
        self.send_message(&ServerMessage::Reply { re, begun }).await
    }

    async fn refuse(
        &mut self,
        re: Option<u64>,
        kind: &str,
        message: impl Into<String>,
    ) -> Result<(), Disconnected> {
        self.send_message(&ServerMessage::Error {
            re,
            kind: kind.to_owned(),
            message: message.into(),
        })
        .await
    }

    async fn send_message(&mut self, message: &ServerMessage) -> Result<(), Disconnected> {
        let text = serde_json::to_string(message).map_err(|error| {
            tracing::error!(%error, "a message cannot be written as JSON");
            Disconnected
        })?;
        self.send(Message::Text(text.into())).await
    }

    async fn send(&mut self, message: Message) -> Result<(), Disconnected> {
        match timeout(SEND_PATIENCE, self.socket.send(message)).await {
            Ok(Ok(())) => Ok(()),
            _ => Err(Disconnected),
        }
    }
}

/// Sends the outcome of an order once it has ended, if the client is still connected.
async fn report(re: u64, ticket: Ticket, ended: mpsc::Sender<ServerMessage>) {
    let outcome = Box::new(ticket.outcome().await);
    let _ = ended.send(ServerMessage::Outcome { re, outcome }).await;
}
