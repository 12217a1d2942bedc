//! A smooth curve through joint configurations.

/// Distances between points along a searched path, rad, coarse first. The closer the points, the
/// less the curve through them cuts corners; the last step nearly gives the polygon.
pub(crate) const POINT_STEPS_RAD: [f64; 4] = [0.4, 0.2, 0.1, 0.05];

/// Natural cubic spline through configurations, parametrised by the length of the polygon through
/// them (2-norm over joints, rad). It is twice continuously differentiable, and a straight line for
/// two configurations.
#[derive(Clone, Debug)]
pub(crate) struct Path {
    pub(crate) knots: Vec<f64>,
    points: Vec<Vec<f64>>,
    /// Second derivatives at the points.
    curvature: Vec<Vec<f64>>,
}

pub(crate) struct PathPoint {
    pub(crate) position: Vec<f64>,
    pub(crate) first: Vec<f64>,
    pub(crate) second: Vec<f64>,
    pub(crate) third: Vec<f64>,
}

impl Path {
    /// Builds a curve through the points. Points closer than 1e-9 rad to their predecessor are
    /// dropped; `None` if fewer than two are left.
    pub(crate) fn through(points: &[Vec<f64>]) -> Option<Self> {
        let mut kept: Vec<Vec<f64>> = Vec::with_capacity(points.len());
        let mut knots = Vec::with_capacity(points.len());
        for point in points {
            match kept.last() {
                None => knots.push(0.0),
                Some(last) => {
                    let step = distance(last, point);
                    if step < 1e-9 {
                        continue;
                    }
                    knots.push(knots[knots.len() - 1] + step);
                }
            }
            kept.push(point.clone());
        }
        if kept.len() < 2 {
            return None;
        }
        let curvature = second_derivatives(&knots, &kept);
        Some(Self {
            knots,
            points: kept,
            curvature,
        })
    }

    /// Length of the parameter interval, rad.
    pub(crate) fn length(&self) -> f64 {
        self.knots[self.knots.len() - 1]
    }

    pub(crate) fn is_straight(&self) -> bool {
        self.points.len() == 2
    }

    /// The curve at `s` in 0..length.
    pub(crate) fn at(&self, s: f64) -> PathPoint {
        let after = self.knots.partition_point(|k| *k <= s);
        let after = after.clamp(1, self.knots.len() - 1);
        let i = after - 1;
        let h = self.knots[after] - self.knots[i];
        let (b, a) = ((s - self.knots[i]) / h, (self.knots[after] - s) / h);
        let (p, q) = (&self.points[i], &self.points[after]);
        let (m, k) = (&self.curvature[i], &self.curvature[after]);
        let per_joint = |of_p: f64, of_q: f64, of_m: f64, of_k: f64| -> Vec<f64> {
            let of_joint = |j: usize| of_p * p[j] + of_q * q[j] + of_m * m[j] + of_k * k[j];
            (0..p.len()).map(of_joint).collect()
        };
        let sixth = h / 6.0;
        PathPoint {
            position: per_joint(
                a,
                b,
                (a.powi(3) - a) * h * sixth,
                (b.powi(3) - b) * h * sixth,
            ),
            first: per_joint(
                -1.0 / h,
                1.0 / h,
                (1.0 - 3.0 * a * a) * sixth,
                (3.0 * b * b - 1.0) * sixth,
            ),
            second: per_joint(0.0, 0.0, a, b),
            third: per_joint(0.0, 0.0, -1.0 / h, 1.0 / h),
        }
    }
}

/// 2-norm of the difference of two configurations, rad.
#[inline]
pub(crate) fn distance(a: &[f64], b: &[f64]) -> f64 {
    let squares = a.iter().zip(b).map(|(x, y)| (x - y) * (x - y));
    squares.sum::<f64>().sqrt()
}

/// Length of a polygon through configurations, 2-norm over joints, rad.
pub fn path_length<Q: AsRef<[f64]>>(path: &[Q]) -> f64 {
    let edges = path.windows(2);
    let lengths = edges.map(|edge| distance(edge[0].as_ref(), edge[1].as_ref()));
    lengths.sum()
}

pub(crate) fn between(a: &[f64], b: &[f64], f: f64) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a + f * (b - a)).collect()
}

/// Solves the tridiagonal system of the natural spline (second derivative zero at both ends) for
/// all joints at once, by elimination without pivoting: the matrix is diagonally dominant.
fn second_derivatives(knots: &[f64], points: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let (n, n_joints) = (points.len(), points[0].len());
    let mut second = vec![vec![0.0; n_joints]; n];
    let mut upper = vec![0.0; n];
    for i in 1..n - 1 {
        let (h0, h1) = (knots[i] - knots[i - 1], knots[i + 1] - knots[i]);
        let pivot = 2.0 * (h0 + h1) - h0 * upper[i - 1];
        upper[i] = h1 / pivot;
        for j in 0..n_joints {
            let slopes =
                (points[i + 1][j] - points[i][j]) / h1 - (points[i][j] - points[i - 1][j]) / h0;
            second[i][j] = (6.0 * slopes - h0 * second[i - 1][j]) / pivot;
        }
    }
    for i in (1..n - 1).rev() {
        let (here, after) = second.split_at_mut(i + 1);
        for (value, next) in here[i].iter_mut().zip(&after[0]) {
            *value -= upper[i] * next;
        }
    }
    second
}

/// Points along a polygon at most `step_rad` apart, its corners included.
pub(crate) fn densely(points: &[Vec<f64>], step_rad: f64) -> Vec<Vec<f64>> {
    let mut dense = vec![points[0].clone()];
    for edge in points.windows(2) {
        let n = (distance(&edge[0], &edge[1]) / step_rad).ceil().max(1.0) as usize;
        for i in 1..=n {
            dense.push(between(&edge[0], &edge[1], i as f64 / n as f64));
        }
    }
    dense
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derivatives_agree_with_central_differences() {
        let at = |t: f64| vec![t.sin(), t.cos() * 2.0];
        let points = [0.0, 0.3, 0.9, 1.2, 2.0].map(at).to_vec();
        let path = Path::through(&points).expect("the points differ");
        let step = 1e-5;
        for fraction in [0.1, 0.37, 0.62, 0.93] {
            let s = fraction * path.length();
            let (here, before, after) = (path.at(s), path.at(s - step), path.at(s + step));
            for j in 0..2 {
                let slope = (after.position[j] - before.position[j]) / (2.0 * step);
                assert!((here.first[j] - slope).abs() < 1e-6);
                let bend = (after.first[j] - before.first[j]) / (2.0 * step);
                assert!((here.second[j] - bend).abs() < 1e-6);
                let jerk = (after.second[j] - before.second[j]) / (2.0 * step);
                assert!((here.third[j] - jerk).abs() < 1e-4);
            }
        }
        for (knot, point) in path.knots.iter().zip(&points) {
            let off = distance(&path.at(*knot).position, point);
            assert!(off < 1e-12, "the curve misses a point by {off} rad");
        }
    }
}
