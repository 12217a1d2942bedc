//! Distance between a point and an obstacle, for eight points at once.

use parry3d_f64::math::{Pose as ParryPose, Vector};
use parry3d_f64::shape::SharedShape;
use regrasp_api::{Pose, Shape};
use wide::f32x8;

use super::rake::Vec8;
use crate::shapes;

/// A convex obstacle in the frame of the robot's root.
pub(super) struct SphereObstacle {
    origin: [f32; 3],
    /// Rows: the obstacle's axes in the root's frame.
    axes: [[f32; 3]; 3],
    kind: Kind,
    /// Radius of a sphere around `origin` that contains the obstacle.
    pub(super) bound: f32,
    pub(super) may_be_touched: bool,
}

enum Kind {
    Box([f32; 3]),
    Sphere(f32),
    Capsule { radius: f32, half: f32 },
    Cylinder { radius: f32, half: f32 },
    Other(SharedShape),
}

impl SphereObstacle {
    /// The convex parts of a shape; nothing for points that span no volume.
    pub(super) fn parts(shape: &Shape, root_from_object: &Pose, may_be_touched: bool) -> Vec<Self> {
        let kind = match shape {
            Shape::Compound { parts } => {
                let each = parts.iter().map(|part| {
                    let root_from_part = root_from_object * part.object_from_part;
                    Self::parts(&part.shape, &root_from_part, may_be_touched)
                });
                return each.flatten().collect();
            }
            Shape::Box { half_extents } => Kind::Box(half_extents.map(|h| h as f32)),
            Shape::Sphere { radius } => Kind::Sphere(*radius as f32),
            Shape::Capsule {
                radius,
                half_height,
            } => Kind::Capsule {
                radius: *radius as f32,
                half: *half_height as f32,
            },
            Shape::Cylinder {
                radius,
                half_height,
            } => Kind::Cylinder {
                radius: *radius as f32,
                half: *half_height as f32,
            },
            Shape::Convex { .. } => match shapes::from_object(shape) {
                Some(hull) => Kind::Other(hull),
                None => return vec![],
            },
        };
        let matrix = root_from_object.rotation.to_rotation_matrix();
        let t = root_from_object.translation.vector;
        vec![Self {
            origin: [t.x as f32, t.y as f32, t.z as f32],
            axes: [0, 1, 2].map(|c| [0, 1, 2].map(|r| matrix[(r, c)] as f32)),
            kind,
            bound: shape.bounding_radius() as f32 + 1e-4,
            may_be_touched,
        }]
    }

    /// Distance of the origin from the root's origin, less the extent.
    pub(super) fn distance_from_root(&self) -> f32 {
        self.origin.iter().map(|x| x * x).sum::<f32>().sqrt() - self.bound
    }

    /// Squared distances to the solid obstacle: zero inside.
    pub(super) fn squared_distance(&self, point: &Vec8) -> f32x8 {
        let [dx, dy, dz] = [0, 1, 2].map(|i| point[i] - f32x8::splat(self.origin[i]));
        if let Kind::Sphere(radius) = self.kind {
            let d = (dx * dx + dy * dy + dz * dz).sqrt() - f32x8::splat(radius);
            let d = d.fast_max(f32x8::ZERO);
            return d * d;
        }
        let [x, y, z] = self.axes.map(|axis| {
            dx * f32x8::splat(axis[0]) + dy * f32x8::splat(axis[1]) + dz * f32x8::splat(axis[2])
        });
        let beyond = |v: f32x8, half: f32| (v.abs() - f32x8::splat(half)).fast_max(f32x8::ZERO);
        match &self.kind {
            Kind::Sphere(_) => f32x8::ZERO,
            Kind::Box([hx, hy, hz]) => {
                let (x, y, z) = (beyond(x, *hx), beyond(y, *hy), beyond(z, *hz));
                x * x + y * y + z * z
            }
            Kind::Capsule { radius, half } => {
                let z = beyond(z, *half);
                let d = beyond((x * x + y * y + z * z).sqrt(), *radius);
                d * d
            }
            Kind::Cylinder { radius, half } => {
                let z = beyond(z, *half);
                let d = beyond((x * x + y * y).sqrt(), *radius);
                d * d + z * z
            }
            Kind::Other(hull) => {
                let (x, y, z) = (x.to_array(), y.to_array(), z.to_array());
                let lanes: [f32; 8] = std::array::from_fn(|i| {
                    let p = Vector::new(f64::from(x[i]), f64::from(y[i]), f64::from(z[i]));
                    hull.distance_to_point(&ParryPose::IDENTITY, p, true)
                        .powi(2) as f32
                });
                f32x8::from(lanes)
            }
        }
    }

    /// Squared distances to the middle of the obstacle.
    pub(super) fn squared_distance_to_middle(&self, point: &Vec8) -> f32x8 {
        let [dx, dy, dz] = [0, 1, 2].map(|i| point[i] - f32x8::splat(self.origin[i]));
        dx * dx + dy * dy + dz * dz
    }
}
