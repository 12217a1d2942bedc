//! Knowledge of a placement.

use regrasp_api::{Failure, Held, ObjectId, Phase, PlanningScene, Reason};
use regrasp_robot::Robot;

use crate::params::ON_TARGET_M;
use crate::placement::Placement;
use crate::sight;

/// Height above or below its place at which an object may rest, m.
pub(super) const HEIGHT_TOL_M: f64 = 0.006;

/// State of a placement.
#[derive(Clone, Debug)]
pub struct PlaceTask {
    pub(crate) held: Held,
    /// The second object on which it will stand, if it lies across two.
    pub(crate) also: Option<ObjectId>,
    /// The phrase for the thing right beside which it should stand.
    pub(crate) close_to: Option<String>,
    /// Places where it may go, all on one support, the best first; once it is there, that place alone.
    pub(crate) placements: Vec<Placement>,
}

impl PlaceTask {
    /// The best place, or the one where it is.
    pub(crate) fn placement(&self) -> &Placement {
        &self.placements[0]
    }

    /// A scene in which it may touch what it stands on.
    pub(super) fn touching(&self, scene: PlanningScene) -> PlanningScene {
        let supports = std::iter::once(&self.placement().support).chain(&self.also);
        supports.fold(scene, |scene, id| scene.touching(id.clone()))
    }
}

/// The task of putting it on any of several placements of the first one's support, the first that
/// the arm can reach without touching anything. There must be one.
pub(crate) fn any_of(held: Held, mut placements: Vec<Placement>) -> PlaceTask {
    assert!(
        !placements.is_empty(),
        "a place without a placement is a failure"
    );
    let support = placements[0].support.clone();
    placements.retain(|placement| placement.support == support);
    PlaceTask {
        held,
        also: None,
        close_to: None,
        placements,
    }
}

/// Returns true if what stopped the hand, or shifted the object in it, is that this stands in its
/// place already: it hung a little lower than planned.
pub(super) fn has_landed(robot: &mut Robot, task: &PlaceTask, failure: &Failure) -> bool {
    let touches = [Reason::PathBlocked, Reason::GraspSlipped].contains(&failure.reason)
        && failure.phase == Some(Phase::Execute);
    touches
        && sight::see_again(robot, &task.held.id).is_ok_and(|seen| {
            let off = seen.position() - task.placement().world_from_object.translation.vector;
            let noise_m = 3.0 * seen.position_std_m;
            off.xy().norm() < ON_TARGET_M + noise_m && off.z.abs() < HEIGHT_TOL_M + noise_m
        })
}
