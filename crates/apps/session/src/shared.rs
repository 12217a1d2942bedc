//! State that the handle of a session and its thread share.

use std::sync::Arc;

use parking_lot::Mutex;
use regrasp_api::{
    Approval, ApprovalRequest, CancelToken, Event, EventSink, Person, SkillCall, StampedEvent,
};
use regrasp_faults::Fault;
use serde_json::json;

use crate::jobs::Turn;
use crate::pacing::Pacing;
use crate::pending_questions::{Answer, PendingQuestions};
use crate::session_state::SessionState;
use crate::{Consent, Entry, Pending};

pub(crate) struct Shared {
    pub(crate) state: Arc<SessionState>,
    pub(crate) pacing: Pacing,
    pub(crate) questions: PendingQuestions,
    pub(crate) turn: Turn,
    pub(crate) armed: Mutex<Vec<Fault>>,
}

impl Shared {
    /// Sink that logs every event, pauses before the next step if requested, and holds motions
    /// while paused.
    pub(crate) fn log_sink(self: &Arc<Self>) -> impl EventSink + use<> {
        let shared = Arc::clone(self);
        move |event: &StampedEvent| {
            shared.state.log(Entry::Event {
                event: Box::new(event.clone()),
            });
            match event.event {
                Event::StepStarted { .. } => shared.pacing.step_begins(),
                // If paused during planning, the arm does not begin to move.
                Event::MotionStarted { .. } => shared.pacing.hold(),
                _ => {}
            }
        }
    }

    /// The people at the session, until a stop is requested.
    pub(crate) fn operators(self: &Arc<Self>, cancel: &CancelToken) -> Operators {
        Operators {
            shared: Arc::clone(self),
            cancel: cancel.clone(),
        }
    }

    /// Function that asks the people at the session for consent, as for a step of a plan. Without a
    /// job, or after a stop, it returns false.
    pub(crate) fn consent(self: &Arc<Self>) -> Consent {
        let shared = Arc::downgrade(self);
        Box::new(move |motion| {
            let Some(shared) = shared.upgrade() else {
                return false;
            };
            let Some(cancel) = shared.pacing.cancel() else {
                return false;
            };
            let request = ApprovalRequest {
                call: SkillCall::new("first_motion", json!({})),
                risks: vec![motion.to_owned()],
            };
            shared.operators(&cancel).approve(&request) == Approval::Granted
        })
    }
}

pub(crate) struct Operators {
    shared: Arc<Shared>,
    cancel: CancelToken,
}

impl Operators {
    fn ask(&self, pending: impl FnOnce(u64) -> Pending) -> Option<Answer> {
        let shared = &*self.shared;
        shared.questions.ask(&shared.state, &self.cancel, pending)
    }
}

impl Person for Operators {
    fn approve(&mut self, request: &ApprovalRequest) -> Approval {
        let request = request.clone();
        match self.ask(|id| Pending::Approval { id, request }) {
            Some(Answer { approve: true, .. }) => Approval::Granted,
            Some(Answer { text, .. }) => Approval::Refused {
                why: text.unwrap_or_else(|| "a person declined".into()),
            },
            None => Approval::Refused {
                why: "a stop was requested".into(),
            },
        }
    }

    fn answer(&mut self, question: &str) -> Option<String> {
        let question = question.to_owned();
        let answer = self.ask(|id| Pending::Question { id, question });
        answer?.text.filter(|text| !text.trim().is_empty())
    }
}
