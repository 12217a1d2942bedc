//! Pushing something along the way of its joint with the closed hand: a door shut by its outer
//! side, or further open by its inner one.

use std::f64::consts::PI;

use nalgebra::{Point3, UnitQuaternion, Vector3};
use regrasp_api::{
    Failure, MotionFailure, MotionGoal, Observation, PerceivedObject, Percept, PlanningScene, Pose,
    Reason, Trajectory,
};
use regrasp_motion::Body;
use regrasp_robot::Robot;

use super::way::{Scenes, direction};
use super::{JointWork, is_level};
use crate::candidates::summary;
use crate::grasp::{Hand, leaning, with_axes};
use crate::params::APPROACH_M;

/// A place to push, and how far the arm can go on.
pub(super) struct Shove {
    /// From where the arm is to the beginning of the straight approach.
    pub(super) travel: Trajectory,
    /// Just before it touches.
    pub(super) world_from_tool: Pose,
    /// Openings on the way, and where the tool is then.
    pub(super) way: Vec<(f64, Pose)>,
}

/// Distance between hand and surface where the push begins, m.
const GAP_M: f64 = 0.006;
/// Room that the hand needs beside anything, m.
const MARGIN_M: f64 = 0.004;
/// Where along the lever and along the axis it may be pushed, as parts of what there is.
const LEVERS: [f64; 4] = [0.92, 0.8, 0.65, 0.5];
const LIP: f64 = 0.97;
const HEIGHTS: [f64; 5] = [0.9, 0.7, 0.5, 0.3, 0.1];
/// From how far a surface is looked for, m.
const RAY_M: f64 = 0.25;
/// How far a surface may slant from the direction of the push, as a cosine.
const FACING: f64 = 0.8;
/// What goes up more steeply than this is lifted, as the sine of its slope.
const STEEP: f64 = 0.5;
/// Leans of the hand from upright, rad.
const LEANS_RAD: [f64; 5] = [0.0, 0.35, -0.35, 0.7, 1.0];
/// What speaks against a turn of the hand for each one before it, and against one that fits where
/// the push begins and not where it ends: more than any place costs.
const PER_TURN: f64 = 0.02;
const STOPS_EARLY: f64 = 3.0;
/// Places for which motions are planned before the skill gives up, and along a slide those of them
/// with one turn of the hand: where that meets something, it mostly does so at the next place, too.
const MAX_PLANNED: usize = 48;
const MAX_ALIKE: usize = 4;
const SAME_RAD: f64 = 0.01;
/// Where on its surface it may be pushed.
struct Contact {
    at: Vector3<f64>,
    way: Vector3<f64>,
    cost: f64,
}

/// The first place from which it can be pushed all the way, or the furthest.
///
/// # Errors
///
/// `no_grasp_found` if no surface faces the way, else why no motion was found.
pub(super) fn choose(
    robot: &mut Robot,
    percept: &Percept,
    work: &JointWork,
    scenes: &Scenes,
) -> Result<Shove, Failure> {
    let hand = Hand::new(&robot.info.gripper);
    let now = robot.observe()?;
    let bodies = percept.objects.iter().filter(|o| &o.id != work.id());
    let stays = |o: &&PerceivedObject| scenes.moving.obstacles.iter().any(|s| s.id == o.id);
    let to_body = |o: &PerceivedObject| Body::new(&o.shape, &o.world_from_object);
    let planner = Planner {
        robot,
        now: &now,
        hand: &hand,
        work,
        scenes,
        staying: bodies.clone().filter(stays).filter_map(to_body).collect(),
        others: bodies.filter_map(to_body).collect(),
        own: Body::new(&work.thing.shape, &work.thing.world_from_object),
        target: target(work),
    };
    let mut places = planner.places();
    places.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut failures = vec![];
    let mut best: Option<Shove> = None;
    let slides = !work.path().turns;
    let mut tried: Vec<UnitQuaternion<f64>> = vec![];
    for (_, contact, rotation) in &places {
        let alike = tried.iter().filter(|t| t.angle_to(rotation) < SAME_RAD);
        let enough = slides && alike.count() == MAX_ALIKE;
        if tried.len() == MAX_PLANNED || enough {
            continue;
        }
        tried.push(*rotation);
        for turning in work.path().turnings {
            match planner.plan(contact, rotation, *turning) {
                Ok(shove) if shove.reach() == planner.target => return Ok(shove),
                Ok(shove) => {
                    let far = |s: &Shove| (s.reach() - work.joint.opening).abs();
                    if best.as_ref().is_none_or(|b| far(&shove) > far(b)) {
                        best = Some(shove);
                    }
                }
                Err(failure @ MotionFailure::StartInCollision { .. }) => return Err(failure.into()),
                Err(failure) => failures.push(failure),
            }
        }
    }
    if let Some(best) = best {
        return Ok(best);
    }
    if failures.is_empty() {
        let text = format!("nowhere on {} fits the closed hand to push it", work.id());
        return Err(Failure::new(Reason::NoGraspFound, text).about([work.id().clone()]));
    }
    Err(summary(failures))
}

/// What is pushed to a stop is pushed against it.
fn target(work: &JointWork) -> f64 {
    let beyond = work.path().beyond;
    if work.sign() < 0.0 && work.aim.target <= 0.0 {
        work.aim.target.min(0.0) - beyond
    } else {
        work.aim.target
    }
}

impl Shove {
    pub(super) fn reach(&self) -> f64 {
        self.way.last().map_or(0.0, |(opening, _)| *opening)
    }
}

struct Planner<'a> {
    robot: &'a Robot,
    now: &'a Observation,
    hand: &'a Hand,
    work: &'a JointWork,
    scenes: &'a Scenes,
    others: Vec<Body>,
    /// Those of them that do not come along.
    staying: Vec<Body>,
    own: Option<Body>,
    target: f64,
}

impl Planner<'_> {
    /// Where the hand fits, with what speaks against it.
    fn places(&self) -> Vec<(f64, Contact, UnitQuaternion<f64>)> {
        let mut places = vec![];
        for contact in self.contacts() {
            for (i, rotation) in self.turns(&contact).into_iter().enumerate() {
                let there = self.before_touch(&contact, &rotation);
                if self.fits(&there) && self.is_reached(&there) {
                    let mut cost = contact.cost + PER_TURN * i as f64;
                    if !self.fits_to_the_end(&contact, &rotation) {
                        cost += STOPS_EARLY;
                    }
                    let copy = Contact { ..contact };
                    places.push((cost, copy, rotation));
                }
            }
        }
        places
    }

    /// Parts of its reach across the axis at which it is pushed; of what slides to both sides of
    /// its middle. A lip may be all that is there to be lifted by.
    fn levers(&self) -> Vec<f64> {
        let lip = is_level(&self.work.joint).then_some(LIP);
        let levers: Vec<f64> = lip.into_iter().chain(LEVERS).collect();
        if self.work.path().turns {
            return levers;
        }
        let sides = levers.into_iter().flat_map(|lever| [lever, -lever]);
        std::iter::once(0.0).chain(sides).collect()
    }

    fn contacts(&self) -> Vec<Contact> {
        let (work, path) = (self.work, self.work.path());
        let frame = path.frame(&work.joint, &work.thing);
        let Some((body, frame)) = self.own.as_ref().zip(frame) else {
            return vec![];
        };
        let reach = |direction: &Vector3<f64>| {
            let in_thing = work.thing.world_from_object.rotation.inverse() * direction;
            let from_origin = work.thing.position() - frame.origin;
            work.thing.shape.support(&in_thing) + from_origin.dot(direction)
        };
        let far = reach(&frame.across);
        let (low, high) = (-reach(&-frame.axis), reach(&frame.axis));
        let levers = self.levers().into_iter();
        let places = levers.flat_map(|lever| HEIGHTS.map(|height| [lever, height]));
        let contacts = places.flat_map(|[lever, height]| {
            let along = frame.axis * (low + height * (high - low));
            let point = frame.origin + along + frame.across * (lever * far);
            let way = direction(work, &point);
            let outside = Point3::from(point - way * RAY_M);
            // An open drawer is pulled on by its front, from inside.
            let inside = (!path.turns).then_some(Point3::from(point));
            let [best_lever, best_height] = path.best;
            let off = path.per_height * (best_height - height).abs();
            let cost = (best_lever - lever).abs() + off;
            let hits = std::iter::once(outside)
                .chain(inside)
                .filter_map(move |from| {
                    let hit = body.cast(&from, &way, 2.0 * RAY_M)?;
                    let faces = hit.distance_m >= 1e-6 && hit.normal.dot(&way) <= -FACING;
                    let at = from.coords + way * hit.distance_m;
                    faces.then_some(Contact { at, way, cost })
                });
            hits.collect::<Vec<_>>()
        });
        contacts.collect()
    }

    /// Turns of the hand that are tried at a place, best first. What moves up is lifted by level
    /// fingers, from its edge towards its hinge, or along that.
    fn turns(&self, contact: &Contact) -> Vec<UnitQuaternion<f64>> {
        let mut all = rotations(&contact.way);
        let joint = &self.work.joint;
        if is_level(joint) && contact.way.z > STEEP {
            let axis = joint.axis();
            let lever = contact.at - Vector3::from(joint.point_in_world);
            let inwards = -(lever - axis * lever.dot(&axis));
            for fingers in [inwards, axis, -axis] {
                let level = Vector3::new(fingers.x, fingers.y, 0.0);
                if let Some(z) = level.try_normalize(1e-6) {
                    let across = Vector3::z().cross(&z);
                    all.extend([across, -across].map(|y| with_axes(y, z)));
                }
            }
        }
        all
    }

    /// The tool where the hand touches that point with its front.
    fn touching(&self, at: &Vector3<f64>, way: &Vector3<f64>, turn: &UnitQuaternion<f64>) -> Pose {
        let front_m = self.hand.front_m(turn, way);
        Pose::from_parts((at - way * front_m).into(), *turn)
    }

    fn before_touch(&self, contact: &Contact, turn: &UnitQuaternion<f64>) -> Pose {
        let back = -contact.way * GAP_M;
        self.touching(&(contact.at + back), &contact.way, turn)
    }

    fn fits(&self, there: &Pose) -> bool {
        let width_m = self.robot.info.gripper.min_width_m;
        let placed = self.hand.at(there, width_m);
        let mut near = self.others.iter().chain(&self.own);
        near.all(|body| placed.keeps_off(body, MARGIN_M, MARGIN_M))
    }

    /// Whether the hand also fits where it ends, beside handles of what is above, for example.
    fn fits_to_the_end(&self, contact: &Contact, turn: &UnitQuaternion<f64>) -> bool {
        let width_m = self.robot.info.gripper.min_width_m;
        self.work.path().turnings.iter().any(|turning| {
            let end = self.pushed(contact, turn, *turning, self.target);
            let placed = self.hand.at(&end, width_m);
            let mut stay = self.staying.iter();
            stay.all(|body| placed.keeps_off(body, MARGIN_M, MARGIN_M))
        })
    }

    fn is_reached(&self, there: &Pose) -> bool {
        let mut all = [before(there), *there].into_iter();
        all.all(|pose| self.robot.reaches(self.now, &pose))
    }

    fn plan(
        &self,
        contact: &Contact,
        rotation: &UnitQuaternion<f64>,
        turning: bool,
    ) -> Result<Shove, MotionFailure> {
        let there = self.before_touch(contact, rotation);
        let start = &self.now.joint_positions;
        let to_before = MotionGoal::AnyPose(vec![before(&there)]);
        let travel = self.motion(start, to_before, &self.scenes.free)?;
        let line = MotionGoal::Line(there);
        let approach = self.motion(travel.last_position(), line, &self.scenes.touching)?;
        let start = approach.last_position();
        let way = self.along(start, contact, rotation, turning)?;
        Ok(Shove {
            travel,
            world_from_tool: there,
            way,
        })
    }

    /// Along its path, all the way or else as far as the arm can follow, if that is worth it.
    fn along(
        &self,
        start: &[f64],
        contact: &Contact,
        rotation: &UnitQuaternion<f64>,
        turning: bool,
    ) -> Result<Vec<(f64, Pose)>, MotionFailure> {
        let (path, from) = (self.work.path(), self.work.joint.opening);
        let mut at = start.to_vec();
        let mut way: Vec<(f64, Pose)> = vec![];
        for opening in path.openings(from, self.target) {
            let pose = self.pushed(contact, rotation, turning, opening);
            match self.motion(&at, MotionGoal::Line(pose), &self.scenes.moving) {
                Ok(step) => {
                    at = step.last_position().to_vec();
                    way.push((opening, pose));
                }
                Err(failure) => {
                    let made = way.last().map_or(0.0, |(o, _)| (o - from).abs());
                    if made < path.worth {
                        return Err(failure);
                    }
                    break;
                }
            }
        }
        if !path.turns {
            // It is one straight line.
            way.drain(..way.len() - 1);
        }
        Ok(way)
    }

    /// The tool when it has pushed that far.
    fn pushed(
        &self,
        contact: &Contact,
        rotation: &UnitQuaternion<f64>,
        turning: bool,
        opening: f64,
    ) -> Pose {
        let joint = &self.work.joint;
        let touch = Pose::from_parts(contact.at.into(), *rotation);
        let carried = joint.carried(&touch, opening);
        let turned = carried.rotation * rotation.inverse();
        let turn = if turning { carried.rotation } else { *rotation };
        self.touching(&carried.translation.vector, &(turned * contact.way), &turn)
    }

    fn motion(
        &self,
        start: &[f64],
        goal: MotionGoal,
        scene: &PlanningScene,
    ) -> Result<Trajectory, MotionFailure> {
        let width_m = self.robot.info.gripper.min_width_m;
        let planned = self
            .robot
            .plan_from(self.now, start, width_m, goal, scene)?;
        Ok(planned.trajectory)
    }
}

/// Where the straight approach begins: back along the fingers.
fn before(world_from_tool: &Pose) -> Pose {
    let back = world_from_tool.rotation * Vector3::new(0.0, 0.0, -APPROACH_M);
    nalgebra::Translation3::from(back) * world_from_tool
}

/// Turns of the hand that are tried, best first: fingers down with either side ahead, leaning,
/// and fingers along the way.
fn rotations(way: &Vector3<f64>) -> Vec<UnitQuaternion<f64>> {
    let mut all = vec![];
    let level = Vector3::new(way.x, way.y, 0.0);
    if level.norm() > 0.3 {
        let yaw = way.y.atan2(way.x);
        for lean in LEANS_RAD {
            for turn in [PI / 2.0, -PI / 2.0, 0.0, PI] {
                all.push(leaning(yaw + turn, lean));
            }
        }
        let across = Vector3::z().cross(way).normalize();
        for y in [across, -across] {
            all.push(with_axes(y, *way));
        }
    }
    // Fingers along the way, as for pressing.
    let y = if way.z.abs() < 0.9 {
        (Vector3::z() - way * way.z).normalize()
    } else {
        (Vector3::y() - way * way.y).normalize()
    };
    all.extend([with_axes(y, *way), with_axes(-y, *way)]);
    all
}
