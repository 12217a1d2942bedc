//! Events on their way to whoever watches.

use std::sync::Arc;

use regrasp_api::{Event, EventSink, StampedEvent};

use crate::Entry;
use crate::board::Board;
use crate::gate::Gate;

/// Shows every event, and holds a run before its steps where they are made one by one.
pub(crate) struct Shown {
    pub(crate) board: Arc<Board>,
    pub(crate) gate: Arc<Gate>,
}

impl EventSink for Shown {
    fn emit(&mut self, event: &StampedEvent) {
        self.board.log(Entry::Event {
            event: Box::new(event.clone()),
        });
        match event.event {
            Event::StepStarted { .. } => self.gate.step_begins(),
            // Paused while it was planned, the arm does not even begin.
            Event::MotionStarted { .. } => self.gate.hold(),
            _ => {}
        }
    }
}
