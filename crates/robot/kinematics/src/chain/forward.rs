//! Tip pose and Jacobian of a chain.

use nalgebra::{Isometry3, Matrix3, Rotation3, UnitQuaternion, Vector3};

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
        let tip = self.sweep(q).tip;
        let rotation = UnitQuaternion::from_rotation_matrix(&tip.rotation);
        Isometry3::from_parts(tip.translation, rotation)
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
        assert_eq!(q.len(), self.dof(), "one position per joint of the chain");
        let mut sweep = Sweep {
            tip: self.steps[0].fixed,
            axes: [Vector3::zeros(); MAX_DOF],
            origins: [Vector3::zeros(); MAX_DOF],
        };
        let tip = &mut sweep.tip;
        for (i, step) in self.steps.iter().enumerate() {
            if i > 0 {
                *tip *= step.fixed;
            }
            sweep.axes[i] = tip.rotation.matrix().column(2).into_owned();
            sweep.origins[i] = tip.translation.vector;
            step.advance(q, tip);
        }
        *tip *= self.end;
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
                let lever = sweep.tip.translation.vector - sweep.origins[i];
                (axis.cross(&lever), axis)
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
    fn advance(&self, q: &[f64], frame: &mut Segment) {
        let position = self.multiplier * q[self.q_idx] + self.offset;
        let rotation = frame.rotation.into_inner();
        let [x, y, z] = [0, 1, 2].map(|i| rotation.column(i).into_owned());
        if self.is_prismatic {
            frame.translation.vector += z * position;
            return;
        }
        let (sin, cos) = position.sin_cos();
        let turned = Matrix3::from_columns(&[x * cos + y * sin, y * cos - x * sin, z]);
        frame.rotation = Rotation3::from_matrix_unchecked(turned);
    }
}
