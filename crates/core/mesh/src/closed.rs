//! Checks that triangles enclose a solid, and locates the flaw if they do not.

use std::collections::HashMap;
use std::hash::Hash;

use crate::triangles::Mesh;

impl Mesh {
    /// Merges equal vertices; drops triangles that become a line or a point, unused vertices,
    /// normals and texture coordinates.
    ///
    /// In STL files, triangles share no vertices; other formats duplicate vertices at seams of
    /// colours and normals. All of them repeat the same numbers, so vertices are merged only if
    /// they are equal to the last bit.
    pub fn welded(&self) -> Self {
        let (new_index, kept) = alike(self.vertices.iter().map(position_key));
        let vertices = kept.iter().map(|&i| self.vertices[i]).collect();
        without_unused(vertices, reindexed(&self.triangles, &new_index))
    }
}

/// Bits of a position, equal for equal positions: -0 becomes 0.
pub(crate) fn position_key(p: &[f64; 3]) -> [u64; 3] {
    p.map(|x| (x + 0.0).to_bits())
}

/// Returns, for each key, its index among the distinct keys, and for each distinct key, the
/// position at which it first occurs.
pub(crate) fn alike<K: Eq + Hash>(keys: impl Iterator<Item = K>) -> (Vec<u32>, Vec<usize>) {
    let (mut known, mut first) = (HashMap::new(), vec![]);
    let index = keys.enumerate().map(|(place, key)| {
        *known.entry(key).or_insert_with(|| {
            first.push(place);
            (first.len() - 1) as u32
        })
    });
    (index.collect(), first)
}

/// Returns triangles with new indices, without those that become a line or a point.
pub(crate) fn reindexed(triangles: &[[u32; 3]], new_index: &[u32]) -> Vec<[u32; 3]> {
    let triangles = triangles.iter();
    let triangles = triangles.map(|t| t.map(|i| new_index[i as usize]));
    triangles
        .filter(|[a, b, c]| a != b && b != c && c != a)
        .collect()
}

fn without_unused(vertices: Vec<[f64; 3]>, triangles: Vec<[u32; 3]>) -> Mesh {
    let mut new_index = vec![None; vertices.len()];
    let mut used = Vec::new();
    let triangles = triangles.into_iter().map(|t| {
        t.map(|i| {
            *new_index[i as usize].get_or_insert_with(|| {
                used.push(vertices[i as usize]);
                (used.len() - 1) as u32
            })
        })
    });
    let triangles = triangles.collect();
    Mesh::new(used, triangles)
}

/// Returns the reason why welded triangles are not the surface of a solid, in one sentence.
///
/// On a closed surface, each edge is listed equally often in both directions: all triangles list
/// their vertices counter-clockwise, so that neighbours list a shared edge in opposite directions.
pub(super) fn flaw(mesh: &Mesh) -> Option<String> {
    let mut edges: Vec<([u32; 2], i32)> = Vec::with_capacity(3 * mesh.triangles.len());
    for [a, b, c] in &mesh.triangles {
        for [from, to] in [[a, b], [b, c], [c, a]] {
            let sense = if from < to { 1 } else { -1 };
            edges.push(([*from.min(to), *from.max(to)], sense));
        }
    }
    edges.sort_unstable();
    let around: Vec<_> = edges.chunk_by(|a, b| a.0 == b.0).collect();
    let is_open = |edge: &&&[([u32; 2], i32)]| edge.len() % 2 == 1;
    let is_turned = |edge: &&&[([u32; 2], i32)]| {
        edge.len().is_multiple_of(2) && edge.iter().map(|(_, sense)| sense).sum::<i32>() != 0
    };
    let place = |edge: &[([u32; 2], i32)]| {
        let ends = edge.first().map_or([0; 2], |(ends, _)| *ends);
        let [a, b] = ends.map(|i| written(&mesh.vertices[i as usize]));
        format!("from {a} to {b} m")
    };
    let n_open = around.iter().filter(is_open).count();
    if let Some(first) = around.iter().find(is_open) {
        return Some(format!(
            "it is open: {n_open} of its {} edges have an odd number of triangles, such as the \
             one {}; close the surface in a modelling program, or use `kind: decomposition` or \
             `kind: convex`, which accept open surfaces",
            around.len(),
            place(first)
        ));
    }
    let n_turned = around.iter().filter(is_turned).count();
    around.iter().find(is_turned).map(|first| {
        format!(
            "some of its triangles are inside out: at {n_turned} of its {} edges, such as the one \
             {}, the sides face in opposite directions; recalculate normals in a modelling program",
            around.len(),
            place(first)
        )
    })
}

/// Formats a point to 0.1 mm.
pub(super) fn written(p: &[f64; 3]) -> String {
    format!("({:.4}, {:.4}, {:.4})", p[0], p[1], p[2])
}
