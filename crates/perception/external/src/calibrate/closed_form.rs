//! Closed-form initial solutions.

use nalgebra::{Matrix3, Rotation3, UnitQuaternion, Vector3};
use regrasp_api::Pose;

use super::refine;
use super::sample::{Kind, Model, Sample};

/// Number of rounds that alternate between the camera's pose and the point.
const N_ALTERNATIONS: usize = 30;

/// Fits a model to samples; `None` if they do not determine one.
pub(super) fn fit(kind: Kind, samples: &[Sample]) -> Option<Model> {
    match kind {
        Kind::Poses => poses(samples),
        Kind::KnownPoint(point) => points(samples, point),
        Kind::Points => {
            let mut model = points(samples, Vector3::zeros())?;
            for _ in 0..N_ALTERNATIONS {
                model = points(samples, mean_point(samples, &model.x))?;
            }
            Some(refine::refine(kind, samples, model).model)
        }
    }
}

/// Returns the rotation that best maps each `from` to its `to`.
fn rotation(
    pairs: impl Iterator<Item = (Vector3<f64>, Vector3<f64>)>,
) -> Option<UnitQuaternion<f64>> {
    let sum: Matrix3<f64> = pairs.map(|(from, to)| to * from.transpose()).sum();
    let svd = sum.svd(true, true);
    let (u, v_t) = (svd.u?, svd.v_t?);
    let mut signs = Matrix3::identity();
    signs[(2, 2)] = (u * v_t).determinant().signum();
    let found = Rotation3::from_matrix_unchecked(u * signs * v_t);
    let found = UnitQuaternion::from_rotation_matrix(&found);
    found.coords.iter().all(|x| x.is_finite()).then_some(found)
}

/// Umeyama's method without scale, for a marker at `point` in the carrier's moving frame.
fn points(samples: &[Sample], point: Vector3<f64>) -> Option<Model> {
    let pairs: Vec<(Vector3<f64>, Vector3<f64>)> = samples
        .iter()
        .map(|sample| {
            let there = sample.carrier.transform_point(&point.into()).coords;
            (sample.seen.translation.vector, there)
        })
        .collect();
    let n = pairs.len() as f64;
    let from_mean = pairs.iter().map(|(from, _)| from).sum::<Vector3<f64>>() / n;
    let to_mean = pairs.iter().map(|(_, to)| to).sum::<Vector3<f64>>() / n;
    let pairs = pairs.iter();
    let centred = pairs.map(|(from, to)| (from - from_mean, to - to_mean));
    let rotation = rotation(centred)?;
    Some(Model {
        x: Pose::from_parts((to_mean - rotation * from_mean).into(), rotation),
        y: Pose::from_parts(point.into(), UnitQuaternion::identity()),
    })
}

/// Mean position of the marker in the carrier's moving frame if the camera is at `x`, m.
fn mean_point(samples: &[Sample], x: &Pose) -> Vector3<f64> {
    let there = samples.iter().map(|sample| {
        let there = (x * sample.seen).translation.vector;
        sample.carrier.inverse_transform_point(&there.into()).coords
    });
    there.sum::<Vector3<f64>>() / samples.len() as f64
}

/// Park and Martin's method. Between two poses, `a x = x b` with `a = carrier_j carrier_i^-1` and
/// `b = seen_j seen_i^-1`: the rotation vectors of `a` are those of `b`, rotated by `x`. With the
/// rotation known, the translation follows from linear equations.
fn poses(samples: &[Sample]) -> Option<Model> {
    let mut steps = Vec::new();
    for (i, first) in samples.iter().enumerate() {
        for second in &samples[i + 1..] {
            let a = second.carrier * first.carrier.inverse();
            steps.push((a, second.seen * first.seen.inverse()));
        }
    }
    let vectors = steps.iter();
    let vectors = vectors.map(|(a, b)| (b.rotation.scaled_axis(), a.rotation.scaled_axis()));
    let turn = rotation(vectors)?;
    let (mut normal, mut right) = (Matrix3::zeros(), Vector3::zeros());
    for (a, b) in &steps {
        let rows = a.rotation.to_rotation_matrix().matrix() - Matrix3::identity();
        normal += rows.transpose() * rows;
        right += rows.transpose() * (turn * b.translation.vector - a.translation.vector);
    }
    let at = normal.lu().solve(&right)?;
    let x = Pose::from_parts(at.into(), turn);
    Some(Model {
        x,
        y: mean_pose(samples, &x)?,
    })
}

/// Mean pose of the marker in the carrier's moving frame if the camera is at `x`.
fn mean_pose(samples: &[Sample], x: &Pose) -> Option<Pose> {
    let pose = |sample: &Sample| sample.carrier.inverse() * x * sample.seen;
    let poses: Vec<Pose> = samples.iter().map(pose).collect();
    let n = poses.len() as f64;
    let places = poses.iter().map(|p| p.translation.vector);
    let at = places.sum::<Vector3<f64>>() / n;
    let axes = [Vector3::x(), Vector3::y(), Vector3::z()];
    let turned = |p: &Pose| axes.map(|axis| (axis, p.rotation * axis));
    let turned = poses.iter().flat_map(turned);
    Some(Pose::from_parts(at.into(), rotation(turned)?))
}
