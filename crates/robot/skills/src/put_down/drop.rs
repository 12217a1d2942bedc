//! Release above the floor of a container whose walls leave no room for the hand.
//!
//! An object that is released partly below the rim and wholly over the opening falls inwards, and
//! the walls keep it there; its final pose is unknown. So it is lowered as far as the hand's shape
//! allows, and the verification only requires that it is in the container.

use regrasp_api::{Held, PlanningScene, Pose, Shape};
use regrasp_motion::Body;

use crate::bodies::{Opening, STEP_M, keep_off};
use crate::grasp::Hand;
use crate::params::{HAND_MARGIN_M, OBJECT_ROOM_M, OPEN_ROOM_M, RELEASE_OPENINGS_M};
use crate::placement::{Placement, Rest};
use crate::poses::raised;

/// Largest fall, m: the lowest height in common drop tests of packaged goods, which is that for the
/// heaviest ones.
const MOST_FALL_M: f64 = 0.2;

pub(super) struct Above<'a> {
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
    pub(super) fn new(
        hand: &'a Hand,
        held: &'a Held,
        scene: &PlanningScene,
        placement: &Placement,
    ) -> Option<Self> {
        let into = scene.obstacles.iter().find(|o| o.id == placement.support)?;
        let opening = Opening::of(&into.shape, &into.world_from_object);
        let opening =
            opening.filter(|_| scene.keep_up.is_none() && placement.rest != Rest::Laid)?;
        let others = scene.obstacles.iter().filter(|o| o.id != held.id);
        Some(Self {
            hand,
            held,
            body: Body::new(&held.shape, &Pose::identity())?,
            around: others
                .filter_map(|o| Body::new(&o.shape, &o.world_from_object))
                .collect(),
            opening,
            container: Body::new(&into.shape, &into.world_from_object)?,
        })
    }

    /// Returns true if the hand without its fingers gets far enough into the container to put the
    /// object down.
    pub(super) fn has_room(&self, placement: &Placement) -> bool {
        let tool = self.tool(&placement.world_from_object);
        let placed = self.hand.at(&tool, self.held.width_m);
        keep_off(&placed.hand, [&self.container], HAND_MARGIN_M)
    }

    /// Returns the lowest poses above places in the container from which the object can be dropped,
    /// those with the shortest fall first.
    pub(super) fn over(&self, placements: &[Placement]) -> Vec<Placement> {
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
        let fall_m = lowest_point(&self.held.shape, pose) - self.opening.floor.z;
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

fn lowest_point(shape: &Shape, world_from_object: &Pose) -> f64 {
    shape.aabb(world_from_object).min[2]
}

#[cfg(test)]
pub(crate) mod tests {
    use std::f64::consts::PI;

    use nalgebra::{UnitQuaternion, Vector3};
    use regrasp_api::{ObjectId, Obstacle};
    use regrasp_testkit::{cuboid, within};

    use super::*;
    use crate::fixtures::{held, open_box};
    use crate::grasp::tests::gripper;

    /// An open box with the given inner length and width, whose floor is at z = 0.
    pub(crate) fn box_without_lid(inside: [f64; 2], depth_m: f64) -> Shape {
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
    pub(crate) fn packet() -> Held {
        let from_above = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), PI);
        Held {
            tool_from_object: Pose::from_parts(Vector3::zeros().into(), from_above),
            ..held(cuboid([0.038, 0.02, 0.009]))
        }
    }

    pub(crate) fn lying() -> Placement {
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
            panic!("it can be let go above: {placements:?}");
        };
        let lowest_z = lowest_point(&held.shape, &placement.world_from_object);
        // The palm is 37 mm above the tool point, which is at the packet's middle.
        let hand_keeps_m = lowest_z + 0.009 + 0.037 - 0.14;
        assert!(lowest_z < 0.14 - 0.004, "it is below the rim");
        let lowest = HAND_MARGIN_M..HAND_MARGIN_M + STEP_M;
        within(
            "as low as the hand gets, m from the rim",
            hand_keeps_m,
            lowest,
        );
    }

    #[test]
    fn things_are_dropped_into_what_keeps_them_and_no_deeper_than_they_bear() {
        // Depth of the basket, half the length of the packet, lean of the basket: whether the hand
        // gets down, and whether there is a place to drop from, if it is a container.
        for (depth_m, half_m, lean_rad, expected) in [
            (0.03, 0.038, 0.0, Some((true, true))),
            (0.14, 0.038, 0.1, Some((false, true))),
            // A bowl that fell onto a leaning plate lay tilted, and passed as placed.
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
}
