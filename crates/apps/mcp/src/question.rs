//! Questions of the robot to a person, through the client.
//!
//! A client that declares elicitation is asked by the protocol's own means. Up to version
//! 2025-11-25 that is a request of the server (`elicitation/create`) during the call; from
//! 2026-07-28 on the call ends with an `input_required` result, and the client repeats it with the
//! answer.

use std::time::Duration;

use regrasp_session::{Command, Pending};
use rmcp::RoleServer;
use rmcp::model::{
    CancelledNotificationParam, ClientResult, ElicitRequest, ElicitRequestParams, ElicitResult,
    ElicitationAction, ElicitationSchema, ProtocolVersion, RequestId, ServerRequest,
};
use rmcp::service::{Peer, PeerRequestOptions, RequestContext, RequestHandle, ServiceError};
use serde::Deserialize;
use serde_json::Value;

/// Treatment of a question that the client cannot pass on to a person.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unasked {
    /// The step is not made, because it was not approved.
    #[default]
    Refuse,
    /// The question waits for the tool `answer`, which is only offered in this case. Anyone who can
    /// call tools can approve.
    Wait,
}

/// Way of asking a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AskChannel {
    /// Request of the server.
    Request,
    /// Result of the call.
    Result,
    /// The client cannot ask anybody.
    Nobody,
}

impl AskChannel {
    pub(crate) fn of(context: &RequestContext<RoleServer>) -> Self {
        let declared = context.client_capabilities();
        let forms = declared.and_then(|client| client.elicitation);
        // A client that names no kind supports forms, as in the protocol's first versions.
        let has_forms = forms.is_some_and(|kinds| kinds.form.is_some() || kinds.url.is_none());
        let version = context.protocol_version();
        match has_forms {
            false => Self::Nobody,
            true if version.is_some_and(|v| v >= ProtocolVersion::V_2026_07_28) => Self::Result,
            true => Self::Request,
        }
    }
}

/// Form of a question, for the person behind the client.
pub(crate) fn form(pending: &Pending) -> Result<ElicitRequestParams, &'static str> {
    let builder = ElicitationSchema::builder();
    let (message, builder) = match pending {
        Pending::Approval { request, .. } => {
            let risks = match request.risks.as_slice() {
                [] => String::new(),
                risks => format!(" ({})", risks.join("; ")),
            };
            let builder = builder
                .required_bool_with("approve", |it| {
                    it.title("Approve")
                        .description("True if the robot may do this")
                })
                .optional_string_with("why", |it| {
                    it.title("Reason")
                        .description("Reason of a refusal, for the planner")
                });
            (
                format!("May the robot do {}?{risks}", request.call),
                builder,
            )
        }
        Pending::Question { question, .. } => {
            let builder = builder.required_string_with("answer", |it| it.title("Answer"));
            (question.clone(), builder)
        }
    };
    Ok(ElicitRequestParams::FormElicitationParams {
        meta: None,
        message,
        requested_schema: builder.build()?,
    })
}

#[derive(Debug, Default, Deserialize)]
struct Filled {
    #[serde(default)]
    approve: bool,
    why: Option<String>,
    answer: Option<String>,
}

/// Converts a person's answer to an order. Only an explicit yes approves.
pub(crate) fn order_of(pending: &Pending, answer: ElicitResult) -> Command {
    match answer.action {
        ElicitationAction::Accept => {}
        ElicitationAction::Decline => return no(pending, "a person declined"),
        _ => return no(pending, "the question was dismissed"),
    }
    let Ok(filled) = serde_json::from_value::<Filled>(answer.content.unwrap_or(Value::Null)) else {
        return no(pending, "the answer does not have the requested form");
    };
    let text = match pending {
        Pending::Approval { .. } if !filled.approve => {
            let why = filled.why.filter(|why| !why.trim().is_empty());
            return no(pending, &why.unwrap_or_else(|| "a person declined".into()));
        }
        Pending::Approval { .. } => None,
        Pending::Question { .. } => filled.answer,
    };
    Command::Answer {
        id: pending.id(),
        approve: true,
        text,
    }
}

/// Order that refuses a step, or reports that a question was not answered.
pub(crate) fn no(pending: &Pending, why: &str) -> Command {
    Command::Answer {
        id: pending.id(),
        approve: false,
        text: matches!(pending, Pending::Approval { .. }).then(|| why.to_owned()),
    }
}

pub(crate) struct Question {
    pub(crate) pending: Pending,
    handle: RequestHandle<RoleServer>,
    patience: Duration,
}

impl Question {
    /// Asks the client. If that fails, returns the order that refuses.
    pub(crate) async fn put(
        peer: &Peer<RoleServer>,
        pending: Pending,
        patience: Duration,
    ) -> Result<Self, Command> {
        let form = match form(&pending) {
            Ok(form) => form,
            Err(why) => return Err(no(&pending, why)),
        };
        let request = ServerRequest::ElicitRequest(ElicitRequest::new(form));
        let options = PeerRequestOptions::no_options();
        match peer.send_cancellable_request(request, options).await {
            Ok(handle) => Ok(Self {
                pending,
                handle,
                patience,
            }),
            Err(error) => Err(no(&pending, &not_asked(&error))),
        }
    }

    /// Waits for the answer. Cancel-safe.
    async fn answer(&mut self) -> Command {
        let Ok(answer) = tokio::time::timeout(self.patience, &mut self.handle.rx).await else {
            let secs = self.patience.as_secs_f64();
            notify_closed(&self.handle.peer, self.handle.id.clone()).await;
            return no(
                &self.pending,
                &format!("nobody answered within {secs:.0} s"),
            );
        };
        match answer {
            Ok(Ok(ClientResult::ElicitResult(answer))) => order_of(&self.pending, answer),
            Ok(Ok(_)) => no(&self.pending, "the client sent an invalid answer"),
            Ok(Err(error)) => no(&self.pending, &not_asked(&error)),
            Err(_) => no(&self.pending, "the client disconnected"),
        }
    }

    /// Tells the client that the question is no longer open.
    pub(crate) async fn withdraw(self) {
        notify_closed(&self.handle.peer, self.handle.id.clone()).await;
    }
}

async fn notify_closed(peer: &Peer<RoleServer>, id: RequestId) {
    let why = Some("the question was withdrawn".to_owned());
    // A disconnected client needs no message.
    drop(
        peer.notify_cancelled(CancelledNotificationParam::new(Some(id), why))
            .await,
    );
}

fn not_asked(error: &ServiceError) -> String {
    format!("the client could not ask a person: {error}")
}

/// Waits for the answer to an open question; without one, never returns.
pub(crate) async fn answered(question: &mut Option<Question>) -> Command {
    match question {
        Some(question) => question.answer().await,
        None => std::future::pending().await,
    }
}
