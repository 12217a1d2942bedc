//! Normals for triangles without any: smooth, except at sharp edges.

use std::collections::HashMap;

use nalgebra::Vector3;

use crate::closed::{alike, position_key};
use crate::surface::Surface;

/// Least cosine between triangles that are shaded as one smooth surface: up to 40 degrees, which
/// smooths a cylinder of 9 sides and keeps the edges of a prism of 8.
const SMOOTH: f64 = 0.766;
/// Largest number of triangles around a vertex for which normals are smoothed. With more, as in the
/// middle of a disc, every triangle keeps its own normal.
const MOST_AROUND: usize = 96;

impl Surface {
    /// Makes triangles with normals: smooth where triangles meet at small angles, sharp elsewhere.
    /// Also returns, for each new vertex, the index of the given vertex it comes from. Vertices at
    /// the same position are smoothed as one. Positions in metres; triangles counter-clockwise from
    /// outside; those with a missing vertex or no area are dropped.
    pub fn creased(vertices: &[[f64; 3]], triangles: &[[u32; 3]]) -> (Self, Vec<u32>) {
        let is_there = |t: &&[u32; 3]| t.iter().all(|&i| (i as usize) < vertices.len());
        let triangles: Vec<[u32; 3]> = triangles.iter().filter(is_there).copied().collect();
        let weighted = weighted_normals(vertices, &triangles);
        let (places, kept) = alike(vertices.iter().map(position_key));
        let mut around = vec![Vec::new(); kept.len()];
        for (idx, triangle) in triangles.iter().enumerate() {
            triangle
                .iter()
                .for_each(|&i| around[places[i as usize] as usize].push(idx));
        }
        let (mut surface, mut given) = (Self::default(), vec![]);
        // Vertices with equal normals are shared, so that triangles can be merged across them.
        let mut known: HashMap<(u32, [u32; 3]), u32> = HashMap::new();
        for (idx, triangle) in triangles.iter().enumerate() {
            let Some(own) = weighted[idx].try_normalize(1e-18) else {
                continue;
            };
            let corners = triangle.map(|i| {
                let normal = smooth(&own, &around[places[i as usize] as usize], &weighted);
                let key = [normal.x, normal.y, normal.z].map(|x| (x as f32).to_bits());
                *known.entry((i, key)).or_insert_with(|| {
                    given.push(i);
                    surface.corner(Vector3::from(vertices[i as usize]), normal)
                })
            });
            surface.triangles.push(corners);
        }
        (surface, given)
    }
}

/// Normals of the triangles, with twice the area as length.
fn weighted_normals(vertices: &[[f64; 3]], triangles: &[[u32; 3]]) -> Vec<Vector3<f64>> {
    let normal = |triangle: &[u32; 3]| {
        let [a, b, c] = triangle.map(|i| Vector3::from(vertices[i as usize]));
        (b - a).cross(&(c - a))
    };
    triangles.iter().map(normal).collect()
}

/// Mean normal of the triangles around a vertex whose normals are within the smoothing angle of
/// `own`. The order of the sum is that of the triangles, so that all triangles of a smooth surface
/// get exactly equal normals.
fn smooth(own: &Vector3<f64>, around: &[usize], weighted: &[Vector3<f64>]) -> Vector3<f64> {
    if around.len() > MOST_AROUND {
        return *own;
    }
    let near = around.iter().map(|&idx| weighted[idx]);
    let sum: Vector3<f64> = near.filter(|n| n.dot(own) >= SMOOTH * n.norm()).sum();
    sum.try_normalize(1e-18).unwrap_or(*own)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prism(n: u32) -> (Vec<[f64; 3]>, Vec<[u32; 3]>) {
        let angle = |i: u32| std::f64::consts::TAU * f64::from(i) / f64::from(n);
        let at = |i: u32, z| [angle(i).cos(), angle(i).sin(), z];
        let vertices = (0..n).map(|i| at(i, 0.0)).chain((0..n).map(|i| at(i, 1.0)));
        let mut triangles = vec![];
        for i in 0..n {
            let j = (i + 1) % n;
            triangles.extend([[i, j, n + j], [i, n + j, n + i]]);
        }
        for i in 1..n - 1 {
            triangles.extend([[0, i + 1, i], [n, n + i, n + i + 1]]);
        }
        (vertices.collect(), triangles)
    }

    #[test]
    fn a_cylinder_is_round_and_its_lids_and_a_box_are_not() {
        let (vertices, triangles) = prism(24);
        let (round, _) = Surface::creased(&vertices, &triangles);
        assert_eq!(round.triangles.len(), triangles.len());
        // Two normals at each vertex: one of the side, one of the lid.
        assert_eq!(round.positions.len(), 2 * vertices.len());
        for (p, n) in round.positions.iter().zip(&round.normals) {
            let along = p[0] * n[0] + p[1] * n[1];
            assert!(n[2].abs() > 0.999 || along > 0.999, "{n:?} at {p:?}");
        }
        let (vertices, triangles) = prism(4);
        let (sharp, _) = Surface::creased(&vertices, &triangles);
        assert_eq!(sharp.positions.len(), 3 * vertices.len());
    }

    #[test]
    fn wrong_triangles_are_left_out() {
        let corners = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        let (mesh, _) = Surface::creased(&corners, &[[0, 1, 2], [0, 1, 7], [1, 1, 2]]);
        assert_eq!(mesh.triangles.len(), 1);
    }
}
