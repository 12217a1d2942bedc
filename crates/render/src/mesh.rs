//! Triangles with normals.

use nalgebra::{Point3, Vector3};
use regrasp_api::Pose;

/// A triangle mesh in the frame of its body. Lengths in metres, single precision: a
/// pixel is far larger than what that loses.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    pub(crate) positions: Vec<[f32; 3]>,
    /// Unit length, outwards, one for each position.
    pub(crate) normals: Vec<[f32; 3]>,
    /// Counter-clockwise seen from outside.
    pub(crate) triangles: Vec<[u32; 3]>,
}

impl Mesh {
    /// Number of triangles.
    pub fn n_triangles(&self) -> usize {
        self.triangles.len()
    }

    /// Corners of the bounding box; `None` if there is nothing.
    pub fn bounds(&self) -> Option<[[f32; 3]; 2]> {
        let mut corners = self.positions.iter();
        let first = *corners.next()?;
        Some(corners.fold([first, first], |[min, max], p| {
            [
                [0, 1, 2].map(|i| min[i].min(p[i])),
                [0, 1, 2].map(|i| max[i].max(p[i])),
            ]
        }))
    }

    /// Corners in the frame of the body, m.
    pub fn positions(&self) -> &[[f32; 3]] {
        &self.positions
    }

    /// Unit length, outwards, one for each corner.
    pub fn normals(&self) -> &[[f32; 3]] {
        &self.normals
    }

    /// Indices of corners, counter-clockwise seen from outside.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// A mesh whose faces are flat: every triangle gets its own corners.
    pub fn flat(vertices: &[Point3<f64>], triangles: &[[u32; 3]]) -> Self {
        let mut mesh = Self::default();
        for triangle in triangles {
            let corners = triangle.map(|i| vertices.get(i as usize).copied().unwrap_or_default());
            mesh.add_flat(&corners);
        }
        mesh
    }

    /// Adds another mesh, placed in this one's frame.
    pub(crate) fn add(&mut self, other: &Self, body_from_other: &Pose) {
        let offset = self.positions.len() as u32;
        let place = |p: &[f32; 3]| body_from_other * Point3::from(p.map(f64::from));
        let turn = |n: &[f32; 3]| body_from_other.rotation * Vector3::from(n.map(f64::from));
        let positions = other.positions.iter().map(|p| single(&place(p).coords));
        let normals = other.normals.iter().map(|n| single(&turn(n)));
        self.positions.extend(positions);
        self.normals.extend(normals);
        let moved = other.triangles.iter().map(|t| t.map(|i| i + offset));
        self.triangles.extend(moved);
    }

    /// Adds a corner and gives its index.
    pub(crate) fn corner(&mut self, position: Vector3<f64>, normal: Vector3<f64>) -> u32 {
        self.positions.push(single(&position));
        self.normals.push(single(&normal));
        (self.positions.len() - 1) as u32
    }

    /// Adds a flat triangle.
    pub(crate) fn add_flat(&mut self, corners: &[Point3<f64>; 3]) {
        let [a, b, c] = corners;
        let normal = (b - a).cross(&(c - a));
        let Some(normal) = normal.try_normalize(1e-18) else {
            return;
        };
        let indices = [a, b, c].map(|p| self.corner(p.coords, normal));
        self.triangles.push(indices);
    }
}

pub(crate) fn single(v: &Vector3<f64>) -> [f32; 3] {
    [v.x as f32, v.y as f32, v.z as f32]
}
