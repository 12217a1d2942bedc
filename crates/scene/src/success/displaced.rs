//! How far something was pushed or pulled.

use nalgebra::Vector2;
use regrasp_api::{ObjectId, WorldTruth};

use super::{ensure, find, origin};

/// By how much an object moved between two truths, seen from above, m.
fn moved(truths: [&WorldTruth; 2], object: &ObjectId) -> Result<Vector2<f64>, String> {
    let [first, last] = truths.map(|truth| find(truth, object).map(|o| origin(o).xy()));
    Ok(last? - first?)
}

pub(super) fn check_displaced(
    truths: [&WorldTruth; 2],
    object: &ObjectId,
    by_m: &[f64; 2],
    tolerance_m: f64,
) -> Result<(), String> {
    let moved = moved(truths, object)?;
    let off = (moved - Vector2::from(*by_m)).norm();
    ensure(off < tolerance_m, || {
        let [x, y] = [moved.x, moved.y].map(|m| 1e3 * m);
        format!("it moved by ({x:.1}, {y:.1}) mm, {:.1} mm off", off * 1e3)
    })
}

pub(super) fn check_along(
    truths: [&WorldTruth; 2],
    object: &ObjectId,
    direction: &[f64; 2],
    min_m: f64,
) -> Result<(), String> {
    let along = moved(truths, object)?.dot(&Vector2::from(*direction));
    ensure(along >= min_m, || {
        format!("it moved by {:.1} mm that way", along * 1e3)
    })
}
