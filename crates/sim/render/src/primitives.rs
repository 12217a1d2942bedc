//! Shapes → meshes.

use std::f64::consts::{PI, TAU};

use nalgebra::{Point3, Vector3};
use parry3d_f64::math::Vector;
use parry3d_f64::transformation::try_convex_hull;
use regrasp_api::{Pose, Shape};
use regrasp_kinematics::Geometry;
use regrasp_mesh::Surface;

use crate::mesh::Mesh;

/// Corners of a circle: with 48 a disc of 7 cm is 0.15 mm too small between them.
const N_AROUND: usize = 48;
/// Rings of a half sphere.
const N_RINGS: usize = 12;

impl Mesh {
    /// The surface of a shape. A hull that does not exist gives an empty mesh.
    pub fn from_shape(shape: &Shape) -> Self {
        Self::whole(of_shape(shape))
    }
}

fn of_shape(shape: &Shape) -> Surface {
    match shape {
        Shape::Box { half_extents } => cuboid(*half_extents),
        Shape::Sphere { radius } => capsule(*radius, 0.0),
        Shape::Cylinder {
            radius,
            half_height,
        } => cylinder(*radius, *half_height),
        Shape::Capsule {
            radius,
            half_height,
        } => capsule(*radius, *half_height),
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
            field
                .triangles()
                .for_each(|corners| surface.add_flat(&corners));
            surface
        }
        Shape::PointCloud { points, radius } => cloud(points, *radius),
    }
}

/// The surface of a link's geometry.
pub(crate) fn of_geometry(geometry: &Geometry) -> Surface {
    match geometry {
        Geometry::Box { half_extents } => cuboid(*half_extents),
        Geometry::Sphere { radius } => capsule(*radius, 0.0),
        Geometry::Cylinder {
            radius,
            half_length,
        } => cylinder(*radius, *half_length),
        Geometry::Capsule {
            radius,
            half_length,
        } => capsule(*radius, *half_length),
        Geometry::Mesh {
            vertices,
            triangles,
        } => flat(vertices, triangles),
    }
}

/// A surface whose faces are flat: every triangle gets its own corners.
fn flat(vertices: &[Point3<f64>], triangles: &[[u32; 3]]) -> Surface {
    let mut surface = Surface::default();
    for triangle in triangles {
        let corners = triangle.map(|i| vertices.get(i as usize).copied().unwrap_or_default());
        surface.add_flat(&corners);
    }
    surface
}

fn cuboid(half: [f64; 3]) -> Surface {
    let mut mesh = Surface::default();
    for axis in 0..3 {
        for sign in [-1.0, 1.0] {
            let mut normal = Vector3::zeros();
            normal[axis] = sign;
            let (a, b) = ((axis + 1) % 3, (axis + 2) % 3);
            let corner = |sa: f64, sb: f64| {
                let mut p = Vector3::zeros();
                p[axis] = sign * half[axis];
                p[a] = sa * half[a];
                p[b] = sb * half[b];
                p
            };
            let around = [(-1.0, -1.0), (sign, -sign), (1.0, 1.0), (-sign, sign)];
            let [p, q, r, s] = around.map(|(sa, sb)| mesh.corner(corner(sa, sb), normal));
            mesh.triangles.extend([[p, q, r], [p, r, s]]);
        }
    }
    mesh
}

/// Cubes of the volume of the balls: a cloud has thousands of them.
fn cloud(points: &[[f64; 3]], radius: f64) -> Surface {
    let one = cuboid([radius * (PI / 6.0).cbrt(); 3]);
    points
        .iter()
        .fold(Surface::default(), |mut mesh, [x, y, z]| {
            mesh.add(&one, &Pose::translation(*x, *y, *z));
            mesh
        })
}

fn direction(around: usize) -> Vector3<f64> {
    let angle = TAU * around as f64 / N_AROUND as f64;
    Vector3::new(angle.cos(), angle.sin(), 0.0)
}

fn cylinder(radius: f64, half_height: f64) -> Surface {
    let mut mesh = Surface::default();
    let up = Vector3::z();
    for i in 0..N_AROUND {
        let (d, e) = (direction(i), direction(i + 1));
        let (low, high) = (-up * half_height, up * half_height);
        let side = [
            (d, low + d * radius),
            (e, low + e * radius),
            (e, high + e * radius),
            (d, high + d * radius),
        ];
        let [p, q, r, s] = side.map(|(normal, at)| mesh.corner(at, normal));
        mesh.triangles.extend([[p, q, r], [p, r, s]]);
        let lid =
            |mesh: &mut Surface, at: Vector3<f64>, normal, a: Vector3<f64>, b: Vector3<f64>| {
                let corners = [at, at + a * radius, at + b * radius];
                let corners = corners.map(|p| mesh.corner(p, normal));
                mesh.triangles.push(corners);
            };
        lid(&mut mesh, high, up, d, e);
        lid(&mut mesh, low, -up, e, d);
    }
    mesh
}

fn capsule(radius: f64, half_height: f64) -> Surface {
    let mut mesh = Surface::default();
    let n_rows = 2 * (N_RINGS + 1);
    for row in 0..n_rows {
        // Both caps have a ring at the equator; without a cylinder the two coincide.
        let (ring, center_z) = if row <= N_RINGS {
            (row, -half_height)
        } else {
            (row - 1, half_height)
        };
        let latitude = PI * (ring as f64 / (2 * N_RINGS) as f64 - 0.5);
        for i in 0..=N_AROUND {
            let normal = direction(i) * latitude.cos() + Vector3::z() * latitude.sin();
            mesh.corner(normal * radius + Vector3::z() * center_z, normal);
        }
    }
    let stride = (N_AROUND + 1) as u32;
    for row in 0..(n_rows - 1) as u32 {
        for i in 0..N_AROUND as u32 {
            let (a, b) = (row * stride + i, (row + 1) * stride + i);
            mesh.triangles.extend([[a, a + 1, b + 1], [a, b + 1, b]]);
        }
    }
    mesh
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
        let cases = [
            (
                Shape::Box {
                    half_extents: [0.01, 0.02, 0.03],
                },
                4.8e-5,
            ),
            (Shape::Sphere { radius: r }, 4.0 / 3.0 * PI * r.powi(3)),
            (
                Shape::Cylinder {
                    radius: r,
                    half_height: h,
                },
                TAU * r * r * h,
            ),
            (
                Shape::Capsule {
                    radius: r,
                    half_height: h,
                },
                TAU * r * r * h + 4.0 / 3.0 * PI * r.powi(3),
            ),
            (
                Shape::Convex {
                    points: vec![[0.0; 3], [0.1, 0.0, 0.0], [0.0, 0.1, 0.0], [0.0, 0.0, 0.1]],
                },
                0.001 / 6.0,
            ),
        ];
        for (shape, expected) in cases {
            let got = volume(&of_shape(&shape));
            assert!(
                (got / expected - 1.0).abs() < 0.02,
                "{shape:?}: {got:e} m^3 instead of {expected:e}"
            );
        }
    }
}
