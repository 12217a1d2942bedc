//! Regions: points over a surface with their distance from the desired place.

use nalgebra::Vector3;
use regrasp_api::{Aabb, PerceivedObject, Side};
use regrasp_relations::Corridor;

use crate::bodies::extent_m;
use crate::poses::eighths;

/// Spacing of points on a surface, m.
pub(super) const GRID_M: f64 = 0.02;
/// Spacing of points on a small surface, such as the accessible part of a drawer, m.
const FINE_GRID_M: f64 = 0.005;
/// Largest number of points at the usual spacing on a surface that counts as small.
const FEW_POINTS: usize = 150;
/// Gaps between an object and the one beside it, m: a finger and its opening motion fit in between.
const GAPS_M: [f64; 4] = [0.03, 0.045, 0.06, 0.08];
/// Step along the line between two objects, m.
const BETWEEN_STEP_M: f64 = 0.01;
/// Lateral offsets of points beside an object or between two, m.
const ASIDE_M: [f64; 5] = [0.0, 0.015, -0.015, 0.03, -0.03];
/// Largest distance of a point near an object from its bounding box, m: more than the evaluation of
/// goals accepts as beside it, for objects up to 16 cm wide.
const NEAR_M: f64 = 0.2;
/// Cost per rank of a side, m; sides are ranked by how much they face the current place.
const NEXT_SIDE_M: f64 = 0.01;

/// A point (x, y in World) and its distance from the desired place plus penalties, m.
pub(super) type SurfacePoint = ([f64; 2], f64);

/// Points over a box, the nearest to `from` first; closely spaced on a small surface.
pub(super) fn over(aabb: &Aabb, from: [f64; 2]) -> Vec<SurfacePoint> {
    let coarse = grid(aabb, from, GRID_M);
    match coarse.len() > FEW_POINTS {
        true => coarse,
        false => grid(aabb, from, FINE_GRID_M),
    }
}

/// Points over a box at a spacing of `step_m`, the nearest to `from` first.
pub(super) fn grid(aabb: &Aabb, from: [f64; 2], step_m: f64) -> Vec<SurfacePoint> {
    let center = aabb.center();
    let steps = |axis: usize| {
        let n = (0.5 * aabb.size()[axis] / step_m).floor() as i64;
        (-n..=n).map(move |i| center[axis] + i as f64 * step_m)
    };
    let points = steps(0).flat_map(|x| steps(1).map(move |y| [x, y]));
    nearest_first(points.map(|[x, y]| ([x, y], (x - from[0]).hypot(y - from[1]))))
}

/// Points beside `target`, on one side or any, for an object whose extent in a direction is
/// `half_m`, m.
pub(super) fn beside(
    target: &PerceivedObject,
    side: Option<Side>,
    from: &Vector3<f64>,
    half_m: impl Fn(&Vector3<f64>) -> f64,
) -> Vec<SurfacePoint> {
    let center = target.aabb_in_world().center().coords;
    let mut sides = side.map_or(Side::ALL.to_vec(), |side| vec![side]);
    sides.sort_by(|a, b| {
        let toward = |side: &Side| side.direction().dot(&(from - center));
        toward(b).total_cmp(&toward(a))
    });
    let points = sides.iter().enumerate().flat_map(|(rank, side)| {
        let out = side.direction();
        let along = Vector3::new(-out.y, out.x, 0.0);
        let edge_m = extent_m(target, &center, &out) + half_m(&-out);
        GAPS_M.iter().flat_map(move |gap_m| {
            ASIDE_M.map(|aside_m| {
                let at = center + out * (edge_m + gap_m) + along * aside_m;
                let off_m = (gap_m - GAPS_M[0]).hypot(aside_m);
                ([at.x, at.y], off_m + NEXT_SIDE_M * rank as f64)
            })
        })
    });
    nearest_first(points)
}

/// Points between two objects, the nearest to the middle first.
pub(super) fn between(corridor: Corridor) -> Vec<SurfacePoint> {
    let middle_m = 0.5 * corridor.length_m;
    let n = (middle_m.max(0.0) / BETWEEN_STEP_M) as i64;
    let alongs = (-n..=n).map(|i| i as f64 * BETWEEN_STEP_M);
    let points = alongs.flat_map(|along_m| {
        ASIDE_M.map(|aside_m| {
            let at = corridor.point(middle_m + along_m, aside_m);
            (at.into(), along_m.hypot(aside_m))
        })
    });
    nearest_first(points)
}

/// Points over an object and its surroundings, the nearest to its middle first.
pub(super) fn near(target: &PerceivedObject) -> Vec<SurfacePoint> {
    let Aabb {
        min: [x, y, bottom],
        max: [end_x, end_y, top],
    } = target.aabb_in_world();
    let bounds = Aabb {
        min: [x - NEAR_M, y - NEAR_M, bottom],
        max: [end_x + NEAR_M, end_y + NEAR_M, top],
    };
    let center = bounds.center();
    grid(&bounds, [center.x, center.y], GRID_M)
}

/// Eight points around a point at each distance, m; the point itself at a distance of 0.
pub(super) fn around([x, y]: [f64; 2], distances_m: &[f64]) -> Vec<SurfacePoint> {
    let ring = |away_m: &f64| {
        let away_m = *away_m;
        let angles = eighths().take(if away_m > 0.0 { 8 } else { 1 });
        let at = move |angle: f64| [x + away_m * angle.cos(), y + away_m * angle.sin()];
        angles.map(move |angle| (at(angle), away_m))
    };
    distances_m.iter().flat_map(ring).collect()
}

pub(super) fn nearest_first(points: impl Iterator<Item = SurfacePoint>) -> Vec<SurfacePoint> {
    let mut points: Vec<SurfacePoint> = points.collect();
    points.sort_by(|a, b| a.1.total_cmp(&b.1));
    points
}
