//! State of a placement task.

use regrasp_api::{Failure, Held, ObjectId, Phase, PlanningScene, Reason};
use regrasp_robot::Robot;

use crate::params::ON_TARGET_M;
use crate::placement::Placement;
use crate::sight;

/// Vertical tolerance of a resting object, m.
pub(super) const HEIGHT_TOL_M: f64 = 0.006;

/// State of a placement task.
#[derive(Clone, Debug)]
pub struct PlaceTask {
    pub(crate) held: Held,
    /// The second support, if the object lies across two.
    pub(crate) also: Option<ObjectId>,
    /// Phrase for the object right beside which the placed one should stand.
    pub(crate) close_to: Option<String>,
    /// Candidate places, all on one support, the best first. After the placement, only the actual
    /// one.
    pub(crate) placements: Vec<Placement>,
}

impl PlaceTask {
    pub(crate) fn placement(&self) -> &Placement {
        &self.placements[0]
    }

    pub(super) fn touching(&self, scene: PlanningScene) -> PlanningScene {
        let supports = std::iter::once(&self.placement().support).chain(&self.also);
        supports.fold(scene, |scene, id| scene.touching(id.clone()))
    }

    /// Scene of the release, in which the object may be touched, too.
    pub(super) fn releasing(&self, scene: PlanningScene) -> PlanningScene {
        self.touching(scene).touching(self.held.id.clone())
    }
}

/// Creates the task of putting the object at any of several placements on one support; the first
/// that the arm can reach without collision is used. `placements` must not be empty.
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

/// Returns true if the hand stopped, or the object shifted in it, because the object stands at its
/// place already: it hung slightly lower than planned.
pub(super) fn has_landed(robot: &mut Robot, task: &PlaceTask, failure: &Failure) -> bool {
    let touches = [Reason::PathBlocked, Reason::GraspSlipped].contains(&failure.reason)
        && failure.phase == Some(Phase::Execute);
    touches
        && sight::see_again(robot, &task.held.id).is_ok_and(|seen| {
            let off = seen.position() - task.placement().position();
            let noise_m = 3.0 * seen.position_std_m;
            off.xy().norm() < ON_TARGET_M + noise_m && off.z.abs() < HEIGHT_TOL_M + noise_m
        })
}
