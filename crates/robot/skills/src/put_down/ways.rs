//! Every way to put something down in its place, and which of them leave room for the fingers.

use regrasp_api::{CollisionPair, Failure, MotionFailure, ObjectId, PerceivedObject, Pose};
use regrasp_motion::Body;
use regrasp_robot::Robot;

use super::let_fall::Above;
use super::work::{PlaceWork, approaches};
use crate::candidates::{
    Approach, ApproachConditions, PlannedApproach, first_possible, is_roundabout,
};
use crate::grasp::Hand;
use crate::poses::{in_turns, raised};
use crate::release::{RELEASE_GAP_M, RELEASE_ROOM_M, tool_at};
use crate::spot::{Rest, Spot};

/// Part of the usual speed on a way that is roundabout: it swings the hand over, and what is
/// held could turn in it.
const ROUNDABOUT_SPEED: f64 = 0.5;
/// A finger that is deeper than this in what something is put on would be stopped by it, m: shapes
/// are no more exact.
const SUNK_M: f64 = 0.003;

/// Poses of what is put down, and the ways of the tool there.
type Put = (Vec<Pose>, Vec<Approach>);

/// All ways to bring it to its place.
pub(super) struct Ways {
    /// Down to where it stands.
    pub(super) lowered: Put,
    /// To where it is let fall, since the hand gets no lower.
    pub(super) falling: Put,
}

impl Ways {
    pub(super) fn new(
        hand: &Hand,
        support: Option<&PerceivedObject>,
        work: &PlaceWork,
        above: Option<&Above<'_>>,
    ) -> Self {
        let [lowered, sunk] = poses(hand, support, work);
        let all = [lowered.as_slice(), &sunk].concat();
        let falling = above.map_or_else(Vec::new, |above| above.over(&all));
        let with_ways = |poses: Vec<Pose>| {
            let ways = approaches(&work.held, &poses);
            (poses, ways)
        };
        // What the hand's own shape rules out need not be planned, if there is another way.
        let has_room = |pose: &Pose| falling.is_empty() || above.is_none_or(|a| a.has_room(pose));
        Self {
            lowered: with_ways(lowered.into_iter().filter(has_room).collect()),
            falling: with_ways(falling),
        }
    }

    /// The first that is possible, and whether that is one from which it falls.
    pub(super) fn first_possible(
        &self,
        robot: &mut Robot,
        support: &ObjectId,
        conditions: &ApproachConditions<'_>,
    ) -> Result<(PlannedApproach, bool), Failure> {
        if self.lowered.1.is_empty() && self.falling.1.is_empty() {
            return Err(no_room(robot, support));
        }
        let mut outcome = first_possible(robot, &self.lowered.1, conditions);
        let falls = outcome.is_err() && !self.falling.1.is_empty();
        let ways = if falls {
            &self.falling.1
        } else {
            &self.lowered.1
        };
        if falls {
            outcome = first_possible(robot, ways, conditions);
        }
        let planned = outcome?;
        if !is_roundabout(&*robot.motion, &planned.travel) {
            return Ok((planned, falls));
        }
        let slower = ApproachConditions {
            speed_scale: ROUNDABOUT_SPEED * conditions.speed_scale,
            ..*conditions
        };
        first_possible(robot, ways, &slower).map(|planned| (planned, falls))
    }
}

/// A finger would stand in what it is put on, wherever it stood there.
fn no_room(robot: &Robot, support: &ObjectId) -> Failure {
    let links = robot.info.gripper.finger_links.iter();
    let pair = |link: &String| CollisionPair {
        link: link.clone(),
        other: support.to_string(),
    };
    let pairs = links.map(pair).collect();
    MotionFailure::GoalInCollision { pairs }.into()
}

/// Every turn of it at a place.
pub(super) fn turns_of(spot: &Spot) -> Vec<Pose> {
    match spot.rest {
        Rest::Laid => vec![spot.world_from_object],
        _ => in_turns(&spot.world_from_object).into(),
    }
}

/// Every place and turn of it, in the order in which they are tried: first those with which the
/// fingers do not touch what it will stand on, such as the wall of a bin; on the way down they may.
/// Apart from them, those with which a finger would stand in it.
fn poses(hand: &Hand, support: Option<&PerceivedObject>, work: &PlaceWork) -> [Vec<Pose>; 2] {
    let support = support.and_then(|o| Body::new(&o.shape, &o.world_from_object));
    let room_m = |pose: &Pose| {
        let placed = hand.at(&tool_at(&work.held, pose), work.held.width_m);
        let gap_m = |finger: &Body| finger.gap_m(support.as_ref()?, RELEASE_ROOM_M);
        let gaps = placed.fingers.iter().filter_map(gap_m);
        gaps.fold(f64::INFINITY, f64::min)
    };
    // Turned otherwise, a book would stand in the walls of its compartment.
    let in_wall = |pose: &Pose| {
        let placed = Body::new(&work.held.shape, &raised(pose, RELEASE_GAP_M));
        let pair = support.as_ref().zip(placed.as_ref());
        pair.is_some_and(|(s, placed)| placed.gap_m(s, 0.0).is_some())
    };
    let all = work.spots.iter().flat_map(turns_of);
    let (walled, mut fitting): (Vec<_>, Vec<_>) = all.partition(in_wall);
    if fitting.is_empty() {
        fitting = walled;
    }
    let with_room = fitting.into_iter().map(|pose| (room_m(&pose), pose));
    let (sunk, lowered): (Vec<_>, Vec<_>) = with_room.partition(|(room_m, _)| *room_m < -SUNK_M);
    let (clear, grazing): (Vec<_>, Vec<_>) = lowered
        .into_iter()
        .partition(|(room_m, _)| *room_m == f64::INFINITY);
    [[clear, grazing].concat(), sunk].map(|those| those.into_iter().map(|(_, pose)| pose).collect())
}

#[cfg(test)]
mod tests {
    use super::super::any_of;
    use super::super::let_fall::tests::{box_without_lid, packet};
    use super::*;
    use crate::grasp::tests::gripper;

    /// Ways in which a packet, 4 cm wide where it is held, can be put into a box so wide: with room
    /// for the fingers, and with one of them in a wall.
    fn poses(inside_m: f64) -> [usize; 2] {
        let support = PerceivedObject {
            id: ObjectId::new("box"),
            category: String::new(),
            color: None,
            shape: box_without_lid([0.2, inside_m], 0.03),
            world_from_object: Pose::identity(),
            position_std_m: 0.0,
            movable: false,
        };
        let spot = Spot {
            support: support.id.clone(),
            world_from_object: Pose::translation(0.0, 0.0, 0.009),
            rest: Rest::Stands,
            way_back: None,
        };
        let hand = Hand::new(&gripper());
        let work = any_of(packet(), vec![spot]);
        super::poses(&hand, Some(&support), &work).map(|poses| poses.len())
    }

    #[test]
    fn a_finger_is_not_lowered_into_a_wall() {
        assert_eq!(poses(0.05), [0, 2], "along the walls, fingers in them");
        let [with_room, _] = poses(0.14);
        assert!(with_room >= 2, "{with_room}");
    }
}
