//! Events on their way to whoever watches.

use std::sync::Arc;

use regrasp_api::{Event, EventSink, StampedEvent};

use crate::entry::Entry;
use crate::pacing::Pacing;
use crate::session_state::SessionState;

/// Shows every event, and holds a run before its steps where they are made one by one.
pub(crate) struct Shown {
    pub(crate) state: Arc<SessionState>,
    pub(crate) pacing: Arc<Pacing>,
}

impl EventSink for Shown {
    fn emit(&mut self, event: &StampedEvent) {
        self.state.log(Entry::Event {
            event: Box::new(event.clone()),
        });
        match event.event {
            Event::StepStarted { .. } => self.pacing.step_begins(),
            // Paused while it was planned, the arm does not even begin.
            Event::MotionStarted { .. } => self.pacing.hold(),
            _ => {}
        }
    }
}
