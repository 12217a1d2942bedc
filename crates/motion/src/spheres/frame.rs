//! Forward kinematics of eight configurations at once.

use pulp::Simd;
use regrasp_api::Pose;

use super::lanes::{V, Vec3};

/// The pose of a body for each of eight configurations: columns of the rotation, and
/// the origin.
#[derive(Clone, Copy)]
pub(super) struct Frame<S: Simd> {
    axes: [Vec3<S>; 3],
    origin: Vec3<S>,
}

/// A pose that no joint changes, ready for multiplication.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fixed {
    axes: [Direction; 3],
    origin: [f32; 3],
}

/// Most arms have their axes at right angles, which saves most of the arithmetic.
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
    /// The origin in the frame before it, m.
    pub(super) fn origin(&self) -> [f32; 3] {
        self.origin
    }

    /// Distance between the two origins, m.
    pub(super) fn length(&self) -> f32 {
        self.origin.iter().map(|x| x * x).sum::<f32>().sqrt()
    }
}

impl<S: Simd> Frame<S> {
    /// The frame of the root itself.
    #[inline(always)]
    pub(super) fn identity(simd: S) -> Self {
        let (zero, one) = (V::splat(simd, 0.0), V::splat(simd, 1.0));
        Self {
            axes: [[one, zero, zero], [zero, one, zero], [zero, zero, one]],
            origin: [zero; 3],
        }
    }

    /// Where a point of the body is.
    #[inline(always)]
    pub(super) fn point(&self, p: [f32; 3]) -> Vec3<S> {
        let [x, y, z] = p.map(|c| self.origin[0].like(c));
        let row = |r: usize| {
            self.origin[r] + self.axes[0][r] * x + (self.axes[1][r] * y + self.axes[2][r] * z)
        };
        [row(0), row(1), row(2)]
    }

    #[inline(always)]
    fn turned(&self, direction: &Direction) -> Vec3<S> {
        match direction {
            Direction::Axis(i, sign) => {
                let sign = self.origin[0].like(*sign);
                let [x, y, z] = self.axes[*i];
                [x * sign, y * sign, z * sign]
            }
            Direction::Other(v) => {
                let [x, y, z] = v.map(|c| self.origin[0].like(c));
                let row =
                    |r: usize| self.axes[0][r] * x + self.axes[1][r] * y + self.axes[2][r] * z;
                [row(0), row(1), row(2)]
            }
        }
    }

    /// The frame behind a fixed transform.
    #[inline(always)]
    pub(super) fn fixed(&self, step: &Fixed) -> Self {
        let mut origin = self.origin;
        for (axis, along) in self.axes.iter().zip(step.origin) {
            if along.abs() > 0.0 {
                let along = origin[0].like(along);
                for (o, a) in origin.iter_mut().zip(axis) {
                    *o = *o + *a * along;
                }
            }
        }
        let [x, y, z] = &step.axes;
        Self {
            axes: [self.turned(x), self.turned(y), self.turned(z)],
            origin,
        }
    }

    /// The frame turned about its own z axis.
    #[inline(always)]
    pub(super) fn turn(&self, angle: V<S>) -> Self {
        let (s, c) = angle.sin_cos();
        let [x, y, z] = self.axes;
        let to_y = |r: usize| x[r] * c + y[r] * s;
        let from_x = |r: usize| y[r] * c - x[r] * s;
        Self {
            axes: [
                [to_y(0), to_y(1), to_y(2)],
                [from_x(0), from_x(1), from_x(2)],
                z,
            ],
            origin: self.origin,
        }
    }

    /// The frame moved along its own z axis.
    #[inline(always)]
    pub(super) fn slide(&self, by: V<S>) -> Self {
        let mut origin = self.origin;
        for (o, z) in origin.iter_mut().zip(self.axes[2]) {
            *o = *o + z * by;
        }
        Self { origin, ..*self }
    }
}
