//! Squared distances to many planes at once (M. Garland and P. Heckbert, "Surface Simplification
//! Using Quadric Error Metrics", SIGGRAPH 1997).

use nalgebra::Vector3;

/// Weighted squared distance to planes: p · A p + 2 b · p + c.
#[derive(Clone, Copy, Default)]
pub(super) struct Quadric {
    /// Entries xx, xy, xz, yy, yz, zz of the symmetric matrix A.
    a: [f64; 6],
    b: [f64; 3],
    c: f64,
    weight: f64,
}

impl Quadric {
    pub(super) fn of_plane(normal: &Vector3<f64>, p: &Vector3<f64>, weight: f64) -> Self {
        let n = normal;
        let d = -n.dot(p);
        let pairs = [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)];
        Self {
            a: pairs.map(|(i, j)| weight * n[i] * n[j]),
            b: [0, 1, 2].map(|i| weight * d * n[i]),
            c: weight * d * d,
            weight,
        }
    }

    pub(super) fn plus(&self, other: &Self) -> Self {
        Self {
            a: [0, 1, 2, 3, 4, 5].map(|i| self.a[i] + other.a[i]),
            b: [0, 1, 2].map(|i| self.b[i] + other.b[i]),
            c: self.c + other.c,
            weight: self.weight + other.weight,
        }
    }

    /// Mean squared distance of a point.
    pub(super) fn at(&self, p: &Vector3<f64>) -> f64 {
        let [xx, xy, xz, yy, yz, zz] = self.a;
        let square = xx * p.x * p.x + yy * p.y * p.y + zz * p.z * p.z;
        let mixed = xy * p.x * p.y + xz * p.x * p.z + yz * p.y * p.z;
        let along = self.b[0] * p.x + self.b[1] * p.y + self.b[2] * p.z;
        ((square + 2.0 * (mixed + along) + self.c) / self.weight.max(1e-30)).max(0.0)
    }
}
