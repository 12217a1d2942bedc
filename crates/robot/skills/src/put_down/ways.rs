//! Every way to put something down in its place, and which of them leave room for the fingers.

use nalgebra::{Translation3, Vector3};
use regrasp_api::{Held, Percept, PlanningScene, Pose};
use regrasp_motion::Body;

use super::let_fall::Above;
use crate::candidates::Approach;
use crate::grasp::Hand;
use crate::params::APPROACH_M;
use crate::poses::{in_turns, raised};
use crate::release::{RELEASE_GAP_M, RELEASE_ROOM_M, tool_at};
use crate::spot::{Around, Rest, Spot};

/// A finger that is deeper than this in what something is put on would be stopped by it, m: shapes
/// are no more exact.
const SUNK_M: f64 = 0.003;

/// The straight way of the tool to where it lets go of it: from above, or the way that the place has.
pub(super) fn way_in(held: &Held, spot: &Spot) -> Approach {
    let world_from_tool = tool_at(held, &spot.world_from_object);
    let back = spot.way_back.unwrap_or(Vector3::z() * APPROACH_M);
    Approach {
        world_from_before: Translation3::from(back) * world_from_tool,
        world_from_tool,
    }
}

/// The ways of the tool that put it down there, one for each turn of it.
pub(crate) fn ways(held: &Held, spot: &Spot) -> Vec<Approach> {
    turns_of(spot).iter().map(|s| way_in(held, s)).collect()
}

/// The ways of the tool to where it can be let fall there, as far as it has to be: none if the
/// hand gets down to where it would stand.
pub(crate) fn ways_to_let_fall(
    hand: &Hand,
    held: &Held,
    scene: &PlanningScene,
    spot: &Spot,
) -> Vec<Approach> {
    let Some(above) = Above::new(hand, held, scene, spot) else {
        return vec![];
    };
    let turns = turns_of(spot);
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
    spots: &[Spot],
) -> [Vec<Spot>; 3] {
    let (mut entered, straight): (Vec<Spot>, Vec<Spot>) =
        spots.iter().cloned().partition(|s| s.way_back.is_some());
    let around = Around::new(percept, &held.id);
    entered.retain(|spot| around.has_room(hand, held, spot));
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
        lowered.retain(|spot| above.has_room(spot));
    }
    [entered, lowered, falling]
}

/// Every turn of it at a place.
fn turns_of(spot: &Spot) -> Vec<Spot> {
    if spot.rest == Rest::Laid || spot.way_back.is_some() {
        return vec![spot.clone()];
    }
    let turned = |world_from_object: Pose| Spot {
        world_from_object,
        ..spot.clone()
    };
    in_turns(&spot.world_from_object).map(turned).into()
}

/// Every place and turn of it, in the order in which they are tried: first those with which the
/// fingers do not touch what it will stand on, such as the wall of a bin; on the way down they may.
/// Apart from them, those with which a finger would stand in it.
fn from_above(hand: &Hand, support: Option<&Body>, held: &Held, spots: &[Spot]) -> [Vec<Spot>; 2] {
    let room_m = |spot: &Spot| {
        let placed = hand.at(&tool_at(held, &spot.world_from_object), held.width_m);
        let gap_m = |finger: &Body| finger.gap_m(support?, RELEASE_ROOM_M);
        let gaps = placed.fingers.iter().filter_map(gap_m);
        gaps.fold(f64::INFINITY, f64::min)
    };
    // Turned otherwise, a book would stand in the walls of its compartment.
    let in_wall = |spot: &Spot| {
        let pose = raised(&spot.world_from_object, RELEASE_GAP_M);
        let placed = Body::new(&held.shape, &pose);
        let pair = support.zip(placed.as_ref());
        pair.is_some_and(|(support, placed)| placed.gap_m(support, 0.0).is_some())
    };
    let all = spots.iter().flat_map(turns_of);
    let (walled, mut fitting): (Vec<_>, Vec<_>) = all.partition(in_wall);
    if fitting.is_empty() {
        fitting = walled;
    }
    let mut rooms: Vec<(f64, Spot)> = fitting.into_iter().map(|s| (room_m(&s), s)).collect();
    rooms.sort_by_key(|(room_m, _)| (*room_m < -SUNK_M, room_m.is_finite()));
    let n_lowered = rooms.partition_point(|(room_m, _)| *room_m >= -SUNK_M);
    let mut lowered: Vec<Spot> = rooms.into_iter().map(|(_, spot)| spot).collect();
    let sunk = lowered.split_off(n_lowered);
    [lowered, sunk]
}

#[cfg(test)]
mod tests {
    use regrasp_api::{ObjectId, Pose};

    use super::super::let_fall::tests::{box_without_lid, packet};
    use super::*;
    use crate::grasp::tests::gripper;

    /// Ways in which a packet, 4 cm wide where it is held, can be put into a box so wide: with room
    /// for the fingers, and with one of them in a wall.
    fn poses(inside_m: f64) -> [usize; 2] {
        let shape = box_without_lid([0.2, inside_m], 0.03);
        let support = Body::new(&shape, &Pose::identity()).expect("a box spans a volume");
        let spot = Spot {
            support: ObjectId::new("box"),
            world_from_object: Pose::translation(0.0, 0.0, 0.009),
            rest: Rest::Stands,
            way_back: None,
        };
        let hand = Hand::new(&gripper());
        from_above(&hand, Some(&support), &packet(), &[spot]).map(|spots| spots.len())
    }

    #[test]
    fn a_finger_is_not_lowered_into_a_wall() {
        assert_eq!(poses(0.05), [0, 2], "along the walls, fingers in them");
        let [with_room, _] = poses(0.14);
        assert!(with_room >= 2, "{with_room}");
    }
}
