//! Outlines seen from above: convex hull, smallest rectangle, circle.

use nalgebra::{Matrix3, Vector2, Vector3};

#[derive(Clone, Copy, Debug)]
pub(crate) struct Rectangle {
    pub(crate) center: Vector2<f64>,
    /// Direction of the first edge, rad, within an eighth of a turn of 0 on either side.
    pub(crate) yaw: f64,
    pub(crate) half: [f64; 2],
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Circle {
    pub(crate) center: Vector2<f64>,
    pub(crate) radius: f64,
}

/// Convex hull, counter-clockwise (A. Andrew's monotone chain, 1979).
pub(crate) fn hull(points: &[Vector2<f64>]) -> Vec<Vector2<f64>> {
    let mut sorted = points.to_vec();
    sorted.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
    let chain = |points: &mut dyn Iterator<Item = Vector2<f64>>| {
        let mut chain: Vec<Vector2<f64>> = Vec::new();
        for p in points {
            while let [.., a, b] = chain.as_slice()
                && (b - a).perp(&(p - b)) <= 0.0
            {
                chain.pop();
            }
            chain.push(p);
        }
        chain.pop();
        chain
    };
    let mut lower = chain(&mut sorted.iter().copied());
    lower.extend(chain(&mut sorted.iter().rev().copied()));
    lower
}

pub(crate) fn area(hull: &[Vector2<f64>]) -> f64 {
    let next = hull.iter().cycle().skip(1);
    0.5 * hull.iter().zip(next).map(|(a, b)| a.perp(b)).sum::<f64>()
}

/// Rectangle of the smallest area around a convex polygon: one of the rectangle's edges lies on an
/// edge of the polygon (H. Freeman and R. Shapira, CACM 18(7), 1975).
pub(crate) fn rectangle(hull: &[Vector2<f64>]) -> Option<Rectangle> {
    let edges = hull.iter().zip(hull.iter().cycle().skip(1));
    let directions = edges.filter_map(|(a, b)| (b - a).try_normalize(1e-9));
    let boxes = directions.map(|along| around(hull, &along));
    boxes.min_by(|a, b| {
        let area = |r: &Rectangle| r.half[0] * r.half[1];
        area(a).total_cmp(&area(b))
    })
}

fn around(hull: &[Vector2<f64>], along: &Vector2<f64>) -> Rectangle {
    let across = Vector2::new(-along.y, along.x);
    let span = |axis: &Vector2<f64>| {
        let values = hull.iter().map(|p| p.dot(axis));
        values.fold([f64::INFINITY, f64::NEG_INFINITY], |[a, b], v| {
            [a.min(v), b.max(v)]
        })
    };
    let [u, v] = [span(along), span(&across)];
    let middle = |s: [f64; 2]| 0.5 * (s[0] + s[1]);
    let half = |s: [f64; 2]| 0.5 * (s[1] - s[0]);
    let (mut yaw, mut sizes) = (along.y.atan2(along.x), [half(u), half(v)]);
    // Describe the same rectangle with the smallest rotation.
    use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};
    yaw = (yaw + FRAC_PI_2).rem_euclid(PI) - FRAC_PI_2;
    if yaw > FRAC_PI_4 {
        yaw -= FRAC_PI_2;
        sizes.swap(0, 1);
    } else if yaw < -FRAC_PI_4 {
        yaw += FRAC_PI_2;
        sizes.swap(0, 1);
    }
    Rectangle {
        center: along * middle(u) + across * middle(v),
        yaw,
        half: sizes,
    }
}

/// Circle that fits points best (I. Kåsa, IEEE Trans. Instrum. Meas. 25, 1976).
pub(crate) fn circle(points: &[Vector2<f64>]) -> Option<Circle> {
    let n = points.len() as f64;
    let middle = points.iter().sum::<Vector2<f64>>() / n;
    let (mut left, mut right) = (Matrix3::zeros(), Vector3::zeros());
    for p in points {
        let d = p - middle;
        let row = Vector3::new(2.0 * d.x, 2.0 * d.y, 1.0);
        left += row * row.transpose();
        right += row * d.norm_squared();
    }
    let x = left.lu().solve(&right)?;
    let square = x.z + x.x * x.x + x.y * x.y;
    (square > 0.0).then(|| Circle {
        center: middle + Vector2::new(x.x, x.y),
        radius: square.sqrt(),
    })
}

pub(crate) fn rim(hull: &[Vector2<f64>], n: usize) -> Vec<Vector2<f64>> {
    let edges = || hull.iter().zip(hull.iter().cycle().skip(1));
    let length: f64 = edges().map(|(a, b)| (b - a).norm()).sum();
    let step = length / n as f64;
    let (mut points, mut next) = (Vec::with_capacity(n), 0.0);
    let mut done = 0.0;
    for (a, b) in edges() {
        let edge = (b - a).norm();
        while edge > 0.0 && next <= done + edge {
            points.push(a + (b - a) * ((next - done) / edge));
            next += step;
        }
        done += edge;
    }
    points
}

impl Rectangle {
    /// Root mean square distance of points to the rectangle's edge.
    pub(crate) fn misfit(&self, points: &[Vector2<f64>]) -> f64 {
        let (sin, cos) = self.yaw.sin_cos();
        rms(points.iter().map(|p| {
            let d = p - self.center;
            let local = [cos * d.x + sin * d.y, cos * d.y - sin * d.x];
            let out = [0, 1].map(|i| local[i].abs() - self.half[i]);
            out[0].max(out[1])
        }))
    }
}

impl Circle {
    /// Root mean square distance of points to the circle.
    pub(crate) fn misfit(&self, points: &[Vector2<f64>]) -> f64 {
        rms(points
            .iter()
            .map(|p| (p - self.center).norm() - self.radius))
    }
}

fn rms(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let n = values.len().max(1) as f64;
    (values.map(|v| v * v).sum::<f64>() / n).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(inside: impl Fn(Vector2<f64>) -> bool) -> Vec<Vector2<f64>> {
        let at = |i: i32| f64::from(i) * 0.0015;
        let all = (-60..60).flat_map(|i| (-60..60).map(move |j| Vector2::new(at(i), at(j))));
        all.filter(|p| inside(*p)).collect()
    }

    #[test]
    fn a_turned_box_is_a_rectangle_and_no_circle() {
        let (turn, half) = (0.4_f64, [0.03, 0.02]);
        let (sin, cos) = turn.sin_cos();
        let points = filled(|p| {
            let local = [cos * p.x + sin * p.y, cos * p.y - sin * p.x];
            local[0].abs() < half[0] && local[1].abs() < half[1]
        });
        let hull = hull(&points);
        let found = rectangle(&hull).expect("a rectangle");
        assert!((found.yaw - turn).abs() < 0.04, "turned by {}", found.yaw);
        for (found, half) in found.half.iter().zip(half) {
            assert!((found - half).abs() < 0.0015, "{found} for {half} m");
        }
        assert!(found.center.norm() < 0.001);
        let rim = rim(&hull, 64);
        let circle = circle(&rim).expect("a circle");
        assert!(found.misfit(&rim) < 0.5 * circle.misfit(&rim));
    }

    #[test]
    fn a_disc_is_a_circle_and_no_rectangle() {
        let points = filled(|p| (p - Vector2::new(0.01, 0.0)).norm() < 0.025);
        let hull = hull(&points);
        let rim = rim(&hull, 64);
        let circle = circle(&rim).expect("a circle");
        assert!((circle.radius - 0.025).abs() < 0.001);
        assert!((circle.center - Vector2::new(0.01, 0.0)).norm() < 0.0005);
        let rectangle = rectangle(&hull).expect("a rectangle");
        assert!(circle.misfit(&rim) < 0.5 * rectangle.misfit(&rim));
    }
}
