//! State of an insertion, and the scene through which it moves.

use regrasp_api::{Failure, Held, ObjectId, PlanningScene};
use regrasp_robot::Robot;

use super::fit::Fit;
use crate::sight;

/// State of an insertion.
#[derive(Clone, Debug)]
pub struct InsertTask {
    pub(super) held: Held,
    pub(super) target: ObjectId,
    pub(super) fit: Fit,
}

/// Scene of the insertion, in which the target may be touched.
pub(super) fn scene(robot: &mut Robot, task: &InsertTask) -> Result<PlanningScene, Failure> {
    Ok(touching(sight::scene(robot)?, task))
}

pub(super) fn touching(scene: PlanningScene, task: &InsertTask) -> PlanningScene {
    let touches = task.fit.touches();
    touches.fold(scene, |scene, id| scene.touching(id.clone()))
}
