//! Event sink for observers.

use std::sync::Arc;

use regrasp_api::{Event, EventSink, StampedEvent};

use crate::entry::Entry;
use crate::pacing::Pacing;
use crate::session_state::SessionState;

/// Logs every event, and holds a run before steps and motions while paused.
pub(crate) struct LogSink {
    pub(crate) state: Arc<SessionState>,
    pub(crate) pacing: Arc<Pacing>,
}

impl EventSink for LogSink {
    fn emit(&mut self, event: &StampedEvent) {
        self.state.log(Entry::Event {
            event: Box::new(event.clone()),
        });
        match event.event {
            Event::StepStarted { .. } => self.pacing.step_begins(),
            // If paused during planning, the arm does not begin to move.
            Event::MotionStarted { .. } => self.pacing.hold(),
            _ => {}
        }
    }
}
