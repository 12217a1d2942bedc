//! Surfaces and the images that cover them.

use std::f64::consts::PI;
use std::sync::{Arc, OnceLock};

use nalgebra::{Point3, Vector3};
use parry3d_f64::math::Vector;
use parry3d_f64::transformation::try_convex_hull;
use regrasp_api::{Pose, Shape};
use regrasp_kinematics::Geometry;
use regrasp_mesh::{Level, Surface, cuboid, levels, primitive};

use crate::image::Image;

/// Triangle mesh in the frame of its body.
#[derive(Clone, Debug, Default)]
pub struct Mesh {
    /// Surface with a normal for each corner, and texture coordinates if there is an image.
    surface: Surface,
    /// Image that replaces the colour of the look.
    pub(crate) image: Option<Arc<Image>>,
    /// Set if the mesh is lit by the sun without casting a shadow.
    pub(crate) is_backdrop: bool,
    /// Set if the mesh may be drawn with fewer triangles where the difference is not visible.
    is_simplified: bool,
    /// Bounding ball, computed at the first drawing, when the other fields are complete.
    ball: OnceLock<Ball>,
    levels: OnceLock<Vec<Level>>,
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Ball {
    pub(crate) center: [f32; 3],
    pub(crate) radius_m: f32,
}

impl Mesh {
    /// Builds the surface of a mesh file: smooth where triangles meet at small angles, sharp
    /// elsewhere. It is drawn with fewer triangles where the difference is not visible. Corners are
    /// in metres in the frame of the body, triangles counter-clockwise from outside.
    pub fn from_surface(vertices: &[[f64; 3]], triangles: &[[u32; 3]]) -> Self {
        let (surface, _) = Surface::creased(vertices, triangles);
        Self::whole(surface).simplified()
    }

    /// Builds a surface like [`Mesh::from_surface`] that is always drawn with all triangles. Also
    /// returns the index of the given corner for each corner of the mesh, for data that belongs to
    /// corners. Given corners at the same position count as one for smoothness.
    pub fn from_corners(vertices: &[[f64; 3]], triangles: &[[u32; 3]]) -> (Self, Vec<u32>) {
        let (surface, corners) = Surface::creased(vertices, triangles);
        (Self::whole(surface), corners)
    }

    /// Builds a mesh with given normals: corners in metres, one unit normal per corner, triangles
    /// counter-clockwise from outside. Invalid triangles are left out. It is drawn with fewer
    /// triangles where the difference is not visible.
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

    /// Allows drawing with fewer triangles where the difference is not visible: see
    /// [`Mesh::level`].
    pub(crate) fn simplified(mut self) -> Self {
        self.is_simplified = true;
        self
    }

    /// Covers the mesh with an image. Each corner has a texture coordinate: (0, 0) is the image's
    /// upper left corner, (1, 1) its lower right one. If their number differs from that of the
    /// corners, the mesh stays plain.
    pub fn covered(mut self, texcoords: Vec<[f32; 2]>, image: Arc<Image>) -> Self {
        if texcoords.len() == self.surface.positions.len() {
            // A simplified surface would shift the image.
            self.is_simplified = false;
            (self.surface.texcoords, self.image) = (texcoords, Some(image));
        }
        self
    }

    /// Disables the mesh's shadow, for walls and shelves around a room.
    pub fn backdrop(mut self) -> Self {
        self.is_backdrop = true;
        self
    }

    /// The surface with all triangles.
    pub fn surface(&self) -> &Surface {
        &self.surface
    }

    /// Number of triangles.
    pub fn n_triangles(&self) -> usize {
        self.surface.triangles.len()
    }

    /// Image that covers the mesh, if any.
    pub fn image(&self) -> Option<&Arc<Image>> {
        self.image.as_ref()
    }

    /// Returns the surface with the fewest triangles whose error is at most `error_m`, m; the
    /// surface itself for a mesh that is not simplified.
    pub fn level(&self, error_m: f32) -> &Surface {
        if !self.is_simplified {
            return &self.surface;
        }
        let levels = self.levels.get_or_init(|| levels(&self.surface));
        let fit = levels.iter().rev().find(|l| l.error_m <= error_m);
        fit.map_or(&self.surface, |level| &level.surface)
    }

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

    /// Builds the surface of a shape. A degenerate hull gives an empty mesh.
    pub fn from_shape(shape: &Shape) -> Self {
        Self::whole(of_shape(shape))
    }
}

fn of_shape(shape: &Shape) -> Surface {
    match shape {
        Shape::Convex { points } => hull(points),
        Shape::Compound { parts } => {
            let mut surface = Surface::default();
            for part in parts {
                surface.add(&of_shape(&part.shape), &part.object_from_part);
            }
            surface
        }
        Shape::HeightField(field) => {
            let mut surface = Surface::default();
            let triangles = field.triangles();
            triangles.for_each(|corners| surface.add_flat(&corners));
            surface
        }
        Shape::PointCloud { points, radius } => cloud(points, *radius),
        simple => primitive(simple).unwrap_or_default(),
    }
}

pub(crate) fn of_geometry(geometry: &Geometry) -> Surface {
    match geometry {
        Geometry::Mesh {
            vertices,
            triangles,
        } => flat(vertices, triangles),
        Geometry::Solid(shape) => of_shape(shape),
    }
}

/// A surface with flat faces: every triangle gets its own corners.
fn flat(vertices: &[Point3<f64>], triangles: &[[u32; 3]]) -> Surface {
    let mut surface = Surface::default();
    for triangle in triangles {
        let corners = triangle.map(|i| vertices.get(i as usize).copied().unwrap_or_default());
        surface.add_flat(&corners);
    }
    surface
}

/// Draws the balls of a cloud as cubes of the same volume, since a cloud has thousands of balls.
fn cloud(points: &[[f64; 3]], radius: f64) -> Surface {
    let half = [radius * (PI / 6.0).cbrt(); 3];
    let one = cuboid(half);
    points
        .iter()
        .fold(Surface::default(), |mut mesh, [x, y, z]| {
            mesh.add(&one, &Pose::translation(*x, *y, *z));
            mesh
        })
}

fn hull(points: &[[f64; 3]]) -> Surface {
    let points: Vec<Vector> = points.iter().map(|&p| Vector::from(p)).collect();
    let Ok((corners, triangles)) = try_convex_hull(&points) else {
        return Surface::default();
    };
    let corners: Vec<_> = corners.iter().map(|p| Point3::new(p.x, p.y, p.z)).collect();
    flat(&corners, &triangles)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hull_encloses_its_volume_and_faces_outwards() {
        let points = vec![[0.0; 3], [0.1, 0.0, 0.0], [0.0, 0.1, 0.0], [0.0, 0.0, 0.1]];
        let mesh = of_shape(&Shape::Convex { points });
        let at = |i: u32| Vector3::from(mesh.positions[i as usize].map(f64::from));
        let tetrahedra = mesh.triangles.iter().map(|t| {
            let [a, b, c] = t.map(at);
            a.dot(&b.cross(&c)) / 6.0
        });
        let (got, expected) = (tetrahedra.sum::<f64>(), 0.001 / 6.0);
        let is_right = (got / expected - 1.0).abs() < 1e-6;
        assert!(is_right, "{got:e}, not {expected:e} m^3");
    }
}
