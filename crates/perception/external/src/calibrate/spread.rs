//! Checks that the sightings can determine the answer.

use nalgebra::{Matrix3, Vector3};

use super::sample::{CalibrateError, Kind, Sample};

/// Smallest rotation of the hand about a second axis, root mean square over pairs, rad.
const LEAST_RAD: f64 = 0.1;
/// Smallest deviation of the points from a line, root mean square, m.
const LEAST_M: f64 = 0.01;

/// Rejects motions that leave the camera's pose undetermined.
pub(super) fn check(kind: Kind, samples: &[Sample]) -> Result<(), CalibrateError> {
    if let Kind::KnownPoint(point) = kind {
        let there = |s: &Sample| s.carrier.transform_point(&point.into()).coords;
        return not_on_a_line(samples.iter().map(there).collect());
    }
    let mut turns = Vec::new();
    for (i, first) in samples.iter().enumerate() {
        for second in &samples[i + 1..] {
            let turn = second.carrier.rotation * first.carrier.rotation.inverse();
            turns.push(turn.scaled_axis());
        }
    }
    let second_rad = second(&turns);
    if second_rad < LEAST_RAD {
        return Err(CalibrateError(format!(
            "the hand turns by {second_rad:.3} rad (root mean square) about a second axis, and at \
             least {LEAST_RAD} rad are needed; turn it about two axes, by 0.5 rad and more"
        )));
    }
    match kind {
        // Full poses are sufficient, wherever they are.
        Kind::Poses => Ok(()),
        _ => {
            let places = samples.iter().map(|s| s.carrier.translation.vector);
            not_on_a_line(places.collect())
        }
    }
}

fn not_on_a_line(mut points: Vec<Vector3<f64>>) -> Result<(), CalibrateError> {
    let mean = points.iter().sum::<Vector3<f64>>() / points.len() as f64;
    points.iter_mut().for_each(|p| *p -= mean);
    let second_m = second(&points);
    match second_m < LEAST_M {
        true => Err(CalibrateError(format!(
            "the sightings lie within {second_m:.4} m (root mean square) of a line, and at least \
             {LEAST_M} m are needed; move the hand in two directions, by 0.1 m and more"
        ))),
        false => Ok(()),
    }
}

/// Spread of vectors in their second principal direction, root mean square.
fn second(vectors: &[Vector3<f64>]) -> f64 {
    let sum: Matrix3<f64> = vectors.iter().map(|v| v * v.transpose()).sum();
    let mut values = (sum / vectors.len().max(1) as f64).symmetric_eigenvalues();
    values.as_mut_slice().sort_by(f64::total_cmp);
    values[1].max(0.0).sqrt()
}
