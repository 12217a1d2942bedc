//! Configurations and paths that keep an object upright: projection onto the constraint, and a
//! search for a path.
//!
//! The search is RRT-Connect whose edges are projected onto the constraint step by step: D.
//! Berenson, S. Srinivasa, D. Ferguson and J. Kuffner, "Manipulation Planning on Constraint
//! Manifolds", ICRA 2009. It checks with the exact shapes. Searches without a constraint use
//! spheres and are far faster.

use nalgebra::{Unit, Vector3};
use regrasp_api::{KeepUp, Pose};
use regrasp_kinematics::Chain;

use crate::JointLimits;
use crate::path::{between, distance, path_length};

/// Share of the allowed lean at which projections aim, so that curves between projected points stay
/// within the full tolerance.
const AIM: f64 = 0.8;
/// Largest number of projection steps. Few are needed, as each removes nearly all of the excess.
const MAX_PROJECTIONS: usize = 12;
/// Squared norm of the lean's gradient below which the joints cannot reduce the lean.
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

    /// Returns a configuration near `q` whose lean is well within the tolerance: `q` itself if
    /// possible. `None` if joint limits prevent that, or if the direction points straight down.
    ///
    /// The lean θ between axis and up falls as the tool turns about e = axis x up, so
    /// dθ/dq_j = -e · ω_j / |e| with ω_j the angular part of the Jacobian; steps follow that
    /// gradient.
    pub(crate) fn project(&self, q: &[f64]) -> Option<Vec<f64>> {
        let aim_rad = AIM * self.within_rad;
        let mut q = q.to_vec();
        for _ in 0..MAX_PROJECTIONS {
            let axis = self.axis_in_base(&q);
            let lean_rad = axis.angle(&self.up_in_base);
            if lean_rad <= aim_rad + 1e-6 {
                return Some(q);
            }
            let about = axis.cross(&self.up_in_base).try_normalize(1e-9)?;
            let jacobian = self.chain.jacobian(&q);
            let gradient = (0..q.len()).map(|j| -about.dot(&jacobian.fixed_view::<3, 1>(3, j)));
            let gradient: Vec<f64> = gradient.collect();
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
        let mut pairs = points.windows(2);
        let leaps = pairs.any(|w| distance(&w[0], &w[1]) > 3.0 * step_rad);
        (!leaps).then_some(points)
    }
}

const MAX_ITERATIONS: usize = 400;
/// Number of nodes in both trees before the search gives up: a few tenths of a second.
const MAX_NODES: usize = 6000;
/// Distance between checked configurations, rad.
const STEP_RAD: f64 = 0.1;
const MAX_STEPS: usize = 15;
const SHORTCUTS: usize = 40;

type Q = Vec<f64>;
/// Returns true if a configuration is free of contact.
type IsFree<'a> = &'a dyn Fn(&[f64]) -> bool;

struct ConstrainedTree(Vec<(Q, Option<usize>)>);

impl ConstrainedTree {
    fn nearest(&self, q: &[f64]) -> usize {
        let away = |idx: &usize| distance(&self.0[*idx].0, q);
        let idxs = 0..self.0.len();
        idxs.min_by(|a, b| away(a).total_cmp(&away(b))).unwrap_or(0)
    }

    fn branch(&self, leaf: usize) -> Vec<Q> {
        let idxs = std::iter::successors(Some(leaf), |idx| self.0[*idx].1);
        idxs.map(|idx| self.0[idx].0.clone()).collect()
    }

    /// Extends the tree from the nearest node towards `to` as long as each step comes nearer and is
    /// free. Returns the last node, and true if it is at `to`.
    fn extend(
        &mut self,
        is_free: IsFree<'_>,
        upright: &Upright<'_>,
        to: &[f64],
        max_steps: usize,
    ) -> (usize, bool) {
        let mut at = self.nearest(to);
        for _ in 0..max_steps {
            let from = &self.0[at].0;
            let left = distance(from, to);
            if left < 1e-9 {
                return (at, true);
            }
            let f = (STEP_RAD / left).min(1.0);
            let next = if f < 1.0 {
                upright.project(&between(from, to, f))
            } else {
                Some(to.to_vec())
            };
            let Some(next) = next else { break };
            let comes_nearer = distance(&next, to) < left - 0.1 * STEP_RAD || f >= 1.0;
            let is_step = distance(&next, from) < 3.0 * STEP_RAD;
            if !comes_nearer || !is_step || !is_free(&next) {
                break;
            }
            self.0.push((next, Some(at)));
            at = self.0.len() - 1;
        }
        (at, distance(&self.0[at].0, to) < 1e-9)
    }
}

/// Finds a path from a start to one of the goals, in steps of about 0.1 rad. Start and goals must
/// be free and upright.
pub(crate) fn search(
    start: &[f64],
    goals: &[Q],
    bounds: &[[f64; 2]],
    upright: &Upright<'_>,
    is_free: IsFree<'_>,
) -> Option<Vec<Q>> {
    let roots = |of: &[Q]| ConstrainedTree(of.iter().map(|q| (q.clone(), None)).collect());
    let mut trees = [roots(&[start.to_vec()]), roots(goals)];
    for iteration in 0..MAX_ITERATIONS {
        if trees[0].0.len() + trees[1].0.len() > MAX_NODES {
            return None;
        }
        let grows = iteration % 2;
        let sample = evenly(iteration, bounds);
        let Some(sample) = upright.project(&sample) else {
            continue;
        };
        let (leaf, _) = trees[grows].extend(is_free, upright, &sample, MAX_STEPS);
        let q = trees[grows].0[leaf].0.clone();
        let (other, is_met) = trees[1 - grows].extend(is_free, upright, &q, 5 * MAX_STEPS);
        if is_met {
            let mut path = trees[grows].branch(leaf);
            path.reverse();
            path.extend(trees[1 - grows].branch(other).into_iter().skip(1));
            if grows == 1 {
                path.reverse();
            }
            return Some(shortened(is_free, upright, path));
        }
    }
    None
}

/// Replaces parts of a path by free and shorter lines.
fn shortened(is_free: IsFree<'_>, upright: &Upright<'_>, mut path: Vec<Q>) -> Vec<Q> {
    for attempt in 0..SHORTCUTS {
        let n = path.len() as f64;
        let pair = evenly(attempt, &[[0.0, n], [0.0, n]]).into_iter();
        let pair: Vec<usize> = pair.map(|x| (x as usize).min(path.len() - 1)).collect();
        // The whole path comes first: often the detour of the search was not needed.
        let (i, j) = if attempt == 0 {
            (0, path.len() - 1)
        } else {
            (pair[0].min(pair[1]), pair[0].max(pair[1]))
        };
        let Some(line) = upright.line(&path[i], &path[j], STEP_RAD) else {
            continue;
        };
        let touches = line.iter().any(|q| !is_free(q));
        if !touches && path_length(&line) < path_length(&path[i..=j]) - 1e-6 {
            path.splice(i..=j, line);
        }
    }
    path
}

/// The point at index `number` of an additive recurrence that fills a box evenly. Its steps are the
/// powers of 1/φ, where φ^(d+1) = φ + 1. (M. Roberts, "The Unreasonable Effectiveness of
/// Quasirandom Sequences", 2018.)
fn evenly(number: usize, bounds: &[[f64; 2]]) -> Q {
    let d = bounds.len() as f64;
    let phi = (0..40).fold(2.0_f64, |phi, _| (1.0 + phi).powf(1.0 / (d + 1.0)));
    let mut power = 1.0;
    bounds
        .iter()
        .map(|[low, high]| {
            power /= phi;
            low + (high - low) * (0.5 + (number + 1) as f64 * power).fract()
        })
        .collect()
}
