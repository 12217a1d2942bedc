//! The way of what moves on a joint: where it comes, and what it would meet.

use nalgebra::Vector3;
use regrasp_api::{
    Failure, MotionFailure, MotionGoal, ObjectId, Observation, PerceivedObject, Percept, Phase,
    PlanningScene, Pose, Reason, Trajectory,
};
use regrasp_motion::Body;
use regrasp_relations::{is_inside, is_supported_by};
use regrasp_robot::Robot;

use super::{JointWork, family};
use crate::bodies::{bodies, body_of, near};
use crate::candidates::Approach;
use crate::grasp::Grasp;

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

/// The direction in which a point of it moves now, in World.
pub(super) fn direction(work: &JointWork, point: &Vector3<f64>) -> Vector3<f64> {
    work.sign() * work.path().tangent(&work.joint, point)
}

pub(super) fn scenes(robot: &Robot, percept: &Percept, work: &JointWork) -> Scenes {
    let id = work.id();
    let free = robot.planning_scene(percept);
    let mut moving = free.clone().touching(work.joint.parent.clone());
    if work.path().turns {
        // What is so near that it touches goes on touching.
        moving.may_touch.extend(near(percept, &work.thing, NEAR_M));
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

/// Returns true for what moves, what is loose on it or in it, and what has its joint on it. A drawer
/// right above another one is neither.
fn comes_along(percept: &Percept, work: &JointWork, id: &ObjectId) -> bool {
    if id == work.id() {
        return true;
    }
    if let Some(joint) = percept.joints.iter().find(|joint| &joint.child == id) {
        return &joint.parent == work.id();
    }
    percept.object(id).is_some_and(|o| {
        o.movable && (is_supported_by(o, &work.thing) || is_inside(o, &work.thing))
    })
}

/// The arm as it stands before something that it should move.
pub(super) struct Site<'a> {
    pub(super) robot: &'a Robot,
    pub(super) now: Observation,
    pub(super) work: &'a JointWork,
    pub(super) scenes: &'a Scenes,
}

/// One go: along the joint with the hand at a handle, or at a surface that it pushes.
pub(super) struct Go {
    /// The grasp of the handle, if it is held.
    pub(super) grasp: Option<Grasp>,
    /// Finger distance on the way there, m.
    pub(super) opening_m: f64,
    /// From where the arm is to the beginning of the straight approach.
    pub(super) travel: Trajectory,
    /// At the handle, or just before the hand touches.
    pub(super) world_from_tool: Pose,
    /// Openings on the way, and where the tool is then.
    pub(super) way: Vec<(f64, Pose)>,
}

impl Go {
    /// The opening to which it leads.
    pub(super) fn reach(&self) -> f64 {
        self.way.last().map_or(0.0, |(opening, _)| *opening)
    }

    /// The one of two that leads further from an opening.
    pub(super) fn further(self, other: Option<Self>, from: f64) -> Self {
        let far = |go: &Self| (go.reach() - from).abs();
        match other {
            Some(other) if far(&other) >= far(&self) => other,
            _ => self,
        }
    }
}

impl Site<'_> {
    /// The go with the hand at the end of an approach, as far along a way as the arm follows in
    /// straight lines: all of it, or as much as is worth it.
    ///
    /// # Errors
    ///
    /// Why the arm does not get there, or no further where that is not worth it.
    pub(super) fn plan(
        &self,
        approach: &Approach,
        (grasp, opening_m): (Option<Grasp>, f64),
        mut way: Vec<(f64, Pose)>,
    ) -> Result<Go, MotionFailure> {
        let motion = |start: &[f64], width_m: f64, goal: MotionGoal, scene: &PlanningScene| {
            self.robot
                .motion_from(&self.now, start, width_m, goal, scene)
        };
        let before = MotionGoal::AnyPose(vec![approach.world_from_before]);
        let there = MotionGoal::Line(approach.world_from_tool);
        let (start, scenes) = (&self.now.joint_positions, self.scenes);
        let travel = motion(start, opening_m, before, &scenes.free)?;
        let line = motion(travel.last_position(), opening_m, there, &scenes.touching)?;
        let width_m = grasp.as_ref().map_or(opening_m, |grasp| grasp.width_m);
        let mut at = line.last_position().to_vec();
        for n in 0..way.len() {
            match motion(&at, width_m, MotionGoal::Line(way[n].1), &scenes.moving) {
                Ok(line) => at = line.last_position().to_vec(),
                Err(failure) if n == 0 || !self.work.is_worth(way[n - 1].0) => return Err(failure),
                Err(_) => {
                    way.truncate(n);
                    break;
                }
            }
        }
        Ok(Go {
            grasp,
            opening_m,
            travel,
            world_from_tool: approach.world_from_tool,
            way,
        })
    }
}

/// Checks that nothing stands where it should move.
///
/// # Errors
///
/// `path_blocked` with what it would meet and how far it would come.
pub(super) fn check_free(percept: &Percept, work: &JointWork) -> Result<(), Failure> {
    let (thing, joint) = (&work.thing, &work.joint);
    let Some(body) = body_of(thing) else {
        return Ok(());
    };
    let mut own = family(percept, work);
    own.extend(near(percept, thing, NEAR_M));
    let stays = |o: &PerceivedObject| !own.contains(&o.id) && !comes_along(percept, work, &o.id);
    let others: Vec<_> = bodies(percept, stays).collect();
    // To where it counts, not to the last bit of its travel.
    let to = joint
        .opening
        .clamp(work.aim.least.min(1e3), work.aim.most.max(-1e3));
    let way = to - joint.opening;
    let size_m = thing.aabb_in_world().size().norm();
    let reach_m = if work.path().turns { size_m } else { 1.0 };
    let n = (way.abs() * reach_m / LOOK_M).ceil() as usize;
    for k in 1..=n {
        let opening = joint.opening + way * k as f64 / n as f64;
        let there = body.at(&joint.carried(&thing.world_from_object, opening));
        let meets = |other: &Body| there.gap_m(other, 0.0).is_some_and(|gap| gap < -DEEP_M);
        if let Some((PerceivedObject { id, .. }, _)) = others.iter().find(|(_, other)| meets(other))
        {
            let reach = way * (k - 1) as f64 / n as f64;
            let unit = work.path().unit;
            let text = format!(
                "{} would meet {id} after {:.3} {unit} of {:.3} {unit}",
                thing.id,
                reach.abs(),
                way.abs()
            );
            return Err(Failure::new(Reason::PathBlocked, text)
                .in_phase(Phase::Plan)
                .about([id.clone()])
                .measured("travel", reach.abs(), Some(way.abs()), unit));
        }
    }
    Ok(())
}
