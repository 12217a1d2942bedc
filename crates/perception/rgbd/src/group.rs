//! Connected groups of points that no object explains yet.

use std::collections::{BTreeMap, BTreeSet};

use nalgebra::Vector3;

use crate::cloud::Kind;
use crate::scan::Scan;
use crate::vote::{Oriented, bounds};

/// Edge of the cells whose neighbours belong to one group of points, m.
const CELL_M: f32 = 0.014;
/// Number of pixels below which a group is ignored.
pub(crate) const LEAST_PIXELS: usize = 20;
/// Number of points of a group that vote.
const N_VOTERS: usize = 160;

/// A connected group of points of all pictures that no object explains yet.
pub(crate) struct Group {
    /// Number of pixels, and the first cell.
    pub(crate) key: (usize, [i32; 3]),
    pub(crate) points: Vec<Oriented>,
    pub(crate) middle: [f64; 2],
    pub(crate) low: [f32; 2],
    pub(crate) high: [f32; 2],
    pub(crate) low_z: f64,
    pub(crate) high_z: f64,
}

/// All groups with enough pixels to recognise an object.
pub(crate) fn groups(scan: &Scan<'_>) -> Vec<Group> {
    let mut cells: BTreeMap<[i32; 3], Vec<(usize, usize)>> = BTreeMap::new();
    for (idx, eye) in scan.eyes.iter().enumerate() {
        for at in 0..eye.cloud.kinds.len() {
            if eye.cloud.kinds[at] == Kind::Thing && eye.owners[at] == 0 {
                let cell = eye.cloud.point(at).map(|x| (x / CELL_M).floor() as i32);
                cells.entry(cell).or_default().push((idx, at));
            }
        }
    }
    let mut left: BTreeSet<[i32; 3]> = cells.keys().copied().collect();
    let mut groups = Vec::new();
    while let Some(first) = left.pop_first() {
        let mut members = vec![first];
        let mut next = 0;
        while let Some(&[x, y, z]) = members.get(next) {
            next += 1;
            for i in 0..27 {
                let near = [x + i % 3 - 1, y + i / 3 % 3 - 1, z + i / 9 - 1];
                if left.remove(&near) {
                    members.push(near);
                }
            }
        }
        let pixels = members.iter().flat_map(|cell| cells[cell].iter().copied());
        let pixels: Vec<(usize, usize)> = pixels.collect();
        if pixels.len() >= LEAST_PIXELS {
            groups.push(Group::new(scan, first, &pixels));
        }
    }
    groups
}

impl Group {
    fn new(scan: &Scan<'_>, first: [i32; 3], pixels: &[(usize, usize)]) -> Self {
        let points = pixels.iter().map(|(eye, at)| {
            let eye = &scan.eyes[*eye];
            Oriented {
                at: Vector3::from(eye.cloud.point(*at)),
                normal: eye.normals[*at],
                rgb: eye.cloud.color(*at),
            }
        });
        let mut points: Vec<Oriented> = points.collect();
        let [low, high] = bounds(&points);
        points.retain(|p| p.normal != Vector3::zeros());
        let every = points.len().div_ceil(N_VOTERS).max(1);
        Self {
            key: (pixels.len(), first),
            points: points.into_iter().step_by(every).collect(),
            middle: [0, 1].map(|i| f64::from(0.5 * (low[i] + high[i]))),
            low: [low[0], low[1]],
            high: [high[0], high[1]],
            low_z: f64::from(low[2]),
            high_z: f64::from(high[2]),
        }
    }
}
