//! The solid inside a closed surface: volume, mass and inertia.

use nalgebra::{Matrix3, Vector3};
use serde::{Deserialize, Serialize};

/// Solid inside a mesh, in its own frame: surface, and mass distribution at uniform density.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MeshBody {
    /// Vertices of the surface, m.
    pub vertices: Vec<[f64; 3]>,
    /// Triangles of the surface, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Volume inside the surface, m³.
    pub volume_m3: f64,
    /// Total volume of the convex parts for contact, m³; overlaps count twice.
    pub parts_volume_m3: f64,
    /// Centre of mass, m.
    pub mass_center: [f64; 3],
    /// Moments of inertia about the centre of mass for 1 kg, m²: the rows of a symmetric matrix.
    pub inertia_per_kg: [[f64; 3]; 3],
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Moments {
    pub(crate) volume: f64,
    pub(crate) center: Vector3<f64>,
    pub(crate) inertia_per_kg: Matrix3<f64>,
}

/// Integrates over the solid inside a closed surface, as signed sums over the tetrahedra between
/// its triangles and one point.
///
/// Over the tetrahedron of the origin, a, b and c, with d = a · (b × c) and s = a + b + c, the
/// integral of 1 is d / 6, that of x is d / 24 s, and that of x xᵀ is d / 120 (a aᵀ + b bᵀ + c cᵀ +
/// s sᵀ).
pub(crate) fn moments(vertices: &[[f64; 3]], triangles: &[[u32; 3]]) -> Moments {
    let at = |i: u32| Vector3::from(vertices[i as usize]);
    // Relative to the origin, which may be far away, the sums would lose more digits.
    let n = vertices.len().max(1) as f64;
    let sum: Vector3<f64> = vertices.iter().map(|p| Vector3::from(*p)).sum();
    let middle = sum / n;
    let (mut volume, mut first, mut second) = (0.0, Vector3::zeros(), Matrix3::zeros());
    for triangle in triangles {
        let [a, b, c] = triangle.map(|i| at(i) - middle);
        let d = a.dot(&b.cross(&c));
        let s = a + b + c;
        volume += d / 6.0;
        first += s * (d / 24.0);
        let squares = a * a.transpose() + b * b.transpose() + c * c.transpose();
        second += (squares + s * s.transpose()) * (d / 120.0);
    }
    let about_middle = Moments::of(volume, first, second);
    Moments {
        center: middle + about_middle.center,
        ..about_middle
    }
}

impl Moments {
    /// Creates moments from the integrals of 1, x and x xᵀ over a solid.
    pub(crate) fn of(volume: f64, first: Vector3<f64>, second: Matrix3<f64>) -> Self {
        let center = first / volume;
        let about_center = second / volume - center * center.transpose();
        Self {
            volume,
            center,
            inertia_per_kg: Matrix3::identity() * about_center.trace() - about_center,
        }
    }
}

impl MeshBody {
    /// Returns the body scaled by a factor.
    pub fn scaled(&self, factor: f64) -> Self {
        let [square, cube] = [factor.powi(2), factor.powi(3)];
        let vertices = self.vertices.iter();
        Self {
            vertices: vertices.map(|p| p.map(|x| x * factor)).collect(),
            triangles: self.triangles.clone(),
            volume_m3: self.volume_m3 * cube,
            parts_volume_m3: self.parts_volume_m3 * cube,
            mass_center: self.mass_center.map(|x| x * factor),
            inertia_per_kg: self.inertia_per_kg.map(|row| row.map(|x| x * square)),
        }
    }
}
