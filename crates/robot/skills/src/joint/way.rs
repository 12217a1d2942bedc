//! The way of what moves on a joint: where it comes, and what it would meet.

use nalgebra::Vector3;
use regrasp_api::{Failure, JointKind, ObjectId, Percept, Phase, PlanningScene, Reason};
use regrasp_motion::Body;
use regrasp_relations::{is_inside, is_supported_by};
use regrasp_robot::Robot;

use super::{JointWork, by_kind, family, unit};

/// An arc is followed in steps of at most this, rad: a straight line cuts it by less than a
/// millimetre at 0.3 m.
const STEP_RAD: f64 = 0.15;
/// Steps in which the way is looked at beforehand, m.
const LOOK_M: f64 = 0.02;
/// What is nearer than this to what moves touches it already, m.
const NEAR_M: f64 = 0.01;
/// What moves may be that deep in something by what is seen, m.
const DEEP_M: f64 = 0.003;

/// What is in the way on which part of the work.
pub(super) struct Scenes {
    /// On the way there: everything.
    pub(super) free: PlanningScene,
    /// At the handle: everything, what moves may be touched.
    pub(super) touching: PlanningScene,
    /// While it moves: everything but that and what lies in it, which come along.
    pub(super) moving: PlanningScene,
}

/// Openings on the way from where it is to `target`, the last of them that.
pub(super) fn openings(work: &JointWork, target: f64) -> Vec<f64> {
    let from = work.joint.opening;
    let n = match work.joint.kind {
        JointKind::Prismatic => 1,
        JointKind::Revolute => ((target - from).abs() / STEP_RAD).ceil().max(1.0) as usize,
    };
    let at = |k: usize| from + (target - from) * k as f64 / n as f64;
    (1..=n).map(at).collect()
}

/// The direction in which a point of it moves, in World.
pub(super) fn direction(work: &JointWork, point: &Vector3<f64>) -> Vector3<f64> {
    let joint = &work.joint;
    let along = match joint.kind {
        JointKind::Prismatic => joint.axis(),
        JointKind::Revolute => {
            let lever = point - Vector3::from(joint.point_in_world);
            joint.axis().cross(&lever)
        }
    };
    work.sign() * along.try_normalize(1e-9).unwrap_or_else(Vector3::zeros)
}

/// How far a point in World is from the axis of a hinge, m.
pub(super) fn lever_m(work: &JointWork, point: &Vector3<f64>) -> f64 {
    let lever = point - Vector3::from(work.joint.point_in_world);
    work.joint.axis().cross(&lever).norm()
}

pub(super) fn scenes(robot: &Robot, percept: &Percept, work: &JointWork) -> Scenes {
    let id = work.id();
    let free = robot.planning_scene(percept);
    let mut moving = free.clone().touching(work.joint.parent.clone());
    if work.joint.kind == JointKind::Revolute {
        moving.may_touch.extend(near(percept, work));
    }
    moving
        .obstacles
        .retain(|o| !comes_along(percept, work, &o.id));
    Scenes {
        touching: free.clone().touching(id.clone()),
        free,
        moving,
    }
}

fn comes_along(percept: &Percept, work: &JointWork, id: &ObjectId) -> bool {
    let seen = percept.object(id);
    id == work.id()
        || seen.is_some_and(|o| {
            o.movable && (is_supported_by(o, &work.thing) || is_inside(o, &work.thing))
        })
}

/// What is so near that it touches, and goes on touching.
fn near(percept: &Percept, work: &JointWork) -> Vec<ObjectId> {
    let Some(body) = Body::new(&work.thing.shape, &work.thing.world_from_object) else {
        return vec![];
    };
    let others = percept.objects.iter().filter(|o| &o.id != work.id());
    let touches = |o: &&regrasp_api::PerceivedObject| {
        Body::new(&o.shape, &o.world_from_object)
            .is_some_and(|other| body.gap_m(&other, NEAR_M).is_some())
    };
    others.filter(touches).map(|o| o.id.clone()).collect()
}

/// Checks that nothing stands where it should move.
///
/// # Errors
///
/// `path_blocked` with what it would meet and how far it would come.
pub(super) fn check_free(percept: &Percept, work: &JointWork) -> Result<(), Failure> {
    let (thing, joint) = (&work.thing, &work.joint);
    let Some(body) = Body::new(&thing.shape, &thing.world_from_object) else {
        return Ok(());
    };
    let mut own = family(percept, work);
    own.extend(near(percept, work));
    let others = percept
        .objects
        .iter()
        .filter(|o| !own.contains(&o.id) && !comes_along(percept, work, &o.id));
    let others: Vec<_> = others
        .filter_map(|o| Some((&o.id, Body::new(&o.shape, &o.world_from_object)?)))
        .collect();
    // To where it counts, not to the last bit of its travel.
    let to = joint
        .opening
        .clamp(work.aim.least.min(1e3), work.aim.most.max(-1e3));
    let way = to - joint.opening;
    let reach_m = by_kind(joint, 1.0, thing.aabb_in_world().size().norm());
    let n = (way.abs() * reach_m / LOOK_M).ceil() as usize;
    for k in 1..=n {
        let opening = joint.opening + way * k as f64 / n as f64;
        let there = body.at(&joint.carried(&thing.world_from_object, opening));
        let meets = |other: &Body| there.gap_m(other, 0.0).is_some_and(|gap| gap < -DEEP_M);
        if let Some((id, _)) = others.iter().find(|(_, other)| meets(other)) {
            let reach = way * (k - 1) as f64 / n as f64;
            let unit = unit(joint);
            let text = format!(
                "{} would meet {id} after {:.3} {unit} of {:.3} {unit}",
                thing.id,
                reach.abs(),
                way.abs()
            );
            return Err(Failure::new(Reason::PathBlocked, text)
                .in_phase(Phase::Plan)
                .about([(*id).clone()])
                .measured("travel", reach.abs(), Some(way.abs()), unit));
        }
    }
    Ok(())
}
