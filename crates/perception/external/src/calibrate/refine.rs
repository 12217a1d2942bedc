//! Levenberg-Marquardt least squares from an initial solution.

use nalgebra::{DMatrix, DVector, Translation3, UnitQuaternion, Vector3};
use regrasp_api::Pose;

use super::sample::{Kind, LEVER_M, Model, Sample};

const N_STEPS: usize = 50;
/// Half step of central differences, m and rad.
const DELTA: f64 = 1e-6;
/// Length of a step, m and rad, below which the iteration ends.
const STILL: f64 = 1e-12;

pub(super) struct Refined {
    pub(super) model: Model,
    pub(super) std_position_m: f64,
    pub(super) std_rotation_rad: f64,
}

/// Number of parameters: changes of `x` (translation, rotation), then of the unknown part of `y`.
fn n_parameters(kind: Kind) -> usize {
    match kind {
        Kind::Poses => 12,
        Kind::Points => 9,
        Kind::KnownPoint(_) => 6,
    }
}

fn moved(pose: &Pose, change: &[f64]) -> Pose {
    let at = pose.translation.vector + Vector3::from_column_slice(&change[..3]);
    let turn = match change.get(3..6) {
        Some(turn) => UnitQuaternion::from_scaled_axis(Vector3::from_column_slice(turn)),
        None => UnitQuaternion::identity(),
    };
    Pose::from_parts(Translation3::from(at), turn * pose.rotation)
}

fn changed(model: &Model, change: &[f64]) -> Model {
    let (x, y) = change.split_at(6);
    Model {
        x: moved(&model.x, x),
        y: match y.is_empty() {
            true => model.y,
            false => moved(&model.y, y),
        },
    }
}

fn residuals(samples: &[Sample], model: &Model) -> DVector<f64> {
    let mut all = Vec::new();
    for sample in samples {
        let (seen, there) = (model.x * sample.seen, sample.carrier * model.y);
        all.extend((seen.translation.vector - there.translation.vector).iter());
        if !sample.is_point {
            let turn = there.rotation.inverse() * seen.rotation;
            all.extend((turn.scaled_axis() * LEVER_M).iter());
        }
    }
    DVector::from_vec(all)
}

fn jacobian(samples: &[Sample], model: &Model, n: usize) -> DMatrix<f64> {
    let mut change = vec![0.0; n];
    let columns: Vec<DVector<f64>> = (0..n)
        .map(|i| {
            let mut at = |delta: f64| {
                change[i] = delta;
                let there = residuals(samples, &changed(model, &change));
                change[i] = 0.0;
                there
            };
            (at(DELTA) - at(-DELTA)) / (2.0 * DELTA)
        })
        .collect();
    DMatrix::from_columns(&columns)
}

/// Minimises the errors from an initial solution.
pub(super) fn refine(kind: Kind, samples: &[Sample], guess: Model) -> Refined {
    let n = n_parameters(kind);
    let mut model = guess;
    let mut now = residuals(samples, &model);
    let mut damping = 1e-6;
    for _ in 0..N_STEPS {
        let slopes = jacobian(samples, &model, n);
        let mut normal = slopes.transpose() * &slopes;
        for i in 0..n {
            normal[(i, i)] *= 1.0 + damping;
        }
        let down = -(slopes.transpose() * &now);
        let Some(step) = normal.lu().solve(&down) else {
            break;
        };
        let next = changed(&model, step.as_slice());
        let then = residuals(samples, &next);
        if then.norm_squared() <= now.norm_squared() {
            (model, now, damping) = (next, then, damping * 0.1);
        } else {
            damping = (damping * 10.0).max(1e-9);
        }
        if step.norm() < STILL {
            break;
        }
    }
    let (std_position_m, std_rotation_rad) = certainty(samples, &model, &now, n);
    Refined {
        model,
        std_position_m,
        std_rotation_rad,
    }
}

/// Standard deviations of `x` if the residuals are independent errors of equal size.
fn certainty(samples: &[Sample], model: &Model, left: &DVector<f64>, n: usize) -> (f64, f64) {
    let slopes = jacobian(samples, model, n);
    let freedom = left.len().saturating_sub(n).max(1) as f64;
    let variance = left.norm_squared() / freedom;
    let Some(inverse) = (slopes.transpose() * &slopes).try_inverse() else {
        return (f64::INFINITY, f64::INFINITY);
    };
    let std = |range: std::ops::Range<usize>| {
        let sum: f64 = range.map(|i| inverse[(i, i)]).sum();
        (variance * sum).max(0.0).sqrt()
    };
    (std(0..3), std(3..6))
}
