//! State that the handle of a session and its thread share.

use std::sync::Arc;

use parking_lot::Mutex;
use regrasp_api::{Approval, ApprovalRequest, CancelToken, Person as _, SkillCall};
use regrasp_faults::Fault;
use serde_json::json;

use crate::hardware::Consent;
use crate::jobs::Turn;
use crate::pacing::Pacing;
use crate::pending_questions::{Operators, PendingQuestions};
use crate::session_state::SessionState;
use crate::sink::LogSink;

pub(crate) struct Shared {
    pub(crate) state: Arc<SessionState>,
    pub(crate) pacing: Arc<Pacing>,
    pub(crate) questions: Arc<PendingQuestions>,
    pub(crate) turn: Turn,
    pub(crate) armed: Mutex<Vec<Fault>>,
}

impl Shared {
    pub(crate) fn log_sink(&self) -> LogSink {
        LogSink {
            state: Arc::clone(&self.state),
            pacing: Arc::clone(&self.pacing),
        }
    }

    /// The people at the session, until a stop is requested.
    pub(crate) fn operators(&self, cancel: &CancelToken) -> Operators {
        Operators {
            questions: Arc::clone(&self.questions),
            session: Arc::clone(&self.state),
            cancel: cancel.clone(),
        }
    }

    /// Asks the people at the session for consent, as for a step of a plan. No job or a stop means
    /// no.
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
