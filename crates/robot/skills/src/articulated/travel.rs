//! Travel of an object on a joint, and the obstacles on it.

use nalgebra::Vector3;
use regrasp_api::{Failure, ObjectId, PerceivedObject, Percept, Phase, Reason};
use regrasp_motion::Body;
use regrasp_relations::{is_inside, is_supported_by};
use regrasp_robot::Robot;

use super::{JointTask, family};
use crate::bodies::{bodies, body_of, near};
use crate::params::{NEAR_M, SEEN_EXACT_M};
use crate::stroke::Scenes;

/// Step at which the travel is checked beforehand, m.
const LOOK_M: f64 = 0.02;

/// Direction in which a point of the object moves now, in World.
pub(super) fn direction(task: &JointTask, point: &Vector3<f64>) -> Vector3<f64> {
    task.sign() * task.path().tangent(&task.joint, point)
}

pub(super) fn scenes(robot: &Robot, percept: &Percept, task: &JointTask) -> Scenes {
    let id = task.id();
    let free = robot.planning_scene(percept);
    let mut moving = free.clone().touching(task.joint.parent.clone());
    if task.path().turns {
        // Objects that touch it already may stay in contact.
        moving.may_touch.extend(near(percept, &task.object, NEAR_M));
    }
    moving
        .obstacles
        .retain(|o| !comes_along(percept, task, &o.id));
    Scenes {
        touching: free.clone().touching(id.clone()),
        free,
        moving,
    }
}

/// Returns true for the moving part, loose objects in or on it, and parts whose joint is on it. A
/// drawer right above another one is neither.
fn comes_along(percept: &Percept, task: &JointTask, id: &ObjectId) -> bool {
    if id == task.id() {
        return true;
    }
    if let Some(joint) = percept.joints.iter().find(|joint| &joint.child == id) {
        return &joint.parent == task.id();
    }
    percept.object(id).is_some_and(|o| {
        o.movable && (is_supported_by(o, &task.object) || is_inside(o, &task.object))
    })
}

/// Checks that the travel is free.
///
/// # Errors
///
/// `path_blocked` with the obstacle and the opening that can be reached.
pub(super) fn check_free(percept: &Percept, task: &JointTask) -> Result<(), Failure> {
    let (object, joint) = (&task.object, &task.joint);
    let Some(body) = body_of(object) else {
        return Ok(());
    };
    let mut own = family(percept, task);
    own.extend(near(percept, object, NEAR_M));
    let stays = |o: &PerceivedObject| !own.contains(&o.id) && !comes_along(percept, task, &o.id);
    let others: Vec<_> = bodies(percept, stays).collect();
    // Only up to the threshold of the goal, not to the end of the travel.
    let to = joint
        .opening
        .clamp(task.goal.least.min(1e3), task.goal.most.max(-1e3));
    let travel = to - joint.opening;
    let size_m = object.aabb_in_world().size().norm();
    let reach_m = if task.path().turns { size_m } else { 1.0 };
    let n = (travel.abs() * reach_m / LOOK_M).ceil() as usize;
    for k in 1..=n {
        let opening = joint.opening + travel * k as f64 / n as f64;
        let there = body.at(&joint.carried(&object.world_from_object, opening));
        let meets = |other: &Body| {
            there
                .gap_m(other, 0.0)
                .is_some_and(|gap| gap < -SEEN_EXACT_M)
        };
        if let Some((PerceivedObject { id, .. }, _)) = others.iter().find(|(_, other)| meets(other))
        {
            let reach = travel * (k - 1) as f64 / n as f64;
            let unit = task.path().unit;
            let text = format!(
                "{} would hit {id} after {:.3} {unit} of {:.3} {unit}",
                object.id,
                reach.abs(),
                travel.abs()
            );
            return Err(Failure::new(Reason::PathBlocked, text)
                .in_phase(Phase::Plan)
                .about([id.clone()])
                .measured("travel", reach.abs(), Some(travel.abs()), unit));
        }
    }
    Ok(())
}
