//! State of a call that puts an object down, and verification that it came to rest at its place.

use nalgebra::Point3;
use regrasp_api::{
    Failure, Held, ObjectId, PerceivedObject, Phase, PlanningScene, Reason, Success,
};
use regrasp_relations::{is_inside, level_gap_m};
use regrasp_robot::{Result, Robot};

use crate::grasp::mass_of_shape;
use crate::moved::fall_rad;
use crate::params::{NEAR_M, ON_TARGET_M, REST_SECS, TILT_TOL_RAD};
use crate::placement::{Placement, Rest, upright};
use crate::sight;

/// Vertical tolerance of a resting object, m.
const HEIGHT_TOL_M: f64 = 0.006;

/// State of a call that puts the held object down.
#[derive(Clone, Debug)]
pub struct PlaceTask {
    pub(crate) held: Held,
    pub(crate) also: Option<ObjectId>,
    /// Candidate places on one support, the best first; once one has been approached, only that.
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

/// Creates the task of putting the object at any of several placements; those on another support
/// than the first are left out. `placements` must not be empty.
pub(crate) fn any_of(held: Held, mut placements: Vec<Placement>) -> PlaceTask {
    assert!(
        !placements.is_empty(),
        "a task needs at least one placement"
    );
    let support = placements[0].support.clone();
    placements.retain(|placement| placement.support == support);
    PlaceTask {
        held,
        also: None,
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

pub(crate) fn verify_placed(robot: &mut Robot, task: &PlaceTask) -> Result<Success> {
    let Placement { support, rest, .. } = task.placement();
    if *rest == Rest::Inside {
        return verify_inside(robot, task);
    }
    let (id, shape) = (&task.held.id, &task.held.shape);
    let settled = robot.settle(REST_SECS)?;
    settled.at_rest(&[id, support])?;
    let rests = sight::see_again(robot, id)?;
    let goal = &task.placement().world_from_object;
    let found = &rests.world_from_object;
    let noise_m = 3.0 * rests.position_std_m;
    let (off_m, height_off_m, tilt_rad) = if *rest == Rest::Laid {
        // The object may have rolled about its own axis, so only that axis is compared.
        let length = upright(&settled.percept, id, shape)?.axis();
        let mass = Point3::from(mass_of_shape(shape));
        let tilt_rad = (goal.rotation * length).angle(&(found.rotation * length));
        ((goal * mass - found * mass).norm(), 0.0, tilt_rad)
    } else {
        let off = rests.position() - goal.translation.vector;
        let wanted = PerceivedObject {
            world_from_object: *goal,
            ..rests.clone()
        };
        (off.xy().norm(), off.z.abs(), fall_rad(&wanted, found))
    };
    let about = [id.clone(), support.clone()];
    if height_off_m > HEIGHT_TOL_M + noise_m || tilt_rad > TILT_TOL_RAD {
        let text = format!(
            "{id} did not stay on {support}: it is off its place by {height_off_m:.4} m in height \
             and {off_m:.4} m sideways, and tilted by {tilt_rad:.2} rad"
        );
        return Err(Failure::new(Reason::PlacementUnstable, text)
            .in_phase(Phase::Verify)
            .about(about)
            .measured("height_off", height_off_m, Some(HEIGHT_TOL_M), "m")
            .measured("tilt", tilt_rad, Some(TILT_TOL_RAD), "rad"));
    }
    if off_m > ON_TARGET_M + noise_m {
        let text = format!(
            "{id} rests {off_m:.4} m from its place on {support} (at most {ON_TARGET_M:.3} m)"
        );
        return Err(Failure::new(Reason::PlacedOffTarget, text)
            .about(about)
            .measured("off_target", off_m, Some(ON_TARGET_M), "m"));
    }
    let text = format!("{id} rests on {support}, {off_m:.4} m from its place");
    let success = Success::new(text).about(about);
    Ok(success.measured("off_target", off_m, Some(ON_TARGET_M), "m"))
}

/// Checks that the object came to rest inside its support, in any pose.
fn verify_inside(robot: &mut Robot, task: &PlaceTask) -> Result<Success> {
    let (id, into) = (&task.held.id, &task.placement().support);
    let settled = robot.settle(REST_SECS)?;
    settled.at_rest(&[id, into])?;
    sight::see_again(robot, id)?;
    let [inner, outer] = [id, into].map(|id| settled.percept.object(id));
    let lies_in = inner.zip(outer).is_some_and(|(a, b)| is_inside(a, b));
    if !lies_in {
        let text = format!("{id} fell out of {into}");
        return Err(Failure::new(Reason::PlacementUnstable, text)
            .in_phase(Phase::Verify)
            .about([id.clone(), into.clone()]));
    }
    let text = format!("{id} was dropped into {into} and lies in it");
    Ok(Success::new(text).about([id.clone(), into.clone()]))
}

/// Checks that the placed object is close enough to the one that a phrase names.
pub(crate) fn verify_close(robot: &mut Robot, task: &PlaceTask, phrase: &str) -> Result<()> {
    let (_, target) = sight::find(robot, phrase)?;
    let placed = sight::see_again(robot, &task.held.id)?;
    let gap_m = level_gap_m(&placed, &target);
    let limit_m = NEAR_M + 3.0 * (placed.position_std_m + target.position_std_m);
    if gap_m <= limit_m {
        return Ok(());
    }
    let text = format!(
        "{} stands {gap_m:.4} m from {}, not right beside it (limit {limit_m:.4} m)",
        placed.id, target.id
    );
    Err(Failure::new(Reason::PlacedOffTarget, text)
        .about([placed.id, target.id])
        .measured("gap", gap_m, Some(limit_m), "m"))
}
