//! A path from one configuration to another, before timing.

use regrasp_api::Trajectory;

use crate::JointLimits;
use crate::path::Path;
use crate::timing::{self, Synchronised};

/// Duration of the straight line, relative to the fastest motion of the joints, up to which the arm
/// follows the straight line.
const STRAIGHT_ENOUGH: f64 = 1.01;

#[derive(Clone, Debug)]
pub(crate) enum UntimedMotion {
    Path(Path),
    Synchronised(Synchronised),
}

impl UntimedMotion {
    /// Direct paths, best first; none if there is nothing to travel. The straight line is always
    /// among them, and first unless it is slow.
    pub(crate) fn direct(start: &[f64], goal: &[f64], limits: &[JointLimits]) -> Vec<Self> {
        let Some(line) = Path::through(&[start.to_vec(), goal.to_vec()]) else {
            return vec![];
        };
        let line_secs = timing::time(&line, limits, 1.0).duration_secs();
        let mut motions = vec![Self::Path(line)];
        if let Some(fastest) = Synchronised::between(start, goal, limits)
            && line_secs > STRAIGHT_ENOUGH * fastest.duration_secs()
        {
            motions.insert(0, Self::Synchronised(fastest));
        }
        motions
    }

    /// A smooth path through configurations; for two of them, the best direct one. `None` if there
    /// is nothing to travel.
    pub(crate) fn through(points: &[Vec<f64>], limits: &[JointLimits]) -> Option<Self> {
        match points {
            [start, goal] => Self::direct(start, goal, limits).into_iter().next(),
            _ => Path::through(points).map(Self::Path),
        }
    }

    /// Configurations along the path at most `step_rad` apart (2-norm over joints), ends included.
    pub(crate) fn points(&self, step_rad: f64) -> Vec<Vec<f64>> {
        match self {
            Self::Path(path) => {
                let n = (path.length() / step_rad).ceil().max(2.0) as usize;
                (0..=n)
                    .map(|i| path.at(path.length() * i as f64 / n as f64).position)
                    .collect()
            }
            Self::Synchronised(motion) => motion.points(step_rad),
        }
    }

    /// Fastest motion along the path at `scale` of the limits (velocity by `scale`, acceleration by
    /// its square, jerk by its cube).
    pub(crate) fn time(&self, limits: &[JointLimits], scale: f64) -> Trajectory {
        match self {
            Self::Path(path) => timing::time(path, limits, scale),
            Self::Synchronised(motion) => timing::time_synchronised(motion, limits, scale),
        }
    }
}
