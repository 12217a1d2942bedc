//! Selection of the first candidate with which the arm can push the whole way or a part of it.

use nalgebra::{Translation3, Vector3};
use regrasp_api::{
    Attachment, CollisionPair, Failure, MotionFailure, ObjectId, Observation, PerceivedObject,
    Percept, Pose,
};
use regrasp_motion::Body;
use regrasp_relations::objects_in;
use regrasp_robot::{Result, Robot, filled};

use super::contacts::{Contact, PushSide, contacts};
use crate::aim::Aim;
use crate::arm::Arm;
use crate::bodies::{bodies, cleared};
use crate::candidates::summary;
use crate::faces::rolls;
use crate::grasp::Hand;
use crate::params::{PUSH_ROOM_M, TOUCH_GAP_M};
use crate::stroke::{Scenes, Search, Stroke};

/// Least length of a partial stroke, m.
const LEAST_STROKE_M: f64 = 0.03;
/// Step in which the path of a stroke is planned, m.
const STEP_M: f64 = 0.05;
/// Reach that the arm should have beyond the end of a push, m: a compliant arm lags behind.
const SPARE_M: f64 = 0.02;
/// Cost of a push that ends at the limit of the arm's reach, m.
const STRAIN_M: f64 = 0.02;
/// Cost of a push that ends out of reach, m: more than that of any contact.
const SHORT_M: f64 = 10.0;
/// Number of consecutive strokes that are planned before the first is made.
const MAX_STROKES: usize = 3;

pub(super) struct Stance {
    pub(super) contact: Contact,
    pub(super) stroke: Stroke,
    pub(super) scenes: Scenes,
}

/// Returns the best stroke within the arm's reach after which the rest of the push is possible. If
/// there is none, shortens the push as far as its least length allows.
///
/// # Errors
///
/// As [`crate::arm::first_possible`]. Names what would remain if all movable obstacles were cleared
/// away, or else what is in the way of the stroke that would then be best.
pub(super) fn select(robot: &mut Robot, percept: &Percept, aim: &mut Aim) -> Result<Stance> {
    choose(robot, percept, aim).map_err(|failure| {
        let best = match if_cleared(robot, percept, aim) {
            Ok(best) => best,
            Err(lasting) => return lasting,
        };
        let Ok(now) = robot.observe() else {
            return failure;
        };
        let planner = Planner::new(robot, percept, aim, &now);
        let met = planner.hand_meets(aim, &best.contact);
        let met = met.or_else(|| planner.plan(&planner.arm, aim, &best.contact).err());
        met.map_or(failure, |met| cannot(aim, met.into()))
    })
}

/// Returns the best stroke if all movable obstacles were cleared away.
pub(super) fn if_cleared(robot: &mut Robot, percept: &Percept, aim: &Aim) -> Result<Stance> {
    let own = std::iter::once(&aim.object.id).chain(&aim.support);
    let cleared = cleared(percept, &own.collect::<Vec<_>>());
    choose(robot, &cleared, &mut aim.clone())
}

fn choose(robot: &mut Robot, percept: &Percept, aim: &mut Aim) -> Result<Stance> {
    let now = robot.observe()?;
    let planner = Planner::new(robot, percept, aim, &now);
    let chosen = planner.push(aim, &now.joint_positions, MAX_STROKES);
    let chosen = chosen.or_else(|failures| {
        let mut shorter = aim.clone();
        let mut all = std::iter::from_fn(|| shorter.shorten().then(|| shorter.clone()));
        let found = all.find_map(|shorter| {
            let push = planner.push(&shorter, &now.joint_positions, 1).ok()?;
            Some((shorter.goal, push))
        });
        let (goal, push) = found.ok_or(failures)?;
        aim.goal = goal;
        Ok(push)
    });
    chosen.map_err(|failures: Vec<MotionFailure>| {
        let (id, is_tipping) = (&aim.object.id, failures.is_empty());
        let across = Vector3::z().cross(&aim.direction());
        let nothing = match rolls(&aim.object, &across) {
            true => {
                "it would roll away, and the hand has no room with a finger on either side of it"
            }
            false => "there is no room for the hand",
        };
        let mut failure = summary(failures, (Some(id), nothing));
        let [_, tipping] = planner.contacts(aim);
        let heights = tipping.iter().map(|contact| contact.heights_m);
        if let Some([height_m, limit_m]) = heights.min_by(|a, b| a[0].total_cmp(&b[0])) {
            let tips = format!(
                "at the lowest possible contact, {height_m:.3} m above its support, it would tip \
                 over (limit {limit_m:.3} m)"
            );
            failure.detail = match is_tipping {
                true => tips.into(),
                false => format!("{}; {tips}", failure.detail).into(),
            };
            failure = failure.measured("contact_height", height_m, Some(limit_m), "m");
        }
        cannot(aim, failure)
    })
}

fn cannot(aim: &Aim, mut failure: Failure) -> Failure {
    failure.detail = format!("{} cannot be pushed: {}", aim.object.id, failure.detail).into();
    failure
}

struct Planner<'a> {
    arm: Arm<'a>,
    percept: &'a Percept,
    hand: Hand,
    others: Vec<(ObjectId, Body)>,
    presses: bool,
}

impl<'a> Planner<'a> {
    fn new(robot: &'a mut Robot, percept: &'a Percept, aim: &Aim, now: &'a Observation) -> Self {
        let can = robot.can();
        let is_other =
            |o: &PerceivedObject| o.id != aim.object.id && Some(&o.id) != aim.support.as_ref();
        let others = bodies(percept, is_other);
        Self {
            hand: Hand::new(&robot.info.gripper),
            others: others.map(|(o, body)| (o.id.clone(), body)).collect(),
            arm: Arm::new(robot, now),
            percept,
            // To press with a controlled force, the arm has to be compliant and to sense contacts.
            presses: can.compliance && can.contact_forces,
        }
    }

    /// Returns the first candidate that goes all the way, else the one that goes furthest, if
    /// further strokes can complete the push.
    fn push(
        &self,
        aim: &Aim,
        start: &[f64],
        n_strokes: usize,
    ) -> Result<Stance, Vec<MotionFailure>> {
        let arm = Arm { start, ..self.arm };
        let whole_m = aim.displacement().norm();
        let mut failures = vec![];
        let closer = |contact: &Contact| {
            let missed = || arm.inverse(&contact.approach.world_from_tool).err();
            if let Some(failure) = self.hand_meets(aim, contact).or_else(missed) {
                failures.push(failure);
                return None;
            }
            let reaches = |length_m: f64| arm.reaches(&contact.after(aim, length_m));
            Some(match reaches(whole_m) {
                true if reaches(whole_m + SPARE_M) => 0.0,
                true => STRAIN_M,
                false => SHORT_M,
            })
        };
        let [steady, _] = self.contacts(aim);
        let contacts = steady.into_iter().map(|c| (c.cost_m, c)).collect();
        let plan = |contact: &Contact| self.plan(&arm, aim, contact);
        let turn = |contact: &Contact| contact.approach.world_from_tool.rotation;
        let mut search = Search::new([0.0, whole_m]);
        let found = search.is_found(contacts, closer, turn, plan);
        found.map_err(|failure| vec![failure])?;
        failures.extend(search.failures);
        let Some((contact, stroke)) = search.best else {
            return Err(failures);
        };
        let push = Stance {
            scenes: self.scenes(aim, &contact),
            contact,
            stroke,
        };
        if push.stroke.reach() >= whole_m {
            return Ok(push);
        }
        if n_strokes == 1 {
            return Err(failures);
        }
        let mut rest = aim.clone();
        let pushed = Translation3::from(aim.direction() * push.stroke.reach());
        rest.object.world_from_object = pushed * rest.object.world_from_object;
        let next = self.push(&rest, &push.stroke.end, n_strokes - 1);
        next.map(|_| push)
    }

    /// Returns the contacts at which the object slides, and those at which it would tip over.
    fn contacts(&self, aim: &Aim) -> [Vec<Contact>; 2] {
        let gripper = &self.arm.robot.info.gripper;
        let contacts = contacts(gripper, &self.hand, aim, self.presses);
        let is_steady = |contact: &Contact| contact.heights_m[0] <= contact.heights_m[1];
        contacts
            .into_iter()
            .partition::<Vec<_>, _>(is_steady)
            .into()
    }

    /// Returns the collision of the hand above its start, at its start, or at the end of the push.
    fn hand_meets(&self, aim: &Aim, contact: &Contact) -> Option<MotionFailure> {
        let end = contact.after(aim, aim.displacement().norm());
        let approach = &contact.approach;
        let poses = [approach.world_from_before, approach.world_from_tool, end];
        let met = poses.iter().find_map(|pose| {
            let placed = self.hand.at(pose, contact.opening_m);
            let mut others = self.others.iter();
            others.find(|(_, other)| !placed.keeps_off([other], PUSH_ROOM_M, PUSH_ROOM_M))
        });
        let (id, _) = met?;
        let pair = CollisionPair {
            link: "hand".into(),
            other: id.to_string(),
        };
        Some(MotionFailure::GoalInCollision { pairs: vec![pair] })
    }

    fn plan(&self, arm: &Arm<'_>, aim: &Aim, contact: &Contact) -> Result<Stroke, MotionFailure> {
        let whole_m = aim.displacement().norm();
        let n = (whole_m / STEP_M).ceil().max(1.0);
        let lengths = (1..=n as usize).map(|k| whole_m * (k as f64 / n));
        let path = lengths.map(|m| (m, contact.after(aim, m))).collect();
        let width_m = contact.opening_m;
        let (scenes, opened) = (self.scenes(aim, contact), Arm { width_m, ..*arm });
        let is_worth = |m| m >= LEAST_STROKE_M;
        opened.stroke(&scenes, &contact.approach, None, path, is_worth)
    }

    fn scenes(&self, aim: &Aim, contact: &Contact) -> Scenes {
        let id = &aim.object.id;
        let mut free = self.arm.robot.planning_scene(self.percept);
        for obstacle in free.obstacles.iter_mut().filter(|o| &o.id == id) {
            obstacle.world_from_object = aim.object.world_from_object;
        }
        let mut on_support = free.clone();
        on_support.may_touch.extend(aim.support.clone());
        let load = objects_in(self.percept, &aim.object);
        let comes_along = |other: &ObjectId| other == id || load.iter().any(|o| &o.id == other);
        let mut pushing = on_support.clone();
        pushing.obstacles.retain(|o| !comes_along(&o.id));
        pushing.attached = Some(Attachment {
            id: id.clone(),
            shape: filled(&aim.object, &load),
            tool_from_object: contact.after(aim, 0.0).inverse() * aim.object.world_from_object,
        });
        Scenes {
            free,
            touching: on_support.touching(id.clone()),
            moving: pushing,
        }
    }
}

impl Contact {
    /// Tool pose after the object has been pushed by `length_m`.
    pub(super) fn after(&self, aim: &Aim, length_m: f64) -> Pose {
        let gap_m = match self.touch {
            PushSide::Beside => TOUCH_GAP_M,
            PushSide::Atop => 0.0,
        };
        Translation3::from(aim.direction() * (length_m + gap_m)) * self.approach.world_from_tool
    }
}
