//! The arm's own thread: reads every state, and answers each one during a motion.

use std::sync::atomic::Ordering;
use std::time::Duration;

use franka::{FrankaError, JointPositions, MoveControllerMode, Robot};

use crate::cycle::{Cycle, Signals};
use crate::{Abort, Answer, ArmState, CollisionThresholds, End, Job, Link, Order};

/// Sets the thresholds. The protocol cannot read them back: the arm's `success` is the
/// confirmation.
pub(crate) fn set_thresholds(
    robot: &Robot,
    thresholds: &CollisionThresholds,
) -> Result<(), FrankaError> {
    robot.set_collision_behavior_simple(
        thresholds.contact_torque_nm,
        thresholds.collision_torque_nm,
        thresholds.contact_wrench,
        thresholds.collision_wrench,
    )
}

/// Serves states and orders until the link breaks or is shut down.
pub(crate) fn serve(robot: &Robot, link: &Link, thresholds: &CollisionThresholds) -> FrankaError {
    let mut answer = None;
    loop {
        if link.shut_down.load(Ordering::Acquire) {
            return FrankaError::Network("this program closed the connection".into());
        }
        match robot.read_once() {
            Ok(state) => link.publish(&state),
            Err(error) => return error,
        };
        // Deliver the answer before taking the next order.
        if let Some(given) = answer.take() {
            answer = link.answers.offer(given).err();
            continue;
        }
        let (given, lost) = match link.orders.try_take() {
            None => continue,
            Some(Order::Recover(id)) => {
                let recovered = robot.automatic_error_recovery();
                let result = recovered.and_then(|()| set_thresholds(robot, thresholds));
                let lost = network_error(result.as_ref().err());
                (Answer::Recovered(id, result), lost)
            }
            Some(Order::Move(mut job)) => {
                let mut lost = None;
                if let Err(error) = drive(robot, &mut job, link) {
                    lost = network_error(Some(&error));
                    job.outcome.end = Some(End::Failed(error));
                }
                (Answer::Moved(job), lost)
            }
        };
        answer = link.answers.offer(given).err();
        if let Some(error) = lost {
            return error;
        }
    }
}

fn network_error(error: Option<&FrankaError>) -> Option<FrankaError> {
    match error {
        Some(FrankaError::Network(_) | FrankaError::Protocol(_)) => error.cloned(),
        _ => None,
    }
}

fn drive(robot: &Robot, job: &mut Job, link: &Link) -> Result<(), FrankaError> {
    let mut control = robot.start_joint_position_control(MoveControllerMode::JointImpedance)?;
    let mut cycle: Option<Cycle> = None;
    let mut received_ns = link.now_ns();
    loop {
        let (state, period) = control.read_once()?;
        let state = link.publish(&state);
        let gap = Duration::from_nanos(state.received_ns.saturating_sub(received_ns));
        received_ns = state.received_ns;
        let cycle = match &mut cycle {
            Some(cycle) => {
                link.count(period.as_millis());
                cycle
            }
            None => {
                if let Some(abort) = elsewhere(job, &state) {
                    // Dropping the motion stops it before a command was sent.
                    job.outcome.end = Some(End::Aborted(abort));
                    return Ok(());
                }
                cycle.insert(Cycle::new(job, &state))
            }
        };
        let signals = Signals {
            stop: link.stop.is_stopped(),
            abort: abort(job, link, gap),
            width_m: link.width_m(),
        };
        let step = cycle.step(job, &state, period.as_millis(), &signals);
        let mut output = JointPositions::new(step.position);
        output.motion_finished = step.finished;
        control.write_once(&output, None)?;
        if step.finished {
            return Ok(());
        }
    }
}

fn elsewhere(job: &Job, state: &ArmState) -> Option<Abort> {
    let off = crate::state::off(&job.commands[0], &state.wire.q_d);
    let (joint, off) = ArmState::largest(&off);
    (off > job.start_tolerance).then_some(Abort::Elsewhere { joint, off })
}

fn abort(job: &Job, link: &Link, gap: Duration) -> Option<Abort> {
    let ms = |duration: Duration| u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
    let silent = link.since_beat();
    if gap > job.stale {
        Some(Abort::Stale { gap_ms: ms(gap) })
    } else if silent > job.lost_controller || link.is_abandoned(job.id) {
        Some(Abort::LostController {
            silent_ms: ms(silent),
        })
    } else if link.shut_down.load(Ordering::Acquire) {
        Some(Abort::ShutDown)
    } else {
        None
    }
}
