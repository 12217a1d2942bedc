//! Shading of a picture's points.

use std::ops::Range;
use std::sync::Arc;

use pulp::{Arch, Simd, WithSimd};
use regrasp_api::CameraView;

use crate::encode::{Encoding, encoding, linear};
use crate::image::Image;
use crate::lens::{FAR_M, Frame};
use crate::raster::GeometryBuffer;
use crate::samples::{Samples, What};
use crate::shadow::{Shadows, TOWARDS_SUN};
use crate::stage::{Body, Finish, Look, Stage};
use crate::texture::Pattern;

/// Sunlight on a surface that faces the sun; 1 alone would show a white surface as white.
const SUN: [f32; 3] = [0.80, 0.77, 0.71];
/// Light from above and from below.
const SKY: [f32; 3] = [0.40, 0.42, 0.46];
const GROUND: [f32; 3] = [0.17, 0.16, 0.15];
/// Screen colours of the floor and of the haze into which it fades.
const FLOOR: [f32; 3] = [0.60, 0.61, 0.62];
const HAZE: [f32; 3] = [0.80, 0.83, 0.86];
const HAZE_UP: [f32; 3] = [0.93, 0.94, 0.96];
/// Distance beyond the start of the haze at which half of the floor's colour is left, m.
const HAZE_HALF_M: f32 = 4.5;
/// Distance at which the haze starts, m.
const HAZE_FROM_M: f32 = 1.5;

pub(crate) struct Shader<'a> {
    shadows: &'a Shadows,
    n_taps: usize,
    arch: Arch,
    eye: [f32; 3],
    /// The ray through column 0 and row 0, and its increments per column and per row.
    rays: [[f32; 3]; 3],
    /// 1 / height of the floor above the eye, 1/m; 0 if there is no floor.
    by_floor_z: f32,
    bodies: Vec<Painted>,
    floor: [f32; 3],
    haze: [[f32; 3]; 2],
    sun: [f32; 3],
    wood: &'static Pattern,
    concrete: &'static Pattern,
    encoding: &'static Encoding,
}

#[derive(Clone, Debug)]
pub(crate) struct Painted {
    instance: u16,
    /// Colour in linear light.
    albedo: [f32; 3],
    look: Look,
    image: Option<Arc<Image>>,
}

impl PartialEq for Painted {
    fn eq(&self, other: &Self) -> bool {
        // An image never changes, so its address identifies it.
        let at = |painted: &Self| painted.image.as_ref().map(Arc::as_ptr);
        let of = |painted: &Self| (painted.instance, painted.albedo, painted.look);
        of(self) == of(other) && at(self) == at(other)
    }
}

impl Painted {
    pub(crate) fn new(body: &Body) -> Self {
        Self {
            instance: body.instance,
            albedo: body.look.rgb.map(linear),
            look: body.look,
            image: body.mesh.image.clone(),
        }
    }
}

/// Code that is compiled once for each instruction set. Sums and products are rounded one by one
/// and never fused, so every machine computes the same bits.
struct Shading<'a> {
    shader: &'a Shader<'a>,
    seen: &'a GeometryBuffer,
    samples: &'a mut Samples,
}

impl WithSimd for Shading<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) {
        self.shader.shade_with_vectors(self.seen, self.samples);
    }
}

impl<'a> Shader<'a> {
    pub(crate) fn new(
        stage: &Stage,
        view: &CameraView,
        shadows: &'a Shadows,
        n_taps: usize,
        arch: Arch,
    ) -> Self {
        let i = &view.intrinsics;
        let world_from_camera = Frame::new(&view.world_from_camera);
        let turned = |x: f64, y: f64, z: f64| {
            let in_camera = [x, y, z].map(|c| c as f32);
            world_from_camera.turn(in_camera).into()
        };
        let eye = world_from_camera.origin();
        let by_floor_z = stage.floor_z.map(|z| 1.0 / (z as f32 - eye[2]));
        Self {
            shadows,
            n_taps,
            arch,
            eye,
            rays: [
                turned(-i.cx / i.fx, -i.cy / i.fy, 1.0),
                turned(1.0 / i.fx, 0.0, 0.0),
                turned(0.0, 1.0 / i.fy, 0.0),
            ],
            by_floor_z: by_floor_z.filter(|z| z.is_finite()).unwrap_or(0.0),
            bodies: stage.bodies.iter().map(Painted::new).collect(),
            floor: FLOOR.map(linear),
            haze: [HAZE.map(linear), HAZE_UP.map(linear)],
            sun: unit(TOWARDS_SUN),
            wood: Pattern::wood(),
            concrete: Pattern::concrete(),
            encoding: encoding(),
        }
    }

    /// Finds visible object, depth and colour of each sample, with the processor's widest vectors.
    pub(crate) fn shade(&self, seen: &GeometryBuffer, samples: &mut Samples) {
        samples.make_room();
        self.arch.dispatch(Shading {
            shader: self,
            seen,
            samples,
        });
    }

    #[inline(always)]
    fn shade_with_vectors(&self, seen: &GeometryBuffer, samples: &mut Samples) {
        self.find(seen, samples);
        let mut start = 0;
        while start < samples.len() {
            let what = samples.what[start];
            let run = start..start + n_alike(&samples.what[start..]);
            start = run.end;
            match what {
                What::Sky => self.sky(samples, run),
                What::Floor => self.floor(samples, run),
                What::Body(body) => self.body(seen, samples, run, body),
            }
        }
        self.encoding
            .encode(&samples.light, &mut samples.steps, &mut samples.rgb);
    }

    /// Depth at each pixel, m, 0 for the sky, equal to that of [`Shader::shade`].
    pub(crate) fn depths(&self, seen: &GeometryBuffer) -> Vec<f32> {
        let [first, by_x, by_y] = [0, 1, 2].map(|i| self.rays[i][2]);
        let mut depths = Vec::with_capacity(seen.size.n());
        for y in 0..seen.size.height {
            let start = y * seen.size.width;
            let row = &seen.inverse_depth[start..start + seen.size.width];
            let y = y as i32 as f32;
            depths.extend(row.iter().zip(0_i32..).map(|(body, x)| {
                let up = first + by_x * x as f32 + by_y * y;
                nearest(*body, self.floor_inverse(up))
            }));
        }
        depths
    }

    /// Inverse depth of the floor on a ray, 1/m; 0 where it is not visible.
    #[inline(always)]
    fn floor_inverse(&self, up: f32) -> f32 {
        let inverse = up * self.by_floor_z;
        if inverse > 1.0 / FAR_M { inverse } else { 0.0 }
    }

    #[inline(always)]
    fn find(&self, seen: &GeometryBuffer, samples: &mut Samples) {
        let n = samples.len();
        let (xs, ys) = (&samples.x[..n], &samples.y[..n]);
        for axis in 0..3 {
            let [first, by_x, by_y] = [0, 1, 2].map(|i| self.rays[i][axis]);
            for ((ray, x), y) in samples.ray[axis].iter_mut().zip(xs).zip(ys) {
                *ray = first + by_x * x + by_y * y;
            }
        }
        for (floor, up) in samples.scratch.iter_mut().zip(&samples.ray[2]) {
            *floor = self.floor_inverse(*up);
        }
        let inverses = samples.inverse.iter().zip(&samples.scratch);
        for (depth, (body, floor)) in samples.depth_m.iter_mut().zip(inverses) {
            *depth = nearest(*body, *floor);
        }
        for axis in 0..3 {
            let eye = self.eye[axis];
            let rays = samples.ray[axis].iter().zip(&samples.depth_m);
            for (point, (ray, depth)) in samples.point[axis].iter_mut().zip(rays) {
                *point = eye + ray * depth;
            }
        }
        let seen_there = samples.inverse.iter().zip(&samples.scratch);
        let seen_there = seen_there.zip(&samples.facet);
        for (what, ((body, floor), facet)) in samples.what.iter_mut().zip(seen_there) {
            *what = if body > floor {
                What::Body(seen.facets[*facet as usize].body)
            } else if *floor > 0.0 {
                What::Floor
            } else {
                What::Sky
            };
        }
    }

    #[inline(always)]
    fn sky(&self, samples: &mut Samples, run: Range<usize>) {
        for i in run {
            let ray = [0, 1, 2].map(|axis| samples.ray[axis][i]);
            let up = (ray[2] / dot(&ray, &ray).sqrt()).clamp(0.0, 1.0);
            for (channel, light) in samples.light.iter_mut().enumerate() {
                let [low, high] = self.haze.map(|haze| haze[channel]);
                light[i] = low + (high - low) * up;
            }
        }
    }

    #[inline(always)]
    fn floor(&self, samples: &mut Samples, run: Range<usize>) {
        for axis in 0..3 {
            let up = if axis == 2 { 1.0 } else { 0.0 };
            samples.normal[axis][run.clone()].fill(up);
        }
        samples.sun[run.clone()].fill(self.sun[2]);
        self.shadows.add(samples, run.clone(), self.n_taps);
        find_pattern(samples, run.clone(), self.concrete);
        self.find_haze(samples, run.clone());
        let [sun, pattern, clear] = [&samples.sun, &samples.pattern, &samples.scratch];
        let [sun, pattern, clear] = [sun, pattern, clear].map(|list| &list[run.clone()]);
        for (channel, light) in samples.light.iter_mut().enumerate() {
            let (floor, haze) = (self.floor[channel], self.haze[0][channel]);
            let (sky, of_sun) = (floor * SKY[channel], floor * SUN[channel]);
            let light = light[run.clone()].iter_mut().zip(sun);
            for ((light, sun), (pattern, clear)) in light.zip(pattern.iter().zip(clear)) {
                let near = pattern * (sky + of_sun * sun);
                *light = haze + (near - haze) * clear;
            }
        }
    }

    /// Finds the share of the floor's colour that the haze leaves.
    #[inline(always)]
    fn find_haze(&self, samples: &mut Samples, run: Range<usize>) {
        let [rx, ry, rz] = [0, 1, 2].map(|axis| &samples.ray[axis][run.clone()]);
        let rays = rx.iter().zip(ry).zip(rz).zip(&samples.depth_m[run.clone()]);
        for (clear, (((x, y), z), depth)) in samples.scratch[run.clone()].iter_mut().zip(rays) {
            let away = depth * (x * x + y * y + z * z).sqrt() - HAZE_FROM_M;
            *clear = HAZE_HALF_M / (HAZE_HALF_M + if away > 0.0 { away } else { 0.0 });
        }
    }

    #[inline(always)]
    fn body(&self, seen: &GeometryBuffer, samples: &mut Samples, run: Range<usize>, body: u16) {
        let Painted {
            instance,
            albedo,
            look,
            image,
        } = &self.bodies[usize::from(body)];
        samples.instance[run.clone()].fill(*instance);
        find_normals(seen, samples, run.clone());
        self.face_sun(samples, run.clone());
        self.shadows.add(samples, run.clone(), self.n_taps);
        match look.finish {
            Finish::Plain => samples.pattern[run.clone()].fill(1.0),
            Finish::Wood => find_pattern(samples, run.clone(), self.wood),
        }
        self.add_shine(samples, run.clone(), look.gloss);
        if let Some(image) = image {
            find_texels(seen, samples, run.clone(), image);
            light_texels(samples, run);
            return;
        }
        let lists = [
            &samples.pattern,
            &samples.shine,
            &samples.sun,
            &samples.normal[2],
        ];
        let [pattern, shine, sun, up] = lists.map(|list| &list[run.clone()]);
        for (channel, light) in samples.light.iter_mut().enumerate() {
            let albedo = albedo[channel];
            let (sky, ground) = (albedo * SKY[channel], albedo * GROUND[channel]);
            let (level, by_up) = (0.5 * (sky + ground), 0.5 * (sky - ground));
            let of_sun = albedo * SUN[channel];
            let light = light[run.clone()].iter_mut().zip(pattern).zip(shine);
            for (((light, pattern), shine), (sun, up)) in light.zip(sun.iter().zip(up)) {
                *light = pattern * (level + by_up * up + of_sun * sun) + shine;
            }
        }
    }

    /// Normalises normals, and computes the cosine between them and the sun.
    #[inline(always)]
    fn face_sun(&self, samples: &mut Samples, run: Range<usize>) {
        let [nx, ny, nz] = &mut samples.normal;
        let normals = nx[run.clone()].iter_mut().zip(&mut ny[run.clone()]);
        let normals = normals.zip(&mut nz[run.clone()]);
        let [sx, sy, sz] = self.sun;
        for (sun, ((x, y), z)) in samples.sun[run].iter_mut().zip(normals) {
            let square = *x * *x + *y * *y + *z * *z;
            let scale = 1.0 / square.max(1e-30).sqrt();
            *x *= scale;
            *y *= scale;
            *z *= scale;
            *sun = (*x * sx + *y * sy + *z * sz).max(0.0);
        }
    }

    /// Computes a Blinn-Phong highlight with the exponent 32.
    #[inline(always)]
    fn add_shine(&self, samples: &mut Samples, run: Range<usize>, gloss: f32) {
        if gloss <= 0.0 {
            samples.shine[run].fill(0.0);
            return;
        }
        let [rx, ry, rz] = [0, 1, 2].map(|axis| &samples.ray[axis][run.clone()]);
        let [nx, ny, nz] = [0, 1, 2].map(|axis| &samples.normal[axis][run.clone()]);
        let rays = rx.iter().zip(ry).zip(rz);
        let normals = nx.iter().zip(ny).zip(nz);
        let lights = rays.zip(normals).zip(&samples.sun[run.clone()]);
        let [sx, sy, sz] = self.sun;
        for (shine, ((((rx, ry), rz), ((nx, ny), nz)), sun)) in
            samples.shine[run.clone()].iter_mut().zip(lights)
        {
            let by_length = 1.0 / (rx * rx + ry * ry + rz * rz).sqrt();
            let (hx, hy, hz) = (
                sx - rx * by_length,
                sy - ry * by_length,
                sz - rz * by_length,
            );
            let half = (hx * hx + hy * hy + hz * hz).max(1e-12);
            let along = (nx * hx + ny * hy + nz * hz).max(0.0);
            let to_2 = along * along / half;
            let to_4 = to_2 * to_2;
            let to_8 = to_4 * to_4;
            let to_16 = to_8 * to_8;
            *shine = gloss * sun * to_16 * to_16;
        }
    }
}

#[inline(always)]
fn find_normals(seen: &GeometryBuffer, samples: &mut Samples, run: Range<usize>) {
    let mut start = run.start;
    while start < run.end {
        let facet = samples.facet[start];
        let n = n_alike(&samples.facet[start..run.end]);
        let part = start..start + n;
        start = part.end;
        seen.facets[facet as usize].find_normals(
            samples
                .normal
                .each_mut()
                .map(|list| &mut list[part.clone()]),
            &samples.x[part.clone()],
            &samples.y[part.clone()],
        );
    }
}

fn find_texels(seen: &GeometryBuffer, samples: &mut Samples, run: Range<usize>, image: &Image) {
    for i in run {
        let facet = &seen.facets[samples.facet[i] as usize];
        let (uv, steps) = facet.on_image(samples.x[i], samples.y[i]);
        let texel = image.at(uv, steps);
        for (list, value) in samples.texel.iter_mut().zip(texel) {
            list[i] = value;
        }
    }
}

/// Applies light to the texels of an image, as to a single colour.
#[inline(always)]
fn light_texels(samples: &mut Samples, run: Range<usize>) {
    let lists = [&samples.shine, &samples.sun, &samples.normal[2]];
    let [shine, sun, up] = lists.map(|list| &list[run.clone()]);
    let lights = samples.light.iter_mut().zip(&samples.texel);
    for (channel, (light, texel)) in lights.enumerate() {
        let (sky, ground, of_sun) = (SKY[channel], GROUND[channel], SUN[channel]);
        let (level, by_up) = (0.5 * (sky + ground), 0.5 * (sky - ground));
        let light = light[run.clone()].iter_mut().zip(&texel[run.clone()]);
        for (((light, texel), shine), (sun, up)) in light.zip(shine).zip(sun.iter().zip(up)) {
            *light = texel * (level + by_up * up + of_sun * sun) + shine;
        }
    }
}

/// Smaller of two depths, m, given their inverses; 0 if both inverses are 0.
#[inline(always)]
fn nearest(body: f32, floor: f32) -> f32 {
    let nearest = if body > floor { body } else { floor };
    if nearest > 0.0 { 1.0 / nearest } else { 0.0 }
}

/// Length of the run of equal items at the start.
#[inline(always)]
fn n_alike<T: PartialEq>(list: &[T]) -> usize {
    let other = list.iter().position(|item| *item != list[0]);
    other.unwrap_or(list.len())
}

#[inline(always)]
fn find_pattern(samples: &mut Samples, run: Range<usize>, pattern: &Pattern) {
    let [xs, ys] = [0, 1].map(|axis| &samples.point[axis][run.clone()]);
    pattern.find(&mut samples.pattern[run], xs, ys);
}

fn dot(a: &[f32; 3], b: &[f32; 3]) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn unit(v: [f32; 3]) -> [f32; 3] {
    let length = dot(&v, &v).sqrt();
    v.map(|x| x / length)
}
