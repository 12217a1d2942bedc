//! Merges convex parts where that adds little volume.
//!
//! A cut goes through its whole piece, even through places that need no cut. Without merging, a
//! finger would then press on several parts where the solid has a single face.

use regrasp_geometry::Aabb;

use crate::hull::{hull_points, hull_volume};

/// Distance between bounding boxes below which parts touch, m.
const TOUCH_M: f64 = 1e-6;

struct Hull {
    points: Vec<[f64; 3]>,
    volume: f64,
    bounds: Aabb,
}

impl Hull {
    fn new(points: Vec<[f64; 3]>) -> Self {
        Self {
            volume: hull_volume(&points),
            bounds: Aabb::around(points.iter().copied()),
            points,
        }
    }

    fn touches(&self, other: &Self) -> bool {
        let (a, b) = (&self.bounds, &other.bounds);
        (0..3).all(|i| a.min[i] - TOUCH_M <= b.max[i] && b.min[i] - TOUCH_M <= a.max[i])
    }

    /// Hull of two parts, with the volume that merging adds, m³.
    fn with(&self, other: &Self) -> Option<(f64, Hull)> {
        let both = [&self.points[..], &other.points[..]].concat();
        let hull = Hull::new(hull_points(&both).ok()?);
        Some((hull.volume - self.volume - other.volume, hull))
    }
}

/// Merges the two parts whose common hull adds least volume, again and again, as long as the total
/// added volume is at most `most_m3` or there are more than `max_parts` parts.
pub(super) fn merged(
    parts: Vec<Vec<[f64; 3]>>,
    max_parts: usize,
    most_m3: f64,
) -> Vec<Vec<[f64; 3]>> {
    let mut hulls: Vec<Option<Hull>> = parts.into_iter().map(|p| Some(Hull::new(p))).collect();
    let mut left = most_m3;
    let mut pairs: Vec<(usize, usize, f64, Hull)> = Vec::new();
    let pairs_of = |hulls: &[Option<Hull>], j: usize, any: bool| -> Vec<_> {
        let of = |i: usize| {
            let (a, b) = (hulls[i].as_ref()?, hulls[j].as_ref()?);
            let (gain, hull) = (any || a.touches(b)).then(|| a.with(b))??;
            Some((i, j, gain, hull))
        };
        (0..j).filter_map(of).collect()
    };
    for j in 1..hulls.len() {
        pairs.extend(pairs_of(&hulls, j, false));
    }
    loop {
        let n = hulls.iter().flatten().count();
        if pairs.is_empty() && n > max_parts {
            // The remaining parts do not touch.
            for j in 1..hulls.len() {
                pairs.extend(pairs_of(&hulls, j, true));
            }
        }
        let best = (0..pairs.len()).min_by(|&a, &b| pairs[a].2.total_cmp(&pairs[b].2));
        let Some(best) = best.filter(|&best| n > max_parts || pairs[best].2 <= left) else {
            break;
        };
        let (i, j, gain, hull) = pairs.swap_remove(best);
        left -= gain.max(0.0);
        pairs.retain(|(a, b, _, _)| ![i, j].contains(a) && ![i, j].contains(b));
        hulls[i] = None;
        hulls[j] = None;
        hulls.push(Some(hull));
        pairs.extend(pairs_of(&hulls, hulls.len() - 1, false));
    }
    let left = hulls.into_iter().flatten();
    left.map(|hull| hull.points).collect()
}
