//! What happens, kept for Python.

use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use regrasp::api::{EventSink, NullSink, StampedEvent};
use regrasp::robot::Robot;

/// Keeps what happens.
#[derive(Clone, Default)]
pub(crate) struct Events(pub(crate) Arc<Mutex<Vec<StampedEvent>>>);

impl EventSink for Events {
    fn emit(&mut self, event: &StampedEvent) {
        lock(&self.0).push(event.clone());
    }
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Events {
    /// Does something of which both this and whoever listened before receive. A skill that calls
    /// others is part of a run, and its events are, too.
    pub(crate) fn too<T>(self, robot: &mut Robot, what: impl FnOnce(&mut Robot) -> T) -> T {
        let before = Arc::new(Mutex::new(robot.set_sink(Box::new(NullSink))));
        robot.set_sink(Box::new(Both(self, Arc::clone(&before))));
        let done = what(robot);
        robot.set_sink(Box::new(NullSink));
        let before = mem::replace(&mut *lock(&before), Box::new(NullSink));
        robot.set_sink(before);
        done
    }
}

/// Two that listen.
struct Both(Events, Arc<Mutex<Box<dyn EventSink>>>);

impl EventSink for Both {
    fn emit(&mut self, event: &StampedEvent) {
        self.0.emit(event);
        lock(&self.1).emit(event);
    }
}
