//! Ways to take hold of an object, from its shape alone.

mod clearance;
mod groups;
mod hand;
mod pinch;
mod poses;
mod rejection;
mod rejections;
#[cfg(test)]
pub(crate) mod tests;

use std::f64::consts::{FRAC_PI_2, PI};

use nalgebra::Vector3;
use regrasp_api::{GripperInfo, Pose, Shape};

pub(crate) use clearance::{Neighbours, clearance_cost};
pub use groups::grasps;
pub(crate) use groups::{ALONG_FIRST, Candidates, SIDE_FIRST, group_order, limits};
pub(crate) use hand::Hand;
pub(crate) use pinch::narrow_directions;
pub(crate) use poses::{is_from_side, leaning, retreat, tool_yaw, with_axes};
pub(crate) use rejection::Rejection;
pub(crate) use rejections::Rejections;

/// A way to hold an object.
#[derive(Clone, Debug, PartialEq)]
pub struct Grasp {
    /// Pose of the tool when the fingers close; they close along tool y.
    pub world_from_tool: Pose,
    /// Pose at which the straight way there begins: above it, or for a hand that comes from the
    /// side, behind it along the fingers.
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
    /// Height above the centre of mass at which it holds, m.
    pub rise_m: f64,
    /// True if the pads lie flat on both sides. On what is round they touch along a
    /// line, about which it can swing.
    pub is_flat: bool,
    /// The larger angle between the object's surface and the pad that presses on it, rad.
    pub slant_rad: f64,
    /// By how much the closing direction turns from where it is now, rad.
    pub turn_rad: f64,
}

/// Space beside what is held from which each finger starts to close, m: as it is usual, where there is
/// little, and the least, where it is well known how it stands.
pub(crate) const SPACES_M: [f64; 3] = [0.012, 0.005, 0.003];
/// Least height of the object that must be between the pads, m.
const LEAST_OVERLAP_M: f64 = 0.005;
/// A hand that leans further than this comes from the side: along its fingers, where
/// one that leans less comes from straight above.
const SIDE_FROM_RAD: f64 = 0.3 * PI;

impl Grasp {
    /// Cost of it as far as the object alone tells, in radians of leaning: a turn costs time, and a
    /// pinch beside the mass lets the object swing.
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
        comes_from_side(self.lean_rad)
    }
}

/// Width of the widest thing that open fingers go around with room to move, m.
fn widest_m(gripper: &GripperInfo) -> f64 {
    gripper.max_width_m - 2.0 * SPACES_M[2]
}

fn comes_from_side(lean: f64) -> bool {
    lean.abs() > SIDE_FROM_RAD
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
