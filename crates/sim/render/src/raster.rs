//! Rasterisation of bodies into a geometry buffer.

use regrasp_mesh::Surface;

use crate::fill::{Corner, MARGIN, Size, Slopes, fill, is_beside, twice_area};
use crate::lens::{Cut, Frame, Lens};

#[derive(Debug, Default)]
pub(crate) struct GeometryBuffer {
    pub(crate) size: Size,
    /// 1 / depth, 1/m; 0 where there is nothing. This and the next list have a [`MARGIN`].
    pub(crate) inverse_depth: Vec<f32>,
    /// Index into `facets`; undefined where there is nothing.
    pub(crate) facet: Vec<u32>,
    pub(crate) facets: Vec<Facet>,
    /// Corners of one body on the grid.
    corners: Vec<Corner>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Facet {
    pub(crate) body: u16,
    origin: [f32; 2],
    /// Increments per column and row of the barycentric coordinates of the second and third corner.
    parts: [[f32; 2]; 2],
    /// Normal in World times the inverse depth at the first corner, and the differences of the
    /// other corners to it.
    normal: [f32; 3],
    to_others: [[f32; 3]; 2],
    /// Texture coordinates times the inverse depth, and the inverse depth, at the first corner, and
    /// the differences of the other corners to it; 0 without an image.
    on_image: [[f32; 3]; 3],
}

impl Facet {
    fn new(
        body: u16,
        corners: &[Corner; 3],
        normals: &[[f32; 3]; 3],
        texcoords: &[[f32; 2]; 3],
    ) -> Self {
        let slopes = Slopes::new(corners);
        let scaled = |i: usize| normals[i].map(|n| n * corners[i].near);
        let [first, second, third] = [scaled(0), scaled(1), scaled(2)];
        let minus = |a: [f32; 3]| [0, 1, 2].map(|i| a[i] - first[i]);
        let placed = |i: usize| {
            let [u, v] = texcoords[i].map(|c| c * corners[i].near);
            [u, v, corners[i].near]
        };
        let at_first = placed(0);
        let from_first = |i: usize| {
            let there = placed(i);
            [0, 1, 2].map(|k| there[k] - at_first[k])
        };
        Self {
            on_image: [at_first, from_first(1), from_first(2)],
            body,
            origin: corners[0].at,
            parts: [slopes.of(1.0, 0.0), slopes.of(0.0, 1.0)],
            normal: first,
            to_others: [minus(second), minus(third)],
        }
    }

    /// Normals in World at the centres of pixels, not normalised.
    #[inline(always)]
    pub(crate) fn find_normals(&self, normals: [&mut [f32]; 3], xs: &[f32], ys: &[f32]) {
        let [nx, ny, nz] = normals;
        let normals = nx.iter_mut().zip(ny).zip(nz);
        for (((nx, ny), nz), (x, y)) in normals.zip(xs.iter().zip(ys)) {
            [*nx, *ny, *nz] = self.normal(*x, *y);
        }
    }

    /// Texture coordinates at the centre of a pixel, and their increments per column and per row.
    /// They are perspective-correct: coordinates divided by depth are linear on the grid.
    #[inline]
    pub(crate) fn on_image(&self, x: f32, y: f32) -> ([f32; 2], [[f32; 2]; 2]) {
        let (dx, dy) = (x + 0.5 - self.origin[0], y + 0.5 - self.origin[1]);
        let part = |p: &[f32; 2]| (p[0] * dx + p[1] * dy).clamp(0.0, 1.0);
        let (b, c) = (part(&self.parts[0]), part(&self.parts[1]));
        let [first, to_b, to_c] = &self.on_image;
        let [u, v, near] = [0, 1, 2].map(|i| first[i] + to_b[i] * b + to_c[i] * c);
        let depth = 1.0 / near;
        let uv = [u * depth, v * depth];
        let step = |axis: usize| {
            let along = |i: usize| to_b[i] * self.parts[0][axis] + to_c[i] * self.parts[1][axis];
            let nearer = along(2);
            [0, 1].map(|i| (along(i) - uv[i] * nearer) * depth)
        };
        (uv, [step(0), step(1)])
    }

    /// Normal in World at the centre of a pixel, not normalised.
    #[inline]
    pub(crate) fn normal(&self, x: f32, y: f32) -> [f32; 3] {
        let (dx, dy) = (x + 0.5 - self.origin[0], y + 0.5 - self.origin[1]);
        // Due to rounding, the centre of a pixel may be outside a thin triangle.
        let part = |p: &[f32; 2]| (p[0] * dx + p[1] * dy).clamp(0.0, 1.0);
        let (b, c) = (part(&self.parts[0]), part(&self.parts[1]));
        let [to_b, to_c] = &self.to_others;
        [0, 1, 2].map(|i| self.normal[i] + to_b[i] * b + to_c[i] * c)
    }
}

impl GeometryBuffer {
    pub(crate) fn clear(&mut self, size: Size) {
        self.size = size;
        self.inverse_depth.clear();
        self.inverse_depth.resize(size.n() + MARGIN, 0.0);
        self.facet.resize(size.n() + MARGIN, 0);
        self.facets.clear();
    }

    /// Draws a body where it is nearer than the bodies drawn before.
    pub(crate) fn draw(
        &mut self,
        mesh: &Surface,
        body: u16,
        lens: &Lens,
        camera_from_body: &Frame,
        world_from_body: &Frame,
    ) {
        let Self {
            size,
            inverse_depth,
            facet,
            facets,
            corners,
        } = self;
        each_facing(
            mesh,
            lens,
            camera_from_body,
            corners,
            |corners, normals, texcoords| {
                let id = facets.len() as u32;
                let mut is_drawn = false;
                fill(*size, corners, |row| {
                    row.draw_as(id, size.width, inverse_depth, facet);
                    is_drawn = true;
                });
                if is_drawn {
                    let normals = normals.map(|n| world_from_body.turn(n).into());
                    facets.push(Facet::new(body, corners, &normals, &texcoords));
                }
            },
        );
    }

    /// Draws like [`GeometryBuffer::draw`], but stores only the depth.
    pub(crate) fn draw_depth(&mut self, mesh: &Surface, lens: &Lens, camera_from_body: &Frame) {
        let Self {
            size,
            inverse_depth,
            corners,
            ..
        } = self;
        each_facing(mesh, lens, camera_from_body, corners, |corners, _, _| {
            fill(*size, corners, |row| {
                row.draw(size.width, inverse_depth);
            });
        });
    }
}

/// Calls `put` for every triangle that faces the camera and is in the picture, with its corners,
/// their normals in the body's frame, and their texture coordinates.
fn each_facing(
    mesh: &Surface,
    lens: &Lens,
    camera_from_body: &Frame,
    on_grid: &mut Vec<Corner>,
    mut put: impl FnMut(&[Corner; 3], [[f32; 3]; 3], [[f32; 2]; 3]),
) {
    let in_camera = |p: &[f32; 3]| camera_from_body.point(*p);
    on_grid.clear();
    on_grid.extend(mesh.positions.iter().map(|p| lens.project(&in_camera(p))));
    let texcoord = |i: usize| mesh.texcoords.get(i).copied().unwrap_or_default();
    for triangle in &mesh.triangles {
        let idx = triangle.map(|i| i as usize);
        let corners = idx.map(|i| on_grid[i]);
        match Lens::cut(&corners) {
            Cut::Whole => {
                // Triangles that face the camera run counter-clockwise on the screen.
                if twice_area(&corners) < 0.0 && !is_beside(lens.size, &corners) {
                    put(&corners, idx.map(|i| mesh.normals[i]), idx.map(texcoord));
                }
            }
            Cut::Part => {
                let points = idx.map(|i| in_camera(&mesh.positions[i]));
                let normals = idx.map(|i| mesh.normals[i]);
                let left = lens.clipped(points, normals, idx.map(texcoord));
                for (corners, normals, texcoords) in left {
                    if twice_area(&corners) < 0.0 {
                        put(&corners, normals, texcoords);
                    }
                }
            }
            Cut::Away => {}
        }
    }
}
