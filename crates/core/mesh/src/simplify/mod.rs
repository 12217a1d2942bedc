//! Reduces the triangles of a surface.
//!
//! Edges are collapsed onto one of their vertices where the squared distance to the planes of the
//! triangles merged there is small (M. Garland and P. Heckbert, "Surface Simplification Using
//! Quadric Error Metrics", SIGGRAPH 1997). A limit that doubles from level to level replaces the
//! priority queue of that paper, which would take several times as long as everything else. No
//! vertex moves, so that positions and normals remain those of the original surface.

mod quadric;

use nalgebra::Vector3;
use parry3d_f64::query::PointQuery;
use parry3d_f64::shape::Triangle;
use regrasp_geometry_parry::to_vector;

use crate::surface::Surface;

use quadric::Quadric;

/// Root mean square distances to the merged planes up to which the edges of a level are collapsed,
/// m: from a tenth of a pixel of a near camera to a pixel of a camera at a distance of five metres.
const LEVELS_M: [f64; 6] = [1e-4, 2e-4, 4e-4, 8e-4, 1.6e-3, 3.2e-3];
/// Largest number of triangles of a level, as a fraction of the previous level, for which the level
/// is kept.
const WORTH: f64 = 0.8;
/// Least cosine between a triangle and its vertices' normals, and between its old and new normal.
const LEAST_COSINE: f64 = 0.35;

/// Least cosine between the normal of a removed vertex and the interpolated normal there: about 3°.
/// With a much larger angle, a fillet's normals show as streaks on the cylinder beside it.
const SAME_NORMAL: f64 = 0.9986;

/// Least cosine between the normals of two vertices that are merged.
const ALIKE: f64 = 0.92;

/// A surface with fewer triangles.
#[derive(Clone, Debug)]
pub struct Level {
    /// Triangles of the simplified surface, without texture coordinates.
    pub surface: Surface,
    /// Largest distance of a removed vertex from the simplified surface, m.
    pub error_m: f32,
}

/// Returns levels of a surface with normals, finest first. Open edges stay unchanged.
pub fn levels(mesh: &Surface) -> Vec<Level> {
    let mut surface = Collapsing::new(mesh);
    let mut levels = Vec::new();
    let mut fewest = mesh.triangles.len();
    for limit_m in LEVELS_M {
        surface.collapse_up_to(limit_m);
        if (surface.n_alive as f64) <= WORTH * fewest as f64 {
            fewest = surface.n_alive;
            levels.push(surface.level(mesh));
        }
    }
    levels
}

struct Collapsing {
    positions: Vec<Vector3<f64>>,
    normals: Vec<Vector3<f64>>,
    triangles: Vec<[u32; 3]>,
    is_alive: Vec<bool>,
    n_alive: usize,
    around: Vec<Vec<u32>>,
    quadrics: Vec<Quadric>,
    /// Removed vertices that each triangle covers.
    covered: Vec<Vec<u32>>,
    /// Vertices at open edges, or where more than two triangles meet.
    is_fixed: Vec<bool>,
    is_gone: Vec<bool>,
    /// Number of collapses up to the last one that changed the triangles around each vertex.
    changed: Vec<u32>,
    tried: Vec<Tried>,
    n_collapses: u32,
}

/// The last attempt to collapse a vertex, which failed.
#[derive(Clone, Copy, Default)]
struct Tried {
    /// Number of collapses before the attempt.
    at: u32,
    /// Cost of the cheapest collapse above the limit.
    next_cost: f64,
}

impl Collapsing {
    fn new(mesh: &Surface) -> Self {
        let double = |v: &[[f32; 3]]| v.iter().map(|p| Vector3::from(p.map(f64::from))).collect();
        let n = mesh.positions.len();
        let mut collapsing = Self {
            positions: double(&mesh.positions),
            normals: double(&mesh.normals),
            triangles: mesh.triangles.clone(),
            is_alive: vec![true; mesh.triangles.len()],
            n_alive: mesh.triangles.len(),
            around: vec![Vec::new(); n],
            quadrics: vec![Quadric::default(); n],
            covered: vec![Vec::new(); mesh.triangles.len()],
            is_fixed: vec![false; n],
            is_gone: vec![false; n],
            changed: vec![0; n],
            tried: vec![Tried::default(); n],
            n_collapses: 0,
        };
        collapsing.learn_triangles();
        collapsing.fix_edges();
        collapsing
    }

    fn learn_triangles(&mut self) {
        for (idx, corners) in self.triangles.iter().enumerate() {
            let [a, b, c] = corners.map(|i| self.positions[i as usize]);
            let normal = (b - a).cross(&(c - a));
            let area = normal.norm();
            let plane = if area > 0.0 {
                Quadric::of_plane(&(normal / area), &a, area)
            } else {
                Quadric::default()
            };
            for corner in corners.map(|i| i as usize) {
                self.around[corner].push(idx as u32);
                self.quadrics[corner] = self.quadrics[corner].plus(&plane);
            }
        }
    }

    fn fix_edges(&mut self) {
        for corner in 0..self.around.len() as u32 {
            for other in self.neighbours(corner) {
                if self.n_shared(corner, other) != 2 {
                    self.is_fixed[corner as usize] = true;
                }
            }
        }
    }

    fn alive_around(&self, corner: u32) -> impl Iterator<Item = (u32, [u32; 3])> + '_ {
        let around = self.around[corner as usize].iter();
        let alive = around.filter(|t| self.is_alive[**t as usize]);
        alive.map(|t| (*t, self.triangles[*t as usize]))
    }

    /// The other ends of a vertex's edges, ascending.
    fn neighbours(&self, corner: u32) -> Vec<u32> {
        let ends = self.alive_around(corner).flat_map(|(_, t)| t);
        let mut ends: Vec<u32> = ends.filter(|i| *i != corner).collect();
        ends.sort_unstable();
        ends.dedup();
        ends
    }

    fn n_shared(&self, a: u32, b: u32) -> usize {
        self.alive_around(a).filter(|(_, t)| t.contains(&b)).count()
    }

    /// Collapses edges with a root mean square distance of at most `limit_m`, in an order that
    /// depends only on the mesh.
    fn collapse_up_to(&mut self, limit_m: f64) {
        const N_PASSES: usize = 4;
        for _ in 0..N_PASSES {
            let n_before = self.n_alive;
            let limit = limit_m * limit_m;
            for corner in 0..self.is_gone.len() as u32 {
                let [is_gone, is_fixed] =
                    [&self.is_gone, &self.is_fixed].map(|is| is[corner as usize]);
                if !is_gone && !is_fixed && self.may_have_changed(corner, limit) {
                    self.collapse_best(corner, limit);
                }
            }
            // Further passes would collapse few more edges.
            if n_before - self.n_alive <= n_before / 20 {
                return;
            }
        }
    }

    /// Returns true if the last attempt to collapse a vertex could have another result now.
    fn may_have_changed(&self, corner: u32, limit: f64) -> bool {
        let tried = self.tried[corner as usize];
        let mut around = self.alive_around(corner).flat_map(|(_, t)| t);
        tried.next_cost <= limit || around.any(|c| self.changed[c as usize] > tried.at)
    }

    fn collapse_best(&mut self, from: u32, limit: f64) {
        let own = self.quadrics[from as usize];
        let neighbours = self.neighbours(from);
        let mut options: Vec<(f64, u32)> = Vec::with_capacity(neighbours.len());
        let mut next_cost = f64::INFINITY;
        for to in &neighbours {
            let both = own.plus(&self.quadrics[*to as usize]);
            let cost = both.at(&self.positions[*to as usize]);
            if cost <= limit {
                options.push((cost, *to));
            } else {
                next_cost = next_cost.min(cost);
            }
        }
        options.sort_by(|a, b| a.0.total_cmp(&b.0));
        let found = options.iter().find_map(|(_, to)| {
            let may_collapse = self.may_collapse(from, *to, &neighbours);
            let covering = may_collapse.then(|| self.covering(from, *to))?;
            Some((*to, covering?))
        });
        if let Some((to, covering)) = found {
            self.collapse(from, to);
            for (corner, idx) in covering {
                self.covered[idx as usize].push(corner);
            }
        } else {
            self.tried[from as usize] = Tried {
                at: self.n_collapses,
                next_cost,
            };
        }
    }

    /// Returns true if the surface stays manifold, no triangle turns over, and normals stay alike.
    fn may_collapse(&self, from: u32, to: u32, of_from: &[u32]) -> bool {
        let [from_normal, to_normal] = [from, to].map(|c| self.normals[c as usize]);
        if from_normal.dot(&to_normal) < ALIKE {
            return false;
        }
        let of_to = self.neighbours(to);
        let n_common = of_from.iter().filter(|c| of_to.contains(c)).count();
        if n_common != 2 || self.n_shared(from, to) != 2 {
            return false;
        }
        let around = self.alive_around(from).map(|(_, triangle)| triangle);
        let moved: Vec<[u32; 3]> = around.filter(|t| !t.contains(&to)).collect();
        let after = |t: &[u32; 3]| t.map(|c| if c == from { to } else { c });
        let stays = |before: &[u32; 3]| {
            let after = after(before);
            let direction = self.direction(&after);
            let length = direction.norm();
            let along = |v: &Vector3<f64>| direction.dot(v) > LEAST_COSINE * length * v.norm();
            length > 0.0
                && along(&self.direction(before))
                && after.iter().all(|c| along(&self.normals[*c as usize]))
        };
        moved.iter().all(stays)
    }

    /// Returns the removed vertices and `from`, each with the triangle that would cover it after
    /// the collapse; `None` if the shading at any of them would change.
    fn covering(&self, from: u32, to: u32) -> Option<Vec<(u32, u32)>> {
        let mut gone = vec![from];
        let mut left = Vec::new();
        for (idx, triangle) in self.alive_around(from) {
            gone.extend(&self.covered[idx as usize]);
            if !triangle.contains(&to) {
                left.push((idx, triangle.map(|c| if c == from { to } else { c })));
            }
        }
        let corners = gone.into_iter();
        let found = corners.map(|corner| Some((corner, self.cover(corner, &left)?)));
        found.collect()
    }

    /// Returns the triangle that covers a removed vertex, if the normal interpolated there is
    /// nearly that of the vertex.
    fn cover(&self, corner: u32, triangles: &[(u32, [u32; 3])]) -> Option<u32> {
        let p = self.positions[corner as usize];
        let parts = triangles.iter().map(|(idx, triangle)| {
            let [a, b, c] = triangle.map(|i| self.positions[i as usize]);
            let normal = (b - a).cross(&(c - a));
            let square = normal.norm_squared();
            let part = |from: &Vector3<f64>, to: &Vector3<f64>| {
                (to - from).cross(&(p - from)).dot(&normal) / square
            };
            (idx, triangle, [part(&b, &c), part(&c, &a), part(&a, &b)])
        });
        let least = |parts: &[f64; 3]| parts.iter().copied().fold(f64::INFINITY, f64::min);
        let covering = parts.max_by(|a, b| least(&a.2).total_cmp(&least(&b.2)));
        let (idx, triangle, parts) = covering?;
        let normals = triangle.iter().zip(parts);
        let normals = normals.map(|(i, part)| self.normals[*i as usize] * part.max(0.0));
        let normal: Vector3<f64> = normals.sum();
        let is_same = normal.dot(&self.normals[corner as usize]) > SAME_NORMAL * normal.norm();
        is_same.then_some(*idx)
    }

    fn direction(&self, triangle: &[u32; 3]) -> Vector3<f64> {
        let [a, b, c] = triangle.map(|i| self.positions[i as usize]);
        (b - a).cross(&(c - a))
    }

    fn collapse(&mut self, from: u32, to: u32) {
        let [i, j] = [from, to].map(|c| c as usize);
        let around: Vec<_> = self.alive_around(from).collect();
        let mut kept: Vec<u32> = Vec::new();
        for (idx, triangle) in around.iter().copied() {
            self.covered[idx as usize].clear();
            if triangle.contains(&to) {
                self.is_alive[idx as usize] = false;
                self.n_alive -= 1;
            } else {
                self.triangles[idx as usize] = triangle.map(|c| if c == from { to } else { c });
                kept.push(idx);
            }
        }
        kept.extend(self.alive_around(to).map(|(idx, _)| idx));
        self.around[j] = kept;
        self.around[i] = Vec::new();
        self.is_gone[i] = true;
        self.n_collapses += 1;
        for corner in around.iter().flat_map(|(_, t)| *t) {
            self.changed[corner as usize] = self.n_collapses;
        }
        self.quadrics[j] = self.quadrics[j].plus(&self.quadrics[i]);
    }

    /// Returns the remaining surface with its distance from the whole mesh.
    fn level(&self, whole: &Surface) -> Level {
        let error_m = self.error();
        let mut idx_of = vec![u32::MAX; self.positions.len()];
        let mut left = Surface::default();
        let alive = self.triangles.iter().zip(&self.is_alive);
        for (triangle, _) in alive.filter(|(_, is_alive)| **is_alive) {
            left.triangles.push(triangle.map(|corner| {
                let idx = &mut idx_of[corner as usize];
                if *idx == u32::MAX {
                    *idx = left.positions.len() as u32;
                    left.positions.push(whole.positions[corner as usize]);
                    left.normals.push(whole.normals[corner as usize]);
                }
                *idx
            }));
        }
        Level {
            surface: left,
            error_m: error_m as f32,
        }
    }

    /// Largest distance of a removed vertex from the triangle that covers it.
    fn error(&self) -> f64 {
        let vector = |corner: u32| to_vector(&self.positions[corner as usize]);
        let mut worst: f64 = 0.0;
        let covered = self.triangles.iter().zip(&self.covered);
        for (triangle, gone) in covered.filter(|(_, gone)| !gone.is_empty()) {
            let [a, b, c] = triangle.map(vector);
            let triangle = Triangle::new(a, b, c);
            for corner in gone {
                worst = worst.max(triangle.distance_to_local_point(vector(*corner), true));
            }
        }
        worst
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::form::cuboid;

    /// A closed sphere, made by projecting the grids on a cube's faces.
    fn ball(radius: f64, n: usize) -> Surface {
        let mut mesh = Surface::default();
        let mut known: Vec<(Vector3<i64>, u32)> = Vec::new();
        let mut corner = |at: Vector3<i64>| {
            if let Some((_, idx)) = known.iter().find(|(p, _)| *p == at) {
                return *idx;
            }
            let normal = (at.cast::<f64>() / n as f64).normalize();
            let idx = mesh.corner(normal * radius, normal);
            known.push((at, idx));
            idx
        };
        let mut triangles = Vec::new();
        let (n, m) = (n as i64, n);
        for axis in 0..3 {
            for sign in [-1, 1] {
                for cell in 0..m * m {
                    let at = |du: usize, dv: usize| {
                        let mut p = Vector3::zeros();
                        p[axis] = sign * n;
                        p[(axis + 1) % 3] = 2 * (cell % m + du) as i64 - n;
                        p[(axis + 2) % 3] = sign * (2 * (cell / m + dv) as i64 - n);
                        p
                    };
                    let [p, q, r, s] = [at(0, 0), at(1, 0), at(1, 1), at(0, 1)].map(&mut corner);
                    triangles.extend([[p, q, r], [p, r, s]]);
                }
            }
        }
        mesh.triangles = triangles;
        mesh
    }

    /// Largest distance of the middles of edges and triangles from a sphere's surface.
    fn deviation(mesh: &Surface, radius: f64) -> f64 {
        let at = |i: u32| Vector3::from(mesh.positions[i as usize].map(f64::from));
        let off = |p: Vector3<f64>| (p.norm() - radius).abs();
        let offs = mesh.triangles.iter().map(|t| {
            let [a, b, c] = t.map(at);
            let middles = [
                (a + b) / 2.0,
                (b + c) / 2.0,
                (c + a) / 2.0,
                (a + b + c) / 3.0,
            ];
            middles.map(off).into_iter().fold(0.0, f64::max)
        });
        offs.fold(0.0, f64::max)
    }

    #[test]
    fn levels_of_a_ball_are_smaller_and_as_near_as_they_say() {
        let (radius, fine) = (0.06, ball(0.06, 20));
        let levels = levels(&fine);
        assert!(levels.len() >= 3, "{} levels", levels.len());
        let own = deviation(&fine, radius);
        for level in &levels {
            let off = deviation(&level.surface, radius);
            // `error_m` is measured at removed vertices; elsewhere the surface may be farther off.
            let bound_m = 1.02 * f64::from(level.error_m) + own;
            assert!(
                off <= bound_m,
                "{off} m off the sphere, more than {bound_m} m"
            );
        }
        let last = &levels[levels.len() - 1].surface;
        assert!(
            10 * last.triangles.len() < fine.triangles.len(),
            "{} of {} triangles are left",
            last.triangles.len(),
            fine.triangles.len()
        );
    }

    #[test]
    fn levels_are_closed_and_face_outwards() {
        for level in levels(&ball(0.06, 16)) {
            let mut edges = Vec::new();
            for t in &level.surface.triangles {
                edges.extend([[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]]);
                let [a, b, c] = t.map(|i| Vector3::from(level.surface.positions[i as usize]));
                assert!(
                    (b - a).cross(&(c - a)).dot(&a) > 0.0,
                    "a face points inwards"
                );
            }
            edges.sort_unstable();
            let is_paired = |[a, b]: &[u32; 2]| edges.binary_search(&[*b, *a]).is_ok();
            assert!(
                edges.windows(2).all(|w| w[0] != w[1]),
                "two triangles use an edge in the same direction"
            );
            assert!(edges.iter().all(is_paired), "an edge is open");
        }
    }

    #[test]
    fn a_mesh_of_separate_faces_stays_as_it_is() {
        let half = [0.1, 0.2, 0.3];
        assert!(levels(&cuboid(half)).is_empty());
    }
}
