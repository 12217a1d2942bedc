//! Polygons in a plane: cross-sections of swept solids.

pub(super) type Corner = [f64; 2];

/// Largest number of corners: ample for a cross-section, and small enough for checks that take
/// quadratic time.
const MAX_CORNERS: usize = 64;
/// Distance below which corners are equal, m.
const SAME_M: f64 = 1e-6;
/// Largest excess of the hull of two merged polygons over their area, as a fraction of the area.
const MERGE_SLACK: f64 = 1e-6;

/// Returns the corners counter-clockwise, or the reason why they enclose no area, in one sentence.
pub(super) fn checked(mut corners: Vec<Corner>) -> Result<Vec<Corner>, String> {
    let n = corners.len();
    if !(3..=MAX_CORNERS).contains(&n) {
        return Err(format!("it has {n} corners, but needs 3 to {MAX_CORNERS}"));
    }
    for i in 0..n {
        let [x, y] = corners[i];
        if distance(corners[i], corners[(i + 1) % n]) < SAME_M {
            return Err(format!("two consecutive corners are at ({x:.4}, {y:.4})"));
        }
        // Neighbouring edges share a corner; all others must not meet.
        let others = (i + 2..n).filter(|&j| (j + 1) % n != i);
        let edge = |i: usize| [corners[i], corners[(i + 1) % n]];
        if let Some(j) = others.into_iter().find(|&j| cross(edge(i), edge(j))) {
            let [u, v] = corners[j];
            return Err(format!(
                "the edges from ({x:.4}, {y:.4}) and from ({u:.4}, {v:.4}) cross"
            ));
        }
    }
    let area = area(&corners);
    if area.abs() < SAME_M * SAME_M {
        return Err("it encloses no area".to_owned());
    }
    if area < 0.0 {
        corners.reverse();
    }
    Ok(corners)
}

/// Triangles that fill a counter-clockwise polygon, by its corners' indices (ear clipping).
pub(super) fn triangles(corners: &[Corner]) -> Vec<[usize; 3]> {
    let mut left: Vec<usize> = (0..corners.len()).collect();
    let mut found = Vec::with_capacity(corners.len().saturating_sub(2));
    while left.len() > 3 {
        let n = left.len();
        let at = |i: usize| left[i % n];
        let is_ear = |i: &usize| {
            let ear = [at(i + n - 1), at(*i), at(i + 1)];
            let [a, b, c] = ear.map(|k| corners[k]);
            let is_free = |k: &usize| ear.contains(k) || !inside(corners[*k], [a, b, c]);
            turn(a, b, c) > 0.0 && left.iter().all(is_free)
        };
        // A simple polygon has two ears; only rounding can hide them.
        let i = (0..n).find(is_ear).unwrap_or(0);
        found.push([at(i + n - 1), at(i), at(i + 1)]);
        left.remove(i);
    }
    if let [a, b, c] = left[..] {
        found.push([a, b, c]);
    }
    found
}

/// Cuts the polygon at the heights of its corners into trapezoids and triangles, bottom to top.
pub(super) fn slabs(corners: &[Corner]) -> Vec<Vec<Corner>> {
    let mut heights: Vec<f64> = corners.iter().map(|p| p[1]).collect();
    heights.sort_by(f64::total_cmp);
    heights.dedup_by(|a, b| (*a - *b).abs() < SAME_M);
    let mut found = vec![];
    for pair in heights.windows(2) {
        let [low, high] = [pair[0], pair[1]];
        let mut sides: Vec<[f64; 2]> = (0..corners.len())
            .filter_map(|i| {
                let [a, b] = [corners[i], corners[(i + 1) % corners.len()]];
                let middle = 0.5 * (low + high);
                ((a[1] < middle) != (b[1] < middle))
                    .then(|| [low, high].map(|y| a[0] + (b[0] - a[0]) * (y - a[1]) / (b[1] - a[1])))
            })
            .collect();
        sides.sort_by(|a, b| (a[0] + a[1]).total_cmp(&(b[0] + b[1])));
        for pair in sides.chunks_exact(2) {
            let [inner, outer] = [pair[0], pair[1]];
            let mut slab = vec![[inner[0], low], [outer[0], low], [outer[1], high]];
            slab.push([inner[1], high]);
            slab.dedup_by(|a, b| distance(*a, *b) < SAME_M);
            found.push(slab);
        }
    }
    found
}

/// Merges convex polygons as long as the result is convex.
pub(super) fn merged(mut polygons: Vec<Vec<Corner>>) -> Vec<Vec<Corner>> {
    let both = |a: &[Corner], b: &[Corner]| {
        let hull = hull(&[a, b].concat());
        let separate = area(a) + area(b);
        (area(&hull) <= separate * (1.0 + MERGE_SLACK)).then_some(hull)
    };
    let pair = |polygons: &[Vec<Corner>]| {
        let pairs = (0..polygons.len()).flat_map(|j| (0..j).map(move |i| (i, j)));
        pairs
            .filter_map(|(i, j)| Some((i, j, both(&polygons[i], &polygons[j])?)))
            .next()
    };
    while let Some((i, j, hull)) = pair(&polygons) {
        polygons.remove(j);
        polygons[i] = hull;
    }
    polygons
}

/// Twice the area of a triangle, positive if its corners are counter-clockwise.
fn turn(a: Corner, b: Corner, c: Corner) -> f64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

fn distance(a: Corner, b: Corner) -> f64 {
    (a[0] - b[0]).hypot(a[1] - b[1])
}

fn area(corners: &[Corner]) -> f64 {
    let next = corners.iter().cycle().skip(1);
    let pairs = corners.iter().zip(next);
    0.5 * pairs.map(|(a, b)| a[0] * b[1] - a[1] * b[0]).sum::<f64>()
}

fn inside(p: Corner, [a, b, c]: [Corner; 3]) -> bool {
    turn(a, b, p) >= 0.0 && turn(b, c, p) >= 0.0 && turn(c, a, p) >= 0.0
}

fn cross([a, b]: [Corner; 2], [c, d]: [Corner; 2]) -> bool {
    let apart = |i: usize| {
        let (low, high) = (a[i].min(b[i]), a[i].max(b[i]));
        c[i].max(d[i]) < low || c[i].min(d[i]) > high
    };
    let splits = |[a, b]: [Corner; 2], [c, d]: [Corner; 2]| turn(a, b, c) * turn(a, b, d) <= 0.0;
    !apart(0) && !apart(1) && splits([a, b], [c, d]) && splits([c, d], [a, b])
}

/// Convex hull, counter-clockwise (Andrew's monotone chain), without corners on its edges.
fn hull(points: &[Corner]) -> Vec<Corner> {
    let mut sorted = points.to_vec();
    sorted.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    let half = |points: &mut dyn Iterator<Item = &Corner>| {
        let mut chain: Vec<Corner> = vec![];
        for p in points {
            while let [.., a, b] = chain[..]
                && turn(a, b, *p) <= SAME_M * distance(a, *p)
            {
                chain.pop();
            }
            chain.push(*p);
        }
        chain.pop();
        chain
    };
    let lower = half(&mut sorted.iter());
    let upper = half(&mut sorted.iter().rev());
    [lower, upper].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ELL: [Corner; 6] = [
        [0.0, 0.0],
        [2.0, 0.0],
        [2.0, 1.0],
        [1.0, 1.0],
        [1.0, 2.0],
        [0.0, 2.0],
    ];

    #[test]
    fn an_ell_is_two_rectangles_and_four_triangles() {
        let mut clockwise = ELL.to_vec();
        clockwise.reverse();
        let corners = checked(clockwise).unwrap();
        let covered = |polygons: &[Vec<Corner>]| polygons.iter().map(|p| area(p)).sum::<f64>();
        let parts = merged(slabs(&corners));
        assert_eq!(parts.len(), 2);
        assert!((covered(&parts) - 3.0).abs() < 1e-9);
        let filled: Vec<Vec<Corner>> = triangles(&corners)
            .iter()
            .map(|t| t.map(|i| corners[i]).to_vec())
            .collect();
        assert_eq!(filled.len(), 4);
        assert!((covered(&filled) - 3.0).abs() < 1e-9);
    }

    #[test]
    fn what_encloses_no_area_is_reported() {
        for (corners, expected) in [
            (vec![[0.0, 0.0], [1.0, 0.0]], "2 corners"),
            (vec![[0.0, 0.0], [0.0, 0.0], [1.0, 1.0]], "consecutive"),
            (
                vec![[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]],
                "cross",
            ),
            (vec![[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]], "no area"),
        ] {
            let error = checked(corners).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
    }
}
