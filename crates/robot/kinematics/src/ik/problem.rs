//! An inverse kinematics problem: the error at a configuration, and the step from it.

use super::{
    IkOptions,
    linear::{Factor, Vec6, dot},
    target::{Miss, Task},
};
use crate::chain::{Chain, MAX_DOF, Sweep};

/// Joint positions; only the first [`Chain::dof`] are used.
pub(super) type Q = [f64; MAX_DOF];

type Columns = [Vec6; MAX_DOF];

/// Length that weighs as much as one radian of error, m: a medium lever of a tabletop arm. It
/// affects only the path of the descent, not the accepted answers.
const METRES_PER_RADIAN: f64 = 0.3;

/// Longest step of a joint, radians or metres: the linear model is invalid further away.
const MAX_STEP: f64 = 1.0;

pub(super) struct Problem<'a> {
    pub(super) chain: &'a Chain,
    pub(super) task: Task,
    pub(super) options: &'a IkOptions,
}

/// A configuration with its error.
pub(super) struct Candidate {
    pub(super) q: Q,
    pub(super) miss: Miss,
    /// Squared norm of the scaled error.
    pub(super) cost: f64,
    sweep: Sweep,
}

impl Problem<'_> {
    pub(super) fn dof(&self) -> usize {
        self.chain.dof()
    }

    pub(super) fn evaluate(&self, q: Q) -> Candidate {
        let sweep = self.chain.sweep(&q[..self.dof()]);
        let miss = self.task.miss(&sweep.tip);
        let error = scaled(&miss.twist);
        Candidate {
            q,
            miss,
            cost: dot(&error, &error),
            sweep,
        }
    }

    pub(super) fn is_met(&self, miss: &Miss) -> bool {
        miss.pos_err_m <= self.options.pos_tol_m && miss.rot_err_rad <= self.options.rot_tol_rad
    }

    /// The damped least-squares step from `at` towards the target, within the limits.
    ///
    /// Joints at a limit that the step would push further are removed and the step is solved again.
    /// Clamping alone would not let the other joints make up for their motion.
    pub(super) fn step(&self, at: &Candidate, lambda: f64) -> Q {
        let n = self.dof();
        let limits = self.chain.limits();
        let error = scaled(&at.miss.twist);
        let mut columns = self.columns(at);
        let mut dq = [0.0; MAX_DOF];
        // Each round but the last removes at least one joint.
        for _ in 0..=n {
            let x = Factor::new(&columns[..n], lambda).solve(&error);
            let mut took_one_out = false;
            for i in 0..n {
                dq[i] = dot(&columns[i], &x);
                let outwards = (dq[i] > 0.0 && at.q[i] >= limits[i].upper)
                    || (dq[i] < 0.0 && at.q[i] <= limits[i].lower);
                if outwards {
                    columns[i] = [0.0; 6];
                    took_one_out = true;
                }
            }
            if !took_one_out {
                break;
            }
        }
        self.clamped(&self.moved(at, &dq))
    }

    /// A step that ignores the limits, but pulls joints beyond them back as far as the tip's motion
    /// allows: pull + Jᵀ(JJᵀ + λI)⁻¹(e - J pull).
    pub(super) fn relaxed_step(&self, at: &Candidate, lambda: f64) -> Q {
        let n = self.dof();
        let columns = self.columns(at);
        let mut pull = self.clamped(&at.q);
        let mut missing = scaled(&at.miss.twist);
        for i in 0..n {
            pull[i] -= at.q[i];
            for row in 0..6 {
                missing[row] -= columns[i][row] * pull[i];
            }
        }
        let x = Factor::new(&columns[..n], lambda).solve(&missing);
        let mut dq = [0.0; MAX_DOF];
        for i in 0..n {
            dq[i] = pull[i] + dot(&columns[i], &x);
        }
        self.moved(at, &dq)
    }

    pub(super) fn clamped(&self, q: &Q) -> Q {
        let mut clamped = *q;
        self.chain.clamp(&mut clamped[..self.dof()]);
        clamped
    }

    /// The Jacobian, scaled like the error and without the free rotations.
    fn columns(&self, at: &Candidate) -> Columns {
        let n = self.dof();
        let mut columns = [[0.0; 6]; MAX_DOF];
        self.chain.jacobian_columns(&at.sweep, &mut columns);
        self.task.project(&at.sweep.tip, &mut columns[..n]);
        for column in &mut columns[..n] {
            *column = scaled(column);
        }
        columns
    }

    fn moved(&self, at: &Candidate, dq: &Q) -> Q {
        let n = self.dof();
        let longest = dq[..n].iter().fold(0.0_f64, |max, dq| max.max(dq.abs()));
        let shrink = MAX_STEP / longest.max(MAX_STEP);
        let mut q = at.q;
        for (q, dq) in q[..n].iter_mut().zip(dq) {
            *q += dq * shrink;
        }
        q
    }
}

/// A twist with its linear part in units of [`METRES_PER_RADIAN`].
fn scaled(twist: &Vec6) -> Vec6 {
    let [x, y, z, a, b, c] = *twist;
    let scale = 1.0 / METRES_PER_RADIAN;
    [x * scale, y * scale, z * scale, a, b, c]
}
