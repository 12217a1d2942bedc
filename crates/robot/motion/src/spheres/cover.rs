//! Spheres that cover a convex shape.
//!
//! A sphere whose centre lies at depth `d` below the surface of a convex shape and whose radius is
//! `d + e` exceeds the shape by at most `e`, since the ball of radius `d` around the same centre is
//! inside. The centre alone therefore decides how large a sphere may be, and covering becomes a
//! choice of centres. It is greedy: the next sphere is the one that covers most of the uncovered
//! part.

use parry3d_f64::math::Vector;
use parry3d_f64::shape::SharedShape;

/// Distance by which a sphere may exceed the shape that it covers, m.
pub(crate) const EXCESS_M: f64 = 0.01;
/// Distance by which a sphere may exceed a part that never moves, m: larger, since only the arm
/// itself is checked against such a part.
pub(super) const STILL_EXCESS_M: f64 = 0.019;
/// Distance by which the spheres of a capsule may exceed its surface, m: small, since a row of few
/// spheres suffices.
const CAPSULE_EXCESS_M: f64 = 0.004;
/// Distance within which every point of a shape has a sample, as a share of the excess.
const SLACK: f64 = 0.22;
/// Least distance by which a sphere may exceed the shape, in slacks: more than two.
const LEAST_EXCESS: f64 = 2.1;
/// Distance between candidate centres, m.
const CANDIDATE_STEP_M: f64 = 0.01;
/// Largest number of samples of one shape; a larger shape is sampled and covered more coarsely.
const MAX_SAMPLES: f64 = 1e5;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Cover {
    /// Centre in the frame of the shape.
    pub(crate) centre: Vector,
    /// Radius of the covering sphere, m.
    pub(crate) radius: f64,
    /// Radius of the inscribed sphere with the same centre, m.
    pub(crate) inner: f64,
}

impl Cover {
    /// Largest distance by which the sphere may exceed the shape, m.
    pub(super) fn excess_m(&self) -> f64 {
        self.radius - self.inner
    }
}

/// A point that must be covered, with the radius of the region that it represents.
struct Sample {
    point: Vector,
    slack: f64,
}

/// Spheres that cover a convex shape and exceed it by at most `excess_m`, or by more if the shape
/// is so large that its samples are too far apart for that.
pub(super) fn cover(shape: &SharedShape, excess_m: f64) -> Vec<Cover> {
    if let Some(ball) = shape.as_ball() {
        return vec![Cover {
            centre: Vector::ZERO,
            radius: ball.radius,
            inner: ball.radius,
        }];
    }
    if let Some(capsule) = shape.as_capsule() {
        return along_segment(capsule.segment.a, capsule.segment.b, capsule.radius);
    }
    greedily(shape, excess_m)
}

/// Covers a capsule with a row of equal spheres: halfway between two of them the row is as wide as
/// the capsule.
fn along_segment(a: Vector, b: Vector, inner: f64) -> Vec<Cover> {
    let radius = inner + CAPSULE_EXCESS_M;
    let step = 2.0 * (radius * radius - inner * inner).sqrt();
    let length = (b - a).length();
    let n = (length / step).ceil();
    if n < 1.0 {
        return vec![Cover {
            centre: a,
            radius: inner,
            inner,
        }];
    }
    let half = 0.5 * length / n;
    let radius = (inner * inner + half * half).sqrt();
    (0..=n as usize)
        .map(|i| Cover {
            centre: a + (b - a) * (i as f64 / n),
            radius,
            inner,
        })
        .collect()
}

fn greedily(shape: &SharedShape, excess_m: f64) -> Vec<Cover> {
    let fine_m = fine_step_m(shape, SLACK * excess_m);
    // A sphere around the point of the surface nearest to a sample has to cover the sample, which
    // is within its slack of that point.
    let excess_m = excess_m.max(LEAST_EXCESS * slack_m(fine_m));
    let mut samples = samples(shape, fine_m);
    let mut candidates = candidates(shape, excess_m);
    let mut chosen = vec![];
    while let Some(first) = samples.first() {
        // Counts only fall as samples are covered, so a candidate whose old count is below the best
        // new one need not be counted again.
        candidates.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let mut best: Option<(usize, usize)> = None;
        for (idx, (cover, count)) in candidates.iter_mut().enumerate() {
            if best.is_some_and(|(_, most)| most >= *count) {
                break;
            }
            *count = samples.iter().filter(|s| covers(cover, s)).count();
            if best.is_none_or(|(_, most)| *count > most) {
                best = Some((idx, *count));
            }
        }
        let next = match best {
            Some((idx, count)) if count > 0 => candidates[idx].0,
            // No candidate is close enough: the sample gets a sphere of its own.
            _ => {
                let nearest = shape.project_local_point(first.point, true).point;
                sphere_at(shape, nearest, excess_m)
            }
        };
        samples.retain(|s| !covers(&next, s));
        chosen.push(next);
    }
    chosen
}

fn covers(cover: &Cover, sample: &Sample) -> bool {
    let reach = cover.radius - sample.slack;
    (sample.point - cover.centre).length_squared() <= reach * reach
}

/// The largest sphere around a point of the shape that exceeds the shape by at most `excess_m`.
fn sphere_at(shape: &SharedShape, centre: Vector, excess_m: f64) -> Cover {
    let inner = (-signed_distance(shape, centre)).max(0.0);
    Cover {
        centre,
        radius: inner + excess_m,
        inner,
    }
}

/// Distance to the surface, negative inside.
fn signed_distance(shape: &SharedShape, point: Vector) -> f64 {
    if let Some(cylinder) = shape.as_cylinder() {
        // Parry's projection is not the nearest point for all points inside.
        let side = point.x.hypot(point.z) - cylinder.radius;
        let cap = point.y.abs() - cylinder.half_height;
        return side.max(cap).min(0.0) + side.max(0.0).hypot(cap.max(0.0));
    }
    let projection = shape.project_local_point(point, false);
    let distance = (projection.point - point).length();
    if projection.is_inside {
        -distance
    } else {
        distance
    }
}

/// Step of the grid around the surface with which every point has a sample within `slack_m`, m;
/// more if that would take too many samples.
fn fine_step_m(shape: &SharedShape, slack_m: f64) -> f64 {
    let volume = shape.compute_local_aabb().extents().element_product();
    (2.0 * slack_m / 3f64.sqrt()).max((volume / MAX_SAMPLES).cbrt())
}

/// Largest distance of a point from the nearest point of a grid, m.
fn slack_m(step_m: f64) -> f64 {
    0.5 * 3f64.sqrt() * step_m
}

/// Samples on two grids: a fine one around the surface, a coarse one inside. Every point of the
/// shape is within the slack of some sample.
fn samples(shape: &SharedShape, fine: f64) -> Vec<Sample> {
    let slack = slack_m(fine);
    let coarse = 2.0 * fine;
    let is_near = |p: &_| signed_distance(shape, *p).abs() <= slack;
    let near_surface = around(shape, fine).into_iter().filter(is_near);
    let near_surface = near_surface.map(|point| Sample { point, slack });
    let inside = around(shape, coarse)
        .into_iter()
        .filter(|p| signed_distance(shape, *p) <= 0.0)
        .map(|point| Sample {
            point,
            slack: 2.0 * slack,
        });
    near_surface.chain(inside).collect()
}

fn candidates(shape: &SharedShape, excess_m: f64) -> Vec<(Cover, usize)> {
    let extents = shape.compute_local_aabb().extents();
    let thinnest = extents.x.min(extents.y).min(extents.z);
    let step = CANDIDATE_STEP_M.min(0.5 * thinnest.max(2e-3));
    let step = step.max((extents.x * extents.y * extents.z / 4e3).cbrt());
    let is_inside = |p: &_| signed_distance(shape, *p) <= 0.0;
    let inside = around(shape, step).into_iter().filter(is_inside);
    let spheres = inside.map(|p| (sphere_at(shape, p, excess_m), usize::MAX));
    spheres.collect()
}

fn around(shape: &SharedShape, step: f64) -> Vec<Vector> {
    let aabb = shape.compute_local_aabb();
    grid(aabb.center(), aabb.half_extents(), step)
}

/// Points of a grid around a centre, up to a step beyond the given half extents.
pub(super) fn grid(centre: Vector, half: Vector, step: f64) -> Vec<Vector> {
    let n = |half: f64| (half / step).ceil() as i32;
    let (nx, ny, nz) = (n(half.x), n(half.y), n(half.z));
    let mut points = vec![];
    for i in -nx..=nx {
        for j in -ny..=ny {
            for k in -nz..=nz {
                let offset = Vector::new(f64::from(i), f64::from(j), f64::from(k));
                points.push(centre + offset * step);
            }
        }
    }
    points
}
