//! Surfaces with what covers them.

use std::sync::{Arc, OnceLock};

use nalgebra::Vector3;
use regrasp_mesh::{Level, Surface, levels};

use crate::image::Image;

/// A triangle mesh in the frame of its body.
#[derive(Clone, Debug, Default)]
pub struct Mesh {
    /// Has a normal for each corner; texture coordinates, if it has an image.
    surface: Surface,
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

impl Mesh {
    /// The surface of something that was read from a file: smooth where its triangles meet at
    /// small angles, sharp elsewhere, and drawn with fewer triangles where nobody sees that.
    /// Corners in metres in the frame of the body; triangles counter-clockwise from outside.
    pub fn from_surface(vertices: &[[f64; 3]], triangles: &[[u32; 3]]) -> Self {
        let (surface, _) = Surface::creased(vertices, triangles);
        Self::whole(surface).simplified()
    }

    /// The same, and of each of its corners which of the given ones it is: for what was given
    /// with them. Given corners at the same place are one for its smoothness.
    pub fn from_corners(vertices: &[[f64; 3]], triangles: &[[u32; 3]]) -> (Self, Vec<u32>) {
        let (surface, corners) = Surface::creased(vertices, triangles);
        (Self::whole(surface), corners)
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
        let surface = Surface {
            triangles: triangles.iter().filter(is_there).copied().collect(),
            positions,
            normals,
            texcoords: Vec::new(),
        };
        Self::whole(surface).simplified()
    }

    /// A surface with a normal for each corner that is always drawn with all its triangles.
    pub(crate) fn whole(surface: Surface) -> Self {
        Self {
            surface,
            ..Self::default()
        }
    }

    /// Lets it be drawn with fewer triangles where nobody sees that: see [`Mesh::level`].
    pub(crate) fn simplified(mut self) -> Self {
        self.is_simplified = true;
        self
    }

    /// Covers it with an image, at one texture coordinate for each corner: (0, 0) is the
    /// image's upper left corner, (1, 1) its lower right one. Without as many, it stays plain.
    pub fn covered(mut self, texcoords: Vec<[f32; 2]>, image: Arc<Image>) -> Self {
        if texcoords.len() == self.surface.positions.len() {
            // Fewer triangles would shift the image.
            self.is_simplified = false;
            (self.surface.texcoords, self.image) = (texcoords, Some(image));
        }
        self
    }

    /// Lets it throw no shadow: walls and shelves around a room.
    pub fn backdrop(mut self) -> Self {
        self.is_backdrop = true;
        self
    }

    /// All its triangles.
    pub fn surface(&self) -> &Surface {
        &self.surface
    }

    /// Number of triangles.
    pub fn n_triangles(&self) -> usize {
        self.surface.triangles.len()
    }

    /// What covers it, if it has an image.
    pub fn image(&self) -> Option<&Arc<Image>> {
        self.image.as_ref()
    }

    /// The surface with the fewest triangles of which no point is further than `error_m` from
    /// this one; of a mesh that is to be drawn whole, its own.
    pub fn level(&self, error_m: f32) -> &Surface {
        if !self.is_simplified {
            return &self.surface;
        }
        let levels = self.levels.get_or_init(|| levels(&self.surface));
        let fit = levels.iter().rev().find(|l| l.error_m <= error_m);
        fit.map_or(&self.surface, |level| &level.surface)
    }

    /// A ball around all of it.
    pub(crate) fn ball(&self) -> &Ball {
        self.ball.get_or_init(|| {
            let bounds = self.surface.bounds();
            let [min, max] = [bounds.min, bounds.max].map(|p| p.map(|x| x as f32));
            let center = [0, 1, 2].map(|i| 0.5 * (min[i] + max[i]));
            let far = |p: &[f32; 3]| (Vector3::from(*p) - Vector3::from(center)).norm();
            Ball {
                center,
                radius_m: self.surface.positions.iter().map(far).fold(0.0, f32::max),
            }
        })
    }
}
