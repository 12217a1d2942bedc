//! Pushing an object along its joint: a door shut from outside, or further open from inside.

use std::f64::consts::PI;

use nalgebra::{Point3, Translation3, UnitQuaternion, Vector3};
use regrasp_api::{MotionFailure, PerceivedObject, Pose};
use regrasp_motion::Body;
use regrasp_robot::Result;

use super::{JointTask, Planner, is_level};
use crate::arm::{Approach, Arm};
use crate::bodies::{bodies, bodies_around, body_of, extent_m};
use crate::candidates::summary;
use crate::grasp::with_axes;
use crate::params::{APPROACH_M, FACING, PUSH_ROOM_M, TOUCH_GAP_M};
use crate::push::turns;
use crate::stroke::{Search, Stroke};

/// Pushed places across the axis, as fractions of the extent from the hinge or the middle.
const LEVERS: [f64; 4] = [0.92, 0.8, 0.65, 0.5];
/// Distances from the edge of a lid or flap at which it is pushed, m, best first: the fingertips
/// reach that far under it.
const RIMS_M: [f64; 4] = [0.02, 0.014, 0.01, 0.0075];
/// Pushed places along the axis, as fractions of the extent.
const HEIGHTS: [f64; 5] = [0.9, 0.7, 0.5, 0.3, 0.1];
/// Distance from which rays search for a surface, m.
const RAY_M: f64 = 0.25;
/// Sine of the slope from which a motion counts as a lift.
const STEEP: f64 = 0.5;
/// Slopes of fingers that lift a part, as tangents, best first: a raised wrist keeps off a table,
/// level fingers need less room below the part.
const SLOPES: [f64; 2] = [0.4, 0.0];
/// Cost per rank of a hand orientation.
const PER_TURN: f64 = 0.02;
/// Cost of a pose that fits only at the start of the travel: higher than that of any place.
const STOPS_EARLY: f64 = 3.0;

/// A surface point at which the object may be pushed.
#[derive(Clone, Copy)]
struct PushPoint {
    at: Vector3<f64>,
    push: Vector3<f64>,
    cost: f64,
}

/// A tool pose in contact with the object, whose orientation may change with the object.
struct PushPose {
    point: PushPoint,
    touch: Pose,
    turning: bool,
    lifts: bool,
}

/// Opening to which the part is pushed: beyond its stop, if the stop is the goal.
fn target(task: &JointTask) -> f64 {
    let beyond = task.path().beyond;
    match task.sign() < 0.0 && task.target <= 0.0 {
        true => task.target.min(0.0) - beyond,
        false => task.target,
    }
}

impl Planner<'_> {
    /// Returns the stroke that pushes the object all the way, or the one that leads furthest.
    ///
    /// # Errors
    ///
    /// `no_grasp_found` if the closed hand fits nowhere, else why no motion was found.
    pub(super) fn push(&self) -> Result<Stroke> {
        let (arm, task, percept) = (self.arm, self.task, self.percept);
        let (id, target) = (task.id(), target(task));
        let obstacles = &self.scenes.moving.obstacles;
        let stays = |o: &PerceivedObject| &o.id != id && obstacles.iter().any(|s| s.id == o.id);
        let staying: Vec<Body> = bodies(percept, stays).map(|(_, body)| body).collect();
        let (others, own) = (bodies_around(percept, id), body_of(&task.object));
        // Additional cost, or `None` if the hand has no room or the arm does not reach the place.
        let closer = |place: &PushPose| {
            let there = self.before_touch(place);
            let fits = self.is_clear(&there, others.iter().chain(&own));
            if !fits || ![before(&there), there].iter().all(|pose| arm.reaches(pose)) {
                return None;
            }
            // The end may be out of reach or lack room, for example between handles.
            let end = self.pushed(place, target);
            let is_whole = self.is_clear(&end, staying.iter()) && arm.reaches(&end);
            Some(if is_whole { 0.0 } else { STOPS_EARLY })
        };
        let mut search = Search::new([task.joint.opening, target]);
        let places = own.as_ref().map_or(vec![], |body| self.places(body));
        let plan = |place: &PushPose| self.plan(place, target);
        search.is_found(places, closer, |place| place.touch.rotation, plan)?;
        search.best.map(|(_, stroke)| stroke).ok_or_else(|| {
            let nothing = format!("the closed hand fits nowhere on {id} to push it");
            summary(search.failures, (Some(id), &nothing))
        })
    }

    fn places(&self, body: &Body) -> Vec<(f64, PushPose)> {
        let mut places = vec![];
        for point in self.points(body) {
            let touching = |turn| self.touching(&point.at, &point.push, &turn);
            let pushes = self.turns(&point).into_iter().map(touching);
            let pushes = pushes.map(|touch| (touch, false));
            let lifts = self.lifts(&point, body).into_iter();
            let lifts = lifts.map(|touch| (touch, true));
            for (i, (touch, lifts)) in pushes.chain(lifts).enumerate() {
                let cost = point.cost + PER_TURN * i as f64;
                places.extend(self.task.path().turnings.iter().map(|turning| {
                    let place = PushPose {
                        point,
                        touch,
                        turning: *turning,
                        lifts,
                    };
                    (cost, place)
                }));
            }
        }
        places
    }

    fn is_clear<'b>(&self, tool: &Pose, bodies: impl Iterator<Item = &'b Body> + Clone) -> bool {
        let placed = self.hand.at(tool, self.arm.robot.info.gripper.min_width_m);
        placed.keeps_off(bodies, PUSH_ROOM_M, PUSH_ROOM_M)
    }

    /// Fractions of the extent `far_m` across the axis at which the part is pushed, with costs; for
    /// a slide, to both sides of its middle. A lid may have to be lifted by a narrow rim.
    fn levers(&self, far_m: f64) -> Vec<(f64, f64)> {
        let mut levers: Vec<f64> = LEVERS.into();
        let [mut best, _] = self.task.path().best;
        if is_level(&self.task.joint) {
            best = 1.0 - RIMS_M[0] / far_m;
            levers.extend(RIMS_M.map(|rim_m| 1.0 - rim_m / far_m));
        } else if !self.task.path().turns {
            levers.extend(LEVERS.map(|lever| -lever));
            levers.push(0.0);
        }
        let with_cost = levers
            .into_iter()
            .map(|lever| (lever, (best - lever).abs()));
        with_cost.collect()
    }

    fn points(&self, body: &Body) -> Vec<PushPoint> {
        let (task, path) = (self.task, self.task.path());
        let Some(frame) = path.frame(&task.joint, &task.object) else {
            return vec![];
        };
        let reach = |direction: &Vector3<f64>| extent_m(&task.object, &frame.origin, direction);
        let far = reach(&frame.across);
        let (low, high) = (-reach(&-frame.axis), reach(&frame.axis));
        let levers = self.levers(far).into_iter();
        let places = levers.flat_map(|lever| HEIGHTS.map(|height| (lever, height)));
        let points = places.flat_map(|((lever, lever_cost), height)| {
            let along = frame.axis * (low + height * (high - low));
            let point = frame.origin + along + frame.across * (lever * far);
            let push = task.direction(&point);
            let outside = Point3::from(point - push * RAY_M);
            // An open drawer may be pushed further open from inside its front.
            let inside = (!path.turns).then_some(Point3::from(point));
            let [_, best_height] = path.best;
            let cost = lever_cost + path.per_height * (best_height - height).abs();
            let hits = std::iter::once(outside)
                .chain(inside)
                .filter_map(move |from| {
                    let hit = body.cast(&from, &push, 2.0 * RAY_M)?;
                    let faces = hit.distance_m >= 1e-6 && hit.normal.dot(&push) <= -FACING;
                    let at = from.coords + push * hit.distance_m;
                    faces.then_some(PushPoint { at, push, cost })
                });
            hits.collect::<Vec<_>>()
        });
        points.collect()
    }

    /// Hand orientations at a place, best first.
    fn turns(&self, point: &PushPoint) -> Vec<UnitQuaternion<f64>> {
        if self.task.press.is_some() {
            return along(&point.push);
        }
        // Unless the push is steep, the orientations of a horizontal push come first; then those
        // with fingers along the motion.
        let is_steep = point.push.xy().norm() <= 0.3;
        let level = turns(&point.push).into_iter().map(|turn| turn.rotation);
        let n_along = if is_steep { 2 } else { 4 };
        let along = along(&point.push).into_iter().take(n_along);
        level.filter(|_| !is_steep).chain(along).collect()
    }

    /// Hand poses in which the fingertips touch a part from below, best first: they point from its
    /// edge to its hinge, aslant or along the edge.
    fn lifts(&self, point: &PushPoint, own: &Body) -> Vec<Pose> {
        let (joint, push) = (&self.task.joint, point.push);
        if !is_level(joint) || push.z <= STEEP {
            return vec![];
        }
        let axis = joint.axis();
        let inwards = self.inwards(&push);
        let fingers = [inwards, inwards + axis, inwards - axis, axis, -axis];
        let turns = fingers.iter().flat_map(|fingers| {
            let level = Vector3::new(fingers.x, fingers.y, 0.0).normalize();
            let across = Vector3::z().cross(&level);
            let sloping = SLOPES.map(|slope| (level - slope * Vector3::z()).normalize());
            let turns = sloping.map(|z| [across, -across].map(|y| with_axes(y, z)));
            turns.into_iter().flatten()
        });
        let poses = turns.filter_map(|turn| self.lifting(&point.at, &push, &turn, own));
        poses.collect()
    }

    /// Direction from the edge of a part, which moves along `push`, to its hinge.
    fn inwards(&self, push: &Vector3<f64>) -> Vector3<f64> {
        self.task.sign() * self.task.joint.axis().cross(push)
    }

    /// Tool pose in which the hand touches the part with its fingertips at a point: a narrow rim
    /// has no room for more of the fingers.
    fn lifting(
        &self,
        at: &Vector3<f64>,
        push: &Vector3<f64>,
        turn: &UnitQuaternion<f64>,
        own: &Body,
    ) -> Option<Pose> {
        let inwards = self.inwards(push);
        let below = at - inwards * self.hand.front_m(turn, &inwards) - push * RAY_M;
        let below = Pose::from_parts(below.into(), *turn);
        let closed_m = self.arm.robot.info.gripper.min_width_m;
        let hand = self.hand.at(&below, closed_m);
        let solids = hand.fingers.iter().chain(&hand.hand);
        let meets = |solid: &Body| solid.meets(push, 2.0 * RAY_M, 0.0, own);
        let up_m = solids.filter_map(meets).map(|meeting| meeting.distance_m);
        Some(Translation3::from(push * up_m.reduce(f64::min)?) * below)
    }

    fn touching(&self, at: &Vector3<f64>, push: &Vector3<f64>, turn: &UnitQuaternion<f64>) -> Pose {
        let front_m = self.hand.front_m(turn, push);
        Pose::from_parts((at - push * front_m).into(), *turn)
    }

    fn before_touch(&self, place: &PushPose) -> Pose {
        Translation3::from(place.point.push * -TOUCH_GAP_M) * place.touch
    }

    fn plan(&self, place: &PushPose, target: f64) -> Result<Stroke, MotionFailure> {
        let there = self.before_touch(place);
        let approach = Approach::new(before(&there), there);
        let (task, path) = (self.task, self.task.path());
        let openings = path.openings(task.joint.opening, target).into_iter();
        let poses = openings.map(|o| (o, self.pushed(place, o))).collect();
        let closed = Arm {
            width_m: self.arm.robot.info.gripper.min_width_m,
            ..self.arm
        };
        let is_worth = |o| task.is_worth(o);
        let mut stroke = closed.stroke(self.scenes, &approach, None, poses, is_worth)?;
        if !path.turns {
            // The path is one straight line.
            stroke.path.drain(..stroke.path.len() - 1);
        }
        Ok(stroke)
    }

    fn pushed(&self, place: &PushPose, opening: f64) -> Pose {
        let (PushPose { point, touch, .. }, joint) = (place, &self.task.joint);
        let carried = joint.carried(touch, opening);
        if place.turning {
            return carried;
        }
        let turn = &touch.rotation;
        let push = carried.rotation * turn.inverse() * point.push;
        let contact = Pose::from_parts(point.at.into(), *turn);
        let at = joint.carried(&contact, opening).translation.vector;
        let object = &self.task.object;
        let own = body_of(object).filter(|_| place.lifts);
        let lifting = own.and_then(|own| {
            let there = joint.carried(&object.world_from_object, opening);
            self.lifting(&at, &push, turn, &own.at(&there))
        });
        lifting.unwrap_or_else(|| self.touching(&at, &push, turn))
    }
}

/// Start of the straight approach: back along the fingers.
fn before(world_from_tool: &Pose) -> Pose {
    let back = world_from_tool.rotation * Vector3::new(0.0, 0.0, -APPROACH_M);
    Translation3::from(back) * world_from_tool
}

/// Orientations with the fingers along the motion, as for pressing.
fn along(push: &Vector3<f64>) -> Vec<UnitQuaternion<f64>> {
    let y = if push.z.abs() < 0.9 {
        (Vector3::z() - push * push.z).normalize()
    } else {
        (Vector3::y() - push * push.y).normalize()
    };
    let turns = [0.0, PI, PI / 2.0, -PI / 2.0, PI / 4.0, -PI / 4.0];
    let turned = turns.map(|turn| with_axes(UnitQuaternion::new(push * turn) * y, *push));
    turned.into()
}
