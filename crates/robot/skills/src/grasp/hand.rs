//! The hand as a few solids, for cheap questions before the arm is asked.

use nalgebra::{Translation3, UnitQuaternion, Vector3};
use regrasp_api::{GripperInfo, Part, Pose, Shape};
use regrasp_motion::Body;

use crate::bodies::reach_m;

/// Fingers and hand of a gripper.
pub(crate) struct Hand {
    fingers: Vec<Finger>,
    hand: Vec<Solid>,
}

/// A finger while the gripper is closed.
struct Finger {
    solids: Vec<Solid>,
    /// Its motion in the tool frame when the gripper opens by 1 m.
    opening: Vector3<f64>,
}

impl Finger {
    fn at(&self, world_from_tool: &Pose, opening_m: f64) -> impl Iterator<Item = Body> {
        let open = Translation3::from(self.opening * opening_m);
        let world_from_closed = world_from_tool * open;
        let solids = self.solids.iter();
        solids.map(move |s| s.body.at(&(world_from_closed * s.tool_from_part)))
    }
}

struct Solid {
    tool_from_part: Pose,
    shape: Shape,
    body: Body,
}

/// The same at a place in World.
pub(crate) struct PlacedHand {
    pub(crate) fingers: Vec<Body>,
    /// The hand without the fingers.
    pub(crate) hand: Vec<Body>,
}

impl PlacedHand {
    /// Returns true if fingers and hand keep so far from a body, m.
    pub(crate) fn keeps_off(&self, body: &Body, finger_m: f64, hand_m: f64) -> bool {
        let off = |solids: &[Body], room_m: f64| {
            let mut solids = solids.iter();
            solids.all(|solid| solid.gap_m(body, room_m).is_none())
        };
        off(&self.fingers, finger_m) && off(&self.hand, hand_m)
    }
}

impl Hand {
    pub(crate) fn new(gripper: &GripperInfo) -> Self {
        let fingers = gripper.fingers.iter().map(|finger| Finger {
            solids: solids(&finger.parts),
            opening: finger.opening.into(),
        });
        Self {
            fingers: fingers.collect(),
            hand: solids(&gripper.hand),
        }
    }

    /// With the pads `opening_m` apart.
    pub(crate) fn at(&self, world_from_tool: &Pose, opening_m: f64) -> PlacedHand {
        let fingers = self.fingers.iter();
        let fingers = fingers.flat_map(|finger| finger.at(world_from_tool, opening_m));
        let hand = self.hand.iter();
        PlacedHand {
            fingers: fingers.collect(),
            hand: hand
                .map(|s| s.body.at(&(world_from_tool * s.tool_from_part)))
                .collect(),
        }
    }

    /// Returns true if each finger is so near to a body with the pads `opening_m` apart, m.
    pub(crate) fn is_around(
        &self,
        body: &Body,
        world_from_tool: &Pose,
        opening_m: f64,
        within_m: f64,
    ) -> bool {
        self.fingers.iter().all(|finger| {
            let mut solids = finger.at(world_from_tool, opening_m);
            solids.any(|solid| solid.gap_m(body, within_m).is_some())
        })
    }

    /// Reach of the closed fingers, or of the tool of an arm without any, from the tool point along
    /// a direction in World when the tool is turned so, m.
    pub(crate) fn front_m(
        &self,
        world_from_tool: &UnitQuaternion<f64>,
        direction: &Vector3<f64>,
    ) -> f64 {
        let in_tool = world_from_tool.inverse() * direction;
        match self.fingers.as_slice() {
            [] => furthest_m(self.hand.iter(), &in_tool),
            fingers => furthest_m(fingers.iter().flat_map(|finger| &finger.solids), &in_tool),
        }
    }

    /// Reach of each finger, or of the tool of an arm without any, from the tool point along a
    /// direction in World and against it when the tool is turned so and the pads are `opening_m`
    /// apart: from where to where, m.
    pub(crate) fn spans_m(
        &self,
        world_from_tool: &UnitQuaternion<f64>,
        direction: &Vector3<f64>,
        opening_m: f64,
    ) -> Vec<[f64; 2]> {
        let in_tool = world_from_tool.inverse() * direction;
        let span = |solids: &[Solid], at_m: f64| {
            let reach_m = |way: &Vector3<f64>| furthest_m(solids.iter(), way);
            [at_m - reach_m(&-in_tool), at_m + reach_m(&in_tool)]
        };
        let fingers = self.fingers.iter();
        let spans = fingers.map(|f| span(&f.solids, opening_m * f.opening.dot(&in_tool)));
        match self.fingers.as_slice() {
            [] => vec![span(&self.hand, 0.0)],
            _ => spans.collect(),
        }
    }

    /// Depth of fingers and hand below the tool point when the tool is turned so, with its closing
    /// direction level, m.
    pub(crate) fn depth_m(&self, world_from_tool: &UnitQuaternion<f64>) -> f64 {
        let down_in_tool = world_from_tool.inverse() * -Vector3::z();
        let fingers = self.fingers.iter().flat_map(|finger| &finger.solids);
        furthest_m(fingers.chain(&self.hand), &down_in_tool)
    }
}

fn solids(parts: &[Part]) -> Vec<Solid> {
    let solid = |part: &Part| {
        Some(Solid {
            tool_from_part: part.object_from_part,
            shape: part.shape.clone(),
            body: Body::new(&part.shape, &part.object_from_part)?,
        })
    };
    parts.iter().filter_map(solid).collect()
}

/// Reach of solids along a direction in the tool frame, m.
fn furthest_m<'a>(solids: impl Iterator<Item = &'a Solid>, in_tool: &Vector3<f64>) -> f64 {
    let tool = Vector3::zeros();
    let reach = solids.map(|s| reach_m(&s.shape, &s.tool_from_part, &tool, in_tool));
    reach.reduce(f64::max).unwrap_or(0.0)
}
