//! Timing of a found path.

use regrasp_api::{Knot, Trajectory};

use super::prepared::Search;
use super::q::{Q, q};
use crate::path::{POINT_STEPS_RAD, Path, densely};
use crate::timing;

/// Time between the configurations of the polygon that is proven free in place of the motion, s. At
/// 20 rad/s² the straight line between two of them is 1e-5 rad off the motion.
const PROOF_SECS: f64 = 0.002;

/// A timed path, and the line that it follows.
#[derive(Clone, Debug, PartialEq)]
pub struct TimedPath {
    /// The motion, at rest at both ends, within the arm's limits on velocity, acceleration and
    /// jerk.
    pub trajectory: Trajectory,
    /// The line that the motion follows.
    pub along: TimedAlong,
}

/// Line that a timed path follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimedAlong {
    /// A smooth curve through points of the path, which leaves it only at its corners.
    Curve,
    /// The path itself, with a stop at each corner, since no smooth curve is free.
    Edges,
}

impl Search<'_> {
    /// Times a path returned by [`Search::simplify`] as fast as the arm can follow it.
    ///
    /// The motion is proven free along its whole length, and within the bounds of the search.
    ///
    /// # Panics
    ///
    /// If the path is empty.
    pub fn time(&self, path: &[Vec<f64>]) -> TimedPath {
        let steps = POINT_STEPS_RAD.into_iter();
        let mut curves = steps.filter_map(|step_rad| match path {
            [_, _] => Path::through(path),
            _ => Path::through(&densely(path, step_rad)),
        });
        let smooth = curves.find_map(|curve| {
            let trajectory = timing::time(&curve, &self.arm.limits, 1.0);
            self.is_free_in_time(&trajectory).then_some(trajectory)
        });
        let (trajectory, along) = match smooth {
            Some(trajectory) => (trajectory, TimedAlong::Curve),
            None => (self.edge_by_edge(path), TimedAlong::Edges),
        };
        TimedPath { trajectory, along }
    }

    /// Motion that rests at both ends of each edge.
    fn edge_by_edge(&self, path: &[Vec<f64>]) -> Trajectory {
        let mut knots: Vec<Knot> = vec![];
        for line in path.windows(2).filter_map(Path::through) {
            let edge = timing::time(&line, &self.arm.limits, 1.0);
            let began = knots.pop().map_or(0.0, |last| last.time_secs);
            knots.extend(edge.knots().iter().map(|knot| Knot {
                time_secs: began + knot.time_secs,
                ..knot.clone()
            }));
        }
        if knots.is_empty() {
            return timing::stay(&path[0]);
        }
        Trajectory::new(knots)
    }

    fn is_free_in_time(&self, trajectory: &Trajectory) -> bool {
        let n = (trajectory.duration_secs() / PROOF_SECS).ceil() as usize;
        let mut position = vec![0.0; trajectory.n_joints()];
        let mut velocity = position.clone();
        let mut points: Vec<Q> = Vec::with_capacity(n + 1);
        for i in 0..=n {
            let time_secs = (i as f64 * PROOF_SECS).min(trajectory.duration_secs());
            trajectory.sample(time_secs, &mut position, &mut velocity);
            if self.outside(&position).is_some() {
                return false;
            }
            points.push(q(&position));
        }
        self.is_proven(&points)
    }
}
