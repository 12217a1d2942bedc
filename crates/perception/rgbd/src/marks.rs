//! Selects the pixel that best marks a known object in an image.

use nalgebra::Point3;
use regrasp_api::{PerceivedObject, RgbdFrame};

use crate::cloud::is_measured;
use crate::owner::Owners;

/// Interval of the evaluated columns and rows, pixels; marks need no finer grid.
const STEP: usize = 2;
/// Smallest distance from the edge of a patch at which a mark may be put, steps of the grid.
const LEAST_DEPTH: u16 = 2;

/// Returns one pixel (column, row) for each object that is visible in an image, with the object's
/// index. The pixel is in the middle of the widest patch that shows the object, so it is never on
/// an object in front. Only depth and the perceived objects are used. Objects that are hidden or
/// too small get no pixel.
pub fn spots(frame: &RgbdFrame, objects: &[PerceivedObject]) -> Vec<(usize, [u32; 2])> {
    let grid = Grid::new(frame, objects);
    let depths = grid.depths();
    let mut best: Vec<Option<(u16, usize)>> = vec![None; objects.len()];
    for (at, owner) in grid.owners.iter().enumerate() {
        let Some(idx) = owner else { continue };
        if best[*idx].is_none_or(|(most, _)| depths[at] > most) {
            best[*idx] = Some((depths[at], at));
        }
    }
    let found = best.iter().enumerate().filter_map(|(idx, best)| {
        let (depth, at) = (*best)?;
        let pixel = [at % grid.width, at / grid.width].map(|i| (i * STEP) as u32);
        (depth >= LEAST_DEPTH).then_some((idx, pixel))
    });
    found.collect()
}

/// The visible object at every `STEP`-th pixel.
struct Grid {
    width: usize,
    height: usize,
    owners: Vec<Option<usize>>,
}

impl Grid {
    fn new(frame: &RgbdFrame, objects: &[PerceivedObject]) -> Self {
        let all = Owners::new(objects);
        let seen = &frame.view.intrinsics;
        let [width, height] = [seen.width, seen.height].map(|n| (n as usize).div_ceil(STEP));
        let owner = |at: usize| {
            let (x, y) = (at % width * STEP, at / width * STEP);
            let depth_m = *frame.depth_m.get(y * seen.width as usize + x)?;
            let p: Point3<f64> = is_measured(depth_m).then(|| {
                frame
                    .view
                    .point_in_world(x as f64, y as f64, f64::from(depth_m))
            })?;
            all.of(&p)
        };
        Self {
            width,
            height,
            owners: (0..width * height).map(owner).collect(),
        }
    }

    /// Steps along rows and columns from each cell to the nearest one that shows something else, or
    /// to the edge (A. Rosenfeld and J. Pfaltz, "Sequential operations in digital picture
    /// processing", JACM 13(4), 1966).
    fn depths(&self) -> Vec<u16> {
        let n = self.owners.len();
        let mut depths = vec![u16::MAX; n];
        let near = |at: usize, other: Option<usize>, depths: &[u16]| match other {
            Some(other) if self.owners[other] == self.owners[at] => depths[other].saturating_add(1),
            _ => 1,
        };
        for at in 0..n {
            let (x, y) = (at % self.width, at / self.width);
            let left = near(at, (x > 0).then(|| at - 1), &depths);
            let above = near(at, (y > 0).then(|| at - self.width), &depths);
            depths[at] = left.min(above);
        }
        for at in (0..n).rev() {
            let (x, y) = (at % self.width, at / self.width);
            let right = near(at, (x + 1 < self.width).then_some(at + 1), &depths);
            let below = (y + 1 < self.height).then_some(at + self.width);
            let below = near(at, below, &depths);
            depths[at] = depths[at].min(right).min(below);
        }
        depths
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_of_the_widest_part_is_the_deepest() {
        // An L of 12 x 10 cells whose lower bar is the wider one.
        let (width, height) = (12, 10);
        let is_in = |x: usize, y: usize| (1..4).contains(&x) || (1..11).contains(&x) && y >= 5;
        let owners = (0..width * height).map(|at| is_in(at % width, at / width).then_some(0));
        let grid = Grid {
            width,
            height,
            owners: owners.collect(),
        };
        let depths = grid.depths();
        let depths = depths.iter().enumerate();
        let most = depths.filter(|(at, _)| grid.owners[*at].is_some());
        let (at, depth) = most.max_by_key(|(_, d)| **d).expect("it has places");
        assert_eq!(*depth, 3);
        assert_eq!(at / width, 7, "in the middle of the bar");
    }
}
