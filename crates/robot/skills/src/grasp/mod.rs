//! Grasps of an object from its shape, and the room that the hand has in them.

mod clearance;
mod groups;
mod hand;
mod pinch;
mod poses;
mod rejections;
#[cfg(test)]
pub(crate) mod tests;

use std::f64::consts::{FRAC_PI_2, PI};

use nalgebra::Vector3;
use regrasp_api::{GripperInfo, ObjectId, Percept, Pose, Shape};

pub(crate) use clearance::{Neighbours, clearance_cost};
pub use groups::grasps;
pub(crate) use groups::{ALONG_FIRST, SIDE_FIRST, group_order};
pub(crate) use hand::Hand;
pub(crate) use pinch::narrow_directions;
pub(crate) use poses::{Candidates, is_from_side, leaning, retreat, with_axes};
pub(crate) use rejections::{Rejection, Rejections};

/// A grasp of an object.
#[derive(Clone, Debug, PartialEq)]
pub struct Grasp {
    /// Tool pose at which the fingers close; they close along tool y.
    pub world_from_tool: Pose,
    /// Start of the straight approach: above the grasp, or for a hand from the side, behind it
    /// along the fingers.
    pub world_from_before: Pose,
    /// Width of the object between the fingers, m.
    pub width_m: f64,
    /// Angle between the fingers and straight down, rad.
    pub lean_rad: f64,
    /// Horizontal distance between the tool and the object's centre of mass, m.
    pub off_center_m: f64,
    /// Lever arm with which the weight of a convex hull turns it about the line between the pads,
    /// m: pads may touch a hull at corners. 0 for other shapes.
    pub lever_m: f64,
    /// Height of the grasp above the centre of mass, m.
    pub rise_m: f64,
    /// True if the pads lie flat on both sides. Round objects touch the pads along a line, about
    /// which they can swing.
    pub is_flat: bool,
    /// Larger of the two angles between the object's surface and the pads, rad.
    pub slant_rad: f64,
    /// Rotation of the closing direction from its current one, rad.
    pub turn_rad: f64,
}

/// Gap beside the object from which each finger closes, m: the usual one, one for tight spaces, and
/// the least, for objects whose pose is well known.
pub(crate) const SPACES_M: [f64; 3] = [0.012, 0.005, 0.003];
/// Least height of the object between the pads, m.
const LEAST_OVERLAP_M: f64 = 0.005;
/// Leaning angle from which the hand approaches from the side, along its fingers, rad. A hand that
/// leans less approaches from straight above.
const SIDE_FROM_RAD: f64 = 0.3 * PI;

impl Grasp {
    /// Cost from the object alone; 1 rad from straight down, or from horizontal for a hand from the
    /// side, costs 1. A rotation costs time, and an object held off its centre of mass can swing.
    ///
    /// Flat objects are best held in their middle. Round ones swing about the closing direction
    /// when held from the side, so they should hang from near their top.
    pub(crate) fn cost(&self) -> f64 {
        const PER_TURN: f64 = 0.1;
        const PER_OFF_M: f64 = 8.0;
        const PER_RISE_M: f64 = 5.0;
        // Under pads that touch at points or lines, only friction resists the moment of the weight.
        const PER_LEVER_M: f64 = 20.0;
        const HANGS_M: f64 = 0.05;
        // Flat pads hold with their whole face, slanted ones with an edge each.
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
        comes_from_side(self.lean_rad)
    }
}

/// Width of the widest object that open fingers enclose with room to move, m.
fn widest_m(gripper: &GripperInfo) -> f64 {
    gripper.max_width_m - 2.0 * SPACES_M[2]
}

fn comes_from_side(lean: f64) -> bool {
    lean.abs() > SIDE_FROM_RAD
}

/// Centre of mass in the object's frame: the known one, else that of its shape.
pub(crate) fn mass_in_object(percept: &Percept, id: &ObjectId, shape: &Shape) -> Vector3<f64> {
    let known = percept.known(id).and_then(|known| known.mass_center);
    known.map_or_else(|| mass_of_shape(shape), Vector3::from)
}

/// Centre of mass in the object's frame at uniform density, from the bounding boxes of the parts
/// weighted by their volumes.
pub(crate) fn mass_of_shape(shape: &Shape) -> Vector3<f64> {
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
