//! A robot that Python may use while one of its functions runs.
//!
//! The function runs on a thread of its own and sends its requests to the thread that has the
//! robot, so no reference outlives the call, whatever Python keeps.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use regrasp::robot::Robot;

type Job = Box<dyn FnOnce(&mut Robot) + Send>;

enum Message {
    Job(Job),
    Over,
}

/// Access to the robot while it is lent.
#[derive(Clone)]
pub(crate) struct Lent(Sender<Message>);

/// Error of a use of the robot after the loan has ended.
pub(crate) struct GivenBack;

impl Lent {
    /// Runs `what` with the robot on the robot's thread.
    pub(crate) fn with<T: Send + 'static>(
        &self,
        what: impl FnOnce(&mut Robot) -> T + Send + 'static,
    ) -> Result<T, GivenBack> {
        let (answer, answered) = channel();
        let job: Job = Box::new(move |robot| {
            // The caller may be gone.
            let _ = answer.send(what(robot));
        });
        self.0.send(Message::Job(job)).map_err(|_| GivenBack)?;
        answered.recv().map_err(|_| GivenBack)
    }
}

/// Ends the loan on drop, also if Python panics.
struct Over(Sender<Message>);

impl Drop for Over {
    fn drop(&mut self) {
        let _ = self.0.send(Message::Over);
    }
}

/// Lends the robot to a function until it returns; `None` if it panicked.
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
