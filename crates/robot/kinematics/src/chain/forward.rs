//! Tip pose and Jacobian of a chain.

use nalgebra::{Isometry3, Matrix3, Rotation3, Translation3, UnitQuaternion, Vector3};

use super::{Chain, Jacobian, MAX_DOF, Segment, Step};

/// Results of one pass from base to tip, in the axes of the base.
pub(crate) struct Sweep {
    pub(crate) tip: Segment,
    axes: [Vector3<f64>; MAX_DOF],
    origins: [Vector3<f64>; MAX_DOF],
}

impl Chain {
    /// Forward kinematics: `base_from_tip` at joint positions `q`.
    ///
    /// # Panics
    ///
    /// If `q` does not have [`Chain::dof`] entries.
    #[must_use]
    pub fn forward(&self, q: &[f64]) -> Isometry3<f64> {
        self.sweep(q).tip.to_isometry()
    }

    /// Jacobian of the tip at joint positions `q`: 6 x n, rows `[v; w]`, in the axes of the base.
    /// The reference point is the origin of the tip.
    ///
    /// # Panics
    ///
    /// If `q` does not have [`Chain::dof`] entries.
    #[must_use]
    pub fn jacobian(&self, q: &[f64]) -> Jacobian {
        let mut columns = [[0.0; 6]; MAX_DOF];
        self.jacobian_columns(&self.sweep(q), &mut columns);
        Jacobian::from_fn(self.dof(), |row, column| columns[column][row])
    }

    pub(crate) fn sweep(&self, q: &[f64]) -> Sweep {
        assert_eq!(q.len(), self.dof(), "one position a joint of the chain");
        let mut sweep = Sweep {
            tip: self.steps[0].fixed,
            axes: [Vector3::zeros(); MAX_DOF],
            origins: [Vector3::zeros(); MAX_DOF],
        };
        let tip = &mut sweep.tip;
        for (i, step) in self.steps.iter().enumerate() {
            if i > 0 {
                *tip = tip.then(&step.fixed);
            }
            sweep.axes[i] = tip.rotation.column(2).into_owned();
            sweep.origins[i] = tip.translation;
            step.advance(q, tip);
        }
        *tip = tip.then(&self.end);
        sweep
    }

    /// Writes the first `dof` columns, each `[v; w]`.
    pub(crate) fn jacobian_columns(&self, sweep: &Sweep, columns: &mut [[f64; 6]; MAX_DOF]) {
        columns[..self.dof()].fill([0.0; 6]);
        for (i, step) in self.steps.iter().enumerate() {
            let axis = sweep.axes[i] * step.multiplier;
            let (v, w) = if step.is_prismatic {
                (axis, Vector3::zeros())
            } else {
                (
                    axis.cross(&(sweep.tip.translation - sweep.origins[i])),
                    axis,
                )
            };
            let column = &mut columns[step.q_idx];
            for row in 0..3 {
                column[row] += v[row];
                column[row + 3] += w[row];
            }
        }
    }
}

impl Step {
    /// Advances `frame` past this joint.
    fn advance(&self, q: &[f64], frame: &mut Segment) {
        let position = self.multiplier * q[self.q_idx] + self.offset;
        let z: Vector3<f64> = frame.rotation.column(2).into_owned();
        if self.is_prismatic {
            frame.translation += z * position;
            return;
        }
        let (sin, cos) = position.sin_cos();
        let x: Vector3<f64> = frame.rotation.column(0).into_owned();
        let y: Vector3<f64> = frame.rotation.column(1).into_owned();
        frame.rotation = Matrix3::from_columns(&[x * cos + y * sin, y * cos - x * sin, z]);
    }
}

impl Segment {
    pub(crate) fn inverse(&self) -> Self {
        let rotation = self.rotation.transpose();
        Self {
            rotation,
            translation: -(rotation * self.translation),
        }
    }

    pub(crate) fn then(&self, next: &Self) -> Self {
        Self {
            rotation: self.rotation * next.rotation,
            translation: self.translation + self.rotation * next.translation,
        }
    }

    pub(crate) fn to_isometry(self) -> Isometry3<f64> {
        let rotation = Rotation3::from_matrix_unchecked(self.rotation);
        Isometry3::from_parts(
            Translation3::from(self.translation),
            UnitQuaternion::from_rotation_matrix(&rotation),
        )
    }
}

impl From<Isometry3<f64>> for Segment {
    fn from(transform: Isometry3<f64>) -> Self {
        Self {
            rotation: transform.rotation.to_rotation_matrix().into_inner(),
            translation: transform.translation.vector,
        }
    }
}
