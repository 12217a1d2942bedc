//! The hand as a few solids, for fast checks before motion planning.

use nalgebra::{Translation3, UnitQuaternion, Vector3};
use regrasp_api::{GripperInfo, Part, Pose, Shape};
use regrasp_motion::Body;

use crate::bodies::{keep_off, reach_m};

pub(crate) struct Hand {
    fingers: Vec<Finger>,
    hand: Vec<Solid>,
}

/// A finger of the closed gripper.
struct Finger {
    solids: Vec<Solid>,
    /// Displacement in the tool frame per metre of gripper opening.
    opening: Vector3<f64>,
}

impl Finger {
    fn at(&self, world_from_tool: &Pose, opening_m: f64) -> impl Iterator<Item = Body> {
        let open = Translation3::from(self.opening * opening_m);
        placed(&self.solids, world_from_tool * open)
    }
}

struct Solid {
    tool_from_part: Pose,
    shape: Shape,
    body: Body,
}

pub(crate) struct PlacedHand {
    pub(crate) fingers: Vec<Body>,
    /// The hand without its fingers.
    pub(crate) hand: Vec<Body>,
}

impl PlacedHand {
    /// Solids that push, which are the fingers if there are any, and the other solids.
    pub(crate) fn pushing(&self) -> (&[Body], &[Body]) {
        match self.fingers.as_slice() {
            [] => (&self.hand, &[]),
            fingers => (fingers, &self.hand),
        }
    }

    /// Returns true if fingers and hand keep these clearances from bodies, m.
    pub(crate) fn keeps_off<'b>(
        &self,
        bodies: impl IntoIterator<Item = &'b Body, IntoIter: Clone>,
        finger_m: f64,
        hand_m: f64,
    ) -> bool {
        let bodies = bodies.into_iter();
        keep_off(&self.fingers, bodies.clone(), finger_m) && keep_off(&self.hand, bodies, hand_m)
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

    pub(crate) fn at(&self, world_from_tool: &Pose, opening_m: f64) -> PlacedHand {
        let fingers = self.fingers.iter();
        let fingers = fingers.flat_map(|finger| finger.at(world_from_tool, opening_m));
        PlacedHand {
            fingers: fingers.collect(),
            hand: placed(&self.hand, *world_from_tool).collect(),
        }
    }

    /// Returns true if each finger is within `within_m` of a body with the pads `opening_m` apart.
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

    /// Extent of the closed fingers, or of a fingerless tool, from the tool point along a direction
    /// in World, for a given tool orientation, m.
    pub(crate) fn front_m(
        &self,
        world_from_tool: &UnitQuaternion<f64>,
        direction: &Vector3<f64>,
    ) -> f64 {
        let spans = self.spans_m(world_from_tool, direction, 0.0).into_iter();
        spans.map(|[_, along_m]| along_m).fold(f64::MIN, f64::max)
    }

    /// Extents of each finger, or of a fingerless tool, against and along a direction in World from
    /// the tool point, for a given tool orientation and pads `opening_m` apart, m.
    pub(crate) fn spans_m(
        &self,
        world_from_tool: &UnitQuaternion<f64>,
        direction: &Vector3<f64>,
        opening_m: f64,
    ) -> Vec<[f64; 2]> {
        let in_tool = world_from_tool.inverse() * direction;
        let span = |solids: &[Solid], at_m: f64| {
            let reach_m = |direction: &Vector3<f64>| furthest_m(solids.iter(), direction);
            [at_m - reach_m(&-in_tool), at_m + reach_m(&in_tool)]
        };
        let of_finger = |f: &Finger| span(&f.solids, opening_m * f.opening.dot(&in_tool));
        match self.fingers.as_slice() {
            [] => vec![span(&self.hand, 0.0)],
            fingers => fingers.iter().map(of_finger).collect(),
        }
    }

    /// Depth of fingers and hand below the tool point, m, for a horizontal closing direction.
    pub(crate) fn depth_m(&self, world_from_tool: &UnitQuaternion<f64>) -> f64 {
        let down_in_tool = world_from_tool.inverse() * -Vector3::z();
        let fingers = self.fingers.iter().flat_map(|finger| &finger.solids);
        furthest_m(fingers.chain(&self.hand), &down_in_tool)
    }
}

fn placed(solids: &[Solid], world_from_tool: Pose) -> impl Iterator<Item = Body> {
    let solids = solids.iter();
    solids.map(move |s| s.body.at(&(world_from_tool * s.tool_from_part)))
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

/// Extent of solids along a direction in the tool frame, m.
fn furthest_m<'a>(solids: impl Iterator<Item = &'a Solid>, in_tool: &Vector3<f64>) -> f64 {
    let tool = Vector3::zeros();
    let reach = solids.map(|s| reach_m(&s.shape, &s.tool_from_part, &tool, in_tool));
    reach.reduce(f64::max).unwrap_or(0.0)
}
