//! Bounding spheres of groups of spheres.

use regrasp_api::Pose;

use super::cover::Cover;

/// Margin added to every covering radius, m: rounding of 32-bit numbers at arm's length.
const ROUNDING_M: f32 = 2e-5;
/// Largest number of spheres in a group: enough that one check of the group saves several, and few
/// enough that a group is small.
const GROUP: usize = 6;

#[derive(Clone, Copy, Debug)]
pub(super) struct Group {
    pub(super) bound: BodySphere,
    /// First and last index of the group's spheres.
    pub(super) spheres: (usize, usize),
}

/// A sphere in the frame of its body.
#[derive(Clone, Copy, Debug)]
pub(super) struct BodySphere {
    pub(super) centre: [f32; 3],
    pub(super) outer: f32,
    pub(super) inner: f32,
}

impl BodySphere {
    pub(super) fn new(cover: &Cover, body_from_link: &Pose) -> Self {
        let c = cover.centre;
        let p = body_from_link * nalgebra::Point3::new(c.x, c.y, c.z);
        Self {
            centre: [p.x as f32, p.y as f32, p.z as f32],
            outer: cover.radius as f32 + ROUNDING_M,
            inner: cover.inner as f32 - ROUNDING_M,
        }
    }
}

/// Splits spheres at the middle of their longest extent until groups are small.
pub(super) fn grouped(spheres: &mut [BodySphere]) -> Vec<&[BodySphere]> {
    if spheres.len() <= GROUP {
        return vec![spheres];
    }
    let extent = |i: usize| {
        let along = || spheres.iter().map(|s| s.centre[i]);
        along().fold(f32::MIN, f32::max) - along().fold(f32::MAX, f32::min)
    };
    let widest = (0..3).max_by(|a, b| extent(*a).total_cmp(&extent(*b)));
    let axis = widest.unwrap_or(0);
    spheres.sort_by(|a, b| a.centre[axis].total_cmp(&b.centre[axis]));
    let (low, high) = spheres.split_at_mut(spheres.len() / 2);
    let mut groups = grouped(low);
    groups.extend(grouped(high));
    groups
}

/// A sphere that contains the given spheres, centred in the middle of their bounding box.
pub(super) fn bound(spheres: &[BodySphere]) -> BodySphere {
    if spheres.is_empty() {
        return BodySphere {
            centre: [0.0; 3],
            outer: 0.0,
            inner: 0.0,
        };
    }
    let end = |i: usize, sign: f32| {
        let ends = spheres.iter().map(|s| sign * s.centre[i] + s.outer);
        sign * ends.fold(f32::NEG_INFINITY, f32::max)
    };
    let centre = [0, 1, 2].map(|i| 0.5 * (end(i, 1.0) + end(i, -1.0)));
    let reach = |s: &BodySphere| {
        let apart = [0, 1, 2].map(|i| s.centre[i] - centre[i]);
        length(&apart) + s.outer
    };
    BodySphere {
        centre,
        outer: spheres.iter().map(reach).fold(0.0, f32::max) + ROUNDING_M,
        inner: 0.0,
    }
}

pub(super) fn length(v: &[f32]) -> f32 {
    v.iter().map(|x| x * x).sum::<f32>().sqrt()
}
