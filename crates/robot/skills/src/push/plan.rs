//! The first candidate with which the arm can really push, all the way or at least a part of it.

use nalgebra::{Translation3, UnitQuaternion, Vector3};
use regrasp_api::{
    Attachment, CollisionPair, Failure, MotionFailure, MotionGoal, ObjectId, Observation,
    PerceivedObject, Percept, PlanningScene, Pose, Reason, ToolTarget, Trajectory,
};
use regrasp_motion::Body;
use regrasp_robot::Robot;

use super::contacts::{Contact, GAP_M, Touch, contacts};
use crate::aim::Aim;
use crate::bodies::bodies;
use crate::grasp::Hand;
use crate::moved::no_way;
use crate::params::{PUSH_ROOM_M, SAME_TURN_RAD};

/// Candidates for which motions are planned, and those of them with one turn of the hand.
const MAX_PLANNED: usize = 36;
const MAX_ALIKE: usize = 3;
/// Configurations of the arm from which one push is tried.
const N_CONFIGURATIONS: usize = 3;
/// Candidates with which the arm does not reach all the way that are tried.
const MAX_SHORT: usize = 6;
/// The least that is pushed at once where the arm cannot go all the way, m, and how far from the end
/// of its reach it stops.
const LEAST_STROKE_M: f64 = 0.03;
const BEFORE_END_M: f64 = SPARE_M;
/// Reach that an arm should have beyond the end of a push, m: a soft arm falls behind.
const SPARE_M: f64 = 0.02;
/// By how much more than a push at the end of its reach another may cost, m.
const STRAIN_M: f64 = 0.02;
/// Strokes in a row that are looked for before the first is made.
const MAX_STROKES: usize = 3;

/// One straight push.
pub(super) struct Stroke {
    pub(super) contact: Contact,
    /// From where the arm is to above the object.
    pub(super) travel: Trajectory,
    /// Way of the object, m.
    pub(super) length_m: f64,
    pub(super) scenes: Scenes,
}

/// Obstacles on each part of the work.
pub(super) struct Scenes {
    /// On the way there: everything.
    free: PlanningScene,
    /// Down to the object, and away from it: it and what it stands on may be touched.
    pub(super) touching: PlanningScene,
    /// While it is pushed: the object moves with the hand.
    pub(super) pushing: PlanningScene,
}

/// The best stroke that is possible, as far as the arm reaches; what is left has to be possible
/// after it.
///
/// # Errors
///
/// As [`crate::candidates::first_possible`].
pub(super) fn choose(robot: &mut Robot, percept: &Percept, aim: &Aim) -> Result<Stroke, Failure> {
    let now = robot.observe()?;
    let can = robot.can();
    let is_other =
        |o: &PerceivedObject| o.id != aim.object.id && Some(&o.id) != aim.support.as_ref();
    let others = bodies(percept, is_other);
    let planner = Planner {
        hand: Hand::new(&robot.info.gripper),
        others: others.map(|(o, body)| (o.id.clone(), body)).collect(),
        robot,
        now: &now,
        percept,
        // A stiff arm cannot press with a force that it keeps, and one that feels no contact does
        // not know when it presses.
        presses: can.compliance && can.contact_forces,
    };
    let start = &now.joint_positions;
    let chosen = planner.stroke(aim, start, MAX_STROKES);
    chosen.map_err(|failures| match failures.as_slice() {
        [] => {
            let text = format!("there is no place at {} where the hand fits", aim.object.id);
            Failure::new(Reason::NoGraspFound, text).about([aim.object.id.clone()])
        }
        _ => no_way("push", aim, failures),
    })
}

struct Planner<'a> {
    robot: &'a Robot,
    now: &'a Observation,
    percept: &'a Percept,
    hand: Hand,
    /// All but the object and what it stands on.
    others: Vec<(ObjectId, Body)>,
    presses: bool,
}

impl Planner<'_> {
    /// The first candidate that goes all the way, else the one that goes furthest if strokes go on
    /// from there.
    fn stroke(
        &self,
        aim: &Aim,
        start: &[f64],
        n_left: usize,
    ) -> Result<Stroke, Vec<MotionFailure>> {
        let contacts = contacts(&self.robot.info.gripper, &self.hand, aim, self.presses);
        let (whole_m, mut failures) = (aim.way().norm(), vec![]);
        let (mut strained, mut partial): (Option<Stroke>, Option<(Stroke, Vec<f64>)>) =
            (None, None);
        let (mut tried, mut short): (Vec<UnitQuaternion<f64>>, Vec<Contact>) = (vec![], vec![]);
        for contact in contacts {
            let rotation = contact.world_from_tool.rotation;
            let is_alike = |other: &&UnitQuaternion<f64>| other.angle_to(&rotation) < SAME_TURN_RAD;
            let dearer = |s: &Stroke| contact.cost_m > s.contact.cost_m + STRAIN_M;
            if tried.len() == MAX_PLANNED || strained.as_ref().is_some_and(dearer) {
                break;
            }
            if tried.iter().filter(is_alike).count() == MAX_ALIKE {
                continue;
            }
            if let Some(failure) = self.hand_meets(aim, &contact) {
                failures.push(failure);
                continue;
            }
            if !self.reaches(&contact.after(aim, whole_m), start) {
                let mut others = short.iter().map(|c| &c.world_from_tool.rotation);
                // One that reaches nothing is kept for its reason.
                let is_of_use = self.reaches(&contact.world_from_tool, start);
                if short.is_empty() || (is_of_use && !others.any(|o| is_alike(&o))) {
                    short.push(contact);
                }
                continue;
            }
            tried.push(rotation);
            match self.plan(aim, &contact, start, N_CONFIGURATIONS) {
                Ok((stroke, _)) if stroke.length_m >= whole_m => {
                    if self.reaches(&contact.after(aim, whole_m + SPARE_M), start) {
                        return Ok(stroke);
                    }
                    strained = strained.or(Some(stroke));
                }
                Ok(found) => partial = further(partial, found),
                Err(failure @ MotionFailure::StartInCollision { .. }) => return Err(vec![failure]),
                Err(failure) => failures.push(failure),
            }
        }
        if let Some(stroke) = strained {
            return Ok(stroke);
        }
        for contact in short.iter().take(MAX_SHORT) {
            match self.plan(aim, contact, start, 1) {
                Ok(found) => partial = further(partial, found),
                Err(failure) => failures.push(failure),
            }
        }
        let Some((stroke, end)) = partial.filter(|_| n_left > 1) else {
            return Err(failures);
        };
        let mut rest = aim.clone();
        let pushed = Translation3::from(aim.direction() * stroke.length_m);
        rest.object.world_from_object = pushed * rest.object.world_from_object;
        self.stroke(&rest, &end, n_left - 1).map(|_| stroke)
    }

    fn reaches(&self, world_from_tool: &Pose, near: &[f64]) -> bool {
        let target = ToolTarget::Pose(*world_from_tool);
        let motion = &self.robot.motion;
        motion.reaches(&self.now.world_from_base, &target, near)
    }

    /// The first thing that the hand would meet above its place, there, or at the end of the push.
    fn hand_meets(&self, aim: &Aim, contact: &Contact) -> Option<MotionFailure> {
        let end = contact.after(aim, aim.way().norm());
        let poses = [contact.world_from_before, contact.world_from_tool, end];
        let met = poses.iter().find_map(|pose| {
            let placed = self.hand.at(pose, contact.opening_m);
            let mut others = self.others.iter();
            others.find(|(_, other)| !placed.keeps_off(other, PUSH_ROOM_M, PUSH_ROOM_M))
        });
        let (id, _) = met?;
        let pair = CollisionPair {
            link: "hand".into(),
            other: id.to_string(),
        };
        Some(MotionFailure::GoalInCollision { pairs: vec![pair] })
    }

    /// All motions of a push with one contact, as far as it goes, and the configuration at its end.
    fn plan(
        &self,
        aim: &Aim,
        contact: &Contact,
        start: &[f64],
        n_configurations: usize,
    ) -> Result<(Stroke, Vec<f64>), MotionFailure> {
        let base = &self.now.world_from_base;
        let whole_m = aim.way().norm();
        let scenes = self.scenes(aim, contact);
        let motion = &self.robot.motion;
        motion.inverse(base, &ToolTarget::Pose(contact.world_from_tool), start)?;
        let mut befores = motion.configurations(base, &contact.world_from_before, start)?;
        befores.truncate(n_configurations);
        let mut ways: Vec<(f64, Vec<f64>, Vec<f64>)> = vec![];
        let mut failure = None;
        for before in befores {
            match self.push(aim, contact, &scenes, &before) {
                Ok((length_m, end)) => {
                    ways.push((length_m, before, end));
                    if length_m >= whole_m {
                        break;
                    }
                }
                // Here the arm is not yet.
                Err(MotionFailure::StartInCollision { pair }) => {
                    let pairs = vec![pair];
                    failure = failure.or(Some(MotionFailure::GoalInCollision { pairs }));
                }
                Err(why) => failure = failure.or(Some(why)),
            }
        }
        let best = ways.into_iter().max_by(|a, b| a.0.total_cmp(&b.0));
        let Some((length_m, before, end)) = best else {
            return Err(failure.unwrap_or(MotionFailure::BadTarget {
                detail: "there is no configuration of the arm to try".into(),
            }));
        };
        let goal = MotionGoal::AnyJoints(vec![before]);
        let width_m = contact.opening_m;
        let (robot, now) = (self.robot, self.now);
        let travel = robot.motion_from(now, start, width_m, goal, &scenes.free)?;
        let stroke = Stroke {
            contact: contact.clone(),
            travel,
            length_m,
            scenes,
        };
        Ok((stroke, end))
    }

    /// Down to the object from a configuration above it, and along the push. Returns how far that
    /// goes, and the configuration at its end.
    fn push(
        &self,
        aim: &Aim,
        contact: &Contact,
        scenes: &Scenes,
        before: &[f64],
    ) -> Result<(f64, Vec<f64>), MotionFailure> {
        let down = MotionGoal::Line(contact.world_from_tool);
        let motion = |start: &[f64], goal: MotionGoal, scene: &PlanningScene| {
            let width_m = contact.opening_m;
            self.robot
                .motion_from(self.now, start, width_m, goal, scene)
        };
        let down = motion(before, down, &scenes.touching)?;
        let whole_m = aim.way().norm();
        let along = |length_m: f64| {
            let goal = MotionGoal::Line(contact.after(aim, length_m));
            motion(down.last_position(), goal, &scenes.pushing)
        };
        let (length_m, pushed) = match along(whole_m) {
            Err(MotionFailure::Unreachable { pos_err_m, .. })
                if whole_m - pos_err_m - BEFORE_END_M >= LEAST_STROKE_M =>
            {
                let length_m = whole_m - pos_err_m - BEFORE_END_M;
                (length_m, along(length_m)?)
            }
            outcome => (whole_m, outcome?),
        };
        Ok((length_m, pushed.last_position().to_vec()))
    }

    fn scenes(&self, aim: &Aim, contact: &Contact) -> Scenes {
        let id = &aim.object.id;
        let mut free = self.robot.planning_scene(self.percept);
        for obstacle in free.obstacles.iter_mut().filter(|o| &o.id == id) {
            obstacle.world_from_object = aim.object.world_from_object;
        }
        let mut on_support = free.clone();
        on_support.may_touch.extend(aim.support.clone());
        let mut pushing = on_support.clone();
        pushing.obstacles.retain(|o| &o.id != id);
        pushing.attached = Some(Attachment {
            id: id.clone(),
            shape: aim.object.shape.clone(),
            tool_from_object: contact.after(aim, 0.0).inverse() * aim.object.world_from_object,
        });
        Scenes {
            free,
            touching: on_support.touching(id.clone()),
            pushing,
        }
    }
}

/// The one of two strokes that goes further.
fn further(
    one: Option<(Stroke, Vec<f64>)>,
    other: (Stroke, Vec<f64>),
) -> Option<(Stroke, Vec<f64>)> {
    let one = one.filter(|(stroke, _)| stroke.length_m >= other.0.length_m);
    one.or(Some(other))
}

impl Contact {
    /// The tool when the object has been pushed so far.
    pub(super) fn after(&self, aim: &Aim, length_m: f64) -> Pose {
        let gap_m = if self.touch == Touch::Beside {
            GAP_M
        } else {
            0.0
        };
        let way: Vector3<f64> = aim.direction() * (length_m + gap_m);
        Translation3::from(way) * self.world_from_tool
    }
}
