//! Fits a shape and pose to the points of an object.

use nalgebra::{Matrix4, Point3, UnitQuaternion, Vector2, Vector3, Vector4};
use regrasp_api::{Pose, Shape};

use crate::hollow::{self, Round, Square};
use crate::merge::Cluster;
use crate::outline::{Circle, Rectangle, area, circle, hull, rectangle, rim};

#[derive(Clone, Debug)]
pub(crate) struct Fitted {
    pub(crate) category: &'static str,
    pub(crate) shape: Shape,
    pub(crate) world_from_object: Pose,
}

const LEAST_POINTS: usize = 12;
/// Mean distance of the outermost pixel's centre inside an edge, in pixels of the finest image:
/// half a pixel for a single camera, next to nothing if several cameras see all sides.
const INSIDE_PIXELS: f64 = 0.05;
/// Filled fraction of an outline below which only two sides of a box are visible.
const HALF_SEEN: f64 = 0.62;
/// Smallest depth of a container's floor below its rim, m.
const HOLLOW_M: f64 = 0.012;
/// Smallest fraction of its points that a solid object has in its middle, if all of it is visible.
const EMPTY: f64 = 0.02;
/// Assumed thickness of a floor that cannot be distinguished from the table, m.
const THIN_FLOOR_M: f64 = 0.002;
/// Largest height and smallest radius of a plate, m.
const PLATE_HEIGHT_M: f64 = 0.025;
const PLATE_RADIUS_M: f64 = 0.035;
/// Largest radius of a cup, m.
const MUG_RADIUS_M: f64 = 0.055;
/// Largest ratio of a cube's edges.
const CUBE: f64 = 1.2;
/// Root mean square error below which an object counts as a sphere, m.
const BALL_M: f64 = 0.0012;
/// Distance from the top within which points belong to the upper surface, m.
const TOP_M: f64 = 0.003;

/// Lowest and highest z in World without outliers, m.
pub(crate) fn extent_z(points: &[Point3<f64>]) -> [f64; 2] {
    let mut z: Vec<f64> = points.iter().map(|p| p.z).collect();
    z.sort_by(f64::total_cmp);
    let at = |part: f64| z[((z.len() - 1) as f64 * part).round() as usize];
    if z.is_empty() {
        return [0.0; 2];
    }
    let high = at(0.985);
    let top = z.partition_point(|z| *z < high - TOP_M);
    let top = z[top + (z.len() - top) / 2];
    [at(0.015), top.max(at(0.5))]
}

/// Fits a shape to a cluster whose underside is at `base_z`.
pub(crate) fn fit(cluster: &Cluster, base_z: f64) -> Option<Fitted> {
    let points = &cluster.points;
    if points.len() < LEAST_POINTS {
        return None;
    }
    let [_, top_z] = extent_z(points);
    let height = (top_z - base_z).max(0.002);
    if let Some(ball) = ball(points, base_z, height) {
        return Some(ball);
    }
    let flat: Vec<_> = points.iter().map(|p| p.coords.xy()).collect();
    let hull = hull(&flat);
    let grow = INSIDE_PIXELS * cluster.pixel_m;
    let mut square = rectangle(&hull)?;
    let rim = rim(&hull, 96);
    let round = circle(&rim);
    let filled = area(&hull) / (4.0 * square.half[0] * square.half[1]).max(1e-9);
    let is_round =
        filled > HALF_SEEN && round.is_some_and(|c| c.misfit(&rim) < square.misfit(&rim));
    square.half = square.half.map(|h| h + grow);
    let seen = Upright {
        points,
        base_z,
        height,
        is_whole: cluster.is_whole,
    };
    Some(match round.filter(|_| is_round) {
        Some(circle) => seen.round(Circle {
            radius: circle.radius + grow,
            ..circle
        }),
        None => seen.square(square),
    })
}

/// An object with a known outline from above.
struct Upright<'a> {
    points: &'a [Point3<f64>],
    base_z: f64,
    height: f64,
    /// True if the object's whole outline is visible.
    is_whole: bool,
}

impl Upright<'_> {
    fn pose(&self, center: Vector2<f64>, yaw: f64) -> Pose {
        let z = self.base_z + 0.5 * self.height;
        let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), yaw);
        Pose::from_parts([center.x, center.y, z].into(), turn)
    }

    fn top_z(&self) -> f64 {
        self.base_z + self.height
    }

    fn round(&self, circle: Circle) -> Fitted {
        let world_from_object = self.pose(circle.center, 0.0);
        let from_axis = |p: &Point3<f64>| (p.coords.xy() - circle.center).norm();
        if let Some(floor_z) = self.floor(|p| from_axis(p) < 0.5 * circle.radius) {
            let on_floor = self.points.iter().filter(|p| p.z < floor_z + TOP_M);
            let on_rim = self.points.iter().filter(|p| p.z > self.top_z() - TOP_M);
            let wall = circle.radius - part_of(on_rim.map(from_axis), 0.05, 0.95 * circle.radius);
            // A narrow container has a thinner wall than others.
            let wall = wall.max(0.003).min(0.25 * circle.radius);
            let inner = circle.radius - wall;
            let shape = hollow::round(&Round {
                radius: circle.radius,
                height: self.height,
                floor_radius: part_of(on_floor.map(from_axis), 0.9, inner).min(inner),
                floor: (floor_z - self.base_z).max(0.002),
                wall,
            });
            let is_mug = circle.radius < MUG_RADIUS_M && self.height > circle.radius;
            return Fitted {
                category: if is_mug { "mug" } else { "bowl" },
                shape,
                world_from_object,
            };
        }
        let is_plate = self.height < PLATE_HEIGHT_M && circle.radius > PLATE_RADIUS_M;
        Fitted {
            category: if is_plate { "plate" } else { "cylinder" },
            shape: Shape::cylinder(circle.radius, 0.5 * self.height),
            world_from_object,
        }
    }

    fn square(&self, outline: Rectangle) -> Fitted {
        let [a, b] = outline.half;
        let world_from_object = self.pose(outline.center, outline.yaw);
        let is_inside = |p: &Point3<f64>| {
            let local = world_from_object.inverse_transform_point(p);
            local.x.abs() < 0.5 * a && local.y.abs() < 0.5 * b
        };
        if let Some(floor_z) = self.floor(is_inside) {
            let shape = hollow::square(&Square {
                half: [a, b],
                height: self.height,
                floor: (floor_z - self.base_z).max(0.002),
                wall: 0.005_f64.min(0.2 * a.min(b)),
            });
            return Fitted {
                category: "tray",
                shape,
                world_from_object,
            };
        }
        let edges = [2.0 * a, 2.0 * b, self.height];
        let most = edges.iter().copied().fold(0.0, f64::max);
        let least = edges.iter().copied().fold(f64::INFINITY, f64::min);
        Fitted {
            category: if most < CUBE * least { "cube" } else { "box" },
            shape: Shape::cuboid([a, b, 0.5 * self.height]),
            world_from_object,
        }
    }

    /// Height of the floor inside a container, m in World; `None` for a solid object.
    fn floor(&self, is_inside: impl Fn(&Point3<f64>) -> bool) -> Option<f64> {
        const LEAST: usize = 10;
        let inside = self.points.iter().filter(|p| is_inside(p));
        let mut z: Vec<f64> = inside.map(|p| p.z).collect();
        if z.len() < LEAST {
            // A solid object's top would be visible; a floor at the table's level counts as table.
            let is_empty = (z.len() as f64) < EMPTY * self.points.len() as f64;
            let is_open = self.is_whole && is_empty && self.height > HOLLOW_M;
            return is_open.then_some(self.base_z + THIN_FLOOR_M);
        }
        z.sort_by(f64::total_cmp);
        let high = z[z.len() * 9 / 10];
        (high < self.top_z() - HOLLOW_M).then(|| z[z.len() / 2])
    }
}

/// Quantile `part` of the values; `none` if there are no values.
fn part_of(values: impl Iterator<Item = f64>, part: f64, none: f64) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    let idx = (values.len().saturating_sub(1) as f64 * part).round() as usize;
    values.get(idx).copied().unwrap_or(none)
}

/// Fits a sphere that rests on `base_z`, if the points lie on one.
fn ball(points: &[Point3<f64>], base_z: f64, height: f64) -> Option<Fitted> {
    let n = points.len() as f64;
    let middle = points.iter().map(|p| p.coords).sum::<Vector3<f64>>() / n;
    let (mut left, mut right) = (Matrix4::zeros(), Vector4::zeros());
    for p in points {
        let d = p.coords - middle;
        let row = Vector4::new(2.0 * d.x, 2.0 * d.y, 2.0 * d.z, 1.0);
        left += row * row.transpose();
        right += row * d.norm_squared();
    }
    let x = left.lu().solve(&right)?;
    let square = x.w + x.xyz().norm_squared();
    let radius = (square > 0.0).then(|| square.sqrt())?;
    let center = middle + x.xyz();
    let errors = points.iter().map(|p| (p.coords - center).norm() - radius);
    let misfit = (errors.map(|e| e * e).sum::<f64>() / n).sqrt();
    let stands = (center.z - base_z - radius).abs() < 0.15 * radius;
    let is_as_high = (height / (2.0 * radius) - 1.0).abs() < 0.15;
    (misfit < BALL_M && stands && is_as_high).then(|| Fitted {
        category: "ball",
        shape: Shape::Sphere { radius },
        world_from_object: Pose::translation(center.x, center.y, center.z),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_narrow_container_has_a_wall_no_thicker_than_a_quarter_of_its_radius() {
        let circle = Circle {
            center: Vector2::new(0.4, 0.1),
            radius: 0.011,
        };
        let ring = |radius: f64, z: f64| {
            (0..12).map(move |i| {
                let (sin, cos) = f64::from(i).sin_cos();
                Point3::new(0.4 + radius * cos, 0.1 + radius * sin, z)
            })
        };
        let points: Vec<_> = ring(0.011, 0.04).chain(ring(0.003, 0.004)).collect();
        let seen = Upright {
            points: &points,
            base_z: 0.0,
            height: 0.04,
            is_whole: true,
        };
        let size = seen.round(circle).shape.aabb(&Pose::identity()).size();
        assert!((size.x - 0.022).abs() < 1e-3, "it is {} m wide", size.x);
    }
}
