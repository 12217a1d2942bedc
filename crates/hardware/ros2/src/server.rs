//! A robot offered to ROS: its topics, and the three actions that command it.

use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration as StdDuration;

use ros2_client::action::{
    AsyncActionServer, CancelHandle, ExecutingGoalHandle, GoalEndStatus, NewGoalHandle,
};
use tokio::task::LocalSet;
use tokio::time::{interval, sleep, timeout};

use crate::actions::{Action, End, Follow, Grip, Run};
use crate::messages::{follow_type, grip_type, run_type};
use crate::node::RosNode;
use crate::publisher::Publishers;
use crate::{NodeError, NodeSettings, OfferedRobot};

/// Settings of a server.
#[derive(Clone, Debug)]
pub struct ServerSettings {
    /// Settings of the node.
    pub node: NodeSettings,
    /// Rate of joint states and transforms, Hz.
    pub rate_hz: f64,
    /// Rate of camera pictures while somebody subscribes to them, Hz.
    pub camera_hz: f64,
}

/// Time for which a result is kept until the client asks for it.
const RESULT_KEPT: StdDuration = StdDuration::from_secs(60);
const FEEDBACK: StdDuration = StdDuration::from_millis(50);
/// Pause after a message that cannot be read.
const PAUSE: StdDuration = StdDuration::from_millis(20);

/// Publishes the robot and takes orders for it until `stopped` completes, then stops the present
/// order. `ready` is called once the node is on the network.
///
/// # Errors
///
/// [`NodeError`] if the node cannot be opened.
pub fn serve(
    robot: &Arc<dyn OfferedRobot>,
    settings: &ServerSettings,
    ready: impl FnOnce(),
    stopped: impl Future<Output = ()>,
) -> Result<(), NodeError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .map_err(|why| NodeError::of("start the thread of the node", why))?;
    let local = LocalSet::new();
    let served = local.block_on(&runtime, async {
        let mut node = RosNode::open("regrasp", &settings.node)?;
        tokio::task::spawn_local(node.spin()?);
        let publishers = Publishers::new(&mut node, Arc::clone(robot))?;
        let follow =
            node.action_server("arm_controller/follow_joint_trajectory", &follow_type())?;
        let grip = node.action_server("gripper_controller/gripper_cmd", &grip_type())?;
        let run = node.action_server("run", &run_type())?;
        tokio::task::spawn_local(offer::<Follow>(follow, Arc::clone(robot)));
        tokio::task::spawn_local(offer::<Grip>(grip, Arc::clone(robot)));
        tokio::task::spawn_local(offer::<Run>(run, Arc::clone(robot)));
        ready();
        let publishing = publishers.publish(&node, settings.rate_hz, settings.camera_hz);
        tokio::select! {
            () = publishing => {}
            () = stopped => {}
        }
        Ok(())
    });
    robot.stop();
    served
}

type Server<A> =
    AsyncActionServer<<A as Action>::Goal, <A as Action>::Result, <A as Action>::Feedback>;

/// Serves the goals of one action, one after the other.
async fn offer<A: Action>(server: Server<A>, robot: Arc<dyn OfferedRobot>) {
    let server = Rc::new(server);
    let mut next = None;
    loop {
        let goal = match next.take() {
            Some(goal) => goal,
            None => match wait_for_goal::<A>(&server).await {
                Some(goal) => goal,
                None => {
                    sleep(PAUSE).await;
                    continue;
                }
            },
        };
        next = carry_out::<A>(&server, &robot, goal).await;
    }
}

async fn wait_for_goal<A: Action>(server: &Server<A>) -> Option<NewGoalHandle<A::Goal>> {
    loop {
        tokio::select! {
            goal = server.receive_new_goal() => return logged("receive a goal", goal),
            cancel = server.receive_cancel_request() => {
                // No goal runs that could be cancelled.
                let cancel = logged("receive a cancel request", cancel)?;
                let answered = server.respond_to_cancel_requests(&cancel, std::iter::empty());
                logged("answer a cancel request", answered.await)?;
            }
        }
    }
}

fn logged<T, E: std::fmt::Debug>(what: &str, result: Result<T, E>) -> Option<T> {
    let log = |error: E| tracing::warn!("failed to {what}: {error:?}");
    result.map_err(log).ok()
}

async fn accepted<A: Action>(
    server: &Server<A>,
    handle: NewGoalHandle<A::Goal>,
) -> Option<ExecutingGoalHandle<A::Goal>> {
    let accepted = logged("accept a goal", server.accept_goal(handle).await)?;
    logged("begin a goal", server.start_executing_goal(accepted).await)
}

/// Carries out one goal; returns the goal that pre-empted it, if any.
async fn carry_out<A: Action>(
    server: &Rc<Server<A>>,
    robot: &Arc<dyn OfferedRobot>,
    handle: NewGoalHandle<A::Goal>,
) -> Option<NewGoalHandle<A::Goal>> {
    let goal = server.get_new_goal(handle.clone())?;
    let begun = A::order(&goal, robot.as_ref()).and_then(|(action, order)| {
        let pending = robot.begin(order)?;
        Ok((action, pending))
    });
    let (mut action, mut pending) = match begun {
        Ok(begun) => begun,
        Err(why) => {
            tracing::warn!("a {} goal is rejected: {why}", A::NAME);
            logged("reject a goal", server.reject_goal(handle).await);
            return None;
        }
    };
    let Some(executing) = accepted::<A>(server, handle).await else {
        robot.stop();
        return None;
    };
    let id = executing.goal_id();
    let (mut is_cancelled, mut next, mut verdict) = (false, None, None);
    let mut ticks = interval(FEEDBACK);
    let outcome = loop {
        tokio::select! {
            outcome = &mut pending => break outcome,
            _ = ticks.tick() => {
                let Some(now) = robot.snapshot() else { continue };
                let (feedback, found) = action.feedback(&now, &robot.progress());
                let sent = server.publish_feedback(executing.clone(), feedback).await;
                logged("publish feedback", sent);
                if let (Some(found), None) = (found, &verdict) {
                    verdict = Some(found);
                    robot.stop();
                }
            }
            cancel = server.receive_cancel_request() => {
                let Some(cancel) = logged("receive a cancel request", cancel) else { continue };
                is_cancelled |= CancelHandle::contains_goal(&cancel, &id);
                let mine = is_cancelled.then_some(id);
                let answered = server.respond_to_cancel_requests(&cancel, mine.into_iter());
                logged("answer a cancel request", answered.await);
                if is_cancelled {
                    robot.stop();
                }
            }
            goal = server.receive_new_goal() => {
                let Some(goal) = logged("receive a goal", goal) else { continue };
                if A::PREEMPTS && next.is_none() {
                    next = Some(goal);
                    robot.stop();
                } else {
                    logged("reject a goal", server.reject_goal(goal).await);
                }
            }
        }
    };
    let (result, is_met) = action.result(&End {
        now: robot.snapshot(),
        outcome,
        verdict,
    });
    let end = match (is_met, is_cancelled) {
        (true, _) => GoalEndStatus::Succeeded,
        (false, true) => GoalEndStatus::Canceled,
        (false, false) => GoalEndStatus::Aborted,
    };
    send_result::<A>(Rc::clone(server), executing, end, result);
    next
}

/// Sends the result of a goal once the client asks for it.
fn send_result<A: Action>(
    server: Rc<Server<A>>,
    executing: ExecutingGoalHandle<A::Goal>,
    end: GoalEndStatus,
    result: A::Result,
) {
    tokio::task::spawn_local(async move {
        let sent = server.send_result_response(executing, end, result);
        if let Ok(sent) = timeout(RESULT_KEPT, sent).await {
            logged("send a result", sent);
        }
    });
}
