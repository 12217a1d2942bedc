//! Events collected for Python.

use std::mem;
use std::sync::Arc;

use parking_lot::Mutex;
use regrasp::api::{EventSink, NullSink, StampedEvent};
use regrasp::robot::Robot;

#[derive(Clone, Default)]
pub(crate) struct Events(pub(crate) Arc<Mutex<Vec<StampedEvent>>>);

impl EventSink for Events {
    fn emit(&mut self, event: &StampedEvent) {
        self.0.lock().push(event.clone());
    }
}

impl Events {
    /// Runs `what` with its events going both here and to the previous sink: a skill that calls
    /// others is part of a run, and so are its events.
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

struct Both(Events, Arc<Mutex<Box<dyn EventSink>>>);

impl EventSink for Both {
    fn emit(&mut self, event: &StampedEvent) {
        self.0.emit(event);
        self.1.lock().emit(event);
    }
}
