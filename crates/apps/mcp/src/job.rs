//! A call that has the robot.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use regrasp_api::Event;
use regrasp_session::{Command, Entry, News, Outcome, Pending, Refusal, Reply, Subscription};
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::{Peer, RequestContext};
use rmcp::{ErrorData, RoleServer};
use tokio::sync::OwnedMutexGuard;

use crate::robot::Robot;

/// A call that has the robot until it has ended. Dropped before, it stops the robot.
pub(crate) struct Job {
    robot: Arc<Robot>,
    ended: Pin<Box<dyn Future<Output = Outcome> + Send>>,
    is_over: bool,
    news: Subscription,
    /// What it has asked and nobody has answered.
    pub(crate) pending: Option<Pending>,
    /// A question that nobody was told of.
    untold: bool,
    n_told: f64,
    _place: QueueSlot,
    _turn: OwnedMutexGuard<()>,
}

/// What a job comes to next.
pub(crate) enum JobEvent {
    /// Its end.
    Ended(Outcome),
    /// A question.
    Asks(Pending),
    /// The question was answered elsewhere.
    Answered,
}

/// What becomes of an order that wants the robot.
pub(crate) enum Begun {
    /// It is under way.
    Job(Box<Job>),
    /// It was taken back while others had the robot.
    TakenBack,
    /// It was not taken.
    Refused(Refusal),
}

impl Job {
    /// Waits for its turn, and begins.
    pub(crate) async fn begin(
        robot: &Arc<Robot>,
        most_waiting: usize,
        command: Command,
        context: &RequestContext<RoleServer>,
    ) -> Result<Begun, ErrorData> {
        let place = QueueSlot::take(robot, most_waiting)?;
        let turn = tokio::select! {
            turn = Arc::clone(&robot.turn).lock_owned() => turn,
            () = context.ct.cancelled() => return Ok(Begun::TakenBack),
        };
        let mut news = robot.session.subscribe();
        // What happened before is none of this call's.
        news.now();
        let ticket = match robot.session.command(command) {
            Ok(Reply::Later(ticket)) => ticket,
            Ok(Reply::Done) => unreachable!("orders that want the robot take time"),
            Err(refusal) => return Ok(Begun::Refused(refusal)),
        };
        Ok(Begun::Job(Box::new(Self {
            robot: Arc::clone(robot),
            ended: Box::pin(ticket.outcome()),
            is_over: false,
            news,
            pending: None,
            untold: false,
            n_told: 0.0,
            _place: place,
            _turn: turn,
        })))
    }

    /// Goes on until it ends or a question comes or goes; tells of progress, and stops the
    /// robot if the client takes the call back. May be dropped and called again.
    pub(crate) async fn go_on(&mut self, context: &RequestContext<RoleServer>) -> JobEvent {
        let token = context.meta.get_progress_token();
        loop {
            if let Some(pending) = self.pending.as_ref().filter(|_| self.untold) {
                self.untold = false;
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
                        tell(&fresh, &context.peer, token, &mut self.n_told).await;
                    }
                    if was_answered {
                        return JobEvent::Answered;
                    }
                }
            }
        }
    }

    /// Stops it, and waits for its end.
    async fn stop(&mut self) -> Outcome {
        // Nothing runs any more if it ended in this very moment.
        drop(self.robot.session.command(Command::Stop));
        self.end().await
    }

    /// Waits for its end, whatever it asks.
    pub(crate) async fn end(&mut self) -> Outcome {
        let outcome = (&mut self.ended).await;
        self.is_over = true;
        outcome
    }

    /// Notes what is asked; says whether what was asked is not any more.
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
        self.untold = now.is_some();
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

/// A place among those who wait for the robot.
struct QueueSlot(Arc<Robot>);

impl QueueSlot {
    fn take(robot: &Arc<Robot>, most: usize) -> Result<Self, ErrorData> {
        let n_before = robot.n_waiting.fetch_add(1, Ordering::AcqRel);
        let place = Self(Arc::clone(robot));
        if n_before >= most {
            let text = format!("{n_before} calls wait for the robot already; at most {most} may");
            return Err(ErrorData::invalid_request(text, None));
        }
        Ok(place)
    }
}

impl Drop for QueueSlot {
    fn drop(&mut self) {
        self.0.n_waiting.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Tells the client what is new.
async fn tell(news: &News, peer: &Peer<RoleServer>, token: &ProgressToken, n_told: &mut f64) {
    for message in news.entries.iter().filter_map(|it| sentence(&it.entry)) {
        *n_told += 1.0;
        let progress = ProgressNotificationParam::new(token.clone(), *n_told).with_message(message);
        // A client that is gone takes its call back, too.
        drop(peer.notify_progress(progress).await);
    }
}

/// What is worth telling while a call goes on.
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
            match version.plan.heard.first() {
                // Whoever meant something else can stop it.
                Some(goal) if version.version == 1 => Some(format!("goal: {goal}; {steps}")),
                _ => Some(steps),
            }
        }
        _ => None,
    }
}
