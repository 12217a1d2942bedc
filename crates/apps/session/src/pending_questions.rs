//! Questions that wait for a person's answer.

use parking_lot::{Condvar, Mutex};
use regrasp_api::CancelToken;

use crate::session_state::SessionState;
use crate::{Pending, Refusal, RefusalKind};

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

pub(crate) struct Answer {
    pub(crate) approve: bool,
    pub(crate) text: Option<String>,
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
                None => format!("question {id} is not open; there is no open question"),
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
    pub(crate) fn ask(
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
