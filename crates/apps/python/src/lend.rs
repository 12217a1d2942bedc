//! A robot that Python may use for as long as a function of it runs.
//!
//! The function runs on a thread of its own and sends what it wants done to the thread that has
//! the robot. So no reference outlives the call, whatever Python keeps.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use regrasp::robot::Robot;

type Job = Box<dyn FnOnce(&mut Robot) + Send>;

enum Message {
    Job(Job),
    Over,
}

/// The robot, for as long as it is lent.
#[derive(Clone)]
pub(crate) struct Lent(Sender<Message>);

/// The robot is not lent any more.
pub(crate) struct GivenBack;

impl Lent {
    /// Does something with the robot, where it is.
    pub(crate) fn with<T: Send + 'static>(
        &self,
        what: impl FnOnce(&mut Robot) -> T + Send + 'static,
    ) -> Result<T, GivenBack> {
        let (answer, answered) = channel();
        let job: Job = Box::new(move |robot| {
            // Whoever asked may be gone.
            let _ = answer.send(what(robot));
        });
        self.0.send(Message::Job(job)).map_err(|_| GivenBack)?;
        answered.recv().map_err(|_| GivenBack)
    }
}

/// Says that it is over, also if Python panics.
struct Over(Sender<Message>);

impl Drop for Over {
    fn drop(&mut self) {
        let _ = self.0.send(Message::Over);
    }
}

/// Lends the robot to a function until that returns; `None` if it panicked.
pub(crate) fn lend<T: Send>(robot: &mut Robot, to: impl FnOnce(Lent) -> T + Send) -> Option<T> {
    let (sender, messages): (_, Receiver<Message>) = channel();
    thread::scope(|scope| {
        let user = scope.spawn(move || {
            let over = Over(sender.clone());
            let value = to(Lent(sender));
            drop(over);
            value
        });
        while let Ok(Message::Job(job)) = messages.recv() {
            job(robot);
        }
        drop(messages);
        user.join().ok()
    })
}
