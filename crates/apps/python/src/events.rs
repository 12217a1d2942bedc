//! Events, kept for Python.

use std::mem;
use std::sync::Arc;

use parking_lot::Mutex;
use regrasp::api::{EventSink, NullSink, StampedEvent};
use regrasp::robot::Robot;

/// Keeps events.
#[derive(Clone, Default)]
pub(crate) struct Events(pub(crate) Arc<Mutex<Vec<StampedEvent>>>);

impl EventSink for Events {
    fn emit(&mut self, event: &StampedEvent) {
        self.0.lock().push(event.clone());
    }
}

impl Events {
    /// Does something of which both this and whoever listened before receive. A skill that calls
    /// others is part of a run, and its events are, too.
    pub(crate) fn too<T>(self, robot: &mut Robot, what: impl FnOnce(&mut Robot) -> T) -> T {
        let before = Arc::new(Mutex::new(robot.set_sink(Box::new(NullSink))));
        robot.set_sink(Box::new(Both(self, Arc::clone(&before))));
        let done = what(robot);
        robot.set_sink(Box::new(NullSink));
        let before = mem::replace(&mut *before.lock(), Box::new(NullSink));
        robot.set_sink(before);
        done
    }
}

/// Two that listen.
struct Both(Events, Arc<Mutex<Box<dyn EventSink>>>);

impl EventSink for Both {
    fn emit(&mut self, event: &StampedEvent) {
        self.0.emit(event);
        self.1.lock().emit(event);
    }
}
