//! Projection of bodies onto the grid of a picture.

use nalgebra::{Isometry3, Vector3};
use regrasp_api::Intrinsics;
use retrofire_core::geom::{Tri, Vertex};
use retrofire_core::math::{ProjVec3, Vec3, vec3};
use retrofire_core::render::clip::{ClipVert, view_frustum};

use crate::fill::{Corner, Size};
use crate::mesh::Ball;

/// Distance of the near clipping plane, m.
const NEAR_M: f32 = 0.02;
/// Distance of the far clipping plane, m.
pub(crate) const FAR_M: f32 = 30.0;

/// Rigid transform in single precision: rows of the rotation, each with the translation at its end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    rows: [[f32; 4]; 3],
}

impl Frame {
    pub(crate) fn new(pose: &Isometry3<f64>) -> Self {
        let rotation = pose.rotation.to_rotation_matrix();
        let row = |i: usize| {
            let [x, y, z] = [0, 1, 2].map(|j| rotation[(i, j)] as f32);
            [x, y, z, pose.translation.vector[i] as f32]
        };
        Self {
            rows: [row(0), row(1), row(2)],
        }
    }

    #[inline]
    pub(crate) fn point(&self, point: [f32; 3]) -> Vector3<f32> {
        self.turn(point) + Vector3::from(self.origin())
    }

    #[inline]
    pub(crate) fn turn(&self, [x, y, z]: [f32; 3]) -> Vector3<f32> {
        let [a, b, c] = &self.rows;
        let along = |r: &[f32; 4]| r[0] * x + r[1] * y + r[2] * z;
        Vector3::new(along(a), along(b), along(c))
    }

    pub(crate) fn origin(&self) -> [f32; 3] {
        self.rows.map(|row| row[3])
    }
}

/// A triangle in front of a camera: its corners on the grid, their normals and texture coordinates.
pub(crate) type Facing = ([Corner; 3], [[f32; 3]; 3], [[f32; 2]; 3]);

#[derive(Clone, Copy, Debug)]
pub(crate) struct Lens {
    pub(crate) size: Size,
    focal: [f32; 2],
    /// Principal point on the grid.
    middle: [f32; 2],
}

impl Lens {
    pub(crate) fn new(i: &Intrinsics) -> Self {
        Self {
            size: Size {
                width: i.width as usize,
                height: i.height as usize,
            },
            focal: [i.fx as f32, i.fy as f32],
            // Grid coordinates start at the first pixel's corner, those of OpenCV at its centre.
            middle: [i.cx + 0.5, i.cy + 0.5].map(|c| c as f32),
        }
    }

    /// Focal length, pixels: the size of 1 m at a distance of 1 m.
    pub(crate) fn focal(&self) -> f32 {
        self.focal[0].max(self.focal[1])
    }

    #[inline]
    pub(crate) fn project(&self, p: &Vector3<f32>) -> Corner {
        let near = 1.0 / p.z;
        Corner {
            at: [
                self.focal[0] * p.x * near + self.middle[0],
                self.focal[1] * p.y * near + self.middle[1],
            ],
            near,
        }
    }

    /// Distance of the nearest point of a ball along the optical axis, m, at least that of the near
    /// plane; `None` if the ball is outside the picture.
    pub(crate) fn distance(&self, ball: &Ball, camera_from_body: &Frame) -> Option<f32> {
        let center = camera_from_body.point(ball.center);
        let r = ball.radius_m;
        if center.z + r < NEAR_M || center.z - r > FAR_M {
            return None;
        }
        let sizes = [self.size.width, self.size.height].map(|n| n as f32);
        for axis in 0..2 {
            let (f, c, n) = (self.focal[axis], self.middle[axis], sizes[axis]);
            // Outward normals of the planes through the eye and the two edges of the picture.
            let edges = [[-f, -c], [f, c - n]];
            let is_beside = edges.iter().any(|[across, along]| {
                across * center[axis] + along * center.z > r * across.hypot(*along)
            });
            if is_beside {
                return None;
            }
        }
        Some((center.z - r).max(NEAR_M))
    }

    /// Position of a triangle relative to the clipping planes.
    #[inline]
    pub(crate) fn cut([a, b, c]: &[Corner; 3]) -> Cut {
        let is_inside = |near: f32| (1.0 / FAR_M..=1.0 / NEAR_M).contains(&near);
        let is_behind = |near: f32| near <= 0.0 || near > 1.0 / NEAR_M;
        let nears = [a.near, b.near, c.near];
        if nears.iter().all(|n| is_inside(*n)) {
            Cut::Whole
        } else if nears.iter().all(|n| is_behind(*n)) {
            Cut::Away
        } else {
            Cut::Part
        }
    }

    pub(crate) fn clipped(
        &self,
        in_camera: [Vector3<f32>; 3],
        normals: [[f32; 3]; 3],
        texcoords: [[f32; 2]; 3],
    ) -> Vec<Facing> {
        let corner = |i: usize| {
            let [x, y, z] = normals[i];
            let [u, v] = texcoords[i];
            let attrib: (Vec3, Vec3) = (vec3(x, y, z), vec3(u, v, 0.0));
            ClipVert::new(Vertex {
                pos: self.clip_space(&in_camera[i]),
                attrib,
            })
        };
        let whole = [Tri([corner(0), corner(1), corner(2)])];
        let mut left = Vec::new();
        view_frustum::clip(whole.as_slice(), &mut left);
        let facing = left.iter().map(|Tri(corners)| {
            let at = corners.each_ref().map(|c| self.corner_of(&c.pos));
            let normals = corners.each_ref().map(|c| c.attrib.0.0);
            let texcoords = corners.each_ref().map(|c| c.attrib.1.0);
            (at, normals, texcoords.map(|[u, v, _]| [u, v]))
        });
        facing.collect()
    }

    /// The point in retrofire's clip space, with y downwards as on the grid.
    fn clip_space(&self, p: &Vector3<f32>) -> ProjVec3 {
        const A: f32 = (FAR_M + NEAR_M) / (FAR_M - NEAR_M);
        const B: f32 = -2.0 * FAR_M * NEAR_M / (FAR_M - NEAR_M);
        let n = [self.size.width, self.size.height].map(|n| n as f32);
        let place = |i: usize| (2.0 * (self.focal[i] * p[i] + self.middle[i] * p.z)) / n[i] - p.z;
        ProjVec3::new([place(0), place(1), A * p.z + B, p.z])
    }

    fn corner_of(&self, p: &ProjVec3) -> Corner {
        let [x, y, _, w] = p.0;
        let place = |c: f32, n: usize| (c / w + 1.0) * 0.5 * n as f32;
        Corner {
            at: [place(x, self.size.width), place(y, self.size.height)],
            near: 1.0 / w,
        }
    }
}

/// Part of a triangle between the near and the far plane; `Part` may turn out to be empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cut {
    Whole,
    Part,
    Away,
}
