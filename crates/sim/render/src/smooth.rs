//! Blending of a link's primitives into one smooth surface.
//!
//! A housing of an arm is cast in one piece, with fillets where its cylinders meet. The union of
//! the primitives is described by its signed distance, with a smooth minimum in place of the
//! minimum (I. Quilez, "Smooth minimum", 2013, quadratic form), and meshed by surface nets (S.
//! Gibson, "Constrained Elastic Surface Nets", MICCAI 1998). Every corner is then moved onto the
//! surface along its gradient.

use nalgebra::{Point3, Vector3};
use regrasp_api::Shape;
use regrasp_kinematics::{Geometry, Visual};
use regrasp_mesh::Surface;

use crate::mesh::of_geometry;

/// Radius of rounded edges, as a share of a primitive's smallest half size.
const ROUNDING: f64 = 0.16;
/// Distance within which surfaces blend, as a share of the smallest half size of all primitives.
const MELTING: f64 = 0.6;
/// Largest number of cells along the longest edge of the bounding box.
const N_CELLS: usize = 26;
/// Smallest cell, m.
const FINEST_M: f64 = 0.003;

/// The blended surface of primitives; `None` if there are none, or one is a mesh or a hull.
pub(crate) fn melt(blobs: &[&Visual]) -> Option<Surface> {
    let half = blobs.iter().map(|b| smallest_half(&b.geometry));
    let half = half.collect::<Option<Vec<f64>>>()?;
    let melting = MELTING * half.iter().copied().fold(f64::INFINITY, f64::min);
    let field = Field { blobs, melting };
    let grid = Grid::around(blobs)?;
    Some(grid.surface(&field))
}

fn smallest_half(geometry: &Geometry) -> Option<f64> {
    Some(match geometry {
        Geometry::Solid(Shape::Box { half_extents: h }) => h[0].min(h[1]).min(h[2]),
        Geometry::Solid(Shape::Sphere { radius }) => *radius,
        Geometry::Solid(Shape::Capsule(rod)) => rod.radius,
        Geometry::Solid(Shape::Cylinder(rod)) => rod.radius.min(rod.half_height),
        Geometry::Solid(_) | Geometry::Mesh { .. } => return None,
    })
}

/// Approximate signed distance to the blended surface.
struct Field<'a> {
    blobs: &'a [&'a Visual],
    melting: f64,
}

impl Field<'_> {
    fn at(&self, p: &Point3<f64>) -> f64 {
        let distances = self.blobs.iter().map(|blob| {
            let local = blob.link_from_geometry.inverse_transform_point(p);
            distance(&blob.geometry, &local)
        });
        distances.fold(f64::INFINITY, |a, b| smooth_min(a, b, self.melting))
    }

    /// Gradient from differences along a cube's four diagonals; along the axes it would take six.
    fn gradient(&self, p: &Point3<f64>) -> Vector3<f64> {
        const STEP_M: f64 = 1e-5;
        let diagonals = [
            Vector3::new(1.0, -1.0, -1.0),
            Vector3::new(-1.0, -1.0, 1.0),
            Vector3::new(-1.0, 1.0, -1.0),
            Vector3::new(1.0, 1.0, 1.0),
        ];
        let along = diagonals.map(|d| d * self.at(&(p + d * STEP_M)));
        along.iter().sum::<Vector3<f64>>() / (4.0 * STEP_M)
    }
}

fn smooth_min(a: f64, b: f64, k: f64) -> f64 {
    if !a.is_finite() {
        return b;
    }
    let h = (k - (a - b).abs()).max(0.0) / k;
    a.min(b) - 0.25 * h * h * k
}

/// Signed distance to one primitive with rounded edges.
fn distance(geometry: &Geometry, p: &Point3<f64>) -> f64 {
    match geometry {
        Geometry::Solid(Shape::Box { half_extents }) => {
            let round = ROUNDING * half_extents.iter().copied().fold(f64::INFINITY, f64::min);
            let q = Vector3::from_fn(|i, _| p[i].abs() - half_extents[i] + round);
            outside(&q) - round
        }
        Geometry::Solid(Shape::Sphere { radius }) => p.coords.norm() - radius,
        Geometry::Solid(Shape::Capsule(rod)) => {
            let z = p.z - p.z.clamp(-rod.half_height, rod.half_height);
            Vector3::new(p.x, p.y, z).norm() - rod.radius
        }
        Geometry::Solid(Shape::Cylinder(rod)) => {
            let round = ROUNDING * rod.radius.min(rod.half_height);
            let across = (p.x * p.x + p.y * p.y).sqrt() - rod.radius + round;
            let along = p.z.abs() - rod.half_height + round;
            outside(&Vector3::new(across, along, f64::NEG_INFINITY)) - round
        }
        Geometry::Solid(_) | Geometry::Mesh { .. } => f64::INFINITY,
    }
}

/// Distance to a corner region, negative inside.
fn outside(q: &Vector3<f64>) -> f64 {
    q.map(|x| x.max(0.0)).norm() + q.max().min(0.0)
}

struct Grid {
    min: Point3<f64>,
    cell_m: f64,
    n: [usize; 3],
}

impl Grid {
    fn around(blobs: &[&Visual]) -> Option<Self> {
        let mut surface = Surface::default();
        for blob in blobs {
            surface.add(&of_geometry(&blob.geometry), &blob.link_from_geometry);
        }
        if surface.positions.is_empty() {
            return None;
        }
        let bounds = surface.bounds();
        let (min, size) = (Vector3::from(bounds.min), bounds.size());
        let cell_m = (size.max() / N_CELLS as f64).max(FINEST_M);
        // Room for the blending, and for a cell outside on every side.
        let margin = 2.5 * cell_m;
        let n = [0, 1, 2].map(|i| ((size[i] + 2.0 * margin) / cell_m).ceil() as usize + 1);
        Some(Self {
            min: Point3::from(min - Vector3::repeat(margin)),
            cell_m,
            n,
        })
    }

    fn point(&self, [i, j, k]: [usize; 3]) -> Point3<f64> {
        self.min + Vector3::new(i as f64, j as f64, k as f64) * self.cell_m
    }

    fn idx(&self, [i, j, k]: [usize; 3]) -> usize {
        (k * self.n[1] + j) * self.n[0] + i
    }

    fn cells(&self) -> impl Iterator<Item = [usize; 3]> + use<> {
        let [nx, ny, nz] = self.n;
        (0..nz).flat_map(move |k| (0..ny).flat_map(move |j| (0..nx).map(move |i| [i, j, k])))
    }

    /// Values of the field at all points of the grid. Where the surface is farther than a cell,
    /// only the sign is exact: there, one value serves a block of points, since the distance cannot
    /// change sign within the block.
    fn values(&self, field: &Field<'_>) -> Vec<f64> {
        const BLOCK: usize = 4;
        let mut values = vec![0.0; self.n.iter().product()];
        let blocks = Self {
            n: self.n.map(|n| n.div_ceil(BLOCK)),
            ..*self
        };
        let half = 0.5 * (BLOCK - 1) as f64 * self.cell_m;
        for block in blocks.cells() {
            let first = block.map(|i| i * BLOCK);
            let there = field.at(&(self.point(first) + Vector3::repeat(half)));
            let is_far = there.abs() > 3f64.sqrt() * half + self.cell_m;
            let [xs, ys, zs] = [0, 1, 2].map(|i| first[i]..(first[i] + BLOCK).min(self.n[i]));
            for (k, j) in zs.flat_map(|k| ys.clone().map(move |j| (k, j))) {
                for i in xs.clone() {
                    let at = [i, j, k];
                    values[self.idx(at)] = match is_far {
                        true => there,
                        false => field.at(&self.point(at)),
                    };
                }
            }
        }
        values
    }

    fn surface(&self, field: &Field<'_>) -> Surface {
        let values = self.values(field);
        let mut mesh = Surface::default();
        let mut corner_of_cell = vec![u32::MAX; values.len()];
        for cell in self.cells() {
            if let Some(p) = self.crossing(cell, &values) {
                let (p, normal) = settle(field, p);
                corner_of_cell[self.idx(cell)] = mesh.corner(p.coords, normal);
            }
        }
        for cell in self.cells() {
            self.add_faces(cell, &values, &corner_of_cell, &mut mesh);
        }
        mesh
    }

    /// The mean of the points where the surface crosses the edges of a cell.
    fn crossing(&self, cell: [usize; 3], values: &[f64]) -> Option<Point3<f64>> {
        if (0..3).any(|i| cell[i] + 1 >= self.n[i]) {
            return None;
        }
        let corner = |bits: usize| [0, 1, 2].map(|i| cell[i] + ((bits >> i) & 1));
        let (mut sum, mut count) = (Vector3::zeros(), 0.0);
        for bits in 0..8 {
            for axis in (0..3).filter(|axis| bits & (1 << axis) == 0) {
                let (a, b) = (corner(bits), corner(bits | (1 << axis)));
                let (va, vb) = (values[self.idx(a)], values[self.idx(b)]);
                if (va < 0.0) != (vb < 0.0) {
                    let t = va / (va - vb);
                    let (pa, pb) = (self.point(a), self.point(b));
                    sum += pa.coords + (pb - pa) * t;
                    count += 1.0;
                }
            }
        }
        (count > 0.0).then(|| Point3::from(sum / count))
    }

    /// Adds a face across each edge that leaves `cell` in a positive direction and crosses the
    /// surface, between the four cells around it.
    fn add_faces(&self, cell: [usize; 3], values: &[f64], corners: &[u32], mesh: &mut Surface) {
        for axis in 0..3 {
            let (a, b) = ((axis + 1) % 3, (axis + 2) % 3);
            if cell[a] == 0 || cell[b] == 0 || cell[axis] + 1 >= self.n[axis] {
                continue;
            }
            let mut next = cell;
            next[axis] += 1;
            let inside = values[self.idx(cell)] < 0.0;
            if inside == (values[self.idx(next)] < 0.0) {
                continue;
            }
            let around = [(1, 1), (0, 1), (0, 0), (1, 0)].map(|(da, db)| {
                let mut c = cell;
                c[a] -= da;
                c[b] -= db;
                corners[self.idx(c)]
            });
            if around.contains(&u32::MAX) {
                continue;
            }
            let [p, q, r, s] = around;
            if inside {
                mesh.triangles.extend([[p, q, r], [p, r, s]]);
            } else {
                mesh.triangles.extend([[p, r, q], [p, s, r]]);
            }
        }
    }
}

/// Moves a point onto the surface; also returns the normal there.
fn settle(field: &Field<'_>, mut p: Point3<f64>) -> (Point3<f64>, Vector3<f64>) {
    const N_STEPS: usize = 3;
    /// Distance within which a point counts as on the surface, m.
    const NEAR_M: f64 = 1e-6;
    for _ in 0..N_STEPS {
        let distance_m = field.at(&p);
        if distance_m.abs() < NEAR_M {
            break;
        }
        let gradient = field.gradient(&p);
        p -= gradient * (distance_m / gradient.norm_squared().max(0.1));
    }
    let normal = field.gradient(&p).try_normalize(1e-9);
    (p, normal.unwrap_or_else(Vector3::z))
}

#[cfg(test)]
mod tests {
    use nalgebra::Isometry3;
    use parry3d_f64::math::Vector;
    use parry3d_f64::query::PointQueryWithLocation;
    use parry3d_f64::shape::Triangle;
    use regrasp_mesh::levels;

    use super::*;

    fn blob(shape: &Shape, [x, y, z]: [f64; 3]) -> Visual {
        Visual {
            link_from_geometry: Isometry3::translation(x, y, z),
            geometry: Geometry::Solid(shape.clone()),
            rgba: None,
        }
    }

    #[test]
    fn melted_spheres_lie_around_both_and_face_outwards() {
        let ball = Shape::Sphere { radius: 0.05 };
        let blobs = [-0.03, 0.03].map(|x| blob(&ball, [x, 0.0, 0.0]));
        let mesh = melt(&blobs.each_ref()).expect("two spheres");
        assert!(mesh.triangles.len() > 500);
        for triangle in &mesh.triangles {
            let [a, b, c] =
                triangle.map(|i| Vector3::from(mesh.positions[i as usize].map(f64::from)));
            let face = (b - a).cross(&(c - a));
            let normal = Vector3::from(mesh.normals[triangle[0] as usize].map(f64::from));
            assert!(face.dot(&normal) >= -1e-9, "a face looks inwards at {a:?}");
        }
        for p in &mesh.positions {
            let p = Vector3::from(p.map(f64::from));
            let gaps = [-0.03, 0.03].map(|x| (p - Vector3::new(x, 0.0, 0.0)).norm() - 0.05);
            let gap = gaps.into_iter().fold(f64::INFINITY, f64::min);
            assert!((-1e-3..0.009).contains(&gap), "{gap} m from the spheres");
        }
    }

    #[test]
    fn values_are_exact_wherever_the_surface_passes() {
        let bar = Shape::cuboid([0.02, 0.03, 0.2]);
        let ball = Shape::Sphere { radius: 0.06 };
        let blobs = [(&bar, 0.0), (&ball, 0.05)].map(|(shape, x)| blob(shape, [x, 0.0, 0.1]));
        let blobs = blobs.each_ref();
        let field = Field {
            blobs: &blobs,
            melting: 0.012,
        };
        let grid = Grid::around(&blobs).expect("two primitives");
        let values = grid.values(&field);
        let mut n_taken = 0;
        for cell in grid.cells() {
            let (is, stored) = (field.at(&grid.point(cell)), values[grid.idx(cell)]);
            n_taken += usize::from(is != stored);
            let is_near = is.abs() <= grid.cell_m;
            assert!(is == stored || !is_near && is.signum() == stored.signum());
        }
        assert!(n_taken > 1000, "only {n_taken} evaluations are saved");
    }

    /// Cosine between a normal and that of a mesh at its nearest point.
    fn cosine(mesh: &Surface, p: &Vector3<f64>, normal: &Vector3<f64>) -> f64 {
        let at = |list: &[[f32; 3]], i: u32| Vector3::from(list[i as usize].map(f64::from));
        let vector = |v: &Vector3<f64>| Vector::new(v.x, v.y, v.z);
        let gaps = mesh.triangles.iter().map(|t| {
            let [a, b, c] = t.map(|i| vector(&at(&mesh.positions, i)));
            let (there, place) =
                Triangle::new(a, b, c).project_local_point_and_get_location(vector(p), true);
            let parts = place.barycentric_coordinates();
            ((there.point - vector(p)).length(), t, parts)
        });
        let (_, triangle, parts) = gaps.min_by(|a, b| a.0.total_cmp(&b.0)).expect("triangles");
        let parts = parts.unwrap_or([1.0, 0.0, 0.0]);
        let normals = triangle.map(|i| at(&mesh.normals, i));
        let there: Vector3<f64> = normals.iter().zip(parts).map(|(n, part)| n * part).sum();
        there.normalize().dot(normal)
    }

    #[test]
    fn streaks_on_cylinders_light_falls_on_levels_as_on_the_whole() {
        let cylinder = Shape::cylinder(0.05, 0.11);
        let whole = melt(&[&blob(&cylinder, [0.0; 3])]);
        let whole = whole.expect("a cylinder");
        let double = |v: &[f32; 3]| Vector3::from(v.map(f64::from));
        let corners: Vec<_> = whole.positions.iter().zip(&whole.normals).collect();
        for level in levels(&whole) {
            let corners = corners.iter();
            let cosines = corners.map(|(p, n)| cosine(&level.surface, &double(p), &double(n)));
            let least = cosines.fold(1.0, f64::min);
            let n = level.surface.triangles.len();
            assert!(least > 0.99, "with {n} triangles: cosine {least}");
        }
    }
}
