//! A call that occupies the robot.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use regrasp_api::Event;
use regrasp_session::{
    Command, Entry, News, Outcome, Pending, Refusal, Reply, Session, Subscription,
};
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::{Peer, RequestContext};
use rmcp::{ErrorData, RoleServer};
use tokio::sync::{Mutex, OwnedMutexGuard};

/// The robot that all clients share.
pub(crate) struct Robot {
    pub(crate) session: Session,
    /// Lock of the call that uses the robot; it is fair, so calls keep their order.
    pub(crate) turn: Arc<Mutex<()>>,
    pub(crate) n_waiting: AtomicUsize,
}

/// A call that occupies the robot until it has ended. Dropping it earlier stops the robot.
pub(crate) struct Job {
    robot: Arc<Robot>,
    ended: Pin<Box<dyn Future<Output = Outcome> + Send>>,
    is_over: bool,
    news: Subscription,
    pub(crate) pending: Option<Pending>,
    /// True if the open question has not been passed on to the client yet.
    is_new: bool,
    n_sent: f64,
    _slot: QueueSlot,
    _turn: OwnedMutexGuard<()>,
}

pub(crate) enum JobEvent {
    Ended(Outcome),
    Asks(Pending),
    /// The question was answered elsewhere.
    Answered,
}

pub(crate) enum Begun {
    Job(Box<Job>),
    /// The client cancelled the call while it waited for the robot.
    Cancelled,
    /// The session rejected the order.
    Refused(Refusal),
}

impl Job {
    /// Waits until earlier calls have ended, and begins the command.
    pub(crate) async fn begin(
        robot: &Arc<Robot>,
        most_waiting: usize,
        command: Command,
        context: &RequestContext<RoleServer>,
    ) -> Result<Begun, ErrorData> {
        let slot = QueueSlot::take(robot, most_waiting)?;
        let turn = tokio::select! {
            turn = Arc::clone(&robot.turn).lock_owned() => turn,
            () = context.ct.cancelled() => return Ok(Begun::Cancelled),
        };
        let mut news = robot.session.subscribe();
        // Skips news from before this call.
        news.now();
        let ticket = match robot.session.command(command) {
            Ok(Reply::Later(ticket)) => ticket,
            Ok(Reply::Done) => unreachable!("commands for the robot take time"),
            Err(refusal) => return Ok(Begun::Refused(refusal)),
        };
        Ok(Begun::Job(Box::new(Self {
            robot: Arc::clone(robot),
            ended: Box::pin(ticket.outcome()),
            is_over: false,
            news,
            pending: None,
            is_new: false,
            n_sent: 0.0,
            _slot: slot,
            _turn: turn,
        })))
    }

    /// Waits until the job ends or a question opens or closes. Reports progress, and stops the
    /// robot if the client cancels the call. Cancel-safe.
    pub(crate) async fn go_on(&mut self, context: &RequestContext<RoleServer>) -> JobEvent {
        let token = context.meta.get_progress_token();
        loop {
            if let Some(pending) = self.pending.as_ref().filter(|_| self.is_new) {
                self.is_new = false;
                return JobEvent::Asks(pending.clone());
            }
            tokio::select! {
                outcome = &mut self.ended => {
                    self.is_over = true;
                    return JobEvent::Ended(outcome);
                }
                () = context.ct.cancelled() => return JobEvent::Ended(self.stop().await),
                Some(fresh) = self.news.next() => {
                    let was_answered = self.look(&fresh);
                    if let Some(token) = &token {
                        send_progress(&fresh, &context.peer, token, &mut self.n_sent).await;
                    }
                    if was_answered {
                        return JobEvent::Answered;
                    }
                }
            }
        }
    }

    async fn stop(&mut self) -> Outcome {
        // The session rejects the stop if the job has just ended.
        drop(self.robot.session.command(Command::Stop));
        self.end().await
    }

    /// Waits for the end of the job, and ignores its questions.
    pub(crate) async fn end(&mut self) -> Outcome {
        let outcome = (&mut self.ended).await;
        self.is_over = true;
        outcome
    }

    /// Updates the open question; returns true if it was closed.
    fn look(&mut self, news: &News) -> bool {
        let Some(status) = &news.status else {
            return false;
        };
        let before = self.pending.as_ref().map(Pending::id);
        let now = status.pending.as_ref().map(Pending::id);
        if before == now {
            return false;
        }
        self.pending.clone_from(&status.pending);
        self.is_new = now.is_some();
        now.is_none()
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        if !self.is_over {
            drop(self.robot.session.command(Command::Stop));
        }
    }
}

struct QueueSlot(Arc<Robot>);

impl QueueSlot {
    fn take(robot: &Arc<Robot>, most: usize) -> Result<Self, ErrorData> {
        let n_before = robot.n_waiting.fetch_add(1, Ordering::AcqRel);
        let slot = Self(Arc::clone(robot));
        if n_before >= most {
            let text = format!("{n_before} calls already use or await the robot (limit {most})");
            return Err(ErrorData::invalid_request(text, None));
        }
        Ok(slot)
    }
}

impl Drop for QueueSlot {
    fn drop(&mut self) {
        self.0.n_waiting.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Sends a progress message for each new log entry that is worth one.
async fn send_progress(
    news: &News,
    peer: &Peer<RoleServer>,
    token: &ProgressToken,
    n_sent: &mut f64,
) {
    for message in news.entries.iter().filter_map(|it| sentence(&it.entry)) {
        *n_sent += 1.0;
        let progress = ProgressNotificationParam::new(token.clone(), *n_sent).with_message(message);
        // A disconnected client also cancels its call.
        drop(peer.notify_progress(progress).await);
    }
}

/// Progress message for a log entry, if it is worth one.
fn sentence(entry: &Entry) -> Option<String> {
    let Entry::Event { event } = entry else {
        return None;
    };
    match &event.event {
        Event::StepStarted { skill, args, .. } => Some(format!("{skill}({args})")),
        Event::PhaseStarted { name } => Some(name.clone()),
        Event::StepFinished { result, .. } => Some(result.reason_detail.clone()),
        Event::PlanRevised { version } => {
            let steps = format!("plan of {} steps", version.plan.steps.len());
            match version.plan.interpretation.first() {
                // Shows the goal, so that a person who meant something else can stop the run.
                Some(goal) if version.version == 1 => Some(format!("goal: {goal}; {steps}")),
                _ => Some(steps),
            }
        }
        _ => None,
    }
}
