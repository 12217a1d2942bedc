//! Yaw of a solid's faces against the axes.
//!
//! Cuts go across the axes. A tray that is turned by 30 degrees would fall into slivers.

use super::triangle::{Triangle, normal};

/// Number of angles to try over a quarter turn.
const N_TURNS: usize = 18;
/// Least improvement, as a factor, for which a solid is turned.
const WORTH: f64 = 1.05;

/// Turn about z, rad, at which most faces lie along the axes; 0 if the improvement is small.
pub(super) fn yaw(triangles: &[Triangle]) -> f64 {
    let normals: Vec<[f64; 3]> = triangles.iter().map(normal).collect();
    let along = |yaw: f64| -> f64 {
        let of = |n: &[f64; 3]| {
            let area = n.iter().map(|x| x * x).sum::<f64>().sqrt();
            let [x, y, _] = turned(*n, -yaw).map(|x| x.abs() / area.max(1e-30));
            area * x.max(y).powi(12)
        };
        normals.iter().map(of).sum()
    };
    let step = std::f64::consts::FRAC_PI_2 / N_TURNS as f64;
    let tried = (1..N_TURNS).map(|i| i as f64 * step);
    let best = tried
        .map(|yaw| (along(yaw), yaw))
        .max_by(|a, b| a.0.total_cmp(&b.0));
    let Some((_, near)) = best else { return 0.0 };
    let (mut low, mut high) = (near - step, near + step);
    while high - low > 1e-5 {
        let (a, b) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        if along(a) > along(b) {
            high = b;
        } else {
            low = a;
        }
    }
    let found = 0.5 * (low + high);
    if along(found) > WORTH * along(0.0) {
        found
    } else {
        0.0
    }
}

pub(super) fn turned([x, y, z]: [f64; 3], yaw: f64) -> [f64; 3] {
    if yaw == 0.0 {
        return [x, y, z];
    }
    let (sin, cos) = yaw.sin_cos();
    [x * cos - y * sin, x * sin + y * cos, z]
}
