//! Surfaces of boxes, spheres, cylinders and planes.

use std::f64::consts::{FRAC_PI_2, TAU};

use regrasp_geometry::Shape;

use crate::surface::Surface;

/// Number of vertices of a circle: with 48, the chords of a circle of 7 cm radius are at most
/// 0.15 mm inside it.
const N_AROUND: u32 = 48;
const N_RINGS: u32 = 12;

/// Returns the surface of a primitive solid in its own frame, with normals but without texture
/// coordinates; `None` for a shape of another kind.
pub fn primitive(shape: &Shape) -> Option<Surface> {
    Some(match *shape {
        Shape::Box { half_extents } => cuboid(half_extents),
        Shape::Sphere { radius } => ellipsoid([radius; 3]),
        Shape::Cylinder(rod) => cylinder(rod.radius, rod.half_height),
        Shape::Capsule(rod) => turned(&half_circle(rod.radius, rod.half_height)),
        _ => return None,
    })
}

/// Ellipsoid with three half axes, m.
pub fn ellipsoid(radii: [f64; 3]) -> Surface {
    turned(&half_circle(1.0, 0.0)).scaled(radii)
}

/// Cylinder along z with its lids, m.
pub fn cylinder(radius: f64, half_height: f64) -> Surface {
    turned(&[
        ([0.0, -half_height], [0.0, -1.0]),
        ([radius, -half_height], [0.0, -1.0]),
        ([radius, -half_height], [1.0, 0.0]),
        ([radius, half_height], [1.0, 0.0]),
        ([radius, half_height], [0.0, 1.0]),
        ([0.0, half_height], [0.0, 1.0]),
    ])
}

/// Rectangle that faces +z, with half its edges along x and y, m.
pub fn plane([x, y]: [f64; 2]) -> Surface {
    let mut surface = Surface::default();
    let corners = [[-x, -y, 0.0], [x, -y, 0.0], [x, y, 0.0], [-x, y, 0.0]];
    rectangle(&mut surface, corners, [0.0, 0.0, 1.0]);
    surface
}

fn single<const N: usize>(v: [f64; N]) -> [f32; N] {
    v.map(|x| x as f32)
}

fn rectangle(surface: &mut Surface, corners: [[f64; 3]; 4], normal: [f64; 3]) {
    let first = surface.positions.len() as u32;
    surface.positions.extend(corners.map(single));
    surface.normals.extend([single(normal); 4]);
    let [a, b, c, d] = [0, 1, 2, 3].map(|i| first + i);
    surface.triangles.extend([[a, b, c], [a, c, d]]);
}

/// Box with half its edges along x, y and z, m.
pub fn cuboid(half: [f64; 3]) -> Surface {
    let mut surface = Surface::default();
    for axis in 0..3 {
        for sign in [-1.0, 1.0] {
            let (a, b) = ((axis + 1) % 3, (axis + 2) % 3);
            let corner = |sa: f64, sb: f64| {
                let mut p = [0.0; 3];
                (p[axis], p[a], p[b]) = (sign * half[axis], sa * half[a], sb * half[b]);
                p
            };
            let mut normal = [0.0; 3];
            normal[axis] = sign;
            let around = [(-1.0, -1.0), (sign, -sign), (1.0, 1.0), (-sign, sign)];
            rectangle(&mut surface, around.map(|(sa, sb)| corner(sa, sb)), normal);
        }
    }
    surface
}

/// Point [radius, z] of a profile, and the profile's normal there.
type Profile = ([f64; 2], [f64; 2]);

fn half_circle(radius: f64, half_height: f64) -> Vec<Profile> {
    let end = |from: f64, z: f64| {
        (0..=N_RINGS).map(move |i| {
            let (sin, cos) = (from + FRAC_PI_2 * f64::from(i) / f64::from(N_RINGS)).sin_cos();
            ([radius * cos.max(0.0), z + radius * sin], [cos, sin])
        })
    };
    end(-FRAC_PI_2, -half_height)
        .chain(end(0.0, half_height))
        .collect()
}

fn turned(profile: &[Profile]) -> Surface {
    let mut surface = Surface::default();
    for ([radius, z], [outwards, upwards]) in profile {
        for i in 0..=N_AROUND {
            let (sin, cos) = (TAU * f64::from(i % N_AROUND) / f64::from(N_AROUND)).sin_cos();
            let position = single([radius * cos, radius * sin, *z]);
            let normal = single([outwards * cos, outwards * sin, *upwards]);
            surface.positions.push(position);
            surface.normals.push(normal);
        }
    }
    let stride = N_AROUND + 1;
    for ring in 1..profile.len() as u32 {
        for i in 0..N_AROUND {
            let (a, b) = ((ring - 1) * stride + i, ring * stride + i);
            surface.triangles.extend([[a, a + 1, b + 1], [a, b + 1, b]]);
        }
    }
    let positions = &surface.positions;
    surface.triangles.retain(|t| {
        let [a, b, c] = t.map(|i| positions[i as usize]);
        a != b && b != c && c != a
    });
    surface
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use nalgebra::Vector3;

    use super::*;
    use crate::body::moments;

    /// Enclosed volume, negative if the surface is inside out, m³.
    fn volume(surface: &Surface) -> f64 {
        let positions = surface.positions.iter();
        let positions: Vec<_> = positions.map(|p| p.map(f64::from)).collect();
        moments(&positions, &surface.triangles).volume
    }

    #[test]
    fn they_enclose_what_they_should_and_face_outwards() {
        let (radius, half_height) = (0.3f64, 0.5);
        let ball = 4.0 / 3.0 * PI * radius.powi(3);
        let cylinder = PI * radius * radius * 2.0 * half_height;
        let solid = |shape| primitive(&shape).unwrap_or_default();
        let capsule = Shape::capsule(radius, half_height);
        let cases = [
            ("box", cuboid([0.1, 0.2, 0.3]), 0.048),
            ("ball", solid(Shape::Sphere { radius }), ball),
            (
                "ellipsoid",
                ellipsoid([0.1, 0.2, 0.3]),
                4.0 / 3.0 * PI * 0.006,
            ),
            ("cylinder", super::cylinder(radius, half_height), cylinder),
            ("capsule", solid(capsule), cylinder + ball),
        ];
        for (case, surface, expected) in cases {
            assert!((volume(&surface) / expected - 1.0).abs() < 0.02, "{case:?}");
            assert_eq!(surface.positions.len(), surface.normals.len());
            let unit = |n: &[f32; 3]| (Vector3::from(*n).norm() - 1.0).abs() < 1e-5;
            assert!(surface.normals.iter().all(unit), "{case:?}");
            assert_eq!(surface.flaw(), None);
        }
        assert_eq!(plane([1.0, 2.0]).triangles.len(), 2);
    }
}
