//! Triangles → pixels. The only module that knows retrofire.

use std::ops::Range;

use nalgebra::{Isometry3, Matrix3, Vector3};
use regrasp_api::Intrinsics;
use retrofire_core::geom::{Tri, Vertex};
use retrofire_core::math::{ProjVec3, Vary, Vec3, pt3, vec3};
use retrofire_core::render::clip::{ClipVert, view_frustum};
use retrofire_core::render::raster::{Scanline, ScreenPt, tri_fill};

use crate::mesh::Mesh;

/// What is nearer to a camera is cut off, m.
const NEAR_M: f32 = 0.02;
/// What is further from a camera is cut off, m.
pub(crate) const FAR_M: f32 = 30.0;

/// Columns and rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Size {
    pub(crate) width: usize,
    pub(crate) height: usize,
}

impl Size {
    pub(crate) fn n(self) -> usize {
        self.width * self.height
    }
}

/// A rigid transform in single precision.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    rotation: Matrix3<f32>,
    origin: Vector3<f32>,
}

impl Frame {
    pub(crate) fn new(pose: &Isometry3<f64>) -> Self {
        Self {
            rotation: pose.rotation.to_rotation_matrix().into_inner().cast(),
            origin: pose.translation.vector.cast(),
        }
    }

    pub(crate) fn point(&self, p: [f32; 3]) -> Vector3<f32> {
        self.rotation * Vector3::from(p) + self.origin
    }

    pub(crate) fn turn(&self, v: [f32; 3]) -> Vector3<f32> {
        self.rotation * Vector3::from(v)
    }

    pub(crate) fn origin(&self) -> [f32; 3] {
        self.origin.into()
    }
}

/// A pinhole as a projection to clip space. There, as on the screen, y points down.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lens {
    scale: [f32; 2],
    shift: [f32; 2],
}

impl Lens {
    pub(crate) fn new(i: &Intrinsics) -> Self {
        let (w, h) = (f64::from(i.width), f64::from(i.height));
        // retrofire samples pixel 0 at 0.5, where OpenCV says 0.
        Self {
            scale: [2.0 * i.fx / w, 2.0 * i.fy / h].map(|s| s as f32),
            shift: [2.0 * (i.cx + 0.5) / w - 1.0, 2.0 * (i.cy + 0.5) / h - 1.0].map(|s| s as f32),
        }
    }

    fn clip(&self, p: &Vector3<f32>) -> ProjVec3 {
        const A: f32 = (FAR_M + NEAR_M) / (FAR_M - NEAR_M);
        const B: f32 = -2.0 * FAR_M * NEAR_M / (FAR_M - NEAR_M);
        let x = self.scale[0] * p.x + self.shift[0] * p.z;
        let y = self.scale[1] * p.y + self.shift[1] * p.z;
        ProjVec3::new([x, y, A * p.z + B, p.z])
    }
}

/// What a camera sees at each pixel, before it is shaded.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    pub(crate) size: Size,
    /// 1 / depth, 1/m; 0 where there is nothing.
    pub(crate) inverse_depth: Vec<f32>,
    /// The normal in World times the inverse depth, of any length.
    pub(crate) normal: Vec<[f32; 3]>,
    /// Index of the body.
    pub(crate) body: Vec<u16>,
}

impl Seen {
    /// Forgets everything.
    pub(crate) fn clear(&mut self, size: Size) {
        self.size = size;
        self.inverse_depth.clear();
        self.inverse_depth.resize(size.n(), 0.0);
        // What is behind an inverse depth of 0 is never read.
        self.normal.resize(size.n(), [0.0; 3]);
        self.body.resize(size.n(), 0);
    }

    /// Draws a body where it is nearer than what is there.
    pub(crate) fn draw(
        &mut self,
        mesh: &Mesh,
        body: u16,
        lens: &Lens,
        camera_from_body: &Frame,
        world_from_body: &Frame,
    ) {
        let corners = mesh.positions.iter().zip(&mesh.normals);
        let corners = corners.map(|(p, n)| {
            let n = world_from_body.turn(*n);
            let attrib: Vec3 = vec3(n.x, n.y, n.z);
            ClipVert::new(Vertex {
                pos: lens.clip(&camera_from_body.point(*p)),
                attrib,
            })
        });
        let corners: Vec<_> = corners.collect();
        let width = self.size.width;
        fill(self.size, &corners, &mesh.triangles, |y, xs, values| {
            let row = y * width;
            let depths = &mut self.inverse_depth[row + xs.start..row + xs.end];
            for ((x, depth), (at, normal)) in xs.zip(depths).zip(values) {
                let inverse = at.z();
                if inverse > *depth {
                    *depth = inverse;
                    self.normal[row + x] = normal.0;
                    self.body[row + x] = body;
                }
            }
        });
    }
}

/// Draws how far bodies are along the rays of a distant light; smaller is nearer.
///
/// `to_light` maps a point of the body to the unit square about the origin (x, y) and to
/// the distance (z).
pub(crate) fn draw_towards_light(
    depths: &mut [f32],
    n: usize,
    mesh: &Mesh,
    to_light: impl Fn([f32; 3]) -> [f32; 3],
) {
    let corners = mesh.positions.iter().map(|p| {
        let [x, y, distance] = to_light(*p);
        ClipVert::new(Vertex {
            pos: ProjVec3::new([x, y, 0.0, 1.0]),
            attrib: distance,
        })
    });
    let corners: Vec<_> = corners.collect();
    let size = Size {
        width: n,
        height: n,
    };
    fill(size, &corners, &mesh.triangles, |y, xs, values| {
        let row = &mut depths[y * n + xs.start..y * n + xs.end];
        for (depth, (_, distance)) in row.iter_mut().zip(values) {
            *depth = depth.min(distance);
        }
    });
}

/// Clips triangles, leaves those out that face away, and hands each row of pixels on:
/// its number, its columns, and for each of them the point on the screen (whose z is
/// 1 / w) and the varying divided by w.
fn fill<V: Vary>(
    size: Size,
    corners: &[ClipVert<V>],
    triangles: &[[u32; 3]],
    mut row: impl FnMut(usize, Range<usize>, &mut dyn Iterator<Item = (ScreenPt, V)>),
) where
    ClipVert<V>: Clone,
{
    let whole = triangles.iter().map(|t| {
        let [a, b, c] = t.map(|i| corners[i as usize].clone());
        Tri([a, b, c])
    });
    let whole: Vec<_> = whole.collect();
    let mut clipped = Vec::new();
    view_frustum::clip(whole.as_slice(), &mut clipped);
    for Tri(triangle) in clipped {
        let triangle = triangle.map(|corner| to_screen(size, corner));
        if faces_away(&triangle) {
            continue;
        }
        tri_fill(triangle, |mut line: Scanline<V>| {
            // Rounding may lead a pixel out of the picture.
            let end = line.xs.end.min(size.width);
            if line.y < size.height && line.xs.start < end {
                row(line.y, line.xs.start..end, &mut line.vs);
            }
        });
    }
}

fn to_screen<V: Vary>(size: Size, corner: ClipVert<V>) -> Vertex<ScreenPt, V> {
    let [x, y, _, w] = corner.pos.0;
    let place = |ndc: f32, n: usize| (ndc / w + 1.0) * 0.5 * n as f32;
    Vertex {
        pos: pt3(place(x, size.width), place(y, size.height), w.recip()),
        attrib: corner.attrib.z_div(w),
    }
}

/// Whether the corners run clockwise as seen on a screen whose y points up, which on ours
/// is the positive sense.
fn faces_away<V>([a, b, c]: &[Vertex<ScreenPt, V>; 3]) -> bool {
    let (a, b, c) = (&a.pos, &b.pos, &c.pos);
    (b.x() - a.x()) * (c.y() - a.y()) - (b.y() - a.y()) * (c.x() - a.x()) >= 0.0
}
