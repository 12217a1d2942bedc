//! Events collected for Python.

use std::sync::{Arc, Mutex, PoisonError};

use regrasp::api::{EventSink, NullSink, StampedEvent};
use regrasp::robot::Robot;

pub(crate) type Events = Arc<Mutex<Vec<StampedEvent>>>;

/// Runs `what` with its events going both to `events` and to the previous sink: a skill that calls
/// others is part of a run, and so are its events.
pub(crate) fn collected<T>(
    events: Events,
    robot: &mut Robot,
    what: impl FnOnce(&mut Robot) -> T,
) -> T {
    let before = robot.set_sink(Box::new(NullSink));
    let sinks: Vec<Box<dyn EventSink>> = vec![Box::new(events), before];
    let sinks = Arc::new(Mutex::new(sinks));
    robot.set_sink(Box::new(Arc::clone(&sinks)));
    let done = what(robot);
    let before = sinks.lock().unwrap_or_else(PoisonError::into_inner).pop();
    robot.set_sink(before.unwrap_or_else(|| Box::new(NullSink)));
    done
}
