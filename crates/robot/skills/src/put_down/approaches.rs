//! Every way to put something down in its place, and which of them leave room for the fingers.

use nalgebra::{Translation3, Vector3};
use regrasp_api::{Held, Percept, PlanningScene, Pose};
use regrasp_motion::Body;

use super::drop::Above;
use crate::candidates::Approach;
use crate::grasp::Hand;
use crate::params::{APPROACH_M, OPEN_ROOM_M, RELEASE_GAP_M, SEEN_EXACT_M};
use crate::placement::{Around, Placement, Rest};
use crate::poses::{in_turns, raised, tool_at};

/// The straight way of the tool to where it lets go of it: from above, or the way that the place has.
pub(super) fn way_in(held: &Held, placement: &Placement) -> Approach {
    let world_from_tool = tool_at(held, &placement.world_from_object);
    Approach {
        world_from_before: Translation3::from(way_back(placement)) * world_from_tool,
        world_from_tool,
    }
}

/// From a place to where the straight way to it begins, m in World.
pub(super) fn way_back(placement: &Placement) -> Vector3<f64> {
    placement.way_back.unwrap_or(Vector3::z() * APPROACH_M)
}

/// The ways of the tool that put it down there, one for each turn of it.
pub(crate) fn ways(held: &Held, placement: &Placement) -> Vec<Approach> {
    turns_of(placement)
        .iter()
        .map(|s| way_in(held, s))
        .collect()
}

/// The ways of the tool to where it can be let fall there, as far as it has to be: none if the
/// hand gets down to where it would stand.
pub(crate) fn ways_to_drop(
    hand: &Hand,
    held: &Held,
    scene: &PlanningScene,
    placement: &Placement,
) -> Vec<Approach> {
    let Some(above) = Above::new(hand, held, scene, placement) else {
        return vec![];
    };
    let turns = turns_of(placement);
    match turns.iter().any(|turn| above.has_room(turn)) {
        true => vec![],
        false => above.over(&turns).iter().map(|s| way_in(held, s)).collect(),
    }
}

/// Places with every turn of it there, in the order in which they are tried: those with a way of
/// their own that leaves the hand room; those to which it is lowered; and those from which it is
/// let fall, since the hand gets no lower.
pub(super) fn by_kind(
    hand: &Hand,
    percept: &Percept,
    scene: &PlanningScene,
    held: &Held,
    placements: &[Placement],
) -> [Vec<Placement>; 3] {
    let (mut entered, straight): (Vec<Placement>, Vec<Placement>) = placements
        .iter()
        .cloned()
        .partition(|s| s.way_back.is_some());
    let around = Around::new(percept, &held.id);
    entered.retain(|placement| around.has_room(hand, held, placement));
    let Some(first) = straight.first() else {
        return [entered, vec![], vec![]];
    };
    let support = percept.object(&first.support);
    let support = support.and_then(|o| Body::new(&o.shape, &o.world_from_object));
    let [mut lowered, sunk] = from_above(hand, support.as_ref(), held, &straight);
    let above = Above::new(hand, held, scene, first);
    let all = [lowered.as_slice(), &sunk].concat();
    let falling = above.as_ref().map_or(vec![], |above| above.over(&all));
    // What the hand's own shape rules out need not be planned, if there is another way.
    if let Some(above) = above.filter(|_| !falling.is_empty()) {
        lowered.retain(|placement| above.has_room(placement));
    }
    [entered, lowered, falling]
}

/// Every turn of it at a place.
fn turns_of(placement: &Placement) -> Vec<Placement> {
    if placement.rest == Rest::Laid || placement.way_back.is_some() {
        return vec![placement.clone()];
    }
    let turned = |world_from_object: Pose| Placement {
        world_from_object,
        ..placement.clone()
    };
    in_turns(&placement.world_from_object).map(turned).into()
}

/// Every place and turn of it, in the order in which they are tried: first those with which the
/// fingers do not touch what it will stand on, such as the wall of a bin; on the way down they may.
/// Apart from them, those with which a finger would stand in it.
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
    // Turned otherwise, a book would stand in the walls of its compartment.
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
    // A finger that is deeper in what it is put on would be stopped by that.
    rooms.sort_by_key(|(room_m, _)| (*room_m < -SEEN_EXACT_M, room_m.is_finite()));
    let n_lowered = rooms.partition_point(|(room_m, _)| *room_m >= -SEEN_EXACT_M);
    let mut lowered: Vec<Placement> = rooms.into_iter().map(|(_, placement)| placement).collect();
    let sunk = lowered.split_off(n_lowered);
    [lowered, sunk]
}

#[cfg(test)]
mod tests {
    use regrasp_api::{ObjectId, Pose};

    use super::super::drop::tests::{box_without_lid, packet};
    use super::*;
    use crate::grasp::tests::gripper;

    /// Ways in which a packet, 4 cm wide where it is held, can be put into a box so wide: with room
    /// for the fingers, and with one of them in a wall.
    fn poses(inside_m: f64) -> [usize; 2] {
        let shape = box_without_lid([0.2, inside_m], 0.03);
        let support = Body::new(&shape, &Pose::identity()).expect("a box spans a volume");
        let placement = Placement {
            support: ObjectId::new("box"),
            world_from_object: Pose::translation(0.0, 0.0, 0.009),
            rest: Rest::Stands,
            way_back: None,
        };
        let hand = Hand::new(&gripper());
        from_above(&hand, Some(&support), &packet(), &[placement])
            .map(|placements| placements.len())
    }

    #[test]
    fn a_finger_is_not_lowered_into_a_wall() {
        assert_eq!(poses(0.05), [0, 2], "along the walls, fingers in them");
        let [with_room, _] = poses(0.14);
        assert!(with_room >= 2, "{with_room}");
    }
}
