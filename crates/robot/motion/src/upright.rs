//! Projection of configurations onto an upright constraint.

use nalgebra::{Unit, Vector3};
use regrasp_api::{KeepUp, Pose};
use regrasp_kinematics::Chain;

use crate::JointLimits;
use crate::path::{between, distance};

/// Share of the allowed lean at which projections aim, so that curves between projected points stay
/// within the full tolerance.
const AIM: f64 = 0.8;
/// Largest number of projection steps. Few are needed, as each removes nearly all of the excess.
const MAX_STEPS: usize = 12;
/// Gradient of the lean below which the joints cannot reduce it.
const LEAST_GRADIENT: f64 = 1e-4;

/// A direction fixed in the tool that may lean from World's up by at most an angle.
#[derive(Clone, Debug)]
pub(crate) struct Upright<'a> {
    chain: &'a Chain,
    limits: &'a [JointLimits],
    up_in_base: Vector3<f64>,
    axis_in_tool: Unit<Vector3<f64>>,
    pub(crate) within_rad: f64,
}

impl<'a> Upright<'a> {
    pub(crate) fn new(
        chain: &'a Chain,
        limits: &'a [JointLimits],
        world_from_base: &Pose,
        keep: &KeepUp,
    ) -> Self {
        Self {
            chain,
            limits,
            up_in_base: world_from_base.rotation.inverse() * Vector3::z(),
            axis_in_tool: Unit::new_normalize(Vector3::from(keep.axis_in_tool)),
            within_rad: keep.within_rad,
        }
    }

    fn axis_in_base(&self, q: &[f64]) -> Vector3<f64> {
        self.chain.forward(q).rotation * self.axis_in_tool.into_inner()
    }

    /// Angle between the direction and World's up, rad.
    pub(crate) fn lean_rad(&self, q: &[f64]) -> f64 {
        self.axis_in_base(q).angle(&self.up_in_base)
    }

    pub(crate) fn holds(&self, q: &[f64]) -> bool {
        self.lean_rad(q) <= self.within_rad
    }

    /// Returns a configuration near `q` whose lean is well within the tolerance; `q` itself if it
    /// already is. `None` if joint limits prevent that, or if the direction points straight down.
    ///
    /// The lean θ between axis and up falls as the tool turns about e = axis x up, so
    /// dθ/dq_j = -e · ω_j / |e| with ω_j the angular part of the Jacobian; steps follow that
    /// gradient.
    pub(crate) fn project(&self, q: &[f64]) -> Option<Vec<f64>> {
        let aim_rad = AIM * self.within_rad;
        let mut q = q.to_vec();
        for _ in 0..MAX_STEPS {
            let axis = self.axis_in_base(&q);
            let lean_rad = axis.angle(&self.up_in_base);
            if lean_rad <= aim_rad + 1e-6 {
                return Some(q);
            }
            let about = axis.cross(&self.up_in_base).try_normalize(1e-9)?;
            let jacobian = self.chain.jacobian(&q);
            let gradient: Vec<f64> = (0..q.len())
                .map(|j| -about.dot(&jacobian.fixed_view::<3, 1>(3, j)))
                .collect();
            let squared: f64 = gradient.iter().map(|g| g * g).sum();
            if squared < LEAST_GRADIENT {
                return None;
            }
            let step = (lean_rad - aim_rad) / squared;
            for ((q, g), limit) in q.iter_mut().zip(gradient).zip(self.limits) {
                *q = (*q - step * g).clamp(limit.lower, limit.upper);
            }
        }
        None
    }

    /// Projects the straight line between two configurations onto the constraint: points at most
    /// about `step_rad` apart, both ends included. `None` if a point cannot be projected, or only
    /// with a jump.
    pub(crate) fn line(&self, start: &[f64], goal: &[f64], step_rad: f64) -> Option<Vec<Vec<f64>>> {
        let n = (distance(start, goal) / step_rad).ceil().max(1.0) as usize;
        let mut points = vec![start.to_vec()];
        for i in 1..n {
            points.push(self.project(&between(start, goal, i as f64 / n as f64))?);
        }
        points.push(goal.to_vec());
        let leaps = points
            .windows(2)
            .any(|w| distance(&w[0], &w[1]) > 3.0 * step_rad);
        (!leaps).then_some(points)
    }
}
