//! Forward kinematics of eight configurations at once.

use regrasp_api::Pose;
use wide::f32x8;

/// A vector for each of eight configurations.
pub(super) type Vec8 = [f32x8; 3];

/// The pose of a body for each of eight configurations: columns of the rotation, and
/// the origin.
#[derive(Clone, Copy)]
pub(super) struct Frame8 {
    axes: [Vec8; 3],
    origin: Vec8,
}

/// A pose that no joint changes, ready for multiplication.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fixed {
    axes: [[f32; 3]; 3],
    origin: [f32; 3],
}

impl From<&Pose> for Fixed {
    fn from(pose: &Pose) -> Self {
        let matrix = pose.rotation.to_rotation_matrix();
        let t = pose.translation.vector;
        Self {
            axes: [0, 1, 2].map(|c| [0, 1, 2].map(|r| matrix[(r, c)] as f32)),
            origin: [t.x as f32, t.y as f32, t.z as f32],
        }
    }
}

impl Frame8 {
    /// The frame of the root itself.
    pub(super) fn identity() -> Self {
        let unit = |i: usize| {
            let mut axis = [f32x8::ZERO; 3];
            axis[i] = f32x8::ONE;
            axis
        };
        Self {
            axes: [unit(0), unit(1), unit(2)],
            origin: [f32x8::ZERO; 3],
        }
    }

    /// Where a point of the body is.
    pub(super) fn point(&self, p: [f32; 3]) -> Vec8 {
        let [x, y, z] = p.map(f32x8::splat);
        [0, 1, 2].map(|r| {
            self.origin[r] + self.axes[0][r] * x + self.axes[1][r] * y + self.axes[2][r] * z
        })
    }

    fn turned(&self, v: [f32; 3]) -> Vec8 {
        let [x, y, z] = v.map(f32x8::splat);
        [0, 1, 2].map(|r| self.axes[0][r] * x + self.axes[1][r] * y + self.axes[2][r] * z)
    }

    /// The frame behind a fixed transform.
    pub(super) fn fixed(&self, step: &Fixed) -> Self {
        Self {
            axes: step.axes.map(|axis| self.turned(axis)),
            origin: self.point(step.origin),
        }
    }

    /// The frame turned about its own z axis.
    pub(super) fn turn(&self, angle: f32x8) -> Self {
        let (s, c) = angle.sin_cos();
        let [x, y, z] = self.axes;
        Self {
            axes: [
                [0, 1, 2].map(|r| x[r] * c + y[r] * s),
                [0, 1, 2].map(|r| y[r] * c - x[r] * s),
                z,
            ],
            origin: self.origin,
        }
    }

    /// The frame moved along its own z axis.
    pub(super) fn slide(&self, by: f32x8) -> Self {
        Self {
            axes: self.axes,
            origin: [0, 1, 2].map(|r| self.origin[r] + self.axes[2][r] * by),
        }
    }
}
