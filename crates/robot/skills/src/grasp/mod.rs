//! Ways to take hold of an object, from its shape alone.

mod clearance;
mod dropped;
mod hand;
mod pinch;
mod poses;
mod tally;
#[cfg(test)]
pub(crate) mod tests;

use std::f64::consts::{FRAC_PI_2, PI};

use nalgebra::{Point3, Vector3};
use regrasp_api::{Failure, GripperInfo, PerceivedObject, Pose, Shape};
use regrasp_motion::Body;

pub(crate) use clearance::{Neighbours, clearance_cost};
pub(crate) use dropped::Dropped;
pub(crate) use hand::{Hand, PlacedHand};
use pinch::Pinch;
pub(crate) use pinch::narrow_directions;
pub(crate) use poses::{
    APPROACH_M, SIDE_SPACE_M, is_from_side, leaning, retreat, tool_yaw, with_axes,
};
use poses::{Along, Context};
pub(crate) use tally::{Limits, Tally};

/// A way to hold an object.
#[derive(Clone, Debug, PartialEq)]
pub struct Grasp {
    /// Where the tool is when the fingers close; they close along tool y.
    pub world_from_tool: Pose,
    /// Where the straight way there begins: above it, or for a hand that comes from
    /// the side, behind it along the fingers.
    pub world_from_before: Pose,
    /// Width of the object between the fingers, m.
    pub width_m: f64,
    /// Angle between the fingers and straight down, rad.
    pub lean_rad: f64,
    /// Distance between the tool and the object's centre of mass seen from above, m.
    pub off_center_m: f64,
    /// Arm with which the weight of a hull, which pads may meet at corners, turns it about the
    /// line between them, m; 0 of other shapes.
    pub lever_m: f64,
    /// How far above the centre of mass it holds, m.
    pub rise_m: f64,
    /// Whether the pads lie flat on both sides. On what is round they touch along a
    /// line, about which it can swing.
    pub is_flat: bool,
    /// The larger angle between the object's surface and the pad that presses on it, rad.
    pub slant_rad: f64,
    /// By how much the closing direction turns from where it is now, rad.
    pub turn_rad: f64,
}

/// Space that the open fingers need beyond the object, in all, m.
const OPENING_RESERVE_M: f64 = 0.006;
/// Least height of the object that must be between the pads, m.
const LEAST_OVERLAP_M: f64 = 0.005;

/// Angles by which the hand leans over, about the closing direction, rad: straight down;
/// leaning, which reaches further out, or in between neighbours; from the side.
const DOWN: &[f64] = &[0.0];
const LEANING: &[f64] = &[
    PI / 18.0,
    -PI / 18.0,
    PI / 9.0,
    -PI / 9.0,
    PI / 6.0,
    -PI / 6.0,
    PI / 4.0,
    -PI / 4.0,
];
const FROM_SIDE: &[f64] = &[
    PI / 2.0,
    -PI / 2.0,
    5.0 * PI / 12.0,
    -5.0 * PI / 12.0,
    PI / 3.0,
    -PI / 3.0,
];
/// A group of grasps; a later one is looked at if none before it has one.
enum Group {
    /// Fingers that close level: leans, and where along the faces the pads press.
    Level(&'static [f64], Along),
    /// Pinches from above and below.
    Upright,
    /// Fingers that close level across the wall of a ring, one of them inside it.
    Walls(&'static [f64]),
}

const GROUPS: [Group; N_GROUPS] = [
    Group::Level(DOWN, Along::Middle),
    Group::Level(LEANING, Along::Middle),
    Group::Level(FROM_SIDE, Along::Middle),
    Group::Upright,
    Group::Level(DOWN, Along::Ends),
    Group::Level(LEANING, Along::Ends),
    Group::Level(DOWN, Along::Between),
    Group::Walls(DOWN),
    Group::Walls(LEANING),
];
/// How many groups there are.
pub(crate) const N_GROUPS: usize = 9;
/// The order in which they are looked at.
pub(crate) const USUAL_ORDER: [usize; N_GROUPS] = [0, 1, 2, 3, 4, 5, 6, 7, 8];
/// The order if the hand should come from the side.
pub(crate) const SIDE_FIRST: [usize; N_GROUPS] = [2, 1, 0, 3, 4, 5, 6, 7, 8];
/// The order if it matters where along its length something is held.
pub(crate) const ALONG_FIRST: [usize; N_GROUPS] = [0, 6, 1, 2, 3, 4, 5, 7, 8];

/// Ways to hold one object, in groups.
pub(crate) struct Candidates<'a> {
    object: &'a PerceivedObject,
    gripper: &'a GripperInfo,
    hand: &'a Hand,
    body: Option<Body>,
    tool_yaw: f64,
}

impl<'a> Candidates<'a> {
    /// `tool_yaw` is the direction of tool y in World now, rad.
    pub(crate) fn new(
        object: &'a PerceivedObject,
        gripper: &'a GripperInfo,
        hand: &'a Hand,
        tool_yaw: f64,
    ) -> Self {
        Self {
            object,
            gripper,
            hand,
            body: Body::new(&object.shape, &object.world_from_object),
            tool_yaw,
        }
    }

    /// The grasps of a group, and what was dropped because of the object's own shape.
    pub(crate) fn group(&self, group: usize) -> (Vec<Grasp>, Vec<Dropped>) {
        let Some(body) = &self.body else {
            return (vec![], vec![]);
        };
        let context = Context {
            object: self.object,
            body,
            gripper: self.gripper,
            hand: self.hand,
            tool_yaw: self.tool_yaw,
            mass_center: (self.object.world_from_object
                * Point3::from(mass_in_object(&self.object.shape)))
            .coords,
        };
        let all: Vec<_> = match GROUPS.get(group) {
            Some(Group::Level(leans, along)) => {
                all_leaning(&context, &pinch::level(self.object, body), leans, *along)
            }
            Some(Group::Walls(leans)) => {
                let pinches = pinch::of_walls(self.object, body);
                all_leaning(&context, &pinches, leans, Along::Middle)
            }
            Some(Group::Upright) => {
                let pinches = pinch::upright(self.object);
                pinches.iter().flat_map(|p| context.level(p)).collect()
            }
            None => vec![],
        };
        let mut grasps = vec![];
        let mut dropped = vec![];
        for one in all {
            match one {
                Ok(grasp) => grasps.push(grasp),
                Err(why) => dropped.push(why),
            }
        }
        (grasps, dropped)
    }
}

fn all_leaning(
    context: &Context<'_>,
    pinches: &[Pinch],
    leans: &[f64],
    along: Along,
) -> Vec<Result<Grasp, Dropped>> {
    let pairs = leans
        .iter()
        .flat_map(|lean| pinches.iter().map(move |pinch| (lean, pinch)));
    pairs
        .flat_map(|(lean, pinch)| context.leaning(pinch, *lean, along))
        .collect()
}

/// Every grasp that the object's shape allows, whatever stands around it: antipodal
/// pairs of surface points within the gripper's width, approached from above, leaning
/// over, and from the side, with the fingers closing level; across the whole object where
/// it is narrowest and, for a compound, across its parts.
///
/// `tool_yaw` is the direction of tool y in World now, rad; the least turns come first
/// among equals.
///
/// # Errors
///
/// `no_grasp_found` with the counts of what was dropped, and the width or the height
/// at fault.
pub fn grasps(
    object: &PerceivedObject,
    gripper: &GripperInfo,
    tool_yaw: f64,
) -> Result<Vec<Grasp>, Failure> {
    let hand = Hand::new(gripper);
    let candidates = Candidates::new(object, gripper, &hand, tool_yaw);
    let mut tally = Tally::default();
    let mut all = vec![];
    let is_level = |group: &usize| !matches!(GROUPS[*group], Group::Upright);
    for group in (0..N_GROUPS).filter(is_level) {
        let (mut grasps, dropped) = candidates.group(group);
        grasps.sort_by(|a, b| a.cost().total_cmp(&b.cost()));
        all.extend(grasps);
        dropped.into_iter().for_each(|d| tally.add(d));
    }
    if all.is_empty() {
        return Err(tally.failure(object, &[], &[], &limits(gripper)));
    }
    Ok(all)
}

/// Figures that failures tell.
pub(crate) fn limits(gripper: &GripperInfo) -> Limits {
    Limits {
        widest_m: gripper.max_width_m - OPENING_RESERVE_M,
        opening_m: gripper.max_width_m,
        overlap_m: LEAST_OVERLAP_M,
    }
}

impl Grasp {
    /// What speaks against it as far as the object alone tells, in radians of leaning:
    /// a turn costs time, and a pinch beside the mass lets the object swing.
    ///
    /// What is flat is best held in its middle. What is round swings about the closing
    /// direction when it is held from the side, so there it should hang from near its
    /// top.
    pub(crate) fn cost(&self) -> f64 {
        const PER_TURN: f64 = 0.1;
        const PER_OFF_M: f64 = 8.0;
        const PER_RISE_M: f64 = 5.0;
        // Only friction under pads that touch in points or along lines holds against it.
        const PER_LEVER_M: f64 = 20.0;
        const HANGS_M: f64 = 0.05;
        // Flat pads hold by their whole face, pads that are met aslant by an edge each.
        const PER_SLANT: f64 = 2.0;
        const LEAST_SLANT_RAD: f64 = 0.02;
        let (lean, rise) = match (self.is_from_side(), self.is_flat) {
            (true, true) => (FRAC_PI_2 - self.lean_rad, self.rise_m.abs()),
            (true, false) => (FRAC_PI_2 - self.lean_rad, HANGS_M - self.rise_m),
            (false, _) => (self.lean_rad, self.rise_m),
        };
        let lever_m = if self.is_flat { 0.0 } else { self.lever_m };
        lean.abs()
            + PER_LEVER_M * lever_m
            + PER_TURN * self.turn_rad
            + PER_OFF_M * self.off_center_m
            + PER_RISE_M * rise.max(0.0)
            + PER_SLANT * (self.slant_rad - LEAST_SLANT_RAD).max(0.0)
    }

    fn is_from_side(&self) -> bool {
        poses::comes_from_side(self.lean_rad)
    }
}

/// Middle of an object's mass in its own frame, if it is of one density: of the
/// bounding boxes of its parts, weighted by their volumes.
pub(crate) fn mass_in_object(shape: &Shape) -> Vector3<f64> {
    let whole = shape.aabb(&Pose::identity()).center().coords;
    let Shape::Compound { parts } = shape else {
        return whole;
    };
    let boxes = parts.iter().map(|part| {
        let aabb = part.shape.aabb(&part.object_from_part);
        (aabb.size().product(), aabb.center().coords)
    });
    let (volume, moment) = boxes.fold((0.0, Vector3::zeros()), |(v, m), (volume, center)| {
        (v + volume, m + volume * center)
    });
    if volume > 0.0 { moment / volume } else { whole }
}
