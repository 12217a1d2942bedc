//! Limits on the size of a solid.

use crate::triangles::Mesh;

/// Largest length of a movable object, m: millimetres read as metres exceed it.
pub const LONGEST_M: f64 = 2.0;
/// Largest length of any object, and largest distance from its own origin, m.
pub const FURTHEST_M: f64 = 10.0;
/// Smallest thickness of a solid, m: that of any length in a scene file.
const THINNEST_M: f64 = 1e-4;

/// Checks that a mesh is no longer than `longest_m`, thick enough, and near its origin.
///
/// # Errors
///
/// One sentence with the mistake, and the scale that may be missing.
pub fn check_size(mesh: &Mesh, longest_m: f64) -> Result<(), String> {
    let bound = |pick: fn(f64, f64) -> f64, start: f64| {
        [0, 1, 2].map(|i| mesh.vertices.iter().map(|p| p[i]).fold(start, pick))
    };
    let (min, max) = (
        bound(f64::min, f64::INFINITY),
        bound(f64::max, f64::NEG_INFINITY),
    );
    let size = [0, 1, 2].map(|i| max[i] - min[i]);
    let [longest, furthest] = [&size[..], &[min, max].concat()]
        .map(|list| list.iter().fold(0.0f64, |m, x| m.max(x.abs())));
    let [x, y, z] = size;
    if mesh.triangles.is_empty() {
        Err("all of its triangles are points or lines".to_owned())
    } else if longest > longest_m {
        Err(format!(
            "it is {x:.3} x {y:.3} x {z:.3} m, longer than {longest_m} m; is it in millimetres? \
             then set `scale: 0.001`"
        ))
    } else if furthest > FURTHEST_M {
        Err(format!(
            "it reaches {furthest:.1} m from its origin, more than {FURTHEST_M} m"
        ))
    } else if longest < 10.0 * THINNEST_M {
        Err(format!(
            "it is only {:.2e} m long; set `scale`, which converts its unit to metres",
            longest
        ))
    } else if let Some(i) = (0..3).find(|&i| size[i] < THINNEST_M) {
        Err(format!(
            "it is flat: {:.6} m along {}, less than {THINNEST_M} m",
            size[i],
            ["x", "y", "z"][i]
        ))
    } else {
        Ok(())
    }
}
