//! Checks that triangles enclose a solid, and locates the flaw if they do not.

use std::collections::HashMap;

use crate::triangles::Mesh;

impl Mesh {
    /// Merges equal vertices; drops triangles of zero area, normals and texture coordinates.
    ///
    /// STL files share no vertices, other formats duplicate those at seams of colours and normals.
    /// Both repeat the same numbers: vertices are merged only if they are equal to the last bit.
    pub fn welded(&self) -> Self {
        let mut at: HashMap<[u64; 3], u32> = HashMap::new();
        let mut vertices: Vec<[f64; 3]> = Vec::new();
        let mut weld = |p: &[f64; 3]| {
            let key = p.map(|x| (x + 0.0).to_bits());
            *at.entry(key).or_insert_with(|| {
                vertices.push(*p);
                (vertices.len() - 1) as u32
            })
        };
        let new_index: Vec<u32> = self.vertices.iter().map(&mut weld).collect();
        let triangles = self.triangles.iter();
        let triangles = triangles.map(|t| t.map(|i| new_index[i as usize]));
        let triangles: Vec<_> = triangles
            .filter(|[a, b, c]| a != b && b != c && c != a)
            .collect();
        without_unused(vertices, triangles)
    }
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
/// On every edge of a closed surface equally many triangles run in both directions: all list their
/// vertices counter-clockwise, so that neighbours list a shared edge in opposite directions.
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
            "it is open: {n_open} of its {} edges have a triangle on one side only, such as the \
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
