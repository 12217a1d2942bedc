//! Knowledge of a placement, and the tool's approaches to its places.

use nalgebra::Vector3;
use regrasp_api::{Failure, Held, ObjectId, Phase, PlanningScene, Pose, Reason};
use regrasp_robot::Robot;

use crate::candidates::Approach;
use crate::poses::raised;
use crate::release::{APPROACH_M, tool_at};
use crate::sight;
use crate::spot::{Rest, Spot};

/// Part of the limits used for descending and leaving.
pub(super) const DESCENT_SPEED: f64 = 0.6;
/// How far from its spot a placed object may rest, m.
pub(super) const ON_TARGET_M: f64 = 0.015;
/// How far above or below its place a resting object may be, m.
pub(super) const HEIGHT_TOL_M: f64 = 0.006;

/// What a placement knows about what it does.
#[derive(Clone, Debug)]
pub struct PlaceWork {
    pub(super) held: Held,
    pub(super) support: ObjectId,
    /// What it will stand on besides, if it lies across two things.
    pub(super) also: Option<ObjectId>,
    pub(super) world_from_object: Pose,
    /// Where else it may go, if not there.
    pub(super) elsewhere: Vec<Pose>,
    pub(super) rest: Rest,
    /// The way back from each of these places, if the hand comes in from the side or aslant.
    pub(super) ways_back: Vec<Vector3<f64>>,
    /// Places for a hand that comes straight down, if it cannot come so.
    pub(super) instead: Option<Box<PlaceWork>>,
}

impl PlaceWork {
    /// What is put down.
    pub(crate) fn id(&self) -> &ObjectId {
        &self.held.id
    }

    /// How it is held.
    pub(crate) fn held(&self) -> &Held {
        &self.held
    }

    /// Holds it in another grip from now on.
    pub(crate) fn take_as(&mut self, held: Held) {
        self.held = held;
    }

    /// Every place where it may go.
    pub(crate) fn places(&self) -> Vec<Spot> {
        let places = std::iter::once(&self.world_from_object).chain(&self.elsewhere);
        places
            .enumerate()
            .map(|(at, world_from_object)| Spot {
                support: self.support.clone(),
                world_from_object: *world_from_object,
                rest: self.rest,
                way_back: self.ways_back.get(at).copied(),
            })
            .collect()
    }

    /// The same, standing on one more thing.
    pub(crate) fn and_on(mut self, also: Option<ObjectId>) -> Self {
        self.also = also;
        self
    }

    /// A scene in which it may touch what it stands on.
    pub(super) fn touching(&self, scene: PlanningScene) -> PlanningScene {
        let supports = std::iter::once(&self.support).chain(&self.also);
        supports.fold(scene, |scene, id| scene.touching(id.clone()))
    }
}

/// The work of putting it there and nowhere else.
pub(crate) fn work(held: Held, spot: Spot) -> PlaceWork {
    PlaceWork {
        held,
        support: spot.support,
        also: None,
        world_from_object: spot.world_from_object,
        elsewhere: vec![],
        rest: spot.rest,
        ways_back: spot.way_back.into_iter().collect(),
        instead: None,
    }
}

/// The work of putting it on any of several spots of the first one's support, the first that
/// the arm can reach without touching anything. There must be one.
pub(crate) fn any_of(held: Held, spots: Vec<Spot>) -> PlaceWork {
    let mut spots = spots.into_iter();
    let Some(first) = spots.next() else {
        unreachable!("a place without a spot is a failure, and was told");
    };
    let mut work = work(held.clone(), first);
    let comes_straight = work.ways_back.is_empty();
    let others = spots.filter(|spot| spot.support == work.support);
    let (alike, unlike): (Vec<Spot>, Vec<Spot>) =
        others.partition(|spot| spot.way_back.is_none() == comes_straight);
    for spot in alike {
        work.elsewhere.push(spot.world_from_object);
        work.ways_back.extend(spot.way_back);
    }
    work.instead = (!unlike.is_empty()).then(|| Box::new(any_of(held, unlike)));
    work
}

/// Whether what stopped the hand, or shifted the object in it, is that this stands in its place
/// already: it hung a little lower than planned.
pub(super) fn has_landed(robot: &mut Robot, work: &PlaceWork, failure: &Failure) -> bool {
    let touches = [Reason::PathBlocked, Reason::GraspSlipped].contains(&failure.reason)
        && failure.phase == Some(Phase::Execute);
    touches
        && sight::see_again(robot, &work.held.id).is_ok_and(|seen| {
            let off = seen.position() - work.world_from_object.translation.vector;
            let noise_m = 3.0 * seen.position_std_m;
            off.xy().norm() < ON_TARGET_M + noise_m && off.z.abs() < HEIGHT_TOL_M + noise_m
        })
}

/// Where the tool lets go of it there.
pub(super) fn tool_pose(work: &PlaceWork, world_from_object: &Pose) -> Pose {
    tool_at(&work.held, world_from_object)
}

/// The ways of the tool that put the object there, one for each pose of it.
pub(super) fn approaches(work: &PlaceWork, poses: &[Pose]) -> Vec<Approach> {
    poses
        .iter()
        .map(|pose| tool_pose(work, pose))
        .map(|world_from_tool| Approach {
            world_from_before: raised(&world_from_tool, APPROACH_M),
            world_from_tool,
        })
        .collect()
}
