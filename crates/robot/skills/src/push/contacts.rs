//! Candidate contacts of a push: places and hand orientations, with their costs.
//!
//! The hand is moved over the object along the push, from behind it and from over its middle, with
//! its fingertips at several heights. Where the fingers would meet the object, it may be pushed.
//! This covers the near side of a box, the inner wall of a bowl, and a box between open fingers. An
//! object that rolls along the push is only pushed between two fingers, one behind and one in
//! front of it. A flat object may also be pressed from above and slid along. Contacts so high that
//! the object would tip over are rejected.
//!
//! | cost, m | meaning |
//! |---|---|
//! | predicted error | distance from the goal after the push, by [`response`](super::response) |
//! | height | height of the contact above [`steady_m`] without friction, times [`HIGH`] |
//! | rotation | predicted rotation of the object, times [`TURN_M`] |
//! | hand | leaning, open fingers, pushing with an edge, pressing: see the constants |

use std::f64::consts::{FRAC_PI_4, PI};

use nalgebra::{Point3, Translation3, UnitQuaternion, Vector2, Vector3};
use regrasp_api::{Aabb, GripperInfo, Pose};
use regrasp_motion::Body;

use super::press_slide;
use super::response::{Friction, Outline, predict, steady_m};
use crate::aim::Aim;
use crate::arm::Approach;
use crate::bodies::keep_off;
use crate::faces::rolls;
use crate::grasp::{Hand, leaning, mass_of_shape};
use crate::params::{APPROACH_M, FINE_STEP_M, PALM_ROOM_M, TOUCH_GAP_M};
use crate::poses::around;

/// Heights of the hand above the support, m: the lowest safe one, and two above low obstacles.
const HEIGHTS_M: [f64; 3] = [0.004, 0.014, 0.024];
/// Least height of the object that has to be beside the fingers, m.
const OVERLAP_M: f64 = 0.004;
const OVER_OBJECT_M: f64 = 0.03;
/// Length of the hand's sweep over the object, m.
const CAST_M: f64 = 0.8;
/// Distance behind the object's centre at which a sweep starts, m.
const BEHIND_M: f64 = 0.45;
/// Leaning angles of the hand, rad: backwards, which reaches further, and forwards over the object.
const LEANS_RAD: [f64; 6] = [0.35, 0.7, 1.0, -0.35, -0.7, -1.0];
/// Number of orientations at the start of the list that are upright and do not push with an edge.
const N_STRAIGHT: usize = 4;
const SIDEWAYS_RAD: [f64; 2] = [0.35, -0.35];
const N_OUTLINE: usize = 120;
/// Cost per metre of a contact's height above that at which an object slides even without friction
/// at the contact.
const HIGH: f64 = 3.0;
/// Distance from which the lowest contact is probed, m.
const NEAR_M: f64 = 0.004;
/// Largest gap between surfaces that count as touching, m.
const TOUCH_M: f64 = 0.0005;
/// Cost of leaning per rad, m: the hand touches with an edge, and deflects under force.
const LEAN_M: f64 = 0.006;
/// Cost of rotating the object per rad, m.
const TURN_M: f64 = 0.005;
/// Cost of open fingers, and of pushing with an edge of the fingers, m.
const EDGE_M: f64 = 0.002;
/// Cost of pressing from above instead of pushing, m: the fingers may slip.
const PRESS_M: f64 = 0.04;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PushSide {
    /// The hand is beside the object, against a surface that faces backwards.
    Beside,
    /// The hand is on top of the object and presses it down.
    Atop,
}

#[derive(Clone, Debug)]
pub(super) struct Contact {
    pub(super) touch: PushSide,
    /// Straight descent to just before contact.
    pub(super) approach: Approach,
    pub(super) opening_m: f64,
    /// Total cost, see the module, m.
    pub(super) cost_m: f64,
    /// Height of the contact above the support, and the largest one at which the object slides
    /// instead of tipping over, m.
    pub(super) heights_m: [f64; 2],
}

#[derive(Clone, Copy)]
struct HandPose {
    rotation: UnitQuaternion<f64>,
    opening_m: f64,
    cost_m: f64,
}

pub(super) fn contacts(
    gripper: &GripperInfo,
    hand: &Hand,
    aim: &Aim,
    presses: bool,
) -> Vec<Contact> {
    let Some(site) = Site::new(gripper, hand, aim) else {
        return vec![];
    };
    let poses = match site.rolls() {
        true => site.enclosing_poses(aim),
        false => site.poses(),
    };
    let beside = poses.into_iter().flat_map(|pose| site.beside(&pose));
    let tops = presses.then(|| press_slide::places(hand, aim)).into_iter();
    let closed_m = gripper.min_width_m;
    let atop = tops
        .flatten()
        .map(|at| site.contact(PushSide::Atop, at, closed_m, PRESS_M, [0.0; 2]));
    beside.chain(atop).collect()
}

struct Site<'a> {
    gripper: &'a GripperInfo,
    hand: &'a Hand,
    body: Body,
    bounds: Aabb,
    /// Centre of friction between the object and its support, below its centre of mass.
    center: Vector2<f64>,
    direction: Vector3<f64>,
    across: Vector3<f64>,
    length_m: f64,
    friction: Friction,
    /// Distance from the centre of friction to the front edge of the object's base, m; infinite for
    /// an object that rolls that way.
    front_m: f64,
    /// Heights of the hand above the support, m, and the object's outline [`OVERLAP_M`] higher.
    outlines: Vec<(f64, Outline)>,
}

impl<'a> Site<'a> {
    fn new(gripper: &'a GripperInfo, hand: &'a Hand, aim: &Aim) -> Option<Self> {
        let object = &aim.object;
        let mass = object.world_from_object * Point3::from(mass_of_shape(&object.shape));
        let direction = aim.direction();
        let mut site = Self {
            gripper,
            hand,
            body: Body::new(&object.shape, &object.world_from_object)?,
            bounds: object.aabb_in_world(),
            center: mass.coords.xy(),
            direction,
            across: Vector3::new(-direction.y, direction.x, 0.0),
            length_m: aim.displacement().norm(),
            friction: Friction {
                c_m: 0.0,
                contact: gripper.pad_friction,
            },
            front_m: f64::INFINITY,
            outlines: vec![],
        };
        let base = site.outline(1e-3);
        site.friction.c_m = base.c_m().max(1e-3);
        if !rolls(object, &site.across) {
            site.front_m = base.points.iter().map(|p| p.x).fold(0.0, f64::max);
        }
        let high_m = site.bounds.size().z;
        // Lowest height at which the palm clears the object.
        let palm_m = high_m + PALM_ROOM_M - gripper.finger_length_m;
        let heights = HEIGHTS_M.into_iter().chain([palm_m]);
        let beside = heights.filter(|m| (HEIGHTS_M[0]..high_m - OVERLAP_M).contains(m));
        let outline = |m| (m, site.outline(m + OVERLAP_M));
        site.outlines = beside.map(outline).collect();
        Some(site)
    }

    fn rolls(&self) -> bool {
        self.front_m.is_infinite()
    }

    /// Upright orientations with a finger behind the object and one in front of it, which stops it;
    /// none if the fingers do not open wide enough.
    fn enclosing_poses(&self, aim: &Aim) -> Vec<HandPose> {
        let object = &aim.object;
        let width_m = object
            .shape
            .width_along(&object.world_from_object, &self.direction);
        let opening_m = width_m + 2.0 * (TOUCH_GAP_M + FINE_STEP_M);
        let yaw = self.direction.y.atan2(self.direction.x);
        let yaws = [yaw, yaw + PI].into_iter();
        let yaws = yaws.filter(|_| opening_m <= self.gripper.max_width_m);
        yaws.map(|yaw| HandPose {
            rotation: leaning(yaw, 0.0),
            opening_m,
            cost_m: EDGE_M,
        })
        .collect()
    }

    /// Orientations of the hand with closed fingers, and upright ones with open fingers.
    fn poses(&self) -> Vec<HandPose> {
        let [closed_m, open_m] = [self.gripper.min_width_m, self.gripper.max_width_m];
        let turns = turns(&self.direction);
        let pose = |turn: &HandTurn, opening_m: f64, cost_m: f64| HandPose {
            rotation: turn.rotation,
            opening_m,
            cost_m: cost_m + turn.cost_m,
        };
        let closed = turns.iter().map(|turn| pose(turn, closed_m, 0.0));
        let opens = usize::from(open_m > closed_m);
        let straight = turns.iter().take(opens * N_STRAIGHT);
        let open = straight.map(|turn| pose(turn, open_m, EDGE_M));
        closed.chain(open).collect()
    }

    fn beside(&self, pose: &HandPose) -> Vec<Contact> {
        let (hand, across) = (self.hand, &self.across);
        let spans = hand.spans_m(&pose.rotation, across, pose.opening_m);
        let low = spans.iter().map(|s| s[0]).fold(f64::MAX, f64::min);
        let high = spans.iter().map(|s| s[1]).fold(f64::MIN, f64::max);
        // The object may be pushed with the middle of the fingers or with either end.
        let aside = [0.5 * (low + high), low + OVERLAP_M, high - OVERLAP_M];
        let n_aside = if pose.cost_m == 0.0 { aside.len() } else { 1 };
        let places = self.outlines.iter().flat_map(|(height_m, outline)| {
            let at = aside[..n_aside].iter().flat_map(|aside| {
                [-BEHIND_M, 0.0].map(|along| self.place(pose, *height_m, -aside, along))
            });
            let weighed = |found| self.weighed(pose, &found, &spans, outline);
            at.flatten().map(weighed).collect::<Vec<_>>()
        });
        places.collect()
    }

    /// Moves the hand along the push from a place until its fingers meet the object. `None` if the
    /// hand has no room, or the fingers meet nothing.
    fn place(&self, pose: &HandPose, height_m: f64, aside_m: f64, along_m: f64) -> Option<Ranked> {
        let z = self.bounds.min[2] + height_m + self.hand.depth_m(&pose.rotation);
        let at = self.center + self.across.xy() * aside_m + self.direction.xy() * along_m;
        let from = Pose::from_parts(Translation3::new(at.x, at.y, z), pose.rotation);
        let placed = self.hand.at(&from, pose.opening_m);
        let (pushing, other) = placed.pushing();
        let is_near = |solids: &[Body], room_m| !keep_off(solids, [&self.body], room_m);
        if is_near(pushing, TOUCH_GAP_M) || is_near(other, PALM_ROOM_M) {
            return None;
        }
        let first = |solids: &[Body], room_m: f64| {
            let meets = |s: &Body| s.meets(&self.direction, CAST_M, room_m, &self.body);
            let met = solids.iter().filter_map(meets);
            met.min_by(|a, b| a.distance_m.total_cmp(&b.distance_m))
        };
        let met = first(pushing, 0.0)?;
        let hand_m = first(other, PALM_ROOM_M).map(|hand| hand.distance_m);
        if hand_m.is_some_and(|m| m <= met.distance_m + TOUCH_GAP_M) {
            return None;
        }
        let touching = Translation3::from(self.direction * met.distance_m) * from;
        let start = Translation3::from(-self.direction * TOUCH_GAP_M) * touching;
        let placed = self.hand.at(&touching, pose.opening_m);
        self.can_come_down(pose, &start).then(|| Ranked {
            start,
            lowest_m: self.lowest_m(placed.pushing().0, &met.point),
            at: met.point,
            aside_m,
        })
    }

    /// Height of the lowest common contact of the object and solids that touch it at a point, m:
    /// solids that lie flat against the object may push it there.
    fn lowest_m(&self, solids: &[Body], at: &Point3<f64>) -> f64 {
        let bottom = self.bounds.min[2];
        let n_steps = ((at.z - bottom) / FINE_STEP_M).max(0.0) as usize;
        let touches = |height_m: &f64| {
            let behind = Point3::new(at.x, at.y, bottom + height_m) - self.direction * NEAR_M;
            let Some(own) = self.body.cast(&behind, &self.direction, 2.0 * NEAR_M) else {
                return false;
            };
            let surface = behind + self.direction * (own.distance_m + NEAR_M);
            let hit = |s: &Body| s.cast(&surface, &-self.direction, 2.0 * NEAR_M);
            let mut hits = solids.iter().filter_map(hit);
            hits.any(|hit| hit.distance_m < NEAR_M + TOUCH_M)
        };
        let mut heights = (1..n_steps).map(|i| FINE_STEP_M * i as f64);
        heights.find(touches).unwrap_or(at.z - bottom)
    }

    fn can_come_down(&self, pose: &HandPose, start: &Pose) -> bool {
        let rise_m = self.rise_m();
        let before = Translation3::new(0.0, 0.0, rise_m) * start;
        let placed = self.hand.at(&before, pose.opening_m);
        let mut solids = placed.fingers.iter().chain(&placed.hand);
        let down = -Vector3::z();
        solids.all(|solid| solid.meets(&down, rise_m, 0.0, &self.body).is_none())
    }

    fn weighed(
        &self,
        pose: &HandPose,
        found: &Ranked,
        spans: &[[f64; 2]],
        outline: &Outline,
    ) -> Contact {
        let touched = found.at.coords.xy() - self.center;
        let ahead_m = touched.dot(&self.direction.xy());
        // An object pulled from in front of its centre follows; a broken outline predicts nothing.
        let follows = ahead_m > 0.0 || outline.points.len() < N_OUTLINE / 2;
        let (mut off_m, mut turn_rad) = (0.0, 0.0);
        if !follows {
            let faces: Vec<_> = spans.iter().map(|s| s.map(|y| y + found.aside_m)).collect();
            let end = predict(outline, &faces, self.length_m, self.friction);
            off_m = (end.shift - Vector2::x() * self.length_m).norm();
            turn_rad = end.turn.abs();
        }
        let contact = self.friction.contact;
        let [surely_m, most_m] = [0.0, contact].map(|c| steady_m(self.front_m, -ahead_m, c));
        let high_m = (found.lowest_m - surely_m).max(0.0);
        let cost_m = off_m + TURN_M * turn_rad + HIGH * high_m + pose.cost_m;
        let heights_m = [found.lowest_m, most_m];
        self.contact(
            PushSide::Beside,
            found.start,
            pose.opening_m,
            cost_m,
            heights_m,
        )
    }

    fn contact(
        &self,
        touch: PushSide,
        start: Pose,
        opening_m: f64,
        cost_m: f64,
        heights_m: [f64; 2],
    ) -> Contact {
        let before = Translation3::new(0.0, 0.0, self.rise_m()) * start;
        Contact {
            touch,
            approach: Approach::new(before, start),
            opening_m,
            cost_m,
            heights_m,
        }
    }

    fn rise_m(&self) -> f64 {
        APPROACH_M.max(self.bounds.size().z + OVER_OBJECT_M)
    }

    /// Outline at a height above the support, relative to the centre, along and across the push.
    fn outline(&self, height_m: f64) -> Outline {
        let z = self.bounds.min[2] + height_m;
        let radius_m = 2.0 * self.bounds.size().xy().norm();
        let points = around(N_OUTLINE).filter_map(|angle| {
            let [x, y] = [angle.cos(), angle.sin()];
            let out = self.direction * x + self.across * y;
            let origin = Point3::new(self.center.x, self.center.y, z) + out * radius_m;
            let hit = self.body.cast(&origin, &-out, radius_m)?;
            Some(Vector2::new(x, y) * (radius_m - hit.distance_m))
        });
        Outline {
            points: points.collect(),
        }
    }
}

pub(crate) struct HandTurn {
    pub(crate) rotation: UnitQuaternion<f64>,
    /// Cost of leaning and of pushing with an edge, m.
    cost_m: f64,
}

/// Orientations of a hand whose fingers push horizontally along a direction: upright with the broad
/// side first, then the narrow side, then an edge; then leaning.
pub(crate) fn turns(direction: &Vector3<f64>) -> Vec<HandTurn> {
    let yaw = direction.y.atan2(direction.x);
    let turn = |eighths: f64, lean_rad: f64, cost_m: f64| HandTurn {
        rotation: leaning(yaw + eighths * FRAC_PI_4, lean_rad),
        cost_m: cost_m + LEAN_M * lean_rad.abs(),
    };
    let upright = [2.0, -2.0, 0.0, 4.0].map(|n| turn(n, 0.0, 0.0));
    let edges = [1.0, -1.0, 3.0, -3.0].map(|n| turn(n, 0.0, EDGE_M));
    let leans = LEANS_RAD.iter().flat_map(|lean| {
        // Leaning back, the fingers point forward.
        [2.0, -2.0].map(|n: f64| turn(n, lean * n.signum(), 0.0))
    });
    let sideways = SIDEWAYS_RAD.iter();
    let sideways = sideways.flat_map(|lean| [0.0, 4.0].map(|n| turn(n, *lean, 0.0)));
    let upright = upright.into_iter().chain(edges);
    upright.chain(leans).chain(sideways).collect()
}

struct Ranked {
    start: Pose,
    at: Point3<f64>,
    lowest_m: f64,
    aside_m: f64,
}
