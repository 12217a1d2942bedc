//! Shapes of links, and points on their surfaces.

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use nalgebra::{Point3, Vector3};
use regrasp_geometry::Shape;

/// Upper bound on the number of points that the area of a surface may require. It matters for a
/// mesh in millimetres that is read in metres.
const MOST_BY_AREA: f64 = 400_000.0;
/// Upper bound on the number of points that the edge lengths of the triangles may require.
const MOST_BY_LENGTH: f64 = 1_000_000.0;
/// Upper bound on the points per squared spacing of area, if the longest edge is always halved.
const HALVINGS: f64 = 8.0;

type Triangle = [Point3<f64>; 3];

/// A shape in its own frame, metres.
#[derive(Debug, Clone, PartialEq)]
pub enum Geometry {
    /// A box, sphere, cylinder or capsule.
    Solid(Shape),
    /// A triangle mesh, already scaled as its URDF says.
    Mesh {
        /// Corner points.
        vertices: Vec<Point3<f64>>,
        /// Three indices into `vertices` each, counter-clockwise seen from outside; never empty and
        /// never out of range.
        triangles: Vec<[u32; 3]>,
    },
}

impl Geometry {
    /// Collision shape: the solid itself, or a mesh's convex hull.
    pub fn solid(&self) -> Shape {
        match self {
            Self::Solid(shape) => shape.clone(),
            Self::Mesh { vertices, .. } => Shape::Convex {
                points: vertices.iter().map(|p| p.coords.into()).collect(),
            },
        }
    }

    /// Points that cover the surface, in the shape's own frame: every corner of a mesh or box, and
    /// others such that no place is more than `spacing_m` from a point. The points are
    /// deterministic. Their number is bounded, so very large surfaces get a coarser spacing.
    #[must_use]
    pub fn surface_points(&self, spacing_m: f64) -> Vec<Point3<f64>> {
        match self {
            Self::Solid(shape) => solid_points(shape, spacing_m),
            Self::Mesh {
                vertices,
                triangles,
            } => {
                let corner = |i: u32| vertices[i as usize];
                let triangles: Vec<_> = triangles.iter().map(|t| t.map(corner)).collect();
                let mut points = vertices.clone();
                points.extend(between_corners(triangles, spacing_m));
                points
            }
        }
    }
}

fn solid_points(shape: &Shape, spacing_m: f64) -> Vec<Point3<f64>> {
    match *shape {
        Shape::Box { half_extents } => box_points(&half_extents, spacing_m),
        Shape::Sphere { radius } => caps(radius, 0.0, spacing_m),
        Shape::Cylinder(rod) => {
            let mut points = side(rod.radius, rod.half_height, spacing_m);
            for inner in steps(0.0, rod.radius, spacing_m) {
                points.extend(ring(inner, rod.half_height, spacing_m));
                points.extend(ring(inner, -rod.half_height, spacing_m));
            }
            points
        }
        Shape::Capsule(rod) => {
            let mut points = side(rod.radius, rod.half_height, spacing_m);
            points.extend(caps(rod.radius, rod.half_height, spacing_m));
            points
        }
        // A URDF has no other shapes.
        _ => vec![],
    }
}

/// Points between the corners of triangles: the longest edge of each is halved until none exceeds
/// the spacing. A narrow triangle is represented by its longest edge.
fn between_corners(triangles: Vec<Triangle>, spacing_m: f64) -> Vec<Point3<f64>> {
    let area: f64 = triangles.iter().map(area_m2).sum();
    let length: f64 = triangles.iter().map(|t| longest_edge(t).1).sum();
    let spacing_m = spacing_m.max((HALVINGS * area / MOST_BY_AREA).sqrt());
    let spacing_m = spacing_m.max(length / MOST_BY_LENGTH);
    let mut points = vec![];
    let mut open = triangles;
    while let Some(triangle) = open.pop() {
        let (first, edge_m) = longest_edge(&triangle);
        if edge_m <= spacing_m {
            continue;
        }
        let [a, b, c] = [0, 1, 2].map(|i| triangle[(first + i) % 3]);
        if 2.0 * area_m2(&triangle) < 0.5 * spacing_m * edge_m {
            let along = steps(0.0, edge_m, spacing_m);
            points.extend(along.map(|at_m| a + (b - a) * (at_m / edge_m)));
        } else {
            let middle = nalgebra::center(&a, &b);
            points.push(middle);
            open.extend([[a, middle, c], [middle, b, c]]);
        }
    }
    points
}

/// Index of the corner at which the longest edge starts, and its length.
fn longest_edge(triangle: &Triangle) -> (usize, f64) {
    let length = |i: usize| nalgebra::distance(&triangle[i], &triangle[(i + 1) % 3]);
    let edges = [0, 1, 2].map(|i| (i, length(i)));
    edges
        .into_iter()
        .fold(edges[0], |a, b| if b.1 > a.1 { b } else { a })
}

fn area_m2([a, b, c]: &Triangle) -> f64 {
    0.5 * (b - a).cross(&(c - a)).norm()
}

fn box_points(half_extents: &[f64; 3], spacing_m: f64) -> Vec<Point3<f64>> {
    let mut points = vec![];
    for axis in 0..3 {
        let (along, across) = ((axis + 1) % 3, (axis + 2) % 3);
        for u in steps(-half_extents[along], half_extents[along], spacing_m) {
            for v in steps(-half_extents[across], half_extents[across], spacing_m) {
                for side in [-half_extents[axis], half_extents[axis]] {
                    let mut point = Vector3::zeros();
                    (point[axis], point[along], point[across]) = (side, u, v);
                    points.push(point.into());
                }
            }
        }
    }
    points
}

fn side(radius: f64, half_length: f64, spacing_m: f64) -> Vec<Point3<f64>> {
    let heights = steps(-half_length, half_length, spacing_m);
    heights.flat_map(|z| ring(radius, z, spacing_m)).collect()
}

/// Two half spheres, `half_length` above and below the origin.
fn caps(radius: f64, half_length: f64, spacing_m: f64) -> Vec<Point3<f64>> {
    let latitudes = steps(0.0, FRAC_PI_2, spacing_m / radius);
    latitudes
        .flat_map(|latitude| {
            let (sin, cos) = latitude.sin_cos();
            let z = half_length + radius * sin;
            [z, -z].map(|z| ring(radius * cos, z, spacing_m))
        })
        .flatten()
        .collect()
}

fn ring(radius: f64, z: f64, spacing_m: f64) -> impl Iterator<Item = Point3<f64>> {
    let n = count(PI * radius, spacing_m).max(2) * 2;
    (0..n).map(move |i| {
        let (sin, cos) = (TAU * i as f64 / n as f64).sin_cos();
        Point3::new(radius * cos, radius * sin, z)
    })
}

fn steps(low: f64, high: f64, spacing: f64) -> impl Iterator<Item = f64> {
    let n = count(high - low, spacing);
    (0..=n).map(move |i| low + (high - low) * i as f64 / n as f64)
}

/// Number of segments of at most `spacing` in a length, from 1 to 1000.
fn count(length: f64, spacing: f64) -> usize {
    (length / spacing).ceil().clamp(1.0, 1000.0) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Largest distance of the places on the surface from their nearest point.
    fn widest_gap(points: &[Point3<f64>], places: &[Point3<f64>]) -> f64 {
        let gap = |place: &Point3<f64>| {
            let away = points.iter().map(|p| nalgebra::distance(p, place));
            away.fold(f64::INFINITY, f64::min)
        };
        places.iter().map(gap).fold(0.0, f64::max)
    }

    #[test]
    fn points_lie_on_the_surface_and_leave_no_gap() {
        let spacing_m = 0.005;
        let (r, h) = (0.03, 0.04);
        let on_ring = |radius: f64, z: f64, angle: f64| {
            Point3::new(radius * angle.cos(), radius * angle.sin(), z)
        };
        let angles: Vec<f64> = (0..90).map(|i| 0.07 * f64::from(i)).collect();
        let cylinder = Geometry::Solid(Shape::cylinder(r, h));
        let side = angles.iter().map(|a| on_ring(r, h * (7.0 * a).sin(), *a));
        let lids = angles.iter().map(|a| on_ring(r * (5.0 * a).sin(), -h, *a));
        let places: Vec<_> = side.clone().chain(lids).collect();
        let gap = widest_gap(&cylinder.surface_points(spacing_m), &places);
        assert!(gap < spacing_m, "cylinder: {gap} m");
        let capsule = Geometry::Solid(Shape::capsule(r, h));
        let angles = angles.iter();
        let top = angles.map(|a| on_ring(r * a.cos(), h + r * a.sin().abs(), 0.0));
        let places: Vec<_> = side.chain(top).collect();
        let points = capsule.surface_points(spacing_m);
        let gap = widest_gap(&points, &places);
        assert!(gap < spacing_m, "capsule: {gap} m");
        let off = points.iter().map(|p| {
            let beyond = (p.z.abs() - h).max(0.0);
            (p.x.hypot(p.y).hypot(beyond) - r).abs()
        });
        assert!(off.fold(0.0, f64::max) < 1e-12, "points off the capsule");
    }

    #[test]
    fn large_triangles_are_filled_and_slivers_are_cheap() {
        let points_of = |x: f64, y: f64| {
            let corners = [[0.0, 0.0, 0.0], [x, 0.0, 0.0], [0.0, y, 0.0]];
            let mesh = Geometry::Mesh {
                vertices: corners.map(Point3::from).to_vec(),
                triangles: vec![[0, 1, 2]],
            };
            mesh.surface_points(0.005)
        };
        let points = points_of(0.2, 0.1);
        let places = (0..20).flat_map(|i| {
            (0..20 - i).map(move |j| Point3::new(0.01 * f64::from(i), 0.005 * f64::from(j), 0.0))
        });
        let gap = widest_gap(&points, &places.collect::<Vec<_>>());
        assert!(gap < 0.005, "{gap} m");
        let n_of_sliver = points_of(1.0, 1e-6).len();
        assert!(n_of_sliver < 2000, "{n_of_sliver} points");
        assert!(points_of(1000.0, 1000.0).len() <= 400_000);
    }
}
