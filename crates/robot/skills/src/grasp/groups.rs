//! Groups of grasps by the direction from which the hand approaches.

use std::f64::consts::PI;

use regrasp_api::{GripperInfo, PerceivedObject};
use regrasp_robot::Result;

use super::Grasp;
use super::pinch::{self, Pinch};
use super::poses::{Along, Candidates};
use super::rejections::Rejections;

/// Lean of a hand that points straight down, rad. A lean is a rotation about the closing direction.
const DOWN: &[f64] = &[0.0];
/// Leans for a longer reach or for room between neighbours, rad.
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
/// Leans of a hand that approaches from the side, rad.
const FROM_SIDE: &[f64] = &[
    PI / 2.0,
    -PI / 2.0,
    5.0 * PI / 12.0,
    -5.0 * PI / 12.0,
    PI / 3.0,
    -PI / 3.0,
];

enum Group {
    /// Fingers close horizontally or across a leaning wall: leaning angles, and places along faces.
    Level(&'static [f64], Along),
    /// Fingers close vertically, one above the object and one below it.
    Upright,
    /// Fingers close across the wall of a ring, one of them inside it: leaning angles.
    Walls(&'static [f64]),
}

const GROUPS: &[Group] = &[
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
/// Groups that come first if the hand should approach from the side.
pub(crate) const SIDE_FIRST: &[usize] = &[2, 1, 0];
/// Groups that come first if the place along the object's length matters.
pub(crate) const ALONG_FIRST: &[usize] = &[0, 6];

/// Indices of all groups, with those of `first` in front.
pub(crate) fn group_order(first: &[usize]) -> impl Iterator<Item = usize> {
    let others = (0..GROUPS.len()).filter(|group| !first.contains(group));
    first.iter().copied().chain(others)
}

impl Candidates<'_> {
    /// Returns the grasps of a group, and records the rejections due to the object's own shape.
    pub(crate) fn group(&self, group: usize, rejections: &mut Rejections) -> Vec<Grasp> {
        let Some(body) = &self.body else {
            return vec![];
        };
        let all_leaning = |pinches: &[Pinch], leans: &[f64], along| {
            let of_lean = |lean: &f64| {
                let grasps = pinches.iter().map(|p| self.leaning(p, *lean, along));
                grasps.flatten().collect::<Vec<_>>()
            };
            leans.iter().flat_map(of_lean).collect()
        };
        let all: Vec<_> = match GROUPS.get(group) {
            Some(Group::Level(leans, along)) => {
                all_leaning(&pinch::level(self.object, body), leans, *along)
            }
            Some(Group::Walls(leans)) => {
                all_leaning(&pinch::of_walls(self.object, body), leans, Along::Middle)
            }
            Some(Group::Upright) => {
                let pinches = pinch::upright(self.object);
                pinches.iter().flat_map(|p| self.level(p)).collect()
            }
            None => vec![],
        };
        all.into_iter().filter_map(|g| rejections.kept(g)).collect()
    }
}

/// Returns every grasp that the object's shape allows, regardless of neighbours: antipodal pairs of
/// surface points within the gripper's width, from above, leaning and from the side, with fingers
/// closing horizontally or across a leaning wall; across the whole object where it is narrowest,
/// and across the parts of a compound.
///
/// `tool_yaw` is the current direction of tool y in World, rad: rotations from it have a cost.
///
/// # Errors
///
/// `no_grasp_found` with the counts of rejected candidates, and the width or height at fault.
pub fn grasps(
    object: &PerceivedObject,
    gripper: &GripperInfo,
    tool_yaw: f64,
) -> Result<Vec<Grasp>> {
    let candidates = Candidates::new(object, gripper, tool_yaw);
    let mut rejections = Rejections::default();
    let mut all = vec![];
    let is_level = |group: &usize| !matches!(GROUPS[*group], Group::Upright);
    for group in group_order(&[]).filter(is_level) {
        let mut grasps = candidates.group(group, &mut rejections);
        grasps.sort_by(|a, b| a.cost().total_cmp(&b.cost()));
        all.extend(grasps);
    }
    if all.is_empty() {
        return Err(rejections.failure(object, &[], &[], gripper));
    }
    Ok(all)
}
