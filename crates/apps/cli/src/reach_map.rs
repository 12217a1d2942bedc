//! Points of a level plane where the tool can point straight down.

use std::fmt::Write;

use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};
use regrasp::kinematics::Chain;
use regrasp::kinematics::ik::{self, IkOptions, IkTarget};

use crate::ik::closed_form;

/// Distance of neighbouring points, m.
pub(super) const SPACING_M: f64 = 0.02;

pub(super) struct Point {
    pub(super) x: f64,
    pub(super) y: f64,
    /// Number of solutions of a sweep over joint 7; at most one without a closed form.
    pub(super) n_solutions: usize,
    /// Greatest limit margin of the solutions, rad.
    pub(super) limit_margin_rad: f64,
    /// Greatest manipulability of the solutions.
    pub(super) manipulability: f64,
}

impl Point {
    pub(super) fn is_reachable(&self) -> bool {
        self.n_solutions > 0
    }
}

/// Points row by row: x is constant in a row and grows from row to row.
pub(super) fn points(chain: &Chain, z: f64, home: &[f64]) -> Vec<Point> {
    let shoulder = chain.shoulder_in_base();
    let reach_m = chain.reach_m() + shoulder.x.hypot(shoulder.y);
    let n_half = (reach_m / SPACING_M).ceil() as i32;
    let at = |i: i32| f64::from(i) * SPACING_M;
    (-n_half..=n_half)
        .flat_map(|i| (-n_half..=n_half).map(move |j| (at(i), at(j))))
        .map(|(x, y)| {
            let solutions = solve(chain, &straight_down(x, y, z), home);
            let best = |score: &dyn Fn(&[f64]) -> f64| {
                solutions.iter().map(|q| score(q)).fold(0.0, f64::max)
            };
            Point {
                x,
                y,
                n_solutions: solutions.len(),
                limit_margin_rad: best(&|q| chain.limit_margin(q)),
                manipulability: best(&|q| chain.manipulability(q)),
            }
        })
        .collect()
}

pub(super) fn to_csv(points: &[Point]) -> String {
    let mut csv =
        "x_m,y_m,reachable,n_solutions,best_limit_margin_rad,best_manipulability\n".to_owned();
    for point in points {
        // Writing to a string cannot fail.
        let _ = writeln!(
            csv,
            "{:.2},{:.2},{},{},{:.4},{:.4}",
            point.x,
            point.y,
            u8::from(point.is_reachable()),
            point.n_solutions,
            point.limit_margin_rad,
            point.manipulability
        );
    }
    csv
}

fn straight_down(x: f64, y: f64, z: f64) -> Isometry3<f64> {
    let half_turn = Vector3::x() * std::f64::consts::PI;
    Isometry3::from_parts(
        Translation3::new(x, y, z),
        UnitQuaternion::from_scaled_axis(half_turn),
    )
}

/// Configurations that bring the tool to a pose: those of a sweep if the arm has a closed form,
/// else at most one, of the numerical solver.
fn solve(chain: &Chain, base_from_tool: &Isometry3<f64>, home: &[f64]) -> Vec<Vec<f64>> {
    if chain.panda_ik().is_some() {
        let all = closed_form(chain, base_from_tool);
        return all.iter().map(|q| q.to_vec()).collect();
    }
    let target = IkTarget::Pose(*base_from_tool);
    let outcome = ik::solve(chain, &target, home, &IkOptions::default());
    outcome
        .solution()
        .map(<[f64]>::to_vec)
        .into_iter()
        .collect()
}
