//! Pushing something along the way of its joint with the closed hand: a door shut by its outer
//! side, or further open by its inner one.

use std::f64::consts::PI;

use nalgebra::{Point3, UnitQuaternion, Vector3};
use regrasp_api::{Failure, MotionFailure, PerceivedObject, Percept, Pose, Reason};
use regrasp_motion::Body;
use regrasp_robot::Robot;

use super::way::{Go, Scenes, Site, direction};
use super::{JointWork, is_level};
use crate::bodies::{bodies, body_of};
use crate::candidates::{Approach, summary};
use crate::grasp::{Hand, leaning, with_axes};
use crate::params::{APPROACH_M, PUSH_ROOM_M, SAME_TURN_RAD};

/// Distance between hand and surface where the push begins, m.
const GAP_M: f64 = 0.006;
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
) -> Result<Go, Failure> {
    let hand = Hand::new(&robot.info.gripper);
    let (now, from) = (robot.observe()?, work.joint.opening);
    let is_other = |o: &PerceivedObject| &o.id != work.id();
    let stays =
        |o: &PerceivedObject| is_other(o) && scenes.moving.obstacles.iter().any(|s| s.id == o.id);
    let planner = Planner {
        site: Site {
            robot,
            now,
            work,
            scenes,
        },
        hand: &hand,
        staying: bodies(percept, stays).map(|(_, body)| body).collect(),
        others: bodies(percept, is_other).map(|(_, body)| body).collect(),
        own: body_of(&work.thing),
        target: target(work),
    };
    let mut places = planner.places();
    places.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut failures = vec![];
    let mut best: Option<Go> = None;
    let slides = !work.path().turns;
    let mut tried: Vec<UnitQuaternion<f64>> = vec![];
    for (_, contact, rotation) in &places {
        let alike = tried
            .iter()
            .filter(|t| t.angle_to(rotation) < SAME_TURN_RAD);
        let enough = slides && alike.count() == MAX_ALIKE;
        if tried.len() == MAX_PLANNED || enough {
            continue;
        }
        tried.push(*rotation);
        for turning in work.path().turnings {
            match planner.plan(contact, rotation, *turning) {
                Ok(go) if go.reach() == planner.target => return Ok(go),
                Ok(go) => best = Some(go.further(best, from)),
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

struct Planner<'a> {
    site: Site<'a>,
    hand: &'a Hand,
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
        let lip = is_level(&self.site.work.joint).then_some(LIP);
        let levers: Vec<f64> = lip.into_iter().chain(LEVERS).collect();
        if self.site.work.path().turns {
            return levers;
        }
        let sides = levers.into_iter().flat_map(|lever| [lever, -lever]);
        std::iter::once(0.0).chain(sides).collect()
    }

    fn contacts(&self) -> Vec<Contact> {
        let (work, path) = (self.site.work, self.site.work.path());
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
        if self.site.work.press.is_some() {
            return along(&contact.way);
        }
        let mut all = rotations(&contact.way);
        let joint = &self.site.work.joint;
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
        let width_m = self.site.robot.info.gripper.min_width_m;
        let placed = self.hand.at(there, width_m);
        let mut near = self.others.iter().chain(&self.own);
        near.all(|body| placed.keeps_off(body, PUSH_ROOM_M, PUSH_ROOM_M))
    }

    /// Whether the hand also fits where it ends, beside handles of what is above, for example.
    fn fits_to_the_end(&self, contact: &Contact, turn: &UnitQuaternion<f64>) -> bool {
        let width_m = self.site.robot.info.gripper.min_width_m;
        self.site.work.path().turnings.iter().any(|turning| {
            let end = self.pushed(contact, turn, *turning, self.target);
            let placed = self.hand.at(&end, width_m);
            let mut stay = self.staying.iter();
            stay.all(|body| placed.keeps_off(body, PUSH_ROOM_M, PUSH_ROOM_M))
        })
    }

    fn is_reached(&self, there: &Pose) -> bool {
        let mut all = [before(there), *there].into_iter();
        all.all(|pose| self.site.robot.reaches(&self.site.now, &pose))
    }

    fn plan(
        &self,
        contact: &Contact,
        rotation: &UnitQuaternion<f64>,
        turning: bool,
    ) -> Result<Go, MotionFailure> {
        let there = self.before_touch(contact, rotation);
        let approach = Approach {
            world_from_before: before(&there),
            world_from_tool: there,
        };
        let (path, width_m) = (
            self.site.work.path(),
            self.site.robot.info.gripper.min_width_m,
        );
        let openings = path.openings(self.site.work.joint.opening, self.target);
        let pushed = |opening: f64| self.pushed(contact, rotation, turning, opening);
        let way = openings.into_iter().map(|o| (o, pushed(o))).collect();
        let mut go = self.site.plan(&approach, (None, width_m), way)?;
        if !path.turns {
            // It is one straight line.
            go.way.drain(..go.way.len() - 1);
        }
        Ok(go)
    }

    /// The tool when it has pushed that far.
    fn pushed(
        &self,
        contact: &Contact,
        rotation: &UnitQuaternion<f64>,
        turning: bool,
        opening: f64,
    ) -> Pose {
        let joint = &self.site.work.joint;
        let touch = Pose::from_parts(contact.at.into(), *rotation);
        let carried = joint.carried(&touch, opening);
        let turned = carried.rotation * rotation.inverse();
        let turn = if turning { carried.rotation } else { *rotation };
        self.touching(&carried.translation.vector, &(turned * contact.way), &turn)
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
    all.extend(along(way).into_iter().take(2));
    all
}

/// Fingers along the way, as for pressing, in turns about it.
fn along(way: &Vector3<f64>) -> Vec<UnitQuaternion<f64>> {
    let y = if way.z.abs() < 0.9 {
        (Vector3::z() - way * way.z).normalize()
    } else {
        (Vector3::y() - way * way.y).normalize()
    };
    let turns = [0.0, PI, PI / 2.0, -PI / 2.0, PI / 4.0, -PI / 4.0];
    let turned = turns.map(|turn| with_axes(UnitQuaternion::new(way * turn) * y, *way));
    turned.into()
}
