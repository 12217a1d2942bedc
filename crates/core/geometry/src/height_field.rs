//! Height fields: terrain and reliefs.

use nalgebra::Point3;
use serde::{Deserialize, Serialize};

/// Surface over a regular grid, solid down to a flat underside. Metres, object frame.
///
/// The grid is centred on the object's z axis. Each cell is two triangles, separated by the line
/// from its corner at (larger x, smaller y) to that at (smaller x, larger y).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HeightField {
    /// Extent along x and along y.
    pub size: [f64; 2],
    /// Heights of the surface above the object's origin: `heights[i][j]` is that of grid point `i`
    /// along x and `j` along y, both counted from the negative end.
    pub heights: Vec<Vec<f64>>,
    /// Height of the underside, below the surface everywhere.
    pub bottom: f64,
}

impl HeightField {
    /// Makes a height field from its extent, heights and underside.
    pub const fn new(size: [f64; 2], heights: Vec<Vec<f64>>, bottom: f64) -> Self {
        Self {
            size,
            heights,
            bottom,
        }
    }

    /// Returns a description of an error in the data; `None` if there is none.
    pub fn flaw(&self) -> Option<String> {
        let [nx, ny] = self.n_places();
        if nx < 2 || ny < 2 {
            return Some(format!(
                "it has {nx} x {ny} heights, but needs at least 2 x 2"
            ));
        }
        if let Some(i) = self.heights.iter().position(|row| row.len() != ny) {
            let n = self.heights[i].len();
            return Some(format!("row {i} has {n} heights, but row 0 has {ny}"));
        }
        if self.size.iter().any(|s| !(s.is_finite() && *s > 0.0)) {
            return Some(format!(
                "its size is {:?} m; expected two positive lengths",
                self.size
            ));
        }
        let mut heights = self.heights.iter().flatten();
        let is_below = |h: &f64| h.is_finite() && self.bottom < *h;
        let bad = heights.find(|h| !is_below(h))?;
        Some(format!(
            "a height of {bad} m is not above the underside at {} m",
            self.bottom
        ))
    }

    /// Returns the number of grid points along x and along y.
    pub fn n_places(&self) -> [usize; 2] {
        [self.heights.len(), self.heights.first().map_or(0, Vec::len)]
    }

    /// Returns the point of the surface at a grid point.
    pub fn point(&self, i: usize, j: usize) -> Point3<f64> {
        let [nx, ny] = self.n_places();
        let along = |k: usize, n: usize, size: f64| {
            size * (k as f64 / n.saturating_sub(1).max(1) as f64 - 0.5)
        };
        let height = self.heights.get(i).and_then(|row| row.get(j));
        Point3::new(
            along(i, nx, self.size[0]),
            along(j, ny, self.size[1]),
            height.copied().unwrap_or(self.bottom),
        )
    }

    /// Returns the triangles of the surface, two for each cell, counter-clockwise seen from above.
    pub fn triangles(&self) -> impl Iterator<Item = [Point3<f64>; 3]> + '_ {
        let [nx, ny] = self.n_places();
        let cells = (1..nx).flat_map(move |i| (1..ny).map(move |j| (i, j)));
        cells.flat_map(|(i, j)| {
            let (a, b) = (self.point(i - 1, j - 1), self.point(i, j - 1));
            let (c, d) = (self.point(i - 1, j), self.point(i, j));
            [[a, b, c], [b, d, c]]
        })
    }

    /// Points with the same convex hull as the solid: those of the surface, and the four corners of
    /// the underside.
    pub(crate) fn corners(&self) -> impl Iterator<Item = Point3<f64>> + '_ {
        let [nx, ny] = self.n_places();
        let places = (0..nx).flat_map(move |i| (0..ny).map(move |j| (i, j)));
        let [x, y] = self.size.map(|s| 0.5 * s);
        let below = [[-x, -y], [-x, y], [x, -y], [x, y]];
        let below = below.map(|[x, y]| Point3::new(x, y, self.bottom));
        places.map(|(i, j)| self.point(i, j)).chain(below)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slope() -> HeightField {
        HeightField {
            size: [0.4, 0.2],
            heights: vec![vec![0.0, 0.0], vec![0.1, 0.1], vec![0.2, 0.3]],
            bottom: -0.05,
        }
    }

    #[test]
    fn triangles_face_up_and_cover_the_grid() {
        let triangles: Vec<_> = slope().triangles().collect();
        assert_eq!(triangles.len(), 4);
        let area = |[a, b, c]: &[Point3<f64>; 3]| 0.5 * (b - a).cross(&(c - a)).z;
        let area: f64 = triangles.iter().map(area).sum();
        let off = (area - 0.08).abs();
        assert!(off < 1e-12, "the triangles cover {area} m² seen from above");
    }

    #[test]
    fn flaws_are_reported() {
        assert_eq!(slope().flaw(), None);
        let ragged = HeightField {
            heights: vec![vec![0.0, 0.0], vec![0.1]],
            ..slope()
        };
        assert!(ragged.flaw().is_some_and(|f| f.contains("row 1 has 1")));
        let shallow = HeightField {
            bottom: 0.05,
            ..slope()
        };
        assert!(shallow.flaw().is_some_and(|f| f.contains("0.05")));
    }
}
