//! Limits, reach and dexterity of a chain.

use nalgebra::Point3;

use super::{Chain, MAX_DOF, Step};
use crate::ik::PandaIk;

impl Chain {
    /// Returns true if every joint is within its limits, with tolerance `tol` (radians or metres).
    ///
    /// # Panics
    ///
    /// If `q` does not have [`Chain::dof`] entries.
    #[must_use]
    pub fn within_limits(&self, q: &[f64], tol: f64) -> bool {
        self.limit_margin(q) >= -tol
    }

    /// Smallest distance of any joint to its limits (radians or metres). Negative if the worst
    /// joint is beyond a limit, +∞ if no joint is limited, −∞ if a position is NaN.
    ///
    /// # Panics
    ///
    /// If `q` does not have [`Chain::dof`] entries.
    #[must_use]
    pub fn limit_margin(&self, q: &[f64]) -> f64 {
        assert_eq!(q.len(), self.dof(), "one position per joint of the chain");
        q.iter()
            .zip(self.limits())
            .map(|(&q, limits)| (q - limits.lower).min(limits.upper - q))
            .fold(f64::INFINITY, |least, margin| {
                if margin.is_nan() {
                    f64::NEG_INFINITY
                } else {
                    least.min(margin)
                }
            })
    }

    /// Returns the chain with unlimited rotation, to test whether a limit is the only obstacle.
    /// Prismatic joints keep their limits, which are lengths. It has no [`Chain::panda_ik`].
    #[must_use]
    pub fn without_limits(&self) -> Self {
        let mut free = self.clone();
        free.panda_ik = None;
        for step in self.steps.iter().filter(|step| !step.is_prismatic) {
            let limits = &mut free.limits[step.q_idx];
            (limits.lower, limits.upper) = (f64::NEG_INFINITY, f64::INFINITY);
        }
        free
    }

    /// Returns the chain with limits narrowed by a margin, rad, for an arm that must not come near
    /// them. Prismatic joints, and joints whose range is at most twice the margin, stay as they
    /// are.
    #[must_use]
    pub fn narrowed(&self, margin_rad: f64) -> Self {
        let mut narrow = self.clone();
        for step in self.steps.iter().filter(|step| !step.is_prismatic) {
            let limits = &mut narrow.limits[step.q_idx];
            if limits.upper - limits.lower > 2.0 * margin_rad {
                limits.lower += margin_rad;
                limits.upper -= margin_rad;
            }
        }
        narrow.panda_ik = PandaIk::recognise(&narrow).map(Box::new);
        narrow
    }

    /// Moves `q` to the nearest positions within the limits.
    pub(crate) fn clamp(&self, q: &mut [f64]) {
        for (q, limits) in q.iter_mut().zip(self.limits()) {
            *q = q.max(limits.lower).min(limits.upper);
        }
    }

    /// Upper bound on the distance between the tip's origin and [`Chain::shoulder_in_base`], m: the
    /// sum of the lengths of all parts between them. Points beyond it are out of reach; points
    /// within it may be, too.
    #[must_use]
    pub fn reach_m(&self) -> f64 {
        let length = |step: &Step| step.fixed.translation.vector.norm();
        let fixed: f64 = self.steps[1..].iter().map(length).sum();
        let sliding: f64 = self
            .steps
            .iter()
            .filter(|step| step.is_prismatic)
            .map(|step| {
                let limits = self.limits[step.q_idx];
                let ends = [limits.lower, limits.upper].map(|q| step.multiplier * q + step.offset);
                ends.iter().map(|at| at.abs()).fold(0.0, f64::max)
            })
            .sum();
        fixed + sliding + self.end.translation.vector.norm()
    }

    /// Origin of the first joint at position zero, in the base: the centre of the sphere of radius
    /// [`Chain::reach_m`].
    #[must_use]
    pub fn shoulder_in_base(&self) -> Point3<f64> {
        Point3::from(self.steps[0].fixed.translation.vector)
    }

    /// Yoshikawa's manipulability √det(J Jᵀ) at `q` (T. Yoshikawa, "Manipulability of Robotic
    /// Mechanisms", IJRR 4(2), 1985). It is zero where the tip cannot move in some direction, and
    /// always for a chain of fewer than six joints. It mixes metres and radians: compare it between
    /// configurations of one robot, not between robots.
    ///
    /// # Panics
    ///
    /// If `q` does not have [`Chain::dof`] entries.
    #[must_use]
    pub fn manipulability(&self, q: &[f64]) -> f64 {
        let mut columns = [[0.0; 6]; MAX_DOF];
        self.jacobian_columns(&self.sweep(q), &mut columns);
        let mut gram = nalgebra::Matrix6::<f64>::zeros();
        for column in columns[..self.dof()].iter().copied() {
            let column = nalgebra::Vector6::from(column);
            gram += column * column.transpose();
        }
        gram.determinant().max(0.0).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use crate::ik::{self, IkOptions, IkTarget};
    use crate::testing::{panda_arm, random_q, rng};

    #[test]
    fn a_narrowed_chain_is_solved_within_its_margin() {
        let (wide, margin) = (panda_arm(), 0.2);
        let narrow = wide.narrowed(margin);
        let mut rng = rng(7);
        for _ in 0..50 {
            let q = random_q(&narrow, &mut rng);
            let target = IkTarget::Pose(wide.forward(&q));
            let found = ik::solve(&narrow, &target, &q, &IkOptions::default());
            let found = found.solution();
            let found = found.expect("the pose of a configuration is reached");
            for (q, limit) in found.iter().zip(wide.limits()) {
                let room = (q - limit.lower).min(limit.upper - q);
                assert!(room > margin - 1e-9, "{room} rad from an end");
            }
        }
    }
}
