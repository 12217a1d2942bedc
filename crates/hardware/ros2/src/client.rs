//! The thread that communicates with the controllers of an arm.

use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use futures_util::{StreamExt, pin_mut};
use parking_lot::Mutex;
use ros2_client::Subscription;
use ros2_client::action::{ActionClient, GoalStatusEnum};
use ros2_client::builtin_interfaces::Time as RosTime;
use tokio::sync::{Notify, mpsc};
use tokio::task::LocalSet;
use tokio::time::timeout;

use crate::messages::{
    FollowFeedback, FollowGoal, FollowResult, GripGoal, GripState, JointState, Sent, follow_type,
    grip_type,
};
use crate::node::RosNode;
use crate::{ArmSettings, NodeError};

/// End of a goal.
#[derive(Clone, Debug)]
pub(crate) enum Ended<R> {
    /// The controller does not answer.
    NoAnswer,
    /// The controller rejected the goal.
    Rejected,
    /// The controller ended the goal with this status and result.
    With(GoalStatusEnum, R),
}

/// Goal of a controller, seen from the thread that waits for it.
pub(crate) struct Job<G, R, F> {
    goal: G,
    ended: Mutex<Option<Ended<R>>>,
    feedback: Mutex<Option<F>>,
    cancel: Notify,
}

impl<G, R: Clone, F: Clone> Job<G, R, F> {
    pub(crate) fn new(goal: G) -> Arc<Self> {
        Arc::new(Self {
            goal,
            ended: Mutex::new(None),
            feedback: Mutex::new(None),
            cancel: Notify::new(),
        })
    }

    pub(crate) fn ended(&self) -> Option<Ended<R>> {
        self.ended.lock().clone()
    }

    pub(crate) fn feedback(&self) -> Option<F> {
        self.feedback.lock().clone()
    }

    /// Asks the controller to cancel the goal.
    pub(crate) fn cancel(&self) {
        self.cancel.notify_one();
    }
}

pub(crate) type FollowJob = Job<FollowGoal, FollowResult, FollowFeedback>;
pub(crate) type GripJob = Job<GripGoal, GripState, GripState>;

enum Command {
    Follow(Arc<FollowJob>),
    Grip(Arc<GripJob>),
}

/// Newest joint state and its arrival.
pub(crate) type Latest = Arc<Mutex<Option<(JointState, Instant)>>>;

/// Connection to the controllers. Dropping it leaves the network.
pub(crate) struct Client {
    pub(crate) latest: Latest,
    commands: Option<mpsc::UnboundedSender<Command>>,
    thread: Option<JoinHandle<()>>,
}

struct Endpoints {
    node: RosNode,
    states: Subscription<JointState>,
    arm: ActionClient<FollowGoal, FollowResult, FollowFeedback>,
    gripper: ActionClient<GripGoal, GripState, GripState>,
}

impl Client {
    /// Joins the network.
    pub(crate) fn open(settings: &ArmSettings) -> Result<Self, NodeError> {
        let latest = Latest::default();
        let (commands, orders) = mpsc::unbounded_channel();
        let (opened, is_open) = std::sync::mpsc::channel();
        let (states, settings) = (Arc::clone(&latest), settings.clone());
        let thread = thread::Builder::new()
            .name("ROS arm".into())
            .spawn(move || {
                let runtime = tokio::runtime::Builder::new_current_thread()
                    .enable_time()
                    .build();
                let runtime = runtime.map_err(|why| NodeError::of("start the node's thread", why));
                let endpoints = runtime.and_then(|runtime| Ok((runtime, endpoints(&settings)?)));
                match endpoints {
                    Err(error) => drop(opened.send(Err(error))),
                    Ok((runtime, endpoints)) => {
                        drop(opened.send(Ok(())));
                        let serving = serve(endpoints, states, orders, settings);
                        LocalSet::new().block_on(&runtime, serving);
                    }
                }
            });
        let thread = thread.map_err(|why| NodeError::of("start the node's thread", why))?;
        let opened = is_open.recv();
        opened.map_err(|why| NodeError::of("start the node", why))??;
        Ok(Self {
            latest,
            commands: Some(commands),
            thread: Some(thread),
        })
    }

    pub(crate) fn follow(&self, job: &Arc<FollowJob>) {
        self.send(Command::Follow(Arc::clone(job)));
    }

    pub(crate) fn grip(&self, job: &Arc<GripJob>) {
        self.send(Command::Grip(Arc::clone(job)));
    }

    fn send(&self, command: Command) {
        if let Some(commands) = &self.commands {
            // If the thread has ended, the caller notices that no joint state arrives.
            drop(commands.send(command));
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.commands = None;
        if let Some(thread) = self.thread.take() {
            // A panic of the thread was already reported.
            drop(thread.join());
        }
    }
}

fn endpoints(settings: &ArmSettings) -> Result<Endpoints, NodeError> {
    let mut node = RosNode::open("regrasp_arm", &settings.node)?;
    Ok(Endpoints {
        states: node.subscription(&settings.joint_states)?,
        arm: node.action_client(&settings.arm_action, &follow_type())?,
        gripper: node.action_client(&settings.gripper_action, &grip_type())?,
        node,
    })
}

async fn serve(
    mut endpoints: Endpoints,
    latest: Latest,
    mut orders: mpsc::UnboundedReceiver<Command>,
    settings: ArmSettings,
) {
    match endpoints.node.spin() {
        Ok(spinning) => drop(tokio::task::spawn_local(spinning)),
        Err(error) => tracing::warn!("{error}"),
    }
    let states = endpoints.states;
    tokio::task::spawn_local(async move {
        let stream = states.async_stream();
        pin_mut!(stream);
        while let Some(state) = stream.next().await {
            match state {
                Ok((state, _)) => *latest.lock() = Some((state, Instant::now())),
                Err(error) => tracing::warn!("a joint state cannot be read: {error:?}"),
            }
        }
    });
    let answer = Duration::from_secs_f64(settings.answer_secs);
    let (arm, gripper) = (Arc::new(endpoints.arm), Arc::new(endpoints.gripper));
    while let Some(command) = orders.recv().await {
        match command {
            Command::Follow(job) => {
                let arm = Arc::clone(&arm);
                tokio::task::spawn_local(async move { carry_out(&arm, &job, answer).await });
            }
            Command::Grip(job) => {
                let gripper = Arc::clone(&gripper);
                tokio::task::spawn_local(async move { carry_out(&gripper, &job, answer).await });
            }
        }
    }
}

async fn carry_out<G: Sent, R: Sent, F: Sent>(
    client: &ActionClient<G, R, F>,
    job: &Job<G, R, F>,
    answer: Duration,
) {
    let ended = goal_end(client, job, answer).await;
    *job.ended.lock() = Some(ended);
}

async fn goal_end<G: Sent, R: Sent, F: Sent>(
    client: &ActionClient<G, R, F>,
    job: &Job<G, R, F>,
    answer: Duration,
) -> Ended<R> {
    let sent = timeout(answer, client.async_send_goal(job.goal.clone())).await;
    let (id, response) = match sent {
        Ok(Ok(sent)) => sent,
        _ => return Ended::NoAnswer,
    };
    if !response.accepted {
        return Ended::Rejected;
    }
    let result = client.async_request_result(id);
    let feedback = client.feedback_stream(id);
    pin_mut!(result, feedback);
    loop {
        tokio::select! {
            result = &mut result => return match result {
                Ok((status, result)) => Ended::With(status, result),
                Err(_) => Ended::NoAnswer,
            },
            Some(Ok(told)) = feedback.next() => *job.feedback.lock() = Some(told),
            () = job.cancel.notified() => {
                let asked = timeout(answer, client.async_cancel_goal(id, RosTime::ZERO)).await;
                if asked.is_err() {
                    return Ended::NoAnswer;
                }
            }
        }
    }
}
