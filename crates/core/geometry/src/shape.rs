//! Solid shapes and their extents.

use nalgebra::{Point3, Vector3};
use serde::{Deserialize, Serialize};

use crate::{HeightField, Pose};

/// Solid shape of an object, in the object's own frame. Metres.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// Box centred at the origin.
    Box {
        /// Half of the edge lengths along x, y, z, m.
        half_extents: [f64; 3],
    },
    /// Sphere centred at the origin.
    Sphere {
        /// Radius, m.
        radius: f64,
    },
    /// Cylinder along z, centred at the origin.
    Cylinder(Rod),
    /// Capsule along z, centred at the origin.
    Capsule(Rod),
    /// Convex hull of points.
    Convex {
        /// At least four points that do not lie in a plane, m.
        points: Vec<[f64; 3]>,
    },
    /// Several parts, rigidly joined, usually convex (a mug, a bowl, a decomposition).
    Compound {
        /// Parts in the object's frame.
        parts: Vec<Part>,
    },
    /// Terrain or relief, solid from its surface down to a flat underside.
    HeightField(HeightField),
    /// Data of a depth camera: points, each of which stands for a ball.
    PointCloud {
        /// Points in the object's frame, m.
        points: Vec<[f64; 3]>,
        /// Radius of the balls: about half of the distance between neighbours closes the gaps
        /// between them.
        radius: f64,
    },
}

/// Size of a cylinder or capsule.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rod {
    /// Radius, m.
    pub radius: f64,
    /// Half of the height along z, m; of a capsule, half of the distance between the cap centres.
    pub half_height: f64,
}

/// Part of a [`Shape::Compound`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Part {
    /// Pose of the part in the object.
    pub object_from_part: Pose,
    /// Shape of the part.
    pub shape: Shape,
}

/// Axis-aligned box, in the frame that its user names, m.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Aabb {
    /// Smallest corner.
    pub min: [f64; 3],
    /// Largest corner.
    pub max: [f64; 3],
}

impl Aabb {
    /// Makes the box between two corners.
    pub const fn new(min: [f64; 3], max: [f64; 3]) -> Self {
        Self { min, max }
    }

    /// Returns the box around points. Without points, its `min` is +infinity and its `max`
    /// -infinity.
    pub fn around(points: impl IntoIterator<Item = [f64; 3]>) -> Self {
        let (mut min, mut max) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for p in points {
            min = [0, 1, 2].map(|i| min[i].min(p[i]));
            max = [0, 1, 2].map(|i| max[i].max(p[i]));
        }
        Self { min, max }
    }

    /// Returns true if a point lies inside or on the boundary.
    pub fn contains(&self, point: &Point3<f64>) -> bool {
        (0..3).all(|i| (self.min[i]..=self.max[i]).contains(&point[i]))
    }

    /// Returns true if a point lies inside or on the boundary, seen from above.
    pub fn covers(&self, x: f64, y: f64) -> bool {
        (self.min[0]..=self.max[0]).contains(&x) && (self.min[1]..=self.max[1]).contains(&y)
    }

    /// Returns the distance of a point from the box along each axis; 0 inside.
    pub fn outside(&self, point: &Point3<f64>) -> Vector3<f64> {
        let gap = |i: usize| (self.min[i] - point[i]).max(point[i] - self.max[i]);
        Vector3::from_fn(|i, _| gap(i).max(0.0))
    }

    /// Returns the horizontal distance of a point from the box; 0 inside.
    pub fn distance_xy(&self, [x, y]: [f64; 2]) -> f64 {
        let outside = self.outside(&Point3::new(x, y, 0.0));
        outside.x.hypot(outside.y)
    }

    /// Returns the centre.
    pub fn center(&self) -> Point3<f64> {
        Point3::from([0, 1, 2].map(|i| 0.5 * (self.min[i] + self.max[i])))
    }

    /// Returns the edge lengths along x, y, z.
    pub fn size(&self) -> Vector3<f64> {
        Vector3::from([0, 1, 2].map(|i| self.max[i] - self.min[i]))
    }
}

impl Part {
    /// Places a shape in an object.
    pub const fn new(object_from_part: Pose, shape: Shape) -> Self {
        Self {
            object_from_part,
            shape,
        }
    }
}

impl Shape {
    /// Makes a box.
    pub const fn cuboid(half_extents: [f64; 3]) -> Self {
        Self::Box { half_extents }
    }

    /// Makes a cylinder.
    pub const fn cylinder(radius: f64, half_height: f64) -> Self {
        Self::Cylinder(Rod {
            radius,
            half_height,
        })
    }

    /// Makes a capsule.
    pub const fn capsule(radius: f64, half_height: f64) -> Self {
        Self::Capsule(Rod {
            radius,
            half_height,
        })
    }

    /// Makes a compound of parts.
    pub fn compound(parts: impl IntoIterator<Item = Part>) -> Self {
        let parts = parts.into_iter().collect();
        Self::Compound { parts }
    }

    /// Returns the distance from the object's origin to the farthest point along `direction` (unit
    /// length, object frame): the support function of the convex hull.
    pub fn support(&self, direction: &Vector3<f64>) -> f64 {
        let d = direction;
        match self {
            Self::Box { half_extents: h } => h[0] * d.x.abs() + h[1] * d.y.abs() + h[2] * d.z.abs(),
            Self::Sphere { radius } => *radius,
            Self::Cylinder(rod) => rod.radius * d.xy().norm() + rod.half_height * d.z.abs(),
            Self::Capsule(rod) => rod.radius + rod.half_height * d.z.abs(),
            Self::Convex { points } => most(points.iter().map(|p| Vector3::from(*p).dot(d))),
            Self::HeightField(field) => most(field.corners().map(|p| p.coords.dot(d))),
            Self::PointCloud { points, radius } => {
                most(points.iter().map(|p| Vector3::from(*p).dot(d) + radius))
            }
            Self::Compound { parts } => most(parts.iter().map(|part| {
                let origin = part.object_from_part.translation.vector.dot(d);
                let d_in_part = part.object_from_part.rotation.inverse() * d;
                origin + part.shape.support(&d_in_part)
            })),
        }
    }

    /// Returns the bounding box in another frame.
    pub fn aabb(&self, frame_from_object: &Pose) -> Aabb {
        let object_from_frame = frame_from_object.rotation.inverse();
        let origin = frame_from_object.translation.vector;
        let reach = |axis: Vector3<f64>| self.support(&(object_from_frame * axis));
        let axes = [Vector3::x(), Vector3::y(), Vector3::z()];
        Aabb {
            min: [0, 1, 2].map(|i| origin[i] - reach(-axes[i])),
            max: [0, 1, 2].map(|i| origin[i] + reach(axes[i])),
        }
    }

    /// Returns the extent along `direction` (unit length) of the given frame, which is the width
    /// between two parallel fingers that close along it.
    pub fn width_along(&self, frame_from_object: &Pose, direction: &Vector3<f64>) -> f64 {
        let d = frame_from_object.rotation.inverse() * direction;
        self.support(&d) + self.support(&-d)
    }

    /// Returns true for kinds of shapes on which an object may rest below the highest point:
    /// compounds (a bowl, a tray), height fields and point clouds.
    pub fn is_hollow(&self) -> bool {
        matches!(
            self,
            Self::Compound { .. } | Self::HeightField(_) | Self::PointCloud { .. }
        )
    }

    /// Returns true if an object of this shape has to be fixed, since the shape gives no mass.
    pub fn is_surrounding(&self) -> bool {
        matches!(self, Self::HeightField(_) | Self::PointCloud { .. })
    }
}

fn most(reaches: impl Iterator<Item = f64>) -> f64 {
    reaches.fold(f64::NEG_INFINITY, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::FRAC_PI_4;

    #[test]
    fn a_turned_cube_is_wider_across_its_diagonal() {
        let cube = Shape::cuboid([0.02; 3]);
        let world_from_object = Pose::new([0.3, -0.2, 0.1].into(), Vector3::z() * FRAC_PI_4);
        let across_faces = Vector3::new(1.0, 1.0, 0.0).normalize();
        let width = cube.width_along(&world_from_object, &across_faces);
        assert!((width - 0.04).abs() < 1e-12, "faces are {width} m apart");
        let diagonal = cube.width_along(&world_from_object, &Vector3::x());
        assert!((diagonal - 0.04 * 2f64.sqrt()).abs() < 1e-12);
        let aabb = cube.aabb(&world_from_object);
        assert!((aabb.max[2] - 0.12).abs() < 1e-12);
        assert!((aabb.center().x - 0.3).abs() < 1e-12);
    }

    #[test]
    fn a_cloud_reaches_as_far_as_its_balls() {
        let cloud = Shape::PointCloud {
            points: vec![[0.1, 0.0, 0.0], [-0.05, 0.0, 0.2]],
            radius: 0.01,
        };
        let aabb = cloud.aabb(&Pose::translation(0.3, -0.2, 0.1));
        assert!((aabb.max[0] - 0.41).abs() < 1e-12 && (aabb.min[2] - 0.09).abs() < 1e-12);
    }
}
