//! Knowledge of a placement.

use regrasp_api::{Failure, Held, ObjectId, Phase, PlanningScene, Reason};
use regrasp_robot::Robot;

use crate::release::ON_TARGET_M;
use crate::sight;
use crate::spot::Spot;

/// Part of the limits used for descending and leaving.
pub(super) const DESCENT_SPEED: f64 = 0.6;
/// Height above or below its place at which an object may rest, m.
pub(super) const HEIGHT_TOL_M: f64 = 0.006;

/// State of a placement.
#[derive(Clone, Debug)]
pub struct PlaceWork {
    pub(crate) held: Held,
    /// The second object on which it will stand, if it lies across two.
    pub(crate) also: Option<ObjectId>,
    /// Places where it may go, all on one support, the best first; once it is there, that place alone.
    pub(crate) spots: Vec<Spot>,
}

impl PlaceWork {
    /// The best place, or the one where it is.
    pub(super) fn spot(&self) -> &Spot {
        &self.spots[0]
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
