//! Distance between a point and an obstacle, for eight points at once.

use std::sync::Arc;

use parry3d_f64::math::{Pose as ParryPose, Vector};
use parry3d_f64::shape::SharedShape;
use pulp::{Scalar256b, Simd};
use regrasp_api::{Pose, Shape};
use regrasp_geometry_parry::{face_planes, whole};

use super::lanes::{LANES, V, Vec3};
use super::many::Many;

/// An obstacle in the frame of the robot's root: convex, or of many pieces.
#[derive(Clone, Debug)]
pub(super) struct SphereObstacle {
    centre: [f32; 3],
    core: Core,
    /// Rounding of the core, m: the obstacle contains every point within this distance of its core.
    radius: f32,
    /// Distance from the root's origin, m.
    pub(super) from_root: f32,
    pub(super) may_be_touched: bool,
}

/// Rows: the obstacle's axes in the root's frame.
type Axes = [[f32; 3]; 3];

/// Shape of an obstacle without its rounding.
#[derive(Clone, Debug)]
enum Core {
    Point,
    /// A box along the root's axes, with its half extents.
    Aligned([f32; 3]),
    /// A box rotated about the root's z axis: cosine and sine of the angle, and its half extents.
    Standing([f32; 2], [f32; 3]),
    Box(Axes, [f32; 3]),
    /// An upright segment, with half its length.
    Upright(f32),
    Segment(Axes, f32),
    /// An upright cylinder, with radius and half height.
    Pillar([f32; 2]),
    Cylinder(Axes, [f32; 2]),
    /// A convex hull, with the planes (normal and offset) of its faces for a fast first test.
    Hull(Axes, Vec<[f32; 4]>, SharedShape),
    Many(Axes, Arc<Many>),
}

/// Cosine from which an axis counts as parallel to an axis of the root. The difference moves a
/// point of an obstacle ten metres long by less than rounding.
const ALONG: f64 = 1.0 - 1e-14;

impl SphereObstacle {
    /// The parts of a shape; none for a hull without volume or an invalid height field.
    pub(super) fn parts(shape: &Shape, root_from_object: &Pose, may_be_touched: bool) -> Vec<Self> {
        let matrix = root_from_object.rotation.to_rotation_matrix();
        let axes = [0, 1, 2].map(|c| [0, 1, 2].map(|r| matrix[(r, c)] as f32));
        let is_upright = matrix[(2, 2)].abs() > ALONG;
        let (core, radius) = match shape {
            Shape::Compound { parts } => {
                let each = parts.iter().map(|part| {
                    let root_from_part = root_from_object * part.object_from_part;
                    Self::parts(&part.shape, &root_from_part, may_be_touched)
                });
                return each.flatten().collect();
            }
            Shape::Box { half_extents } => (cuboid(matrix.matrix(), axes, half_extents), 0.0),
            Shape::Sphere { radius } => (Core::Point, *radius),
            Shape::Capsule(rod) => match is_upright {
                true => (Core::Upright(rod.half_height as f32), rod.radius),
                false => (Core::Segment(axes, rod.half_height as f32), rod.radius),
            },
            Shape::Cylinder(rod) => {
                let size = [rod.radius as f32, rod.half_height as f32];
                match is_upright {
                    true => (Core::Pillar(size), 0.0),
                    false => (Core::Cylinder(axes, size), 0.0),
                }
            }
            Shape::Convex { .. } => match whole(shape) {
                Ok(hull) => (Core::Hull(axes, planes(&hull), hull), 0.0),
                Err(_) => return vec![],
            },
            Shape::HeightField(field) => match field.flaw() {
                None => (Core::Many(axes, Arc::new(Many::ground(field))), 0.0),
                Some(_) => return vec![],
            },
            Shape::PointCloud { points, radius } => {
                (Core::Many(axes, Arc::new(Many::points(points))), *radius)
            }
        };
        let t = root_from_object.translation.vector;
        let obstacle = Self {
            centre: [t.x as f32, t.y as f32, t.z as f32],
            core,
            radius: radius as f32,
            from_root: 0.0,
            may_be_touched,
        };
        let from_root = obstacle.gap_to([0.0; 3]);
        vec![Self {
            from_root,
            ..obstacle
        }]
    }

    /// Lower bound on the distance of a point, m.
    pub(super) fn gap_to(&self, point: [f32; 3]) -> f32 {
        self.gap(&point.map(|x| V::splat(Scalar256b, x))) - 1e-4
    }

    /// Distance of the first of eight points, m.
    #[inline(always)]
    pub(super) fn gap<S: Simd>(&self, point: &Vec3<S>) -> f32 {
        if let Core::Many(axes, many) = &self.core {
            let p = seen_from(axes, &self.past_centre(point));
            let [squared, ..] = many.squared(&p, f32::MAX, true).to_array();
            return squared.sqrt() - self.radius;
        }
        let [squared, ..] = self.excess(point, -self.radius).to_array();
        squared.max(0.0).sqrt() - self.radius
    }

    #[inline(always)]
    fn past_centre<S: Simd>(&self, point: &Vec3<S>) -> Vec3<S> {
        let [cx, cy, cz] = &self.centre;
        let like = point[0];
        [
            point[0] - like.like(*cx),
            point[1] - like.like(*cy),
            point[2] - like.like(*cz),
        ]
    }

    /// Returns a number below zero for each point closer than `reach`.
    #[inline(always)]
    pub(super) fn excess<S: Simd>(&self, point: &Vec3<S>, reach: f32) -> V<S> {
        let zero = point[0].like(0.0);
        let d = self.past_centre(point);
        let squared = match &self.core {
            Core::Point => squares(d),
            Core::Aligned([hx, hy, hz]) => {
                squares([beyond(d[0], *hx), beyond(d[1], *hy), beyond(d[2], *hz)])
            }
            Core::Standing([c, s], [hx, hy, hz]) => {
                let (c, s) = (zero.like(*c), zero.like(*s));
                let (x, y) = (d[0] * c + d[1] * s, d[1] * c - d[0] * s);
                squares([beyond(x, *hx), beyond(y, *hy), beyond(d[2], *hz)])
            }
            Core::Box(axes, [hx, hy, hz]) => {
                let [x, y, z] = seen_from(axes, &d);
                squares([beyond(x, *hx), beyond(y, *hy), beyond(z, *hz)])
            }
            Core::Upright(half) => squares([d[0], d[1], beyond(d[2], *half)]),
            Core::Segment(axes, half) => {
                let [x, y, z] = seen_from(axes, &d);
                squares([x, y, beyond(z, *half)])
            }
            Core::Pillar([radius, half]) => {
                let side = beyond((d[0] * d[0] + d[1] * d[1]).sqrt(), *radius);
                squares([side, zero, beyond(d[2], *half)])
            }
            Core::Cylinder(axes, [radius, half]) => {
                let [x, y, z] = seen_from(axes, &d);
                let side = beyond((x * x + y * y).sqrt(), *radius);
                squares([side, zero, beyond(z, *half)])
            }
            Core::Hull(axes, planes, hull) => {
                hull_squared(planes, hull, seen_from(axes, &d), reach)
            }
            Core::Many(axes, many) => {
                let limit = reach + self.radius;
                many.squared(&seen_from(axes, &d), limit * limit, false)
            }
        };
        let limit = reach + self.radius;
        squared - point[0].like(limit * limit)
    }
}

/// A vector in the axes of an obstacle.
#[inline(always)]
fn seen_from<S: Simd>(axes: &Axes, d: &Vec3<S>) -> Vec3<S> {
    let [x, y, z] = axes;
    [along(x, d), along(y, d), along(z, d)]
}

#[inline(always)]
fn along<S: Simd>(axis: &[f32; 3], d: &Vec3<S>) -> V<S> {
    let like = d[0];
    d[0] * like.like(axis[0]) + d[1] * like.like(axis[1]) + d[2] * like.like(axis[2])
}

/// Distance of a coordinate from an interval around zero.
#[inline(always)]
fn beyond<S: Simd>(v: V<S>, half: f32) -> V<S> {
    (v.abs() - v.like(half)).max(v.like(0.0))
}

#[inline(always)]
fn squares<S: Simd>([x, y, z]: Vec3<S>) -> V<S> {
    x * x + y * y + z * z
}

/// Squared distances to a hull, or a lower bound if its planes already are farther than `reach`.
#[inline(always)]
fn hull_squared<S: Simd>(planes: &[[f32; 4]], hull: &SharedShape, p: Vec3<S>, reach: f32) -> V<S> {
    let mut outside = p[0].like(0.0);
    for [x, y, z, offset] in planes {
        let gap = along(&[*x, *y, *z], &p) - p[0].like(*offset);
        outside = outside.max(gap);
    }
    if !outside.any_below(reach) {
        return outside * outside;
    }
    let lanes = [p[0].to_array(), p[1].to_array(), p[2].to_array()];
    p[0].load_like(distances(hull, lanes))
}

/// Squared distances to the exact shape, for points that the planes do not decide.
#[inline(never)]
fn distances(hull: &SharedShape, [x, y, z]: [[f32; LANES]; 3]) -> [f32; LANES] {
    std::array::from_fn(|i| {
        let p = Vector::new(f64::from(x[i]), f64::from(y[i]), f64::from(z[i]));
        let gap = hull.distance_to_point(&ParryPose::IDENTITY, p, true);
        (gap * gap) as f32
    })
}

fn cuboid(matrix: &nalgebra::Matrix3<f64>, axes: Axes, half_extents: &[f64; 3]) -> Core {
    let mut aligned = [0.0; 3];
    for (column, half) in matrix.column_iter().zip(half_extents) {
        let Some(axis) = column.iter().position(|x| x.abs() > ALONG) else {
            let half_extents = half_extents.map(|h| h as f32);
            return match matrix[(2, 2)].abs() > ALONG {
                true => Core::Standing([axes[0][0], axes[0][1]], half_extents),
                false => Core::Box(axes, half_extents),
            };
        };
        aligned[axis] = *half as f32;
    }
    Core::Aligned(aligned)
}

/// The planes of a hull's faces: outward normals, and offsets along them.
fn planes(hull: &SharedShape) -> Vec<[f32; 4]> {
    let Some(polyhedron) = hull.as_convex_polyhedron() else {
        return vec![];
    };
    let faces = face_planes(polyhedron).into_iter().map(|(n, on)| {
        let reaches = polyhedron.points().iter().map(|p| n.dot(*p));
        let offset = reaches.fold(n.dot(on), f64::max);
        [n.x as f32, n.y as f32, n.z as f32, offset as f32]
    });
    faces.collect()
}
