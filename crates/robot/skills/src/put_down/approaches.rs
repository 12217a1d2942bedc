//! Approaches to a placement, the room that they leave for the fingers, and release above the floor
//! of a container whose walls leave no room for the hand.
//!
//! An object that is released partly below the rim and wholly over the opening falls inwards, and
//! the walls keep it there; its final pose is unknown. So it is lowered as far as the hand's shape
//! allows, and the verification only requires that it is in the container.

use nalgebra::{Translation3, Vector3};
use regrasp_api::{Held, Obstacle, PlanningScene, Pose};
use regrasp_motion::Body;

use crate::arm::Approach;
use crate::bodies::{Opening, STEP_M, keep_off};
use crate::grasp::Hand;
use crate::params::{
    APPROACH_M, HAND_MARGIN_M, OBJECT_ROOM_M, OPEN_ROOM_M, RELEASE_GAP_M, RELEASE_OPENINGS_M,
    SEEN_EXACT_M,
};
use crate::placement::{Placement, Rest};
use crate::poses::{eighths, in_turns, level, raised, tool_at};

/// Largest height of a fall, m: that of common drop tests for the heaviest packaged goods.
const MOST_FALL_M: f64 = 0.2;

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
    let turns = turns_of(placement, held).into_iter();
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
    let around = bodies_in(scene, held);
    entered.retain(|placement| placement.leaves_room(&around, hand, held));
    let Some(first) = straight.first() else {
        return [entered, vec![], vec![]];
    };
    let support = scene.obstacles.iter().find(|o| o.id == first.support);
    let support = support.and_then(body_of);
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

fn body_of(obstacle: &Obstacle) -> Option<Body> {
    Body::new(&obstacle.shape, &obstacle.world_from_object)
}

fn bodies_in(scene: &PlanningScene, held: &Held) -> Vec<Body> {
    let others = scene.obstacles.iter().filter(|o| o.id != held.id);
    others.filter_map(body_of).collect()
}

fn turns_of(placement: &Placement, held: &Held) -> Vec<Placement> {
    if placement.rest == Rest::Laid || placement.retreat.is_some() {
        return vec![placement.clone()];
    }
    let turned = |world_from_object: Pose| Placement {
        world_from_object,
        ..placement.clone()
    };
    let own = &placement.world_from_object;
    let fits = |pose: &Pose| placement.rest != Rest::Aligned || is_outline_kept(held, own, pose);
    let turns = in_turns(own).into_iter().filter(fits);
    turns.map(turned).collect()
}

/// Returns true if an object has the same extents around its origin at two poses, seen from above.
fn is_outline_kept(held: &Held, a: &Pose, b: &Pose) -> bool {
    eighths().all(|angle| {
        let reach_m = |pose: &Pose| {
            held.shape
                .support(&(pose.rotation.inverse() * level(angle)))
        };
        (reach_m(a) - reach_m(b)).abs() < SEEN_EXACT_M
    })
}

/// Every place in every rotation, those first in which the fingers clear the support, such as the
/// wall of a bin; during the descent they may touch it. The second list has those in which a finger
/// would penetrate it.
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
    // An object such as a book may fit between the walls of its compartment in some rotations only.
    let in_wall = |placement: &Placement| {
        let pose = raised(&placement.world_from_object, RELEASE_GAP_M);
        let placed = Body::new(&held.shape, &pose);
        let pair = support.zip(placed.as_ref());
        pair.is_some_and(|(support, placed)| placed.gap_m(support, 0.0).is_some())
    };
    let all = placements.iter().flat_map(|s| turns_of(s, held));
    let (walled, mut fitting): (Vec<_>, Vec<_>) = all.partition(in_wall);
    if fitting.is_empty() {
        fitting = walled;
    }
    let mut rooms: Vec<(f64, Placement)> = fitting.into_iter().map(|s| (room_m(&s), s)).collect();
    // The support would stop a finger that penetrates it by more than perception errs.
    rooms.sort_by_key(|(room_m, _)| (*room_m < -SEEN_EXACT_M, room_m.is_finite()));
    let n_lowered = rooms.partition_point(|(room_m, _)| *room_m >= -SEEN_EXACT_M);
    let mut lowered: Vec<Placement> = rooms.into_iter().map(|(_, placement)| placement).collect();
    let sunk = lowered.split_off(n_lowered);
    [lowered, sunk]
}

struct Above<'a> {
    hand: &'a Hand,
    held: &'a Held,
    body: Body,
    around: Vec<Body>,
    opening: Opening,
    container: Body,
}

impl<'a> Above<'a> {
    /// Returns `None` if the support is not an upright container (in a leaning one, objects slide),
    /// if the object is to be laid there, or if it must not fall because it has contents.
    fn new(
        hand: &'a Hand,
        held: &'a Held,
        scene: &PlanningScene,
        placement: &Placement,
    ) -> Option<Self> {
        let into = scene.obstacles.iter().find(|o| o.id == placement.support)?;
        let opening = Opening::of(&into.shape, &into.world_from_object);
        let opening =
            opening.filter(|_| scene.keep_up.is_none() && placement.rest != Rest::Laid)?;
        Some(Self {
            hand,
            held,
            body: Body::new(&held.shape, &Pose::identity())?,
            around: bodies_in(scene, held),
            opening,
            container: body_of(into)?,
        })
    }

    /// Returns true if the palm gets far enough into the container to put the object down.
    fn has_room(&self, placement: &Placement) -> bool {
        let tool = self.tool(&placement.world_from_object);
        let placed = self.hand.at(&tool, self.held.width_m);
        keep_off(&placed.hand, [&self.container], HAND_MARGIN_M)
    }

    /// Returns the lowest poses above places in the container from which the object can be dropped,
    /// those with the shortest fall first.
    fn over(&self, placements: &[Placement]) -> Vec<Placement> {
        let lowest = |placement: &Placement| {
            let (fall_m, world_from_object) = self.lowest(&placement.world_from_object)?;
            let dropped = Placement {
                world_from_object,
                rest: Rest::Inside,
                ..placement.clone()
            };
            Some((fall_m, dropped))
        };
        let mut found: Vec<_> = placements.iter().filter_map(lowest).collect();
        found.sort_by(|a, b| a.0.total_cmp(&b.0));
        found.into_iter().map(|(_, placement)| placement).collect()
    }

    /// Lowest free pose above another, and the height of fall from there, m.
    fn lowest(&self, pose: &Pose) -> Option<(f64, Pose)> {
        let fall_m = self.held.shape.aabb(pose).min[2] - self.opening.floor.z;
        let most_m = self.opening.most_m().min(MOST_FALL_M) - fall_m;
        let n_steps = (most_m / STEP_M).max(0.0) as usize;
        let mut rises = (1..=n_steps).map(|i| i as f64 * STEP_M);
        let rise_m = rises.find(|rise_m| self.is_clear(&raised(pose, *rise_m)))?;
        Some((fall_m + rise_m, raised(pose, rise_m)))
    }

    /// Returns true if neither object nor hand touches anything, also while the fingers open.
    fn is_clear(&self, world_from_object: &Pose) -> bool {
        let [.., opening_m] = RELEASE_OPENINGS_M;
        let (tool, width_m) = (self.tool(world_from_object), self.held.width_m);
        let open = self.hand.at(&tool, width_m + opening_m);
        keep_off(
            &[self.body.at(world_from_object)],
            &self.around,
            OBJECT_ROOM_M,
        ) && open.keeps_off(&self.around, OPEN_ROOM_M, HAND_MARGIN_M)
    }

    fn tool(&self, world_from_object: &Pose) -> Pose {
        world_from_object * self.held.tool_from_object.inverse()
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use nalgebra::{UnitQuaternion, Vector3};
    use regrasp_api::{ObjectId, Shape};
    use regrasp_testkit::{cuboid, within};

    use super::*;
    use crate::fixtures::{held, open_box};
    use crate::grasp::tests::gripper;

    /// An open box with the given inner length and width, whose floor is at z = 0.
    fn box_without_lid(inside: [f64; 2], depth_m: f64) -> Shape {
        let half_m = 0.5 * depth_m;
        let middles = inside.map(|m| 0.5 * m + 0.005);
        open_box(middles, 0.005, [-0.005, half_m], half_m)
    }

    /// An open box, 12 cm wide.
    fn basket(depth_m: f64) -> PlanningScene {
        PlanningScene {
            obstacles: vec![Obstacle {
                id: ObjectId::new("basket"),
                shape: box_without_lid([0.12; 2], depth_m),
                world_from_object: Pose::identity(),
            }],
            ..PlanningScene::default()
        }
    }

    /// A packet, 1.8 cm thick, held across its narrow side by a hand from above.
    fn packet() -> Held {
        let from_above = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), PI);
        Held {
            tool_from_object: Pose::from_parts(Vector3::zeros().into(), from_above),
            ..held(cuboid([0.038, 0.02, 0.009]))
        }
    }

    fn lying() -> Placement {
        Placement {
            support: ObjectId::new("basket"),
            world_from_object: Pose::translation(0.0, 0.0, 0.009),
            rest: Rest::Stands,
            retreat: None,
        }
    }

    #[test]
    fn a_hand_wider_than_a_deep_basket_lets_go_below_its_rim() {
        let (hand, held, scene) = (Hand::new(&gripper()), packet(), basket(0.14));
        let above = Above::new(&hand, &held, &scene, &lying()).expect("a basket is a container");
        assert!(!above.has_room(&lying()), "the hand does not get down");
        let placements = above.over(&[lying()]);
        let [placement] = placements.as_slice() else {
            panic!("the packet can be dropped at one place: {placements:?}");
        };
        let lowest_z = held.shape.aabb(&placement.world_from_object).min[2];
        // The palm is 37 mm above the tool point, which is at the packet's middle.
        let hand_keeps_m = lowest_z + 0.009 + 0.037 - 0.14;
        assert!(
            lowest_z < 0.14 - 0.004,
            "the packet is released below the rim"
        );
        let lowest = HAND_MARGIN_M..HAND_MARGIN_M + STEP_M;
        within("distance of the palm from the rim, m", hand_keeps_m, lowest);
    }

    #[test]
    fn things_are_dropped_into_what_keeps_them_and_no_deeper_than_they_bear() {
        // Depth of the basket, half the length of the packet, lean of the basket: whether the hand
        // gets down, and whether there is a place to drop from, if it is a container.
        for (depth_m, half_m, lean_rad, expected) in [
            (0.03, 0.038, 0.0, Some((true, true))),
            (0.14, 0.038, 0.1, Some((false, true))),
            // In a container that leans too far, a dropped object would slide.
            (0.14, 0.038, 0.35, None),
            // Nothing falls further than packaged goods withstand.
            (0.4, 0.038, 0.0, Some((false, false))),
            // An object too long for the opening would fall on the rim.
            (0.14, 0.075, 0.0, Some((false, false))),
        ] {
            let (hand, mut held, mut scene) = (Hand::new(&gripper()), packet(), basket(depth_m));
            held.shape = cuboid([half_m, 0.02, 0.009]);
            let lean = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), lean_rad);
            scene.obstacles[0].world_from_object.rotation = lean;
            let above = Above::new(&hand, &held, &scene, &lying());
            let found = above.map(|a| (a.has_room(&lying()), !a.over(&[lying()]).is_empty()));
            assert_eq!(
                found, expected,
                "{depth_m} m deep, {half_m} m, {lean_rad} rad"
            );
        }
    }

    #[test]
    fn what_stands_along_something_is_turned_only_into_itself() {
        let aligned = Placement {
            rest: Rest::Aligned,
            ..lying()
        };
        for (shape, n_turns) in [
            (cuboid([0.12, 0.02, 0.009]), 2),
            (cuboid([0.02, 0.02, 0.03]), 4),
            (regrasp_testkit::cylinder(0.02, 0.05), 8),
        ] {
            let turns = approaches(&held(shape.clone()), &aligned);
            assert_eq!(turns.len(), n_turns, "{shape:?}");
            assert_eq!(approaches(&held(shape), &lying()).len(), 8);
        }
    }

    /// Number of poses of a packet, 4 cm wide at the grasp, in a box of this width: with room for
    /// the fingers, and with one of them in a wall.
    fn poses(inside_m: f64) -> [usize; 2] {
        let shape = box_without_lid([0.2, inside_m], 0.03);
        let support = Body::new(&shape, &Pose::identity()).expect("a box has a volume");
        let hand = Hand::new(&gripper());
        from_above(&hand, Some(&support), &packet(), &[lying()]).map(|placements| placements.len())
    }

    #[test]
    fn a_finger_is_not_lowered_into_a_wall() {
        assert_eq!(poses(0.05), [0, 2], "along the walls, with fingers in them");
        let [with_room, _] = poses(0.14);
        assert!(with_room >= 2, "{with_room}");
    }
}
