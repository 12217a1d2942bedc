//! Triangles with normals.

use std::sync::{Arc, OnceLock};

use nalgebra::{Point3, Vector3};
use regrasp_api::Pose;

use crate::image::Image;
use crate::simplify::levels;

/// A triangle mesh in the frame of its body. Lengths in metres, single precision: a
/// pixel is far larger than what that loses.
#[derive(Clone, Debug, Default)]
pub struct Mesh {
    pub(crate) positions: Vec<[f32; 3]>,
    /// Unit length, outwards, one for each position.
    pub(crate) normals: Vec<[f32; 3]>,
    /// Counter-clockwise seen from outside.
    pub(crate) triangles: Vec<[u32; 3]>,
    /// Where each position is on the image; none without an image.
    pub(crate) texcoords: Vec<[f32; 2]>,
    /// What covers it instead of the colour of its look.
    pub(crate) image: Option<Arc<Image>>,
    /// Whether it stands in the sun without throwing a shadow.
    pub(crate) is_backdrop: bool,
    /// Whether it may be drawn with fewer triangles where nobody sees that.
    is_simplified: bool,
    /// Computed when it is drawn for the first time; by then the rest is complete.
    ball: OnceLock<Ball>,
    levels: OnceLock<Vec<Level>>,
}

/// A ball around a mesh.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Ball {
    pub(crate) center: [f32; 3],
    pub(crate) radius_m: f32,
}

/// A mesh with fewer triangles.
#[derive(Clone, Debug)]
pub(crate) struct Level {
    pub(crate) mesh: Mesh,
    /// No corner of the whole mesh is further from this one, m.
    pub(crate) error_m: f32,
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

    /// What covers it, if it has an image.
    pub fn image(&self) -> Option<&Arc<Image>> {
        self.image.as_ref()
    }

    /// Covers it with an image, at one texture coordinate for each corner: (0, 0) is the
    /// image's upper left corner, (1, 1) its lower right one. Without as many, it stays plain.
    pub fn covered(mut self, texcoords: Vec<[f32; 2]>, image: Arc<Image>) -> Self {
        if texcoords.len() == self.positions.len() {
            // Fewer triangles would shift the image.
            self.is_simplified = false;
            (self.texcoords, self.image) = (texcoords, Some(image));
        }
        self
    }

    /// Lets it throw no shadow: walls and shelves around a room.
    pub fn backdrop(mut self) -> Self {
        self.is_backdrop = true;
        self
    }

    /// A mesh as it is given: corners in metres, normals of unit length, one for each corner,
    /// triangles counter-clockwise from outside. Wrong triangles are left out.
    pub fn with_normals(
        positions: Vec<[f32; 3]>,
        normals: Vec<[f32; 3]>,
        triangles: &[[u32; 3]],
    ) -> Self {
        let n = positions.len().min(normals.len());
        let is_there = |t: &&[u32; 3]| t.iter().all(|&i| (i as usize) < n);
        Self {
            triangles: triangles.iter().filter(is_there).copied().collect(),
            positions,
            normals,
            is_simplified: true,
            ..Self::default()
        }
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

    /// Lets it be drawn with fewer triangles where nobody sees that: see [`Mesh::level`].
    pub(crate) fn simplified(mut self) -> Self {
        self.is_simplified = true;
        self
    }

    /// The same, always drawn with all its triangles.
    #[cfg(test)]
    pub(crate) fn whole(&self) -> Self {
        Self {
            is_simplified: false,
            ..self.clone()
        }
    }

    /// The mesh with the fewest triangles of which no point is further than `error_m` from
    /// this one; a mesh that is to be drawn whole, itself.
    pub fn level(&self, error_m: f32) -> &Self {
        if !self.is_simplified {
            return self;
        }
        let levels = self.levels.get_or_init(|| levels(self));
        let fit = levels.iter().rev().find(|l| l.error_m <= error_m);
        fit.map_or(self, |level| &level.mesh)
    }

    /// A ball around all of it.
    pub(crate) fn ball(&self) -> &Ball {
        self.ball.get_or_init(|| {
            let [min, max] = self.bounds().unwrap_or_default();
            let center = [0, 1, 2].map(|i| 0.5 * (min[i] + max[i]));
            let far = |p: &[f32; 3]| (Vector3::from(*p) - Vector3::from(center)).norm();
            Ball {
                center,
                radius_m: self.positions.iter().map(far).fold(0.0, f32::max),
            }
        })
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
