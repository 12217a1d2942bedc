//! Forward kinematics of eight configurations at once.
//!
//! Vector code in this module and its siblings avoids closures: a closure does not inherit the
//! target features of the function around it unless it happens to be inlined.

use pulp::Simd;
use regrasp_api::Pose;

use super::lanes::{V, Vec3};

/// Pose of a body in each of eight configurations: columns of the rotation, and the origin.
#[derive(Clone, Copy)]
pub(super) struct Frame<S: Simd> {
    axes: [Vec3<S>; 3],
    origin: Vec3<S>,
}

/// A constant pose, prepared for multiplication.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fixed {
    axes: [Direction; 3],
    origin: [f32; 3],
}

/// A column of a rotation. Most arms have their axes at right angles, which saves most of the
/// arithmetic.
#[derive(Clone, Copy, Debug)]
enum Direction {
    /// Along an axis of the parent, or against it.
    Axis(usize, f32),
    Other([f32; 3]),
}

impl From<&Pose> for Fixed {
    fn from(pose: &Pose) -> Self {
        let matrix = pose.rotation.to_rotation_matrix();
        let t = pose.translation.vector;
        let small = |x: f64| if x.abs() < 1e-9 { 0.0 } else { x as f32 };
        Self {
            axes: [0, 1, 2].map(|c| {
                let column = [0, 1, 2].map(|r| matrix[(r, c)]);
                let along = column.iter().position(|x| x.abs() > 1.0 - 1e-12);
                match along {
                    Some(r) => Direction::Axis(r, column[r].signum() as f32),
                    None => Direction::Other(column.map(|x| x as f32)),
                }
            }),
            origin: [small(t.x), small(t.y), small(t.z)],
        }
    }
}

impl Fixed {
    /// The origin in the parent frame, m.
    pub(super) fn origin(&self) -> [f32; 3] {
        self.origin
    }
}

impl<S: Simd> Frame<S> {
    #[inline(always)]
    pub(super) fn identity_like(like: V<S>) -> Self {
        let (zero, one) = (like.like(0.0), like.like(1.0));
        Self {
            axes: [[one, zero, zero], [zero, one, zero], [zero, zero, one]],
            origin: [zero; 3],
        }
    }

    #[inline(always)]
    pub(super) fn point(&self, p: [f32; 3]) -> Vec3<S> {
        let [x, y, z] = self.turned_vector(p);
        let o = self.origin;
        [o[0] + x, o[1] + y, o[2] + z]
    }

    #[inline(always)]
    fn turned_vector(&self, v: [f32; 3]) -> Vec3<S> {
        let like = self.origin[0];
        let [x, y, z] = [like.like(v[0]), like.like(v[1]), like.like(v[2])];
        let [a, b, c] = &self.axes;
        [
            a[0] * x + b[0] * y + c[0] * z,
            a[1] * x + b[1] * y + c[1] * z,
            a[2] * x + b[2] * y + c[2] * z,
        ]
    }

    #[inline(always)]
    fn turned(&self, direction: &Direction) -> Vec3<S> {
        match direction {
            Direction::Axis(i, sign) if *sign > 0.0 => self.axes[*i],
            Direction::Axis(i, sign) => {
                let sign = self.origin[0].like(*sign);
                let [x, y, z] = self.axes[*i];
                [x * sign, y * sign, z * sign]
            }
            Direction::Other(v) => self.turned_vector(*v),
        }
    }

    #[inline(always)]
    pub(super) fn fixed(&self, step: &Fixed) -> Self {
        let mut origin = self.origin;
        for i in 0..3 {
            if step.origin[i].abs() > 0.0 {
                let along = origin[0].like(step.origin[i]);
                let axis = self.axes[i];
                origin = [
                    origin[0] + axis[0] * along,
                    origin[1] + axis[1] * along,
                    origin[2] + axis[2] * along,
                ];
            }
        }
        let [x, y, z] = &step.axes;
        Self {
            axes: [self.turned(x), self.turned(y), self.turned(z)],
            origin,
        }
    }

    /// The frame rotated about its own z axis.
    #[inline(always)]
    pub(super) fn turn(&self, angle: V<S>) -> Self {
        let (s, c) = angle.sin_cos();
        let [x, y, z] = self.axes;
        Self {
            axes: [
                [
                    x[0] * c + y[0] * s,
                    x[1] * c + y[1] * s,
                    x[2] * c + y[2] * s,
                ],
                [
                    y[0] * c - x[0] * s,
                    y[1] * c - x[1] * s,
                    y[2] * c - x[2] * s,
                ],
                z,
            ],
            origin: self.origin,
        }
    }

    /// The frame moved along its own z axis.
    #[inline(always)]
    pub(super) fn slide(&self, by: V<S>) -> Self {
        let (o, z) = (self.origin, self.axes[2]);
        Self {
            origin: [o[0] + z[0] * by, o[1] + z[1] * by, o[2] + z[2] * by],
            ..*self
        }
    }
}
