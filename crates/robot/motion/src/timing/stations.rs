//! Points of a path at which limits are enforced, and the largest speeds there.

use copp::constraints::{Constraints, InputMatrix};
use copp::solver::topp2_ra::{ReachSet2OptionsBuilder, Topp2ProblemBuilder, topp2_ra};
use nalgebra::DMatrix;

use crate::JointLimits;
use crate::path::{Path, PathPoint};

/// Number of stations along a path, not counting its inner points, which are stations too.
const N_STATIONS: f64 = 100.0;
/// Largest change of a path's direction between two stations, rad.
const TURN_RAD: f64 = 0.1;
/// Share of the jerk limits that the path's own third derivative may use.
const BEND_SHARE_OF_JERK: f64 = 0.5;

pub(super) struct Stations {
    /// Path parameter of each station, ascending from 0 to the path's length.
    pub(super) s: Vec<f64>,
    points: Vec<PathPoint>,
}

impl Stations {
    /// Places stations at the points that the path was built from, and evenly between each two of
    /// them.
    pub(super) fn along(path: &Path) -> Self {
        let spacing = path.length() / N_STATIONS;
        let mut s = vec![0.0];
        let mut from = path.at(0.0).second;
        for ends in path.knots.windows(2) {
            let length = ends[1] - ends[0];
            let to = path.at(ends[1]).second;
            // The second derivative is linear in between, so this is an upper bound on the turn.
            let turn = 0.5 * length * (norm(&from) + norm(&to));
            let n = (length / spacing).max(turn / TURN_RAD).ceil().max(1.0);
            s.extend((1..=n as usize).map(|i| ends[0] + length * i as f64 / n));
            from = to;
        }
        let points = s.iter().map(|s| path.at(*s)).collect();
        Self { s, points }
    }

    pub(super) fn length(&self) -> f64 {
        self.s[self.s.len() - 1]
    }

    /// The squares of the highest speeds of the path parameter with which the path can be followed
    /// from rest to rest within the limits on velocity and acceleration, at `shares` of the speed
    /// at each station; `None` if the solver finds none.
    ///
    /// By reachability analysis: H. Pham and Q.-C. Pham, "A New Approach to Time-Optimal Path
    /// Parameterization based on Reachability Analysis", IEEE T-RO 34(3), 2018.
    pub(super) fn squared_speeds(
        &self,
        limits: &[JointLimits],
        shares: &[f64],
    ) -> Option<Vec<f64>> {
        let n = self.s.len();
        let mut constraints = Constraints::with_capacity(limits.len(), n);
        let points = self.points.iter().zip(shares);
        let caps = points.map(|(point, share)| (share * speed_cap(point, limits)).powi(2));
        let caps: Vec<f64> = caps.collect();
        let rows = self.acceleration_rows(limits, shares);
        let [slopes, bends, most] = &rows;
        constraints.with_s(self.s.as_slice()).ok()?;
        constraints
            .with_constraint_1order(caps.as_slice(), 0)
            .ok()?;
        constraints
            .with_constraint_2order(&view(bends), &view(slopes), &view(most), 0, false)
            .ok()?;
        let ends = (0.0, 0.0);
        let problem = Topp2ProblemBuilder::with_constraint(&constraints, (0, n - 1), ends);
        let options = ReachSet2OptionsBuilder::new().build().ok()?;
        let squared = topp2_ra(&problem.build().ok()?, &options).ok()?;
        let is_moving = squared[1..n - 1].iter().all(|x| *x > 0.0 && x.is_finite());
        (is_moving && squared.len() == n).then_some(squared)
    }

    /// Three matrices with one column per station: the coefficients of s'' and of s'^2 in each
    /// joint's acceleration, and its limit, then the same rows with opposite signs.
    fn acceleration_rows(&self, limits: &[JointLimits], shares: &[f64]) -> [DMatrix<f64>; 3] {
        let n_joints = limits.len();
        let signed = |of: &dyn Fn(&PathPoint, usize) -> f64| {
            DMatrix::from_fn(2 * n_joints, self.s.len(), |row, column| {
                let sign = if row < n_joints { 1.0 } else { -1.0 };
                sign * of(&self.points[column], row % n_joints)
            })
        };
        let most = DMatrix::from_fn(2 * n_joints, self.s.len(), |row, column| {
            limits[row % n_joints].acceleration * shares[column].powi(2)
        });
        [
            signed(&|point, joint| point.first[joint]),
            signed(&|point, joint| point.second[joint]),
            most,
        ]
    }
}

/// The highest speed of the path parameter at which no joint is too fast and the third derivative
/// of the path leaves its share of the jerk limits.
fn speed_cap(point: &PathPoint, limits: &[JointLimits]) -> f64 {
    let caps = limits.iter().enumerate().map(|(j, limit)| {
        let of_velocity = limit.velocity / point.first[j].abs();
        let of_jerk = BEND_SHARE_OF_JERK * limit.jerk / point.third[j].abs();
        of_velocity.min(of_jerk.cbrt())
    });
    caps.fold(1e6, f64::min)
}

fn norm(of: &[f64]) -> f64 {
    of.iter().map(|x| x * x).sum::<f64>().sqrt()
}

fn view(matrix: &DMatrix<f64>) -> InputMatrix<'_> {
    matrix.as_view()
}
