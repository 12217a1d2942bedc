//! Knowledge of a placement, and the tool's approaches to its places.

use regrasp_api::{Failure, Held, ObjectId, Phase, PlanningScene, Pose, Reason};
use regrasp_robot::Robot;

use crate::candidates::Approach;
use crate::params::APPROACH_M;
use crate::poses::raised;
use crate::release::{ON_TARGET_M, tool_at};
use crate::sight;
use crate::spot::Spot;

/// Part of the limits used for descending and leaving.
pub(super) const DESCENT_SPEED: f64 = 0.6;
/// Height above or below its place at which an object may rest, m.
pub(super) const HEIGHT_TOL_M: f64 = 0.006;

/// State of a placement.
#[derive(Clone, Debug)]
pub struct PlaceWork {
    pub(super) held: Held,
    /// The second object on which it will stand, if it lies across two.
    pub(super) also: Option<ObjectId>,
    /// Places where it may go, all on one support, the best first; once it is there, that place alone.
    pub(super) spots: Vec<Spot>,
}

impl PlaceWork {
    /// The object that is put down.
    pub(crate) fn id(&self) -> &ObjectId {
        &self.held.id
    }

    /// The grip in which it is held.
    pub(crate) fn held(&self) -> &Held {
        &self.held
    }

    /// Holds it in another grip from now on.
    pub(crate) fn take_as(&mut self, held: Held) {
        self.held = held;
    }

    /// Every place where it may go.
    pub(crate) fn places(&self) -> &[Spot] {
        &self.spots
    }

    /// The best place, or the one where it is.
    pub(super) fn spot(&self) -> &Spot {
        &self.spots[0]
    }

    /// The same, standing on one more thing.
    pub(crate) fn and_on(mut self, also: Option<ObjectId>) -> Self {
        self.also = also;
        self
    }

    /// A scene in which it may touch what it stands on.
    pub(super) fn touching(&self, scene: PlanningScene) -> PlanningScene {
        let supports = std::iter::once(&self.spot().support).chain(&self.also);
        supports.fold(scene, |scene, id| scene.touching(id.clone()))
    }
}

/// The work of putting it on any of several spots of the first one's support, the first that
/// the arm can reach without touching anything. There must be one.
pub(crate) fn any_of(held: Held, mut spots: Vec<Spot>) -> PlaceWork {
    assert!(!spots.is_empty(), "a place without a spot is a failure");
    let support = spots[0].support.clone();
    spots.retain(|spot| spot.support == support);
    PlaceWork {
        held,
        also: None,
        spots,
    }
}

/// Whether what stopped the hand, or shifted the object in it, is that this stands in its place
/// already: it hung a little lower than planned.
pub(super) fn has_landed(robot: &mut Robot, work: &PlaceWork, failure: &Failure) -> bool {
    let touches = [Reason::PathBlocked, Reason::GraspSlipped].contains(&failure.reason)
        && failure.phase == Some(Phase::Execute);
    touches
        && sight::see_again(robot, &work.held.id).is_ok_and(|seen| {
            let off = seen.position() - work.spot().world_from_object.translation.vector;
            let noise_m = 3.0 * seen.position_std_m;
            off.xy().norm() < ON_TARGET_M + noise_m && off.z.abs() < HEIGHT_TOL_M + noise_m
        })
}

/// The straight ways of the tool down to where it puts the object, one for each pose of it.
pub(super) fn approaches(held: &Held, poses: &[Pose]) -> Vec<Approach> {
    let tools = poses.iter().map(|pose| tool_at(held, pose));
    let approach = |world_from_tool| Approach {
        world_from_before: raised(&world_from_tool, APPROACH_M),
        world_from_tool,
    };
    tools.map(approach).collect()
}
