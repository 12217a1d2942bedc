//! Image mappings for surfaces without texture coordinates of their own.

use crate::surface::Surface;

/// Mapping of an image to a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Mapping {
    /// Texture coordinates of the file.
    Coordinates,
    /// Projection from above: x to the right and y up in the image. The middle of the image is at
    /// the middle of the surface, or at the origin if `per_metre` is set.
    Planar {
        /// Repetitions along x and y.
        repeat: [f64; 2],
        /// Set if the repetitions are per metre; otherwise they are over the whole surface.
        per_metre: bool,
    },
    /// Projection of the whole image onto each of the six sides of a cube around the origin.
    Cube {
        /// Set if the cube is stretched to the surface: a box has the whole image on each side.
        stretched: bool,
    },
}

impl Surface {
    /// Returns the surface with the texture coordinates of a mapping.
    pub fn mapped(self, mapping: Mapping) -> Self {
        match mapping {
            Mapping::Coordinates => self,
            Mapping::Planar { repeat, per_metre } => self.cast_down(repeat, per_metre),
            Mapping::Cube { stretched } => self.on_cube(stretched),
        }
    }

    fn cast_down(mut self, repeat: [f64; 2], per_metre: bool) -> Self {
        let bounds = self.bounds();
        let (center, size) = (bounds.center(), bounds.size());
        let along = |axis: usize, x: f32| {
            let (from, length) = if per_metre {
                (0.0, 1.0)
            } else {
                (center[axis], size[axis].max(1e-9))
            };
            repeat[axis] * (f64::from(x) - from) / length
        };
        let place = |p: &[f32; 3]| [(0.5 + along(0, p[0])) as f32, (0.5 - along(1, p[1])) as f32];
        self.texcoords = self.positions.iter().map(place).collect();
        self
    }

    /// Assigns each triangle to the side on which its middle is projected.
    fn on_cube(self, stretched: bool) -> Self {
        let bounds = self.bounds();
        let half = [0, 1, 2].map(|i| bounds.min[i].abs().max(bounds.max[i].abs()).max(1e-9));
        let from = |p: [f32; 3]| -> [f64; 3] {
            let stretch = |i: usize| if stretched { 1.0 / half[i] } else { 1.0 };
            [0, 1, 2].map(|i| f64::from(p[i]) * stretch(i))
        };
        let mut mapped = Self::default();
        for triangle in &self.triangles {
            let all = triangle.map(|i| from(self.positions[i as usize]));
            let middle = [0, 1, 2].map(|i| all.iter().map(|w| w[i]).sum::<f64>());
            let side = side(middle);
            let first = mapped.positions.len() as u32;
            for (i, from) in triangle.iter().zip(all) {
                mapped.positions.push(self.positions[*i as usize]);
                mapped.normals.extend(self.normals.get(*i as usize));
                mapped.texcoords.push(on_side(side, from));
            }
            mapped.triangles.push([first, first + 1, first + 2]);
        }
        mapped.welded()
    }
}

/// Returns the axis of the component with the largest magnitude, and true if it is negative.
fn side(from: [f64; 3]) -> (usize, bool) {
    let longest = (1..3).fold(0, |m, i| if from[i].abs() > from[m].abs() { i } else { m });
    (longest, from[longest] < 0.0)
}

/// Texture coordinates of a direction on a side, with the conventions of OpenGL's cube maps.
fn on_side((axis, is_back): (usize, bool), [x, y, z]: [f64; 3]) -> [f32; 2] {
    let (s, t, along) = match (axis, is_back) {
        (0, false) => (-z, -y, x),
        (0, true) => (z, -y, -x),
        (1, false) => (x, z, y),
        (1, true) => (x, -z, -y),
        (_, false) => (x, -y, z),
        (_, true) => (-x, -y, -z),
    };
    [s, t].map(|c| (0.5 * (c / along.max(1e-9) + 1.0)) as f32)
}

#[cfg(test)]
mod tests {
    use crate::form::{cuboid, plane};

    use super::*;

    fn range(surface: &Surface, normal: [f32; 3]) -> [[f32; 2]; 2] {
        let there = surface.normals.iter().zip(&surface.texcoords);
        let there: Vec<_> = there
            .filter(|(n, _)| **n == normal)
            .map(|(_, t)| *t)
            .collect();
        assert!(!there.is_empty(), "no side faces {normal:?}");
        let pick = |choose: fn(f32, f32) -> f32, start: f32| {
            [0, 1].map(|i| there.iter().map(|t| t[i]).fold(start, choose))
        };
        [
            pick(f32::min, f32::INFINITY),
            pick(f32::max, f32::NEG_INFINITY),
        ]
    }

    #[test]
    fn a_box_has_the_whole_image_on_each_side() {
        let half = [0.5, 0.2, 0.05];
        let mapped = cuboid(half).mapped(Mapping::Cube { stretched: true });
        for normal in [[1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, 1.0]] {
            assert_eq!(range(&mapped, normal), [[0.0; 2], [1.0; 2]], "{normal:?}");
        }
        // On top, the image's right is +x and its upper edge +y.
        let corner = mapped
            .positions
            .iter()
            .zip(&mapped.normals)
            .zip(&mapped.texcoords);
        let corner = corner.filter(|((p, n), _)| n[2] == 1.0 && p[0] > 0.0 && p[1] > 0.0);
        assert!(corner.clone().count() > 0);
        corner.for_each(|(_, texcoord)| assert_eq!(*texcoord, [1.0, 0.0]));
    }

    #[test]
    fn a_floor_repeats_over_its_size_or_in_every_metre() {
        let floor = plane([3.0, 1.0]);
        let up = [0.0, 0.0, 1.0];
        let whole = Mapping::Planar {
            repeat: [2.0, 1.0],
            per_metre: false,
        };
        assert_eq!(
            range(&floor.clone().mapped(whole), up),
            [[-0.5, 0.0], [1.5, 1.0]]
        );
        let each = Mapping::Planar {
            repeat: [2.0, 1.0],
            per_metre: true,
        };
        assert_eq!(range(&floor.mapped(each), up), [[-5.5, -0.5], [6.5, 1.5]]);
    }
}
