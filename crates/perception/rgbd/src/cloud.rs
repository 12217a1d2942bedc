//! Converts depth to points, and classifies each pixel.

use std::ops::Range;

use nalgebra::Point3;
use regrasp_api::{Aabb, RgbdFrame};

use crate::plane::Plane;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// No depth, or a point outside the cell or below the table.
    Nothing,
    Robot,
    Table,
    Thing,
}

/// An image whose pixels are points in World.
pub(crate) struct Cloud {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) kinds: Vec<Kind>,
    pub(crate) depths: Vec<f32>,
    pub(crate) rgb: Vec<u8>,
    /// Depth of the robot's own surface at a pixel or one of its four neighbours, m: the margin of
    /// a pixel allows for errors of the model. Infinite where it is not visible.
    own_depths: Vec<f32>,
    /// Size of a pixel for each metre of depth, m.
    pixel_slope: f32,
    eye: [f32; 3],
    /// Rows of the rotation from Camera to World.
    world_from_camera: [[f32; 3]; 3],
    /// Slope of the ray through each column and each row.
    slopes: [Vec<f32>; 2],
}

/// Distance in front of the robot's own surface from which a point belongs to something else, m.
const OWN_DEPTH_M: f32 = 0.004;
/// Height up to which a point belongs to the table, m.
const TABLE_TOP_M: f32 = 0.004;
/// Height below which a point lies under the table, m.
const TABLE_BELOW_M: f32 = -0.006;
/// Height up to which a point belongs to a noisy table, as a multiple of the median noise.
const ROUGH: f32 = 4.0;
/// Margin around the table within which points are kept, m.
const BESIDE_M: f64 = 0.02;

impl Cloud {
    /// Prepares the points of a frame, still unclassified. `own_depths` are the depths of the
    /// robot's own surface at each pixel, m, 0 where it is not visible.
    pub(crate) fn new(frame: RgbdFrame, own_depths: &[f32]) -> Self {
        let i = frame.view.intrinsics;
        let (width, height) = (i.width as usize, i.height as usize);
        let n = width * height;
        let rotation = frame.view.world_from_camera.rotation.to_rotation_matrix();
        let slopes = |n: usize, center: f64, focal: f64| {
            let slope = |at: usize| (at as f32 - center as f32) / focal as f32;
            (0..n).map(slope).collect()
        };
        let mut depths = frame.depth_m;
        depths.resize(n, 0.0);
        Self {
            width,
            height,
            kinds: vec![Kind::Nothing; n],
            depths,
            rgb: frame.rgb,
            own_depths: widened(own_depths, width),
            pixel_slope: (1.0 / i.fx) as f32,
            eye: frame
                .view
                .world_from_camera
                .translation
                .vector
                .cast()
                .into(),
            world_from_camera: [0, 1, 2].map(|k| [0, 1, 2].map(|l| rotation[(k, l)] as f32)),
            slopes: [slopes(width, i.cx, i.fx), slopes(height, i.cy, i.fy)],
        }
    }

    /// Point in World at a pixel, m; meaningless without depth.
    pub(crate) fn point(&self, at: usize) -> [f32; 3] {
        let (x, y) = (at % self.width, at / self.width);
        self.along(self.slopes[0][x], self.slopes[1][y], self.depths[at])
    }

    #[inline(always)]
    fn along(&self, right: f32, down: f32, depth: f32) -> [f32; 3] {
        let [to_x, to_y, to_z] = &self.world_from_camera;
        let along = |[r, d, f]: &[f32; 3]| r * right + d * down + f;
        let [x, y, z] = self.eye;
        [
            x + along(to_x) * depth,
            y + along(to_y) * depth,
            z + along(to_z) * depth,
        ]
    }

    /// Point in World at a pixel, m; `None` without depth, and on the robot.
    pub(crate) fn free_point(&self, at: usize) -> Option<Point3<f64>> {
        let depth = self.depths[at];
        let is_free = is_measured(depth) && depth <= self.own_depths[at] - OWN_DEPTH_M;
        is_free.then(|| self.point(at).map(f64::from).into())
    }

    /// Returns true if a pixel has about the depth of the robot's own surface a few pixels away. It
    /// may show the robot if the camera's pose is slightly wrong.
    pub(crate) fn is_beside_own(&self, at: usize) -> bool {
        const NEAR_M: f32 = 0.05;
        const STEPS: [isize; 7] = [-6, -4, -2, 0, 2, 4, 6];
        let within = |c: usize, by: isize, n: usize| c.checked_add_signed(by).filter(|c| *c < n);
        let (x, y) = (at % self.width, at / self.width);
        let rows = STEPS.iter().filter_map(|by| within(y, *by, self.height));
        let mut beside = rows.flat_map(|y| {
            let columns = STEPS.iter().filter_map(|by| within(x, *by, self.width));
            columns.map(move |x| y * self.width + x)
        });
        beside.any(|other| (self.own_depths[other] - self.depths[at]).abs() < NEAR_M)
    }

    /// Separates the robot, the table, objects on it and everything else.
    pub(crate) fn sort(&mut self, table: &Plane, bounds: &Aabb, workspace: &Aabb) {
        let mut cell = *workspace;
        for axis in 0..2 {
            cell.min[axis] = cell.min[axis].max(bounds.min[axis] - BESIDE_M);
            cell.max[axis] = cell.max[axis].min(bounds.max[axis] + BESIDE_M);
        }
        let [low, high] = [cell.min, cell.max].map(|corner| corner.map(|c| c as f32));
        let ([nx, ny, nz], offset) = table.coefficients();
        let rough_m = self.rough_m(table);
        let top_m = TABLE_TOP_M.max(ROUGH * rough_m);
        let below_m = TABLE_BELOW_M.min(-ROUGH * rough_m);
        let mut kinds = std::mem::take(&mut self.kinds);
        let rows = kinds.chunks_exact_mut(self.width.max(1));
        let rows = rows.zip(&self.slopes[1]);
        for (y, (kinds, down)) in rows.enumerate() {
            let row = y * self.width..(y + 1) * self.width;
            let depths = self.depths[row.clone()].iter().zip(&self.own_depths[row]);
            let pixels = depths.zip(&self.slopes[0]);
            for (kind, ((depth, own), right)) in kinds.iter_mut().zip(pixels) {
                let [x, y, z] = self.along(*right, *down, *depth);
                let height = nx * x + ny * y + nz * z - offset;
                let is_in_cell = (x >= low[0])
                    & (x <= high[0])
                    & (y >= low[1])
                    & (y <= high[1])
                    & (z >= low[2])
                    & (z <= high[2])
                    & (height >= below_m);
                let there = if height <= top_m {
                    Kind::Table
                } else {
                    Kind::Thing
                };
                let there = if is_in_cell { there } else { Kind::Nothing };
                let is_own = *depth > own - OWN_DEPTH_M;
                let there = if is_own { Kind::Robot } else { there };
                let is_measured = (*depth > 0.0) & (*depth < f32::INFINITY);
                *kind = if is_measured { there } else { Kind::Nothing };
            }
        }
        self.kinds = kinds;
    }

    /// Median distance from the table's plane of the points near it, m: it reflects the noise of
    /// the camera and the error of its pose.
    fn rough_m(&self, table: &Plane) -> f32 {
        const NEAR_M: f32 = 0.015;
        const EVERY: usize = 7;
        let measured = (0..self.depths.len()).step_by(EVERY);
        let measured = measured.filter(|at| is_measured(self.depths[*at]));
        let heights =
            measured.map(|at| table.height(&self.point(at).map(f64::from).into()).abs() as f32);
        let mut near: Vec<f32> = heights.filter(|height| *height < NEAR_M).collect();
        near.sort_by(f32::total_cmp);
        near.get(near.len() / 2).copied().unwrap_or_default()
    }

    /// Pixels of the wanted kinds, as runs.
    pub(crate) fn pixels(&self, is_wanted: impl Fn(Kind) -> bool) -> Vec<Range<usize>> {
        let mut end = 0;
        let runs = self
            .kinds
            .chunk_by(|a, b| is_wanted(*a) == is_wanted(*b))
            .filter_map(|run| {
                end += run.len();
                is_wanted(run[0]).then(|| end - run.len()..end)
            });
        runs.collect()
    }

    /// The four neighbours of a pixel that are inside the image.
    pub(crate) fn neighbours(&self, at: usize) -> impl Iterator<Item = usize> + use<> {
        let (x, y) = (at % self.width, at / self.width);
        let (width, height) = (self.width, self.height);
        [
            (x > 0).then(|| at - 1),
            (x + 1 < width).then_some(at + 1),
            (y > 0).then(|| at.wrapping_sub(width)),
            (y + 1 < height).then_some(at + width),
        ]
        .into_iter()
        .flatten()
    }

    pub(crate) fn is_at_edge(&self, at: usize) -> bool {
        let (x, y) = (at % self.width, at / self.width);
        x == 0 || y == 0 || x + 1 == self.width || y + 1 == self.height
    }

    /// Size of a pixel at its depth, m.
    pub(crate) fn pixel_m(&self, at: usize) -> f32 {
        self.depths[at] * self.pixel_slope
    }

    pub(crate) fn color(&self, at: usize) -> [f32; 3] {
        [0, 1, 2].map(|k| f32::from(self.rgb[3 * at + k]) / 255.0)
    }
}

pub(crate) fn is_measured(depth_m: f32) -> bool {
    depth_m.is_finite() && depth_m > 0.0
}

/// Smallest depth at each pixel and its four neighbours, m; infinity if all `depths` there are 0.
fn widened(depths: &[f32], width: usize) -> Vec<f32> {
    let or_far = |depth: &f32| if *depth > 0.0 { *depth } else { f32::INFINITY };
    let depths: Vec<f32> = depths.iter().map(or_far).collect();
    let mut least = depths.clone();
    let lower = |least: &mut [f32], others: &[f32]| {
        for (least, other) in least.iter_mut().zip(others) {
            *least = least.min(*other);
        }
    };
    let n = width.max(1);
    for (least, depths) in least.chunks_exact_mut(n).zip(depths.chunks_exact(n)) {
        lower(&mut least[1..], depths);
        lower(least, &depths[1..]);
    }
    lower(least.get_mut(width..).unwrap_or_default(), &depths);
    lower(&mut least, depths.get(width..).unwrap_or_default());
    least
}
