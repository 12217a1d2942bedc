//! Questions that wait for a person's answer.

use std::sync::Arc;

use parking_lot::{Condvar, Mutex};
use regrasp_api::{Approval, ApprovalRequest, CancelToken, Person};

use crate::outcome::{Refusal, RefusalKind};
use crate::session_state::SessionState;
use crate::status::Pending;

/// Holds one question at a time.
#[derive(Default)]
pub(crate) struct PendingQuestions {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    last_id: u64,
    open: Option<u64>,
    answer: Option<Answer>,
}

struct Answer {
    approve: bool,
    text: Option<String>,
}

impl PendingQuestions {
    pub(crate) fn answer(
        &self,
        id: u64,
        approve: bool,
        text: Option<String>,
    ) -> Result<(), Refusal> {
        let mut state = self.state.lock();
        if state.open != Some(id) {
            let message = match state.open {
                Some(open) => format!("question {id} is not open; question {open} is"),
                None => format!("question {id} is not open; no question is"),
            };
            return Err(Refusal::new(RefusalKind::NothingRuns, message));
        }
        state.open = None;
        state.answer = Some(Answer { approve, text });
        self.changed.notify_all();
        Ok(())
    }

    /// Makes the waiting thread check its cancel token.
    pub(crate) fn wake(&self) {
        // With the lock taken, no thread is between its check and its wait.
        drop(self.state.lock());
        self.changed.notify_all();
    }

    /// Asks a question and waits; `None` if a stop was requested.
    fn ask(
        &self,
        session: &SessionState,
        cancel: &CancelToken,
        pending: impl FnOnce(u64) -> Pending,
    ) -> Option<Answer> {
        let mut state = self.state.lock();
        state.last_id += 1;
        state.open = Some(state.last_id);
        state.answer = None;
        let pending = pending(state.last_id);
        session.update(|status| status.pending = Some(pending));
        while state.answer.is_none() && !cancel.is_cancelled() {
            self.changed.wait(&mut state);
        }
        state.open = None;
        session.update(|status| status.pending = None);
        state.answer.take()
    }
}

pub(crate) struct Operators {
    pub(crate) questions: Arc<PendingQuestions>,
    pub(crate) session: Arc<SessionState>,
    pub(crate) cancel: CancelToken,
}

impl Person for Operators {
    fn approve(&mut self, request: &ApprovalRequest) -> Approval {
        let request = request.clone();
        let pending = |id| Pending::Approval { id, request };
        let answer = self.questions.ask(&self.session, &self.cancel, pending);
        match answer {
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
        let pending = |id| Pending::Question { id, question };
        let answer = self.questions.ask(&self.session, &self.cancel, pending);
        answer?.text.filter(|text| !text.trim().is_empty())
    }
}
