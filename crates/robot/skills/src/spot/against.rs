//! Places right beside something, and across two things that stand so.

use nalgebra::Vector3;
use regrasp_api::{Failure, Held, PerceivedObject, Percept, Pose, Reason, Side};
use regrasp_relations::stands_on;

use super::beside::reach_m;
use super::ground::Ground;
use super::placement::Spot;
use crate::grasp::narrow_directions;

/// Space left between the two, m: what tracking and release may be off, and the margin
/// that motion planning keeps.
const GAP_M: f64 = 0.004;
/// A side is meant if a face looks at most this far past it: cosine of 50 degrees.
const TOWARD: f64 = 0.64;
/// Two tops that differ by more are not level, m.
const LEVEL_M: f64 = 0.003;
/// Least width of what lies on either of two supports, m.
const LEAST_OVERLAP_M: f64 = 0.006;

/// The free places right beside the flat sides of `target`, nearest first, turned so that
/// the two face each other.
///
/// # Errors
///
/// `target_occupied` with what is in the way, or `placement_unstable` if there is no
/// surface.
pub(crate) fn against(
    percept: &Percept,
    held: &Held,
    world_from_held: &Pose,
    target: &PerceivedObject,
    side: Option<Side>,
) -> Result<Vec<Spot>, Failure> {
    let mut others = percept.objects.iter();
    let Some(support) = others.find(|o| stands_on(target, o)) else {
        let text = format!("{} stands on nothing that is seen", target.id);
        return Err(Failure::new(Reason::PlacementUnstable, text).about([target.id.clone()]));
    };
    let center = target.aabb_in_world().center().coords;
    let from = world_from_held.translation.vector;
    let mut ways: Vec<Vector3<f64>> = narrow_directions(&target.shape, &target.world_from_object)
        .into_iter()
        .map(|yaw| Vector3::new(yaw.cos(), yaw.sin(), 0.0))
        .flat_map(|out| [out, -out])
        .filter(|out| side.is_none_or(|side| side.direction().dot(out) > TOWARD))
        .collect();
    ways.sort_by(|a, b| {
        let toward = |out: &Vector3<f64>| out.dot(&(from - center));
        toward(b).total_cmp(&toward(a))
    });
    let (mut spots, mut outcome) = (vec![], None);
    for out in ways {
        let ground = Ground::new(percept, held, world_from_held)
            .facing(&out)
            .close_to(&target.id);
        let away_m = reach_m(target, &center, &out) + ground.reach_m(&-out) + GAP_M;
        let at = center + out * away_m;
        match ground.at([at.x, at.y], Some(support)) {
            Ok(spot) => spots.push(spot),
            Err(failure) => outcome = outcome.or(Some(failure)),
        }
    }
    if !spots.is_empty() {
        return Ok(spots);
    }
    Err(outcome.unwrap_or_else(|| {
        let text = format!("{} has no flat side there", target.id);
        Failure::new(Reason::PlacementUnstable, text).about([target.id.clone()])
    }))
}

/// The place across two things of one height: over the middle between them, turned as
/// they stand to each other.
///
/// # Errors
///
/// `placement_unstable` if they are not of one height or too far apart, `target_occupied`
/// with what is in the way.
pub(crate) fn across(
    percept: &Percept,
    held: &Held,
    world_from_held: &Pose,
    targets: [&PerceivedObject; 2],
) -> Result<Spot, Failure> {
    let [a, b] = targets;
    let unstable = |text: String| {
        Failure::new(Reason::PlacementUnstable, text).about([a.id.clone(), b.id.clone()])
    };
    let [top_a, top_b] = targets.map(|t| t.aabb_in_world().max[2]);
    if (top_a - top_b).abs() > LEVEL_M {
        let (a, b) = (&a.id, &b.id);
        return Err(unstable(format!(
            "the tops of {a} and {b} are at z={top_a:.3} and z={top_b:.3}: nothing lies level on both"
        )));
    }
    let [from, to] = targets.map(|t| t.aabb_in_world().center().coords);
    let level = Vector3::new(to.x - from.x, to.y - from.y, 0.0);
    let Some(way) = level.try_normalize(1e-6) else {
        return Err(unstable(format!("{} stands over {}", a.id, b.id)));
    };
    let edges_m = [
        reach_m(a, &from, &way),
        level.norm() - reach_m(b, &to, &-way),
    ];
    let middle = from + way * (0.5 * (edges_m[0] + edges_m[1]));
    let ground = Ground::new(percept, held, world_from_held).facing(&way);
    let overlap_m = ground.reach_m(&way) - 0.5 * (edges_m[1] - edges_m[0]);
    if overlap_m < LEAST_OVERLAP_M {
        let gap_m = edges_m[1] - edges_m[0];
        return Err(unstable(format!(
            "{} and {} are {gap_m:.3} m apart: {} does not reach from one to the other",
            a.id, b.id, held.id
        )));
    }
    ground.on_top([middle.x, middle.y], top_a.max(top_b), targets)
}
