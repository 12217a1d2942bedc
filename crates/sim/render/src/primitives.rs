//! Meshes of primitive shapes.

use std::f64::consts::PI;

use nalgebra::Point3;
use parry3d_f64::math::Vector;
use parry3d_f64::transformation::try_convex_hull;
use regrasp_api::{Pose, Shape};
use regrasp_kinematics::Geometry;
use regrasp_mesh::{Surface, cuboid, primitive};

use crate::mesh::Mesh;

impl Mesh {
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

/// Cubes with the volume of the cloud's balls: a cloud has thousands of them.
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
    use std::f64::consts::TAU;

    use nalgebra::Vector3;

    use super::*;

    /// Six times the volume that a closed mesh encloses; negative if it is inside out.
    fn volume(mesh: &Surface) -> f64 {
        let at = |i: u32| Vector3::from(mesh.positions[i as usize].map(f64::from));
        let tetrahedra = mesh.triangles.iter();
        tetrahedra
            .map(|t| {
                let [a, b, c] = t.map(at);
                a.dot(&b.cross(&c)) / 6.0
            })
            .sum()
    }

    #[test]
    fn meshes_enclose_the_volume_of_their_shapes_and_face_outwards() {
        let (r, h) = (0.03, 0.05);
        let (radius, half_height) = (r, h);
        let cylinder = Shape::cylinder(radius, half_height);
        let capsule = Shape::capsule(radius, half_height);
        let half_extents = [0.01, 0.02, 0.03];
        let points = vec![[0.0; 3], [0.1, 0.0, 0.0], [0.0, 0.1, 0.0], [0.0, 0.0, 0.1]];
        let (of_ball, of_cylinder) = (4.0 / 3.0 * PI * r.powi(3), TAU * r * r * h);
        let cases = [
            (Shape::Box { half_extents }, 4.8e-5),
            (Shape::Sphere { radius }, of_ball),
            (cylinder, of_cylinder),
            (capsule, of_cylinder + of_ball),
            (Shape::Convex { points }, 0.001 / 6.0),
        ];
        for (shape, expected) in cases {
            let got = volume(&of_shape(&shape));
            let off = got / expected - 1.0;
            assert!(off.abs() < 0.02, "{shape:?}: {got:e}, not {expected:e} m^3");
        }
    }
}
