//! Approaches to a placement, and the room that they leave for the fingers.

use nalgebra::{Translation3, Vector3};
use regrasp_api::{Held, Obstacle, PlanningScene, Pose};
use regrasp_motion::Body;

use super::drop::Above;
use crate::arm::Approach;
use crate::grasp::Hand;
use crate::params::{APPROACH_M, OPEN_ROOM_M, RELEASE_GAP_M, SEEN_EXACT_M};
use crate::placement::{Placement, Rest};
use crate::poses::{in_turns, raised, tool_at};

/// Straight approach of the tool to the release: from above, or the placement's own approach.
pub(crate) fn approach_to(held: &Held, placement: &Placement) -> Approach {
    let world_from_tool = tool_at(held, &placement.world_from_object);
    let back = Translation3::from(retreat(placement));
    Approach::new(back * world_from_tool, world_from_tool)
}

/// Displacement from a place to the start of its straight approach, m in World.
pub(super) fn retreat(placement: &Placement) -> Vector3<f64> {
    placement.retreat.unwrap_or(Vector3::z() * APPROACH_M)
}

/// Approaches that put the object down at a place, one for each rotation.
pub(crate) fn approaches(held: &Held, placement: &Placement) -> Vec<Approach> {
    let turns = turns_of(placement).into_iter();
    turns.map(|s| approach_to(held, &s)).collect()
}

/// Places in every rotation, grouped in the order in which they are tried: those with their own
/// approach that leave the hand room; those to which the object is lowered; and those from which it
/// is dropped, since the hand gets no lower.
pub(crate) fn by_kind(
    hand: &Hand,
    scene: &PlanningScene,
    held: &Held,
    placements: &[Placement],
) -> [Vec<Placement>; 3] {
    let all = placements.iter().cloned();
    let (mut entered, straight): (Vec<_>, Vec<_>) = all.partition(|s| s.retreat.is_some());
    let others = scene.obstacles.iter().filter(|o| o.id != held.id);
    let body = |o: &Obstacle| Body::new(&o.shape, &o.world_from_object);
    let around: Vec<Body> = others.filter_map(body).collect();
    entered.retain(|placement| placement.leaves_room(&around, hand, held));
    let Some(first) = straight.first() else {
        return [entered, vec![], vec![]];
    };
    let support = scene.obstacles.iter().find(|o| o.id == first.support);
    let support = support.and_then(body);
    let [mut lowered, sunk] = from_above(hand, support.as_ref(), held, &straight);
    let above = Above::new(hand, held, scene, first);
    let all = [lowered.as_slice(), &sunk].concat();
    let falling = above.as_ref().map_or(vec![], |above| above.over(&all));
    // Placements for which the hand has no room need not be planned, if the object can be dropped.
    if let Some(above) = above.filter(|_| !falling.is_empty()) {
        lowered.retain(|placement| above.has_room(placement));
    }
    [entered, lowered, falling]
}

fn turns_of(placement: &Placement) -> Vec<Placement> {
    if placement.rest == Rest::Laid || placement.retreat.is_some() {
        return vec![placement.clone()];
    }
    let turned = |world_from_object: Pose| Placement {
        world_from_object,
        ..placement.clone()
    };
    in_turns(&placement.world_from_object).map(turned).into()
}

/// Every place and rotation, in the order in which they are tried, those first in which the fingers
/// do not touch the support, such as the wall of a bin; during the descent they may. The second
/// list has those in which a finger would penetrate it.
fn from_above(
    hand: &Hand,
    support: Option<&Body>,
    held: &Held,
    placements: &[Placement],
) -> [Vec<Placement>; 2] {
    let room_m = |placement: &Placement| {
        let placed = hand.at(&tool_at(held, &placement.world_from_object), held.width_m);
        let gap_m = |finger: &Body| finger.gap_m(support?, OPEN_ROOM_M);
        let gaps = placed.fingers.iter().filter_map(gap_m);
        gaps.fold(f64::INFINITY, f64::min)
    };
    // In other rotations, a book would penetrate the walls of its compartment.
    let in_wall = |placement: &Placement| {
        let pose = raised(&placement.world_from_object, RELEASE_GAP_M);
        let placed = Body::new(&held.shape, &pose);
        let pair = support.zip(placed.as_ref());
        pair.is_some_and(|(support, placed)| placed.gap_m(support, 0.0).is_some())
    };
    let all = placements.iter().flat_map(turns_of);
    let (walled, mut fitting): (Vec<_>, Vec<_>) = all.partition(in_wall);
    if fitting.is_empty() {
        fitting = walled;
    }
    let mut rooms: Vec<(f64, Placement)> = fitting.into_iter().map(|s| (room_m(&s), s)).collect();
    // The support would stop a finger that penetrates it further.
    rooms.sort_by_key(|(room_m, _)| (*room_m < -SEEN_EXACT_M, room_m.is_finite()));
    let n_lowered = rooms.partition_point(|(room_m, _)| *room_m >= -SEEN_EXACT_M);
    let mut lowered: Vec<Placement> = rooms.into_iter().map(|(_, placement)| placement).collect();
    let sunk = lowered.split_off(n_lowered);
    [lowered, sunk]
}

#[cfg(test)]
mod tests {
    use super::super::drop::tests::{box_without_lid, lying, packet};
    use super::*;
    use crate::grasp::tests::gripper;

    /// Number of poses of a packet, 4 cm wide at the grasp, in a box of this width: with room for
    /// the fingers, and with one of them in a wall.
    fn poses(inside_m: f64) -> [usize; 2] {
        let shape = box_without_lid([0.2, inside_m], 0.03);
        let support = Body::new(&shape, &Pose::identity()).expect("a box spans a volume");
        let hand = Hand::new(&gripper());
        from_above(&hand, Some(&support), &packet(), &[lying()]).map(|placements| placements.len())
    }

    #[test]
    fn a_finger_is_not_lowered_into_a_wall() {
        assert_eq!(poses(0.05), [0, 2], "along the walls, fingers in them");
        let [with_room, _] = poses(0.14);
        assert!(with_room >= 2, "{with_room}");
    }
}
