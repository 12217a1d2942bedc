//! Shadow maps of the sun.

use std::array::from_fn;
use std::mem::swap;
use std::ops::Range;
use std::sync::Arc;

use nalgebra::Vector3;

use crate::fill::{Corner, Size, fill, twice_area};
use crate::lens::Frame;
use crate::mesh::Mesh;
use crate::samples::{BLOCK, Samples};
use crate::shadow_map::{Changes, Map};
use crate::stage::{Body, Stage};

/// Number of pixels along each edge of the map.
const N: usize = 768;
/// Number of pixels of the map of objects per pixel of the map of grounds, along each edge.
const COARSER: usize = 2;
/// Diameter of the bounding ball above which a body counts as a ground (a table, a wall), m.
const LARGEST_CASTER_M: f32 = 1.0;
/// Offset of a point along its normal for the lookup, in pixels of the map, so that a surface does
/// not shade itself.
const OFFSET_PIXELS: f32 = 2.0;
/// Largest error of a simplified mesh, in pixels of the map.
const LEVEL_PIXELS: f32 = 0.8;

/// Step in which the box around the shadow casters grows, m. While the box stays the same, so do
/// the positions on the map.
const STEP_M: f32 = 0.1;

/// Number of samples that are tested together: most are far from any shadow.
const N_TOGETHER: usize = 32;

/// Direction to the sun, not normalised: behind the right shoulder of one who faces the robot.
pub(crate) const TOWARDS_SUN: [f32; 3] = [0.55, 0.42, 1.0];

/// Shadow maps: the nearness to the sun of the surfaces nearest to the sun.
#[derive(Debug)]
pub(crate) struct Shadows {
    objects: Map,
    /// Map of tables and walls. They are visible at most pixels of a picture, and shade few.
    grounds: Map,
    /// Height of the highest point of a ground in World, m: no ground shades a point above it.
    grounds_z: f32,
    axes: [[f32; 3]; 3],
    middle: [f32; 3],
    /// Half of the map's edge, m.
    radius_m: f32,
    /// Grounds that the map of grounds contains, with their poses.
    drawn_grounds: Vec<Body>,
    corners: Vec<Corner>,
    /// Previous map of objects, if changes are tracked.
    before: Option<Map>,
    pub(crate) changes: Changes,
}

impl Default for Shadows {
    fn default() -> Self {
        let towards = Vector3::from(TOWARDS_SUN).normalize();
        let across = towards.cross(&Vector3::x()).normalize();
        Self {
            objects: Map::new(N),
            grounds: Map::new(N / COARSER),
            grounds_z: f32::NEG_INFINITY,
            // x and y as in a camera at the sun, so that front faces are those that face it.
            axes: [across, (-towards).cross(&across), towards].map(Into::into),
            middle: [0.0; 3],
            radius_m: 1.0,
            drawn_grounds: Vec::new(),
            corners: Vec::new(),
            before: None,
            changes: Changes::ALL,
        }
    }
}

impl Shadows {
    /// Shadow maps that report their changes since the previous drawing.
    pub(crate) fn with_changes() -> Self {
        Self {
            before: Some(Map::new(N)),
            ..Self::default()
        }
    }

    pub(crate) fn draw(&mut self, stage: &Stage) {
        let (middle, radius_m) = extent(stage);
        let is_same_place = middle == self.middle && radius_m == self.radius_m;
        (self.middle, self.radius_m) = (middle, radius_m);
        let are_grounds_same = self.draw_grounds(stage, is_same_place);
        if let Some(before) = &mut self.before {
            swap(before, &mut self.objects);
        }
        self.objects.clear();
        for body in casters(stage).filter(|b| !is_ground(&b.mesh)) {
            self.draw_body(body);
        }
        self.changes = match &self.before {
            Some(before) if is_same_place && are_grounds_same => self.objects.changes_since(before),
            _ => Changes::ALL,
        };
    }

    /// Draws tables and walls unless they are already on their map; returns true if they were.
    fn draw_grounds(&mut self, stage: &Stage, is_same_place: bool) -> bool {
        let grounds = || casters(stage).filter(|b| is_ground(&b.mesh));
        let is_same = |(a, b): (&Body, &Body)| {
            Arc::ptr_eq(&a.mesh, &b.mesh) && a.world_from_body == b.world_from_body
        };
        if is_same_place
            && grounds().count() == self.drawn_grounds.len()
            && grounds().zip(&self.drawn_grounds).all(is_same)
        {
            return true;
        }
        self.grounds.clear();
        self.grounds_z = grounds().map(top).fold(f32::NEG_INFINITY, f32::max);
        grounds().for_each(|body| self.draw_body(body));
        self.drawn_grounds = grounds().cloned().collect();
        false
    }

    fn draw_body(&mut self, body: &Body) {
        let frame = Frame::new(&body.world_from_body);
        let mesh = body.mesh.level(LEVEL_PIXELS * self.pixel_m());
        let is_ground = is_ground(&body.mesh);
        let scale = if is_ground { 1.0 / COARSER as f32 } else { 1.0 };
        let mut corners = std::mem::take(&mut self.corners);
        corners.clear();
        corners.extend(mesh.positions.iter().map(|p| {
            let Corner { at, near } = self.place(frame.point(*p).into());
            let at = at.map(|c| c * scale);
            Corner { at, near }
        }));
        let map = if is_ground {
            &mut self.grounds
        } else {
            &mut self.objects
        };
        let size = Size {
            width: map.n,
            height: map.n,
        };
        for triangle in &mesh.triangles {
            let triangle = triangle.map(|i| corners[i as usize]);
            if twice_area(&triangle) < 0.0 {
                let mut is_drawn = false;
                fill(size, &triangle, |row| {
                    map.draw(row);
                    is_drawn = true;
                });
                if is_drawn {
                    map.mark(&triangle);
                }
            }
        }
        self.corners = corners;
    }

    /// Edge of a pixel of the map, m.
    fn pixel_m(&self) -> f32 {
        2.0 * self.radius_m / N as f32
    }

    /// Position of a World point on the map.
    fn place(&self, p: [f32; 3]) -> Corner {
        let d = [0, 1, 2].map(|i| p[i] - self.middle[i]);
        let along = |axis: &[f32; 3]| axis[0] * d[0] + axis[1] * d[1] + axis[2] * d[2];
        let scale = 1.0 / self.pixel_m();
        let at = |axis: &[f32; 3]| along(axis) * scale + 0.5 * N as f32;
        Corner {
            at: [at(&self.axes[0]), at(&self.axes[1])],
            near: along(&self.axes[2]),
        }
    }

    /// Computes the samples' positions on the map, slightly offset from their surface.
    #[inline(always)]
    fn place_all(&self, samples: &mut Samples, run: Range<usize>) {
        let scale = 1.0 / self.pixel_m();
        let off_m = OFFSET_PIXELS * self.pixel_m();
        let [px, py, pz] = [0, 1, 2].map(|axis| &samples.point[axis][run.clone()]);
        let [nx, ny, nz] = [0, 1, 2].map(|axis| &samples.normal[axis][run.clone()]);
        let lists = [(scale, 0.5 * N as f32), (scale, 0.5 * N as f32), (1.0, 0.0)];
        for ((places, axis), (scale, shift)) in samples.on_map.iter_mut().zip(&self.axes).zip(lists)
        {
            let [ax, ay, az] = axis.map(|a| a * scale);
            let [mx, my, mz] = self.middle;
            let shift = shift - (ax * mx + ay * my + az * mz);
            let points = px.iter().zip(py).zip(pz);
            let normals = nx.iter().zip(ny).zip(nz);
            let places = places[run.clone()].iter_mut();
            for (place, (((px, py), pz), ((nx, ny), nz))) in places.zip(points.zip(normals)) {
                let [x, y, z] = [px + nx * off_m, py + ny * off_m, pz + nz * off_m];
                *place = ax * x + ay * y + az * z + shift;
            }
        }
    }

    /// Removes the blocked part of the sunlight from samples of a surface.
    #[inline(always)]
    pub(crate) fn add(&self, samples: &mut Samples, run: Range<usize>, n_taps: usize) {
        self.place_all(samples, run.clone());
        let [us, vs, nears] = &samples.on_map;
        for start in run.clone().step_by(N_TOGETHER) {
            let part = start..run.end.min(start + N_TOGETHER);
            let [u, v, near] = [us, vs, nears].map(|list| &list[part.clone()]);
            let z = &samples.point[2][part.clone()];
            let (across, down) = (range(u), range(v));
            let reached = self.objects.reached(across, down);
            for light in &mut samples.lights[part.start / BLOCK..=(part.end - 1) / BLOCK] {
                *light = light.with(reached);
            }
            let sun = &mut samples.sun[part];
            let maps = self.shading_maps([across, down], near, z);
            if maps == [false; 2] || range(sun)[1] <= 0.0 {
                continue;
            }
            let places = u.iter().zip(v).zip(near.iter().zip(z));
            for (sun, ((u, v), (near, z))) in sun.iter_mut().zip(places) {
                if *sun > 0.0 {
                    *sun *= self.sunlight([*u, *v, *near], *z, maps, n_taps);
                }
            }
        }
    }

    /// Returns true for each map that may shade the samples: that of objects, and that of grounds.
    #[inline(always)]
    fn shading_maps(&self, [u, v]: [[f32; 2]; 2], near: &[f32], z: &[f32]) -> [bool; 2] {
        let ([least, _], [lowest, _]) = (range(near), range(z));
        let scaled = |[low, high]: [f32; 2]| [low, high].map(|a| a / COARSER as f32);
        let is_under_ground = lowest < self.grounds_z;
        [
            !self.objects.is_free(u, v, least),
            is_under_ground && !self.grounds.is_free(scaled(u), scaled(v), least),
        ]
    }

    /// Visible share of the sun at a point, 0 to 1, from the maps that may shade it; `z` is the
    /// height in World. It is the mean over a square of `n_taps` pixels along each edge.
    #[inline(always)]
    fn sunlight(
        &self,
        [u, v, near]: [f32; 3],
        z: f32,
        [by_things, by_grounds]: [bool; 2],
        n_taps: usize,
    ) -> f32 {
        let limit = (N - n_taps - 2) as f32;
        let is_inside = |a: f32| a > 1.5 && a < limit;
        if !is_inside(u) || !is_inside(v) {
            return 1.0;
        }
        let of_things = if by_things {
            self.objects.sunlight(u, v, near, n_taps)
        } else {
            1.0
        };
        if z >= self.grounds_z || !by_grounds {
            return of_things;
        }
        let scale = 1.0 / COARSER as f32;
        let of_grounds = self.grounds.sunlight(u * scale, v * scale, near, n_taps);
        of_things.min(of_grounds)
    }
}

/// Smallest and largest value, found in eight columns first so that the compiler can vectorise it.
#[inline(always)]
fn range(values: &[f32]) -> [f32; 2] {
    let least = |a: f32, b: f32| if b < a { b } else { a };
    let greatest = |a: f32, b: f32| if b > a { b } else { a };
    let (rows, rest) = values.as_chunks::<8>();
    let (mut low, mut high) = ([f32::INFINITY; 8], [f32::NEG_INFINITY; 8]);
    for row in rows {
        low = from_fn(|i| least(low[i], row[i]));
        high = from_fn(|i| greatest(high[i], row[i]));
    }
    let all = |columns: [f32; 8], of: fn(f32, f32) -> f32| {
        columns.into_iter().chain(rest.iter().copied()).reduce(of)
    };
    [
        all(low, least).unwrap_or(f32::INFINITY),
        all(high, greatest).unwrap_or(f32::NEG_INFINITY),
    ]
}

fn casters(stage: &Stage) -> impl Iterator<Item = &Body> {
    stage.bodies.iter().filter(|body| !body.mesh.is_backdrop)
}

fn is_ground(mesh: &Mesh) -> bool {
    2.0 * mesh.ball().radius_m > LARGEST_CASTER_M
}

/// Height of a body's highest corner in World, m, minus a margin for rounding: an object that
/// stands on the body must not seem to be below its top.
fn top(body: &Body) -> f32 {
    const ROUNDING_M: f32 = 1e-4;
    let frame = Frame::new(&body.world_from_body);
    let points = body.mesh.surface().positions.iter();
    let heights = points.map(|p| frame.point(*p).z);
    heights.fold(f32::NEG_INFINITY, f32::max) - ROUNDING_M
}

/// Centre of a ball around all shadow casters except grounds, and its radius, m.
fn extent(stage: &Stage) -> ([f32; 3], f32) {
    let mut bounds: Option<[[f32; 3]; 2]> = None;
    for body in casters(stage).filter(|b| !is_ground(&b.mesh)) {
        let ball = body.mesh.ball();
        let center = Frame::new(&body.world_from_body).point(ball.center);
        let corner = |sign: f32| [0, 1, 2].map(|i| center[i] + sign * ball.radius_m);
        let (low, high) = (corner(-1.0), corner(1.0));
        bounds = Some(bounds.map_or([low, high], |[a, b]| {
            [
                [0, 1, 2].map(|i| a[i].min(low[i])),
                [0, 1, 2].map(|i| b[i].max(high[i])),
            ]
        }));
    }
    let [low, high] = bounds.unwrap_or([[-1.0; 3], [1.0; 3]]);
    let low = low.map(|a| (a / STEP_M).floor() * STEP_M);
    let high = high.map(|a| (a / STEP_M).ceil() * STEP_M);
    let half = Vector3::from([0, 1, 2].map(|i| 0.5 * (high[i] - low[i])));
    let middle = [0, 1, 2].map(|i| 0.5 * (high[i] + low[i]));
    (middle, half.norm().max(0.05))
}
