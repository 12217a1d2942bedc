//! Finds the table: the highest level plane on which many points lie (RANSAC: M. Fischler and R.
//! Bolles, "Random Sample Consensus", CACM 24(6), 1981).

use nalgebra::{Matrix3, Point3, Vector3};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Plane {
    /// Unit normal, pointing upwards.
    normal: Vector3<f64>,
    /// `normal · p` of the points p on the plane, m.
    offset: f64,
}

/// Distance within which a point lies on a plane, m.
const NEAR_M: f64 = 0.003;
/// Cosine of the largest tilt of a level plane, 4 degrees.
const LEVEL_COS: f64 = 0.9976;
const N_TRIALS: usize = 120;
/// Smallest fraction of the points that must lie on a table.
const LEAST_PART: f64 = 0.15;

impl Plane {
    pub(crate) fn height(&self, p: &Point3<f64>) -> f64 {
        self.normal.dot(&p.coords) - self.offset
    }

    /// Normal and offset, in single precision.
    pub(crate) fn coefficients(&self) -> ([f32; 3], f32) {
        (self.normal.cast().into(), self.offset as f32)
    }

    /// World z of the plane at x and y.
    pub(crate) fn z_at(&self, x: f64, y: f64) -> f64 {
        (self.offset - self.normal.x * x - self.normal.y * y) / self.normal.z
    }

    /// Fraction of the points that lie on the plane.
    pub(crate) fn support(&self, points: &[Point3<f64>]) -> f64 {
        let near = points.iter().filter(|p| self.height(p).abs() < NEAR_M);
        near.count() as f64 / points.len().max(1) as f64
    }

    /// Finds the highest level plane with many points, if any: a table, not the floor around it.
    pub(crate) fn find(points: &[Point3<f64>], seed: u64) -> Option<Self> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let least = (LEAST_PART * points.len() as f64) as usize;
        let mut left = points.to_vec();
        let mut planes = Vec::new();
        while let Some(plane) = Self::largest(&left, least, &mut rng) {
            left.retain(|p| plane.height(p).abs() > 2.0 * NEAR_M);
            planes.push(plane);
        }
        let z = |plane: &Self| plane.offset / plane.normal.z;
        planes.into_iter().max_by(|a, b| z(a).total_cmp(&z(b)))
    }

    /// Finds the level plane with the most points; `None` if there are fewer than `least`.
    fn largest(points: &[Point3<f64>], least: usize, rng: &mut ChaCha8Rng) -> Option<Self> {
        if points.len() < least.max(3) {
            return None;
        }
        let mut best: Option<(f64, Self)> = None;
        for _ in 0..N_TRIALS {
            let [a, b, c] = [(); 3].map(|()| points[rng.random_range(0..points.len())]);
            let Some(plane) = Self::through(&a, &b, &c) else {
                continue;
            };
            let support = plane.support(points);
            if best.is_none_or(|(most, _)| support > most) {
                best = Some((support, plane));
            }
        }
        let (support, plane) = best?;
        let n_on_it = support * points.len() as f64;
        (n_on_it >= least as f64).then(|| plane.refined(points))
    }

    fn through(a: &Point3<f64>, b: &Point3<f64>, c: &Point3<f64>) -> Option<Self> {
        let normal = (b - a).cross(&(c - a)).try_normalize(1e-9)?;
        let normal = if normal.z < 0.0 { -normal } else { normal };
        (normal.z > LEVEL_COS).then(|| Self {
            normal,
            offset: normal.dot(&a.coords),
        })
    }

    /// Returns the plane that best fits the points near this one.
    fn refined(&self, points: &[Point3<f64>]) -> Self {
        let near = points.iter().filter(|p| self.height(p).abs() < NEAR_M);
        let near: Vec<_> = near.collect();
        let n = near.len() as f64;
        let sum: Vector3<f64> = near.iter().map(|p| p.coords).sum();
        let middle = sum / n;
        let spread = near.iter().map(|p| p.coords - middle);
        let spread: Matrix3<f64> = spread.map(|v| v * v.transpose()).sum();
        let eigen = spread.symmetric_eigen();
        let flattest = eigen.eigenvalues.imin();
        let normal: Vector3<f64> = eigen.eigenvectors.column(flattest).into();
        let normal = if normal.z < 0.0 { -normal } else { normal };
        if normal.z < LEVEL_COS {
            return *self;
        }
        Self {
            normal,
            offset: normal.dot(&middle),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_found_among_other_things() {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let mut points = Vec::new();
        for i in 0..2000 {
            let (x, y) = (rng.random::<f64>(), rng.random::<f64>());
            let noise = 0.001 * (rng.random::<f64>() - 0.5);
            // Half of the points lie on a table that leans by a degree, the others above it.
            let z = if i % 2 == 0 {
                0.04 + 0.0175 * x + noise
            } else {
                0.06 + 0.4 * rng.random::<f64>()
            };
            points.push(Point3::new(x, y, z));
        }
        let plane = Plane::find(&points, 1).expect("a table");
        let off_m = (plane.z_at(0.5, 0.5) - 0.04875).abs();
        assert!(off_m < 3e-4, "the table is found {off_m:.5} m off");
        assert_eq!(Plane::find(&points, 1), Plane::find(&points, 1));
    }

    #[test]
    fn a_wall_is_no_table() {
        let points: Vec<_> = (0..900)
            .map(|i| Point3::new(0.5, f64::from(i % 30) * 0.01, f64::from(i / 30) * 0.01))
            .collect();
        assert_eq!(Plane::find(&points, 1), None);
    }
}
