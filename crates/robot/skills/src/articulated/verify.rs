//! Verification of a joint's state, and diagnosis of failures.

use regrasp_api::{Failure, Percept, Phase, Reason, Success};
use regrasp_robot::{Result, Robot};
use serde_json::json;

use super::{JointTask, is_level};
use crate::params::{MOST_FORCE_N, REST_SECS};
use crate::sight;

pub(super) fn look(robot: &mut Robot, task: &mut JointTask) -> Result<()> {
    let (percept, object) = sight::see_with(robot, task.id())?;
    task.object = object;
    take_joint(&percept, task)
}

/// Updates the task's joint once everything has come to rest. `verification_failed` if its object
/// still moves.
pub(super) fn look_settled(robot: &mut Robot, task: &mut JointTask) -> Result<()> {
    let settled = robot.settle(REST_SECS)?;
    settled.at_rest(&[task.id()]).map_err(|failure| Failure {
        reason: Reason::VerificationFailed,
        ..failure
    })?;
    take_joint(&settled.percept, task)
}

fn take_joint(percept: &Percept, task: &mut JointTask) -> Result<()> {
    let id = task.id();
    let Some(joint) = percept.joint_of(id) else {
        let text = format!("the joint of {id} is no longer seen");
        return Err(Failure::new(Reason::ObjectNotFound, text).in_phase(Phase::Perceive));
    };
    task.joint = joint.clone();
    Ok(())
}

/// Fails if the joint is not near the opening to which the hand moved it.
pub(super) fn arrived(task: &JointTask, reach: f64) -> Result<()> {
    let most = task.path().off;
    match (task.joint.opening - reach).abs() <= most || task.is_there() {
        true => Ok(()),
        false => Err(off_goal(task, reach, most)),
    }
}

fn off_goal(task: &JointTask, target: f64, most: f64) -> Failure {
    let (id, unit) = (task.id(), task.path().unit);
    let off = (task.joint.opening - target).abs();
    let text = format!(
        "{id} is open by {:.3} {unit}, {off:.3} {unit} from its goal (limit {most:.3} {unit})",
        task.joint.opening
    );
    Failure::new(Reason::VerificationFailed, text)
        .about([id.clone()])
        .measured("off_goal", off, Some(most), unit)
}

/// Diagnoses why an object is not at its goal: it is stuck, something is in its way, or the hand
/// lost it. `holds` is true if the fingers still hold its handle, `None` if they held none.
pub(super) fn explain(
    robot: &mut Robot,
    task: &mut JointTask,
    before: f64,
    holds: Option<bool>,
    failure: Failure,
) -> Failure {
    let symptoms = [
        Reason::GraspSlipped,
        Reason::ObjectDropped,
        Reason::TrackingError,
        Reason::PathBlocked,
        Reason::VerificationFailed,
    ];
    if !symptoms.contains(&failure.reason)
        || failure.phase == Some(Phase::Plan)
        || look(robot, task).is_err()
    {
        return failure;
    }
    let moved = (task.joint.opening - before).abs();
    let still = moved < task.path().stuck || task.press.is_some();
    let slid = !still && !task.path().turns;
    let (reason, what) = match (holds, still) {
        (Some(holds), _) if !holds || slid => (Reason::HandleSlipped, "slipped out of the hand"),
        (_, true) => (Reason::JointNotMoved, "did not move"),
        (_, false) => (Reason::PathBlocked, "stopped on the way"),
    };
    let mut explained = fell_short(task, before, reason, what);
    explained.detail = format!("{} ({})", explained.detail, failure.detail).into();
    let mut explained = sight::explained_by(explained, failure);
    let most_n = robot.info.gripper.max_force_n;
    if explained.reason == Reason::HandleSlipped && task.force_n.is_none_or(|n| n < most_n) {
        explained = explained.retry_with(json!({ "force_n": most_n }));
    }
    let press = task.press.filter(|press| press.max_force_n < MOST_FORCE_N);
    if let Some(press) = press {
        let more_n = (2.0 * press.max_force_n).min(MOST_FORCE_N);
        explained = explained.retry_with(json!({ "max_force_n": more_n }));
    }
    explained
}

/// Failure if the hand moved as planned and the joint did not.
pub(super) fn stuck(task: &JointTask, before: f64) -> Failure {
    let what = match is_level(&task.joint) {
        true => "fell back when it was released on the way",
        false => "did not move",
    };
    fell_short(task, before, Reason::JointNotMoved, what).in_phase(Phase::Execute)
}

fn fell_short(task: &JointTask, before: f64, reason: Reason, what: &str) -> Failure {
    let (id, unit) = (task.id(), task.path().unit);
    let moved = (task.joint.opening - before).abs();
    let wanted = (task.target - before).abs();
    let text = format!("{id} {what}: moved {moved:.3} {unit} of {wanted:.3} {unit}");
    Failure::new(reason, text)
        .about([id.clone()])
        .measured("travel", moved, Some(wanted), unit)
}

pub(super) fn verify(robot: &mut Robot, task: &JointTask) -> Result<Success> {
    let mut task = task.clone();
    look_settled(robot, &mut task)?;
    let (id, unit) = (task.id(), task.path().unit);
    if task.press.is_some() {
        let n = task.n_presses();
        if !task.is_there() {
            return Err(stuck(&task, task.joint.opening).in_phase(Phase::Verify));
        }
        let success = Success::new(format!("{id} registered the press (number {n})"));
        let success = success.about([id.clone()]);
        return Ok(success.measured("presses", f64::from(n), None, ""));
    }
    if !task.is_there() {
        let within = task.target.clamp(*task.counts.start(), *task.counts.end());
        return Err(off_goal(&task, within, 0.0).in_phase(Phase::Verify));
    }
    let (opening, travel) = (task.joint.opening, task.joint.travel);
    let text = format!("{id} is open by {opening:.3} {unit} of {travel:.3} {unit}");
    let success = Success::new(text).about([id.clone()]);
    Ok(success.measured("opening", opening, Some(task.target), unit))
}
