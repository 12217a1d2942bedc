//! A piece of a solid: the triangles of its surface inside a box whose sides are cuts.

use regrasp_geometry::Aabb;

use super::columns::Columns;
use super::triangle::{Triangle, clipped, faces_up, ordered};

/// Distance within which a point lies in a plane, as a fraction of the solid's length.
const THIN: f64 = 1e-7;
/// Inward offset at which a box corner is tested, as a fraction of the solid's length.
const NUDGE: f64 = 1e-4;

/// A plane across an axis, and the cost of a cut in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cut {
    pub(super) axis: usize,
    pub(super) at: f64,
    pub(super) cost: f64,
}

/// The surface inside a box; the module `cut` computes the volumes and the best cut.
#[derive(Default)]
pub(super) struct Piece {
    pub(super) triangles: Vec<Triangle>,
    /// Ends of the box; on sides without a cut, those of the solid's bounding box.
    pub(super) min: [f64; 3],
    pub(super) max: [f64; 3],
    is_cut: [[bool; 2]; 3],
    /// Corners of the box that are inside the solid.
    pub(super) corners: Vec<[f64; 3]>,
    pub(super) hull_m3: f64,
    pub(super) solid_m3: f64,
    pub(super) best: Option<Cut>,
    length_m: f64,
}

impl Piece {
    pub(super) fn whole(triangles: Vec<Triangle>, [min, max]: [[f64; 3]; 2]) -> Self {
        Self {
            triangles,
            min,
            max,
            length_m: (0..3).map(|i| max[i] - min[i]).fold(0.0, f64::max),
            ..Self::default()
        }
    }

    /// Volume of the piece's hull beyond that of the solid, m³.
    pub(super) fn excess_m3(&self) -> f64 {
        self.hull_m3 - self.solid_m3
    }

    pub(super) fn thin_m(&self) -> f64 {
        THIN * self.length_m
    }

    pub(super) fn points(&self) -> Vec<[f64; 3]> {
        let points = self.triangles.iter().flatten().chain(&self.corners);
        let mut points: Vec<[f64; 3]> = points.copied().collect();
        points.sort_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
        points.dedup();
        points
    }

    pub(super) fn bounds(&self) -> [[f64; 3]; 2] {
        let points = self.triangles.iter().flatten().chain(&self.corners);
        let Aabb { min, max } = Aabb::around(points.copied());
        [min, max]
    }

    /// Returns both sides of a cut; `None` if one is empty.
    pub(super) fn sides(&self, Cut { axis, at, .. }: Cut) -> Option<[Self; 2]> {
        let [mut below, mut above] = [Vec::new(), Vec::new()];
        let thin = self.thin_m();
        for triangle in &self.triangles {
            let [bottom, top] = ordered(triangle.map(|p| p[axis]));
            let is_level = top - bottom <= 2.0 * thin
                && (top - at).abs() <= thin
                && (bottom - at).abs() <= thin;
            if is_level {
                let side = if faces_up(triangle, axis) {
                    &mut below
                } else {
                    &mut above
                };
                side.push(*triangle);
            } else if top <= at + thin {
                below.push(*triangle);
            } else if bottom >= at - thin {
                above.push(*triangle);
            } else {
                below.extend(clipped(triangle, axis, at, 1.0));
                above.extend(clipped(triangle, axis, at, -1.0));
            }
        }
        if below.is_empty() || above.is_empty() {
            return None;
        }
        let half = |triangles, upper: bool| {
            let (mut min, mut max, mut is_cut) = (self.min, self.max, self.is_cut);
            is_cut[axis][usize::from(!upper)] = true;
            if upper {
                min[axis] = at;
            } else {
                max[axis] = at;
            }
            Self {
                triangles,
                min,
                max,
                is_cut,
                length_m: self.length_m,
                ..Self::default()
            }
        };
        Some([half(below, false), half(above, true)])
    }

    /// Corners of the piece's box that lie in a cut along every axis, and inside the solid.
    pub(super) fn box_corners(&self, columns: &Columns) -> Vec<[f64; 3]> {
        let ends = [self.min, self.max];
        let corners = (0..8usize).map(|i| [i & 1, i >> 1 & 1, i >> 2]);
        let are_cut = corners.filter(|c| (0..3).all(|i| self.is_cut[i][c[i]]));
        are_cut
            .map(|c| [0, 1, 2].map(|i| ends[c[i]][i]))
            .filter(|p| columns.holds(self.nudged(*p, self.min, self.max)))
            .collect()
    }

    fn nudged(&self, p: [f64; 3], min: [f64; 3], max: [f64; 3]) -> [f64; 3] {
        let step = NUDGE * self.length_m;
        [0, 1, 2].map(|i| {
            let middle = 0.5 * (min[i] + max[i]);
            // Steps differ by axis, since the diagonals of faces often go through box corners.
            let step = step * [1.0, 1.137, 0.871][i];
            if p[i] < middle {
                p[i] + step
            } else {
                p[i] - step
            }
        })
    }

    /// Returns the box corners inside the solid on both sides of a cut: those of this piece, and
    /// those in the plane of the cut.
    pub(super) fn corners_at(&self, axis: usize, at: f64, columns: &Columns) -> [Vec<[f64; 3]>; 2] {
        let [u, v] = [(axis + 1) % 3, (axis + 2) % 3];
        let ends = [self.min, self.max];
        let mut sides = [Vec::new(), Vec::new()];
        for corner in &self.corners {
            sides[usize::from(corner[axis] > at)].push(*corner);
        }
        for [i, j] in [[0, 0], [0, 1], [1, 0], [1, 1]] {
            if !(self.is_cut[u][i] && self.is_cut[v][j]) {
                continue;
            }
            let mut p = [at; 3];
            p[u] = ends[i][u];
            p[v] = ends[j][v];
            let (mut below, mut above) = (self.max, self.min);
            below[axis] = at;
            above[axis] = at;
            if columns.holds(self.nudged(p, self.min, below)) {
                sides[0].push(p);
            }
            if columns.holds(self.nudged(p, above, self.max)) {
                sides[1].push(p);
            }
        }
        sides
    }
}
