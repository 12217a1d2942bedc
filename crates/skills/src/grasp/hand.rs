//! The hand as a few solids, for cheap questions before the arm is asked.

use nalgebra::{UnitQuaternion, Vector3};
use regrasp_api::{GripperInfo, Pose, Shape};
use regrasp_motion::Body;

/// Fingers and hand of a gripper.
pub(crate) struct Hand {
    finger: Shape,
    /// Middle of a finger along tool z, m.
    finger_z: f64,
    finger_body: Option<Body>,
    thickness_m: f64,
    hand: Vec<(Pose, Shape, Body)>,
}

/// The same at a place in World.
pub(crate) struct PlacedHand {
    pub(crate) fingers: Vec<Body>,
    /// The hand without the fingers.
    pub(crate) hand: Vec<Body>,
}

impl Hand {
    pub(crate) fn new(gripper: &GripperInfo) -> Self {
        let half_extents = [
            0.5 * gripper.pad_width_m,
            0.5 * gripper.finger_thickness_m,
            0.5 * gripper.finger_length_m,
        ];
        let finger = Shape::Box { half_extents };
        let hand = gripper.hand.iter().filter_map(|part| {
            let body = Body::new(&part.shape, &part.object_from_part)?;
            Some((part.object_from_part, part.shape.clone(), body))
        });
        Self {
            finger_body: Body::new(&finger, &Pose::identity()),
            finger,
            finger_z: gripper.fingertip_beyond_tool_m - 0.5 * gripper.finger_length_m,
            thickness_m: gripper.finger_thickness_m,
            hand: hand.collect(),
        }
    }

    /// With the pads `opening_m` apart.
    pub(crate) fn at(&self, world_from_tool: &Pose, opening_m: f64) -> PlacedHand {
        let y = 0.5 * (opening_m + self.thickness_m);
        let fingers = [-y, y].into_iter().filter_map(|y| {
            let tool_from_finger = Pose::translation(0.0, y, self.finger_z);
            Some(
                self.finger_body
                    .as_ref()?
                    .at(&(world_from_tool * tool_from_finger)),
            )
        });
        let hand = self.hand.iter();
        PlacedHand {
            fingers: fingers.collect(),
            hand: hand
                .map(|(tool_from_part, _, body)| body.at(&(world_from_tool * tool_from_part)))
                .collect(),
        }
    }

    /// How far the closed fingers reach from the tool point along a direction in World when
    /// the tool is turned so, m.
    pub(crate) fn front_m(
        &self,
        world_from_tool: &UnitQuaternion<f64>,
        direction: &Vector3<f64>,
    ) -> f64 {
        let in_tool = world_from_tool.inverse() * direction;
        // Each stands half its thickness beside the middle.
        let beside_m = 0.5 * self.thickness_m * in_tool.y.abs();
        self.finger.support(&in_tool) + self.finger_z * in_tool.z + beside_m
    }

    /// How far fingers and hand reach below the tool point when the tool is turned so,
    /// with its closing direction level, m.
    pub(crate) fn depth_m(&self, world_from_tool: &UnitQuaternion<f64>) -> f64 {
        let down_in_tool = world_from_tool.inverse() * -Vector3::z();
        let finger = self.finger.support(&down_in_tool) + self.finger_z * down_in_tool.z;
        let hand = self.hand.iter().map(|(tool_from_part, shape, _)| {
            let down_in_part = tool_from_part.rotation.inverse() * down_in_tool;
            shape.support(&down_in_part) + tool_from_part.translation.vector.dot(&down_in_tool)
        });
        hand.fold(finger, f64::max)
    }
}
