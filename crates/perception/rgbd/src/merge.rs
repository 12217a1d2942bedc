//! Merges patches of several images that show the same object.

use std::collections::BTreeMap;

use nalgebra::Point3;

use crate::colour;
use crate::segment::Segment;

pub(crate) struct Cluster {
    pub(crate) points: Vec<Point3<f64>>,
    pub(crate) rgb: [f32; 3],
    /// True if one camera sees the cluster's whole outline.
    pub(crate) is_whole: bool,
    /// Size of a pixel of the camera that sees the cluster finest, m.
    pub(crate) pixel_m: f64,
}

/// Edge of the cells by which meeting patches are found, m.
const CELL_M: f32 = 0.008;
/// Number of shared cells, or fraction of the smaller patch, from which two patches meet.
const SHARED_CELLS: usize = 4;
const SHARED_PART: f32 = 0.15;
/// Largest difference in colour between patches of one object.
const SAME_COLOUR: f32 = 0.2;
/// Number of points to keep; more would add no information.
const MOST_POINTS: usize = 1500;

pub(crate) fn clusters(segments: &[Segment]) -> Vec<Cluster> {
    let cells: Vec<Vec<[i32; 3]>> = segments.iter().map(cells_of).collect();
    let owned = cells.iter().zip(0_usize..);
    let owned = owned.flat_map(|(cells, i)| cells.iter().map(move |cell| (*cell, i)));
    let mut owned: Vec<([i32; 3], usize)> = owned.collect();
    owned.sort_unstable();
    let mut shared: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    for members in owned.chunk_by(|a, b| a.0 == b.0) {
        for (k, &(_, i)) in members.iter().enumerate() {
            for &(_, j) in &members[k + 1..] {
                *shared.entry((i, j)).or_default() += 1;
            }
        }
    }
    let mut root: Vec<usize> = (0..segments.len()).collect();
    for (&(i, j), &n) in &shared {
        let smaller = cells[i].len().min(cells[j].len()) as f32;
        let meet = n >= SHARED_CELLS || n as f32 >= SHARED_PART * smaller;
        if meet && colour::distance(segments[i].rgb, segments[j].rgb) < SAME_COLOUR {
            let (a, b) = (find(&root, i), find(&root, j));
            root[a.max(b)] = a.min(b);
        }
    }
    let mut groups: BTreeMap<usize, Vec<&Segment>> = BTreeMap::new();
    for (i, segment) in segments.iter().enumerate() {
        groups.entry(find(&root, i)).or_default().push(segment);
    }
    groups.values().map(|group| cluster(group)).collect()
}

fn find(root: &[usize], mut i: usize) -> usize {
    while root[i] != i {
        i = root[i];
    }
    i
}

/// Cells in which a patch has points, each once.
fn cells_of(segment: &Segment) -> Vec<[i32; 3]> {
    let cell = |p: &[f32; 3]| p.map(|x| (x / CELL_M).floor() as i32);
    let mut cells: Vec<_> = segment.points.iter().map(cell).collect();
    // Most neighbouring points share a cell, so this shortens the list before it is sorted.
    cells.dedup();
    cells.sort_unstable();
    cells.dedup();
    cells
}

fn cluster(group: &[&Segment]) -> Cluster {
    let total: usize = group.iter().map(|s| s.points.len()).sum();
    let every = total.div_ceil(MOST_POINTS).max(1);
    let points = group.iter().flat_map(|s| &s.points).step_by(every);
    // The image with the most pixels shows the colour best.
    let largest = group.iter().max_by_key(|s| s.points.len());
    let pixels_m = group.iter().map(|s| s.pixel_m);
    let finest = pixels_m.fold(f32::INFINITY, f32::min);
    Cluster {
        points: points.map(|p| Point3::from(p.map(f64::from))).collect(),
        rgb: largest.map_or([0.0; 3], |s| s.rgb),
        is_whole: group.iter().any(|s| !s.is_cut),
        pixel_m: f64::from(finest),
    }
}
