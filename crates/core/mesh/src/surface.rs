//! Triangles to be drawn: with normals and texture coordinates, closed or not.

use nalgebra::{Point3, Vector3};
use regrasp_geometry::{Aabb, Pose};

use crate::closed::{alike, reindexed};
use crate::triangles::Mesh;

/// Triangles to be drawn, in their own frame, m. Single precision loses far less than a pixel.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Surface {
    /// Vertices, m.
    pub positions: Vec<[f32; 3]>,
    /// Normals, one for each vertex; if empty, the renderer computes them.
    pub normals: Vec<[f32; 3]>,
    /// Texture coordinates, one for each vertex, or none: (0, 0) is the upper left corner of an
    /// image, (1, 1) the lower right one, and images repeat.
    pub texcoords: Vec<[f32; 2]>,
    /// Indices of vertices, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
}

impl From<Mesh> for Surface {
    fn from(mesh: Mesh) -> Self {
        Self {
            positions: mesh.vertices.iter().map(|p| p.map(|x| x as f32)).collect(),
            normals: mesh.normals,
            texcoords: mesh.texcoords,
            triangles: mesh.triangles,
        }
    }
}

impl Surface {
    /// Returns the reason why the surface cannot be drawn, in one sentence.
    pub fn flaw(&self) -> Option<&'static str> {
        let n = self.positions.len();
        let finite = |list: &[f32]| list.iter().all(|x| x.is_finite());
        if self.triangles.is_empty() {
            Some("it holds no triangles")
        } else if self.triangles.iter().flatten().any(|&i| i as usize >= n) {
            Some("a triangle has a corner that does not exist")
        } else if !finite(self.positions.as_flattened()) {
            Some("some of its vertices have coordinates that are not numbers")
        } else if !finite(self.texcoords.as_flattened()) || !finite(self.normals.as_flattened()) {
            Some("some of its texture coordinates or normals are not numbers")
        } else {
            None
        }
    }

    /// Scales the surface along x, y and z. A negative factor mirrors it; its triangles are flipped
    /// so that they still face outwards.
    pub fn scaled(mut self, scale: [f64; 3]) -> Self {
        let by = |v: &[f32; 3], f: [f64; 3]| [0, 1, 2].map(|i| (f64::from(v[i]) * f[i]) as f32);
        self.positions.iter_mut().for_each(|p| *p = by(p, scale));
        // Normals scale inversely.
        let across = scale.map(|f| if f == 0.0 { 0.0 } else { 1.0 / f });
        for normal in &mut self.normals {
            let turned = Vector3::from(by(normal, across));
            if let Some(unit) = turned.try_normalize(f32::MIN_POSITIVE) {
                *normal = unit.into();
            }
        }
        if scale.iter().product::<f64>() < 0.0 {
            self.triangles.iter_mut().for_each(|t| t.swap(1, 2));
        }
        self
    }

    /// Moves the surface to another frame.
    pub fn moved(mut self, frame_from_surface: &Pose) -> Self {
        for p in &mut self.positions {
            let there = frame_from_surface * Point3::from(p.map(f64::from));
            *p = single(&there.coords);
        }
        for n in &mut self.normals {
            let there = frame_from_surface.rotation * Vector3::from(n.map(f64::from));
            *n = single(&there);
        }
        self
    }

    /// Returns the surface with a back side for every triangle.
    pub fn two_sided(mut self) -> Self {
        let first = self.positions.len() as u32;
        self.positions.extend_from_within(..);
        self.texcoords.extend_from_within(..);
        let backs: Vec<_> = self.normals.iter().map(|n| n.map(|x| -x)).collect();
        self.normals.extend(backs);
        let fronts = self.triangles.iter();
        let backs = fronts.map(|[a, b, c]| [*a, *c, *b].map(|i| first + i));
        let backs: Vec<_> = backs.collect();
        self.triangles.extend(backs);
        self
    }

    /// Merges vertices with equal position, normal and texture coordinates: files often give each
    /// triangle vertices of its own.
    pub fn welded(&self) -> Self {
        let key = |i: usize| {
            let (normal, texcoord) = (self.normals.get(i), self.texcoords.get(i));
            let numbers = self.positions[i].iter().chain(normal.into_iter().flatten());
            let mut key = [0; 8];
            for (bits, x) in key
                .iter_mut()
                .zip(numbers.chain(texcoord.into_iter().flatten()))
            {
                *bits = (x + 0.0).to_bits();
            }
            key
        };
        let (new_index, kept) = alike((0..self.positions.len()).map(key));
        Self {
            positions: kept.iter().map(|&i| self.positions[i]).collect(),
            normals: kept
                .iter()
                .filter_map(|&i| self.normals.get(i).copied())
                .collect(),
            texcoords: kept
                .iter()
                .filter_map(|&i| self.texcoords.get(i).copied())
                .collect(),
            triangles: reindexed(&self.triangles, &new_index),
        }
    }

    /// Adds another surface, placed in this one's frame, without its texture coordinates.
    pub fn add(&mut self, other: &Self, frame_from_other: &Pose) {
        let offset = self.positions.len() as u32;
        let other = other.clone().moved(frame_from_other);
        self.positions.extend(other.positions);
        self.normals.extend(other.normals);
        let triangles = other.triangles.iter();
        self.triangles
            .extend(triangles.map(|t| t.map(|i| i + offset)));
    }

    /// Adds a vertex and returns its index.
    pub fn corner(&mut self, position: Vector3<f64>, normal: Vector3<f64>) -> u32 {
        self.positions.push(single(&position));
        self.normals.push(single(&normal));
        (self.positions.len() - 1) as u32
    }

    /// Adds a flat triangle with its own vertices, unless it has no area.
    pub fn add_flat(&mut self, [a, b, c]: &[Point3<f64>; 3]) {
        let normal = (b - a).cross(&(c - a));
        if let Some(normal) = normal.try_normalize(1e-18) {
            let indices = [a, b, c].map(|p| self.corner(p.coords, normal));
            self.triangles.push(indices);
        }
    }

    /// Bounding box in its own frame; that of a point at the origin if it is empty.
    pub fn bounds(&self) -> Aabb {
        let origin = self.positions.is_empty().then_some([0.0; 3]);
        let points = self.positions.iter().map(|p| p.map(f64::from));
        Aabb::around(points.chain(origin))
    }
}

fn single(v: &Vector3<f64>) -> [f32; 3] {
    [v.x as f32, v.y as f32, v.z as f32]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square() -> Surface {
        Surface {
            positions: vec![
                [0.0, 0.0, 0.0],
                [1.0, 0.0, 0.0],
                [1.0, 1.0, 0.0],
                [0.0, 0.0, 0.0],
                [1.0, 1.0, 0.0],
                [0.0, 1.0, 0.0],
            ],
            normals: vec![[0.0, 0.0, 1.0]; 6],
            texcoords: vec![
                [0.0, 1.0],
                [1.0, 1.0],
                [1.0, 0.0],
                [0.0, 1.0],
                [1.0, 0.0],
                [0.0, 0.0],
            ],
            triangles: vec![[0, 1, 2], [3, 4, 5]],
        }
    }

    #[test]
    fn corners_that_agree_in_everything_become_one() {
        let welded = square().welded();
        assert_eq!((welded.positions.len(), welded.triangles.len()), (4, 2));
        let mut seam = square();
        seam.texcoords[3] = [0.5, 1.0];
        assert_eq!(seam.welded().positions.len(), 5);
    }

    #[test]
    fn a_mirrored_surface_faces_outwards_still() {
        let flipped = square().scaled([-2.0, 1.0, 1.0]);
        assert_eq!(flipped.triangles[0], [0, 2, 1]);
        assert_eq!(flipped.bounds().min, [-2.0, 0.0, 0.0]);
        assert_eq!(flipped.normals[0], [0.0, 0.0, 1.0]);
    }
}
