//! Hollows of compound shapes: spaces above a floor, between walls.

use std::f64::consts::TAU;

use nalgebra::{Point3, Vector3};

use crate::{Pose, Shape};

/// Number of horizontal directions in which to search for a wall.
const N_DIRECTIONS: usize = 16;
/// Least depth of a hollow, m: the low rim of a plate does not make it a container.
const LEAST_DEPTH_M: f64 = 0.005;
/// Accuracy of the height of a rim, m.
const RIM_M: f64 = 0.0002;
/// Depth below the rim at which the opening is measured, m.
const UNDER_THE_RIM_M: f64 = 0.001;

/// Hollow of a container, in the container's own frame, m.
#[derive(Clone, Debug, PartialEq)]
pub struct Cavity {
    /// Position of the vertical axis in the hollow, x and y: the container's origin or, if the
    /// hollow is not there, the centre of its bounding box.
    pub axis: [f64; 2],
    /// Height of the floor at the axis.
    pub floor_z: f64,
    /// Height up to which the wall is closed.
    pub rim_z: f64,
    /// Distances from the axis to the inner and the outer face of the wall, 1 mm below the rim, in
    /// evenly spaced directions that begin at +x.
    pub rim: Vec<[f64; 2]>,
}

impl Cavity {
    /// Returns the distance from the axis to the nearest wall at the rim, m.
    pub fn opening_m(&self) -> f64 {
        let inner = self.rim.iter().map(|[inner, _]| *inner);
        inner.fold(f64::INFINITY, f64::min)
    }

    /// Returns the point on the outer edge of the rim in the direction with this index, and that
    /// direction.
    pub fn lip(&self, idx: usize) -> (Point3<f64>, Vector3<f64>) {
        let direction = level(idx);
        let [_, outer_m] = self.rim[idx % self.rim.len()];
        let on_axis = Point3::new(self.axis[0], self.axis[1], self.rim_z);
        (on_axis + direction * outer_m, direction)
    }
}

impl Shape {
    /// Returns true if a point in the object's frame is inside a hollow of the shape: above a floor
    /// with a wall on every side, or between a floor and a roof with walls on at least half of the
    /// sides, as in a microwave.
    pub fn encloses(&self, point_in_object: &Point3<f64>) -> bool {
        let is_there = |direction: &Vector3<f64>| self.ahead(point_in_object, direction).is_some();
        let n_walls = || {
            (0..N_DIRECTIONS)
                .filter(|idx| is_there(&level(*idx)))
                .count()
        };
        let n_least = || match is_there(&Vector3::z()) {
            true => N_DIRECTIONS / 2,
            false => N_DIRECTIONS,
        };
        self.is_compound() && is_there(&-Vector3::z()) && n_walls() >= n_least()
    }

    /// Returns the hollow of an upright container, if it is open to the top.
    pub fn cavity(&self) -> Option<Cavity> {
        if !self.is_compound() {
            return None;
        }
        let bounds = self.aabb(&Pose::identity());
        let center = bounds.center();
        let middles = [[0.0, 0.0], [center.x, center.y]];
        middles.into_iter().find_map(|axis| {
            let [bottom, top] = [bounds.min[2], bounds.max[2]];
            self.cavity_at(axis, bottom, top)
        })
    }

    fn cavity_at(&self, axis: [f64; 2], bottom: f64, top: f64) -> Option<Cavity> {
        let at = |z: f64| Point3::new(axis[0], axis[1], z);
        let [down_m, _] = self.ahead(&at(top + LEAST_DEPTH_M), &-Vector3::z())?;
        let floor_z = top + LEAST_DEPTH_M - down_m;
        let closed = |z: f64| (0..N_DIRECTIONS).all(|i| self.ahead(&at(z), &level(i)).is_some());
        if floor_z < bottom || !closed(floor_z + LEAST_DEPTH_M) {
            return None;
        }
        let (mut low, mut high) = (floor_z + LEAST_DEPTH_M, top + RIM_M);
        while high - low > RIM_M {
            let middle = 0.5 * (low + high);
            if closed(middle) {
                low = middle;
            } else {
                high = middle;
            }
        }
        let rim = (0..N_DIRECTIONS).map(|i| self.ahead(&at(low - UNDER_THE_RIM_M), &level(i)));
        Some(Cavity {
            axis,
            floor_z,
            rim_z: low,
            rim: rim.collect::<Option<_>>()?,
        })
    }

    fn is_compound(&self) -> bool {
        matches!(self, Self::Compound { .. })
    }

    /// Returns the distances at which a ray in the object's frame enters and leaves the first part
    /// that it meets, m; the first is negative if the ray begins inside. `None` if it meets
    /// nothing.
    pub fn ahead(&self, origin: &Point3<f64>, direction: &Vector3<f64>) -> Option<[f64; 2]> {
        let Self::Compound { parts } = self else {
            return span(self, origin, direction).filter(|[_, leaves]| *leaves > 0.0);
        };
        let hits = parts.iter().filter_map(|part| {
            let part_from_object = part.object_from_part.inverse();
            let (origin, direction) = (part_from_object * origin, part_from_object * direction);
            part.shape.ahead(&origin, &direction)
        });
        hits.min_by(|a, b| a[0].total_cmp(&b[0]))
    }
}

fn level(idx: usize) -> Vector3<f64> {
    let angle = TAU * idx as f64 / N_DIRECTIONS as f64;
    Vector3::new(angle.cos(), angle.sin(), 0.0)
}

/// Returns the part of a line inside a convex solid, in the solid's frame, as distances from
/// `origin` along `direction` (unit length). A capsule counts as a cylinder of its full length.
/// `None` if the line misses the solid, or the shape is not a convex one.
fn span(shape: &Shape, origin: &Point3<f64>, direction: &Vector3<f64>) -> Option<[f64; 2]> {
    match shape {
        Shape::Box { half_extents } => {
            let slabs = (0..3).map(|i| slab(origin[i], direction[i], half_extents[i]));
            slabs.reduce(common).flatten()
        }
        Shape::Sphere { radius } => round(&origin.coords, direction, *radius),
        Shape::Cylinder(rod) => upright(origin, direction, rod.radius, rod.half_height),
        Shape::Capsule(rod) => upright(origin, direction, rod.radius, rod.half_height + rod.radius),
        Shape::Convex { points } => through_hull(points, origin, direction),
        Shape::Compound { .. } | Shape::HeightField(_) | Shape::PointCloud { .. } => None,
    }
}

fn slab(at: f64, speed: f64, half: f64) -> Option<[f64; 2]> {
    if speed.abs() < 1e-12 {
        return (at.abs() <= half).then_some([f64::NEG_INFINITY, f64::INFINITY]);
    }
    let ends = [(-half - at) / speed, (half - at) / speed];
    Some([ends[0].min(ends[1]), ends[0].max(ends[1])])
}

fn common(a: Option<[f64; 2]>, b: Option<[f64; 2]>) -> Option<[f64; 2]> {
    let ([a_in, a_out], [b_in, b_out]) = (a?, b?);
    let both = [a_in.max(b_in), a_out.min(b_out)];
    (both[0] <= both[1]).then_some(both)
}

/// Span of a ball: |origin + t direction| = radius, a quadratic in t.
fn round(origin: &Vector3<f64>, direction: &Vector3<f64>, radius: f64) -> Option<[f64; 2]> {
    let squared = direction.norm_squared();
    if squared < 1e-12 {
        return (origin.norm() <= radius).then_some([f64::NEG_INFINITY, f64::INFINITY]);
    }
    let half_b = origin.dot(direction) / squared;
    let root = half_b * half_b - (origin.norm_squared() - radius * radius) / squared;
    (root >= 0.0).then(|| [-half_b - root.sqrt(), -half_b + root.sqrt()])
}

/// Span of a cylinder along z.
fn upright(
    origin: &Point3<f64>,
    direction: &Vector3<f64>,
    radius: f64,
    half_height: f64,
) -> Option<[f64; 2]> {
    let flat = |v: &Vector3<f64>| Vector3::new(v.x, v.y, 0.0);
    let round = round(&flat(&origin.coords), &flat(direction), radius);
    common(slab(origin.z, direction.z, half_height), round)
}

/// Span of a convex hull. The line leaves the hull at the largest t for which a convex combination
/// of the points lies on the line. This is a linear program with three constraints, whose best
/// solutions combine at most three points, so all triangles are tried.
fn through_hull(
    points: &[[f64; 3]],
    origin: &Point3<f64>,
    direction: &Vector3<f64>,
) -> Option<[f64; 2]> {
    let seed = if direction.z.abs() < 0.9 {
        Vector3::z()
    } else {
        Vector3::x()
    };
    let across = direction.cross(&seed).normalize();
    let other = direction.cross(&across);
    let seen: Vec<[f64; 3]> = points
        .iter()
        .map(|p| {
            let to = Vector3::from(*p) - origin.coords;
            [to.dot(&across), to.dot(&other), to.dot(direction)]
        })
        .collect();
    let beside = |i: usize| seen.iter().all(|p| p[i] > 0.0) || seen.iter().all(|p| p[i] < 0.0);
    if beside(0) || beside(1) {
        return None;
    }
    let mut span: Option<[f64; 2]> = None;
    for (i, a) in seen.iter().enumerate() {
        for (j, b) in seen.iter().enumerate().skip(i + 1) {
            for c in &seen[j + 1..] {
                if let Some(t) = on_triangle(a, b, c) {
                    let [least, most] = span.unwrap_or([t, t]);
                    span = Some([least.min(t), most.max(t)]);
                }
            }
        }
    }
    span
}

/// Third coordinate of a triangle at the point where the first two are zero; `None` if that point
/// is outside the triangle.
fn on_triangle(a: &[f64; 3], b: &[f64; 3], c: &[f64; 3]) -> Option<f64> {
    const EDGE: f64 = 1e-9;
    let cross = |p: &[f64; 3], q: &[f64; 3]| p[0] * q[1] - p[1] * q[0];
    let (u, v, w) = (cross(b, c), cross(c, a), cross(a, b));
    let area = u + v + w;
    if area.abs() < 1e-14 {
        return None;
    }
    let (u, v, w) = (u / area, v / area, w / area);
    (u.min(v).min(w) >= -EDGE).then(|| u * a[2] + v * b[2] + w * c[2])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Part;
    use crate::solids::{boxed, tray};

    fn part(at: [f64; 3], shape: Shape) -> Part {
        Part::new(Pose::translation(at[0], at[1], at[2]), shape)
    }

    fn bin() -> Shape {
        let handle = boxed([0.13, 0.0, 0.0], [0.03, 0.005, 0.005], 0.0);
        let mut bin = tray([0.2, 0.1], 0.08, 0.01);
        if let Shape::Compound { parts } = &mut bin {
            parts.push(handle);
        }
        bin
    }

    fn bowl() -> Shape {
        let n = 12;
        let corner = |radius: f64, step: f64, z: f64| {
            let angle = TAU * step / n as f64;
            [radius * angle.cos(), radius * angle.sin(), z]
        };
        let segment = |i: usize| {
            let (from, to) = (i as f64, i as f64 + 1.0);
            let at = |step| {
                [(0.05, -0.03), (0.045, -0.03), (0.08, 0.03), (0.075, 0.03)]
                    .map(|(radius, z)| corner(radius, step, z))
            };
            let points = [at(from), at(to)].concat();
            part([0.0; 3], Shape::Convex { points })
        };
        let disc = Shape::cylinder(0.049, 0.002);
        let floor = part([0.0, 0.0, -0.028], disc);
        Shape::compound((0..n).map(segment).chain([floor]))
    }

    #[test]
    fn inside_is_below_the_rim_and_between_the_walls() {
        let is_in = |x, y, z| bin().encloses(&Point3::new(x, y, z));
        assert!(is_in(0.0, 0.0, 0.0) && is_in(0.08, -0.03, 0.035));
        assert!(!is_in(0.0, 0.0, 0.041), "a point above the rim is inside");
        assert!(!is_in(0.12, 0.0, 0.01), "a point on the handle is inside");
        assert!(!is_in(0.0, 0.0, -0.045), "a point below the bin is inside");
        let round = |x, z| bowl().encloses(&Point3::new(x, 0.01, z));
        assert!(round(0.0, -0.02) && round(0.065, 0.025));
        assert!(!round(0.07, -0.02), "a point under the wall is inside");
    }

    /// Compartment with floor, roof, a back wall and, if there are three walls, two side walls.
    fn compartment(n_walls: usize) -> Shape {
        let plank = |at, half_extents| part(at, Shape::Box { half_extents });
        let levels = [-0.09, 0.09].map(|z| plank([0.0, 0.0, z], [0.1, 0.15, 0.005]));
        let walls = [
            plank([0.095, 0.0, 0.0], [0.005, 0.15, 0.085]),
            plank([0.0, 0.145, 0.0], [0.1, 0.005, 0.085]),
            plank([0.0, -0.145, 0.0], [0.1, 0.005, 0.085]),
        ];
        Shape::compound(levels.into_iter().chain(walls.into_iter().take(n_walls)))
    }

    #[test]
    fn below_a_roof_a_side_may_be_open() {
        let is_in = |n_walls: usize, x, z| {
            let point = Point3::new(x, 0.02, z);
            compartment(n_walls).encloses(&point)
        };
        let in_microwave = is_in(3, 0.0, -0.06) && is_in(3, -0.08, 0.0);
        assert!(in_microwave, "a point in a microwave is outside");
        assert!(!is_in(3, -0.12, 0.0), "a point in front is inside");
        assert!(!is_in(3, 0.0, 0.1), "a point on the microwave is inside");
        assert!(!is_in(1, 0.0, -0.06), "a single wall encloses a point");
    }

    #[test]
    fn a_cavity_has_the_measures_of_its_container() {
        let cavity = bin().cavity().expect("a bin is hollow");
        assert!((cavity.floor_z + 0.03).abs() < 1e-9 && (cavity.rim_z - 0.04).abs() < 3e-4);
        assert!((cavity.opening_m() - 0.04).abs() < 1e-9, "{cavity:?}");
        let (lip, _) = cavity.lip(0);
        assert!((lip.x - 0.1).abs() < 1e-9);
        let cavity = bowl().cavity().expect("a bowl is hollow");
        assert!((cavity.floor_z + 0.026).abs() < 1e-9 && (cavity.rim_z - 0.03).abs() < 3e-4);
        assert!((cavity.opening_m() - 0.0725).abs() < 0.002, "{cavity:?}");
    }
}
