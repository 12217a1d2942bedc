//! Lookahead from a pick to the next call, and the grasps that serve it.

use std::cell::RefCell;
use std::collections::BTreeMap;

use nalgebra::Vector3;
use regrasp_api::{
    Failure, Held, Observation, PerceivedObject, Percept, Phase, Pose, Reason, Resolution,
};
use regrasp_motion::Body;
use regrasp_relations::SUPPORT_GAP_M;
use regrasp_robot::{Result, Robot};

use crate::arm::Arm;
use crate::bodies::{bodies_around, body_of, near as near_bodies};
use crate::grasp::{ALONG_FIRST, Grasp, Hand, SIDE_FIRST};
use crate::insert::Fit;
use crate::params::{FINGER_ROOM_M, SAME_TURN_RAD};
use crate::placement::{Placement, PlacementRequest};
use crate::poses::tool_poses;
use crate::pour::{PLANNED_OFF_M, PourPath, Scenery};
use crate::put_down;

use super::NextCall;
use super::placing::{PlacementArgs, Placing};

/// Clearance of a horizontal hand from objects below it, m: the wrist behind it is thicker.
const WRIST_ROOM_M: f64 = 0.025;

/// Failures of a placement that do not depend on the grasp.
const NO_PLACE: [Reason; 2] = [Reason::PlacementUnstable, Reason::TargetOccupied];

/// The call after a pick, as far as it is known before the pick.
pub(crate) struct Lookahead<'a> {
    pub(super) target: &'a PerceivedObject,
    pub(super) now: Observation,
    pub(super) place: Destination,
    pub(super) hand: Hand,
    /// Cached results of reachability queries, by tool pose.
    known: RefCell<BTreeMap<[i64; 7], bool>>,
}

pub(crate) enum Purpose<'w> {
    Any,
    Call(&'w NextCall),
    /// Placement on one of these places, possibly after turning the object over.
    Places(&'w [Placement]),
}

pub(super) enum Destination {
    Any(Box<Placements>),
    In(Box<Fit>),
    InAir(Vector3<f64>),
    Tilted(Box<Scenery>, Vec<PourPath>),
}

pub(super) struct Placements {
    pub(super) placements: Vec<Placement>,
    /// Support of each place, if the hand has to avoid it.
    supports: Vec<Option<Body>>,
    around: Vec<Body>,
    /// True if motions to the places are planned before the pick. This is not worthwhile for an
    /// object that is turned over, since it may be regrasped.
    pub(super) rehearsed: bool,
}

impl Placements {
    fn new(
        percept: &Percept,
        target: &PerceivedObject,
        placements: &[Placement],
        rehearsed: bool,
    ) -> Self {
        // If an object keeps its tilt, the hand is above the support as in the pick, so its room
        // there is not checked.
        let up = |pose: &Pose| pose.rotation.inverse() * Vector3::z();
        let now = up(&target.world_from_object);
        let tilts = |s: &Placement| up(&s.world_from_object).angle(&now) > SAME_TURN_RAD;
        let is_asked = |s: &Placement| s.retreat.is_none() && tilts(s);
        let support = |placement: &Placement| {
            let support = percept.object(&placement.support);
            support.filter(|_| is_asked(placement)).and_then(body_of)
        };
        Self {
            placements: placements.to_vec(),
            supports: placements.iter().map(support).collect(),
            around: bodies_around(percept, &target.id),
            rehearsed,
        }
    }

    /// Returns true if the hand has room at a place: along the retreat that the place prescribes,
    /// or else beside the support.
    fn has_room(&self, at: usize, hand: &Hand, held: &Held) -> bool {
        let placement = &self.placements[at];
        if placement.retreat.is_some() {
            return placement.leaves_room(&self.around, hand, held);
        }
        let world_from_tool = placement.world_from_object * held.tool_from_object.inverse();
        let placed = hand.at(&world_from_tool, held.width_m);
        placed.keeps_off(&self.supports[at], FINGER_ROOM_M, WRIST_ROOM_M)
    }
}

impl<'a> Lookahead<'a> {
    /// Groups of grasps to try first. A hand from the side is preferred if one from above would
    /// block the mouth of a tilted container or hit the roof under which the object goes. For an
    /// insertion, the place along the object matters: the inserted end has to be free, and the hand
    /// has to avoid the target.
    pub(crate) fn first_groups(&self) -> &'static [usize] {
        match &self.place {
            Destination::In(_) => ALONG_FIRST,
            Destination::Any(any) if !any.placements.iter().any(Placement::is_from_side) => &[],
            Destination::Any(_) | Destination::Tilted(..) => SIDE_FIRST,
            _ => &[],
        }
    }

    /// Cost of a grasp in view of the next call, in the unit of [`Grasp::cost`]. An object that is
    /// tilted or held out by a horizontal hand should not hang from its top, where its weight would
    /// turn it in the hand.
    pub(crate) fn cost(&self, grasp: &Grasp) -> f64 {
        const PER_RISE_M: f64 = 10.0;
        match self.first_groups() == SIDE_FIRST {
            true => PER_RISE_M * grasp.rise_m.abs(),
            false => 0.0,
        }
    }

    /// Looks ahead to a placement on one of these places, which may be under a roof or require
    /// turning the object over.
    pub(crate) fn to_places(
        robot: &mut Robot,
        percept: &Percept,
        target: &'a PerceivedObject,
        places: &[Placement],
    ) -> Result<Self> {
        let rehearsed = places.iter().any(|placement| placement.retreat.is_some());
        let placements = Placements::new(percept, target, places, rehearsed);
        Self::at(robot, target, Destination::Any(Box::new(placements)))
    }

    /// Looks ahead to the call after a pick. If its place is unknown, every grasp is equally good,
    /// and the call itself reports problems with its place.
    ///
    /// Fails if the call would find no place, whatever the grasp: then nothing has to be picked.
    pub(crate) fn wished(
        robot: &mut Robot,
        percept: &Percept,
        target: &'a PerceivedObject,
        purpose: &Purpose<'_>,
    ) -> Result<Option<Self>> {
        match purpose {
            Purpose::Any => Ok(None),
            Purpose::Call(next) => {
                let now = robot.observe()?;
                let place = destination((robot, &now), percept, target, next)?;
                place
                    .map(|place| Self::at(robot, target, place))
                    .transpose()
            }
            Purpose::Places(places) => Self::to_places(robot, percept, target, places).map(Some),
        }
    }

    fn at(robot: &mut Robot, target: &'a PerceivedObject, place: Destination) -> Result<Self> {
        Ok(Self {
            target,
            now: robot.observe()?,
            place,
            hand: Hand::new(&robot.info.gripper),
            known: RefCell::default(),
        })
    }

    /// Returns true if the arm reaches the next call with a grasp, and the hand has room there.
    pub(crate) fn is_reachable(&self, robot: &Robot, grasp: &Grasp) -> bool {
        let held = self.held_with(grasp);
        let reaches = |pose: &Pose| self.reaches(robot, pose);
        match &self.place {
            Destination::Any(any) => {
                (0..any.placements.len()).any(|at| self.puts_on(robot, at, &held))
            }
            Destination::InAir(point) => {
                let rotation = self.target.world_from_object.rotation;
                let there = Pose::from_parts((*point).into(), rotation);
                let poses = tool_poses(&there, &held.tool_from_object);
                poses.iter().any(reaches)
            }
            Destination::Tilted(scenery, paths) => scenery
                .clear_paths(paths, &self.hand, &held, PLANNED_OFF_M)
                .any(|path| self.reaches_all(robot, &path.tool_poses(&held.tool_from_object))),
            Destination::In(fit) => {
                let paths = fit.paths(&self.hand, &held, held.width_m);
                let mut free = paths.iter().filter(|path| path.has_room);
                free.any(|path| path.approach.is_reachable(reaches))
            }
        }
    }

    pub(super) fn held_with(&self, grasp: &Grasp) -> Held {
        let tool_from_object = grasp.world_from_tool.inverse() * self.target.world_from_object;
        Held::of(self.target, tool_from_object, grasp.width_m)
    }

    /// Returns true if the arm reaches all tool poses; checks the last first, which is the hardest.
    pub(super) fn reaches_all(&self, robot: &Robot, poses: &[Pose]) -> bool {
        poses.iter().rev().all(|pose| self.reaches(robot, pose))
    }

    /// Returns true if the object, held as described by `held`, can be put on the place with index
    /// `at`.
    pub(crate) fn puts_on(&self, robot: &Robot, at: usize, held: &Held) -> bool {
        let Destination::Any(any) = &self.place else {
            return false;
        };
        let reaches = |pose: &Pose| self.reaches(robot, pose);
        any.has_room(at, &self.hand, held)
            && put_down::is_reachable(held, &any.placements[at], reaches)
    }

    /// Returns true if the arm reaches a tool pose. The results are cached: grasps all around a
    /// round object, put down in every rotation, lead to many equal queries.
    pub(super) fn reaches(&self, robot: &Robot, pose: &Pose) -> bool {
        let mut known = self.known.borrow_mut();
        let known = known.entry(rounded(pose));
        *known.or_insert_with(|| Arm::new(robot, &self.now).reaches(pose))
    }
}

/// Rounds a pose to steps that are negligible for reachability: 0.01 mm and 0.02 mrad.
fn rounded(pose: &Pose) -> [i64; 7] {
    let (t, q) = (&pose.translation, pose.rotation.coords);
    // Two quaternions represent one rotation; the sign of the largest component decides.
    let largest = q.iter().fold(
        0.0_f64,
        |m, c| if c.abs() > m.abs() + 1e-6 { *c } else { m },
    );
    let q = if largest < 0.0 { -q } else { q };
    [t.x, t.y, t.z, q.x, q.y, q.z, q.w].map(|c| (c * 1e5).round() as i64)
}

/// Returns the destination of a call, as far as it is known before the pick. Fails if there is no
/// place for the object as it is oriented now.
fn destination(
    (robot, now): (&Robot, &Observation),
    percept: &Percept,
    target: &PerceivedObject,
    next: &NextCall,
) -> Result<Option<Destination>> {
    let upright = &Held::of(target, Pose::identity(), 0.0);
    let one = |phrase: &str| match robot.resolver.resolve(percept, phrase) {
        Resolution::One(object) => Some(object),
        _ => None,
    };
    let near = target.position();
    let placing = Placing {
        robot,
        now,
        request: PlacementRequest::new(robot, percept, upright, target.world_from_object),
        near: [near.x, near.y],
    };
    let (places, rehearsed) = match next {
        NextCall::PlaceOn(args) => (args.places(&placing), true),
        NextCall::PlaceBeside(args) => (args.places(&placing), true),
        NextCall::PlaceAt(args) => (args.places(&placing), true),
        NextCall::PlaceAside(args) => (args.places(&placing), true),
        NextCall::Reorient(args) => (args.places(&placing), false),
        NextCall::CarryTo(args) => {
            let point = Vector3::new(args.x, args.y, args.z);
            return Ok(Some(Destination::InAir(point)));
        }
        NextCall::Pour(args) => {
            let scenery = one(&args.target).and_then(|into| Scenery::new(target, into));
            return Ok(scenery.map(|scenery| {
                let paths = scenery.paths();
                Destination::Tilted(Box::new(scenery), paths)
            }));
        }
        NextCall::Insert(args) => {
            let fit = one(&args.target).and_then(|hole| Fit::new(percept, &target.id, hole).ok());
            return Ok(fit.map(|fit| Destination::In(Box::new(fit))));
        }
    };
    // Loose objects that it touches may settle once it is lifted, and be level then.
    let touched = near_bodies(percept, target, SUPPORT_GAP_M);
    let may_shift = |why: &Failure| {
        let mut about = why.entities.iter();
        about.any(|id| percept.is_loose(id) && touched.contains(id))
    };
    match places {
        Ok(places) if rehearsed && !places.iter().any(|place| placing.nears(place)) => {
            let text = format!(
                "the next call would fail: the arm does not reach the place for {} at x={:.3} y={:.3}",
                target.id,
                places[0].position().x,
                places[0].position().y
            );
            Err(Failure::new(Reason::Unreachable, text)
                .about([target.id.clone()])
                .in_phase(Phase::Lookahead))
        }
        Ok(places) => {
            let placements = Placements::new(percept, target, &places, rehearsed);
            Ok(Some(Destination::Any(Box::new(placements))))
        }
        Err(why) if rehearsed && NO_PLACE.contains(&why.reason) && !may_shift(&why) => {
            let detail = format!("the next call would fail: {}", why.detail);
            Err(Failure {
                detail: detail.into(),
                ..why
            }
            .in_phase(Phase::Lookahead))
        }
        Err(_) => Ok(None),
    }
}
