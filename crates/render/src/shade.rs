//! Pixels → colours.

use std::sync::OnceLock;

use regrasp_api::CameraView;

use crate::raster::{FAR_M, Frame, Seen};
use crate::shadow::{Shadows, TOWARDS_SUN};
use crate::stage::{Look, Stage, Surface};
use crate::texture::{concrete, wood};

/// Light of the sun on a surface that faces it; 1 makes a white surface white.
const SUN: [f32; 3] = [0.80, 0.77, 0.71];
/// Light from above and from below.
const SKY: [f32; 3] = [0.40, 0.42, 0.46];
const GROUND: [f32; 3] = [0.17, 0.16, 0.15];
/// The floor, and what it fades into, as a screen shows them.
const FLOOR: [f32; 3] = [0.60, 0.61, 0.62];
const HAZE: [f32; 3] = [0.80, 0.83, 0.86];
const HAZE_UP: [f32; 3] = [0.93, 0.94, 0.96];
/// Distance at which half of the floor's colour is left, m.
const HAZE_HALF_M: f32 = 4.5;

/// What a pixel shows, besides its colour.
pub(crate) struct Pixel {
    pub(crate) rgb: [u8; 3],
    pub(crate) depth_m: f32,
    /// Index of the body, if it is one.
    pub(crate) body: Option<u16>,
}

/// All that shading needs.
pub(crate) struct Shader<'a> {
    shadows: &'a Shadows,
    n_taps: usize,
    eye: [f32; 3],
    world_from_camera: Frame,
    pinhole: [f32; 4],
    floor_z: Option<f32>,
    /// Colour of each body in linear light.
    bodies: Vec<([f32; 3], Look)>,
    sun: [f32; 3],
}

impl<'a> Shader<'a> {
    pub(crate) fn new(
        stage: &Stage,
        view: &CameraView,
        shadows: &'a Shadows,
        n_taps: usize,
    ) -> Self {
        let i = &view.intrinsics;
        let world_from_camera = Frame::new(&view.world_from_camera);
        Self {
            shadows,
            n_taps,
            eye: world_from_camera.origin(),
            world_from_camera,
            pinhole: [i.cx, i.cy, 1.0 / i.fx, 1.0 / i.fy].map(|x| x as f32),
            floor_z: stage.floor_z.map(|z| z as f32),
            bodies: stage
                .bodies
                .iter()
                .map(|b| (b.look.rgb.map(linear), b.look))
                .collect(),
            sun: unit(TOWARDS_SUN),
        }
    }

    /// Shades one row of pixels.
    pub(crate) fn row(&self, seen: &Seen, y: usize, mut put: impl FnMut(usize, Pixel)) {
        let [cx, cy, dx, dy] = self.pinhole;
        let row = y * seen.size.width;
        for x in 0..seen.size.width {
            let in_camera = [(x as f32 - cx) * dx, (y as f32 - cy) * dy, 1.0];
            let ray: [f32; 3] = self.world_from_camera.turn(in_camera).into();
            let inverse = seen.inverse_depth[row + x];
            let floor = self.floor_inverse(&ray);
            let pixel = if inverse > floor {
                self.body(seen, row + x, &ray)
            } else {
                self.floor(&ray, floor)
            };
            put(x, pixel);
        }
    }

    /// 1 / depth at which a ray meets the floor; 0 if it does not.
    fn floor_inverse(&self, ray: &[f32; 3]) -> f32 {
        let Some(z) = self.floor_z else {
            return 0.0;
        };
        let inverse = ray[2] / (z - self.eye[2]);
        if inverse * FAR_M > 1.0 { inverse } else { 0.0 }
    }

    fn body(&self, seen: &Seen, at: usize, ray: &[f32; 3]) -> Pixel {
        let depth_m = 1.0 / seen.inverse_depth[at];
        let body = seen.body[at];
        let p = [0, 1, 2].map(|i| self.eye[i] + ray[i] * depth_m);
        let normal = unit(seen.normal[at]);
        let (albedo, look) = self.bodies[usize::from(body)];
        let pattern = match look.surface {
            Surface::Plain => 1.0,
            Surface::Wood => wood(p[0], p[1]),
        };
        let light = self.light(p, normal, ray, look.gloss);
        let rgb = [0, 1, 2].map(|i| albedo[i] * pattern * light.diffuse[i] + light.highlight);
        Pixel {
            rgb: rgb.map(encode),
            depth_m,
            body: Some(body),
        }
    }

    fn floor(&self, ray: &[f32; 3], inverse: f32) -> Pixel {
        let length = dot(ray, ray).sqrt();
        if inverse <= 0.0 {
            let up = (ray[2] / length).clamp(0.0, 1.0);
            return Pixel {
                rgb: mix(HAZE.map(linear), HAZE_UP.map(linear), up).map(encode),
                depth_m: 0.0,
                body: None,
            };
        }
        let depth_m = 1.0 / inverse;
        let p = [0, 1, 2].map(|i| self.eye[i] + ray[i] * depth_m);
        let light = self.light(p, [0.0, 0.0, 1.0], ray, 0.0);
        let pattern = concrete(p[0], p[1]);
        let floor = FLOOR.map(linear);
        let near = [0, 1, 2].map(|i| floor[i] * pattern * light.diffuse[i]);
        let left = HAZE_HALF_M / (HAZE_HALF_M + (depth_m * length - 1.5).max(0.0));
        Pixel {
            rgb: mix(HAZE.map(linear), near, left).map(encode),
            depth_m,
            body: None,
        }
    }

    fn light(&self, p: [f32; 3], normal: [f32; 3], ray: &[f32; 3], gloss: f32) -> Light {
        let facing = dot(&normal, &self.sun);
        let sun = if facing > 0.0 {
            facing * self.shadows.sunlight(p, normal, self.n_taps)
        } else {
            0.0
        };
        let up = 0.5 + 0.5 * normal[2];
        let diffuse = [0, 1, 2].map(|i| GROUND[i] + (SKY[i] - GROUND[i]) * up + SUN[i] * sun);
        let highlight = if gloss > 0.0 && sun > 0.0 {
            gloss * sun * self.highlight(&normal, ray)
        } else {
            0.0
        };
        Light { diffuse, highlight }
    }

    /// Blinn's highlight to the power of 32.
    fn highlight(&self, normal: &[f32; 3], ray: &[f32; 3]) -> f32 {
        let towards_eye = unit(ray.map(|x| -x));
        let half = unit([0, 1, 2].map(|i| towards_eye[i] + self.sun[i]));
        let mut power = dot(normal, &half).max(0.0);
        for _ in 0..5 {
            power *= power;
        }
        power
    }
}

struct Light {
    diffuse: [f32; 3],
    highlight: f32,
}

fn mix(a: [f32; 3], b: [f32; 3], t: f32) -> [f32; 3] {
    [0, 1, 2].map(|i| a[i] + (b[i] - a[i]) * t)
}

fn dot(a: &[f32; 3], b: &[f32; 3]) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn unit(v: [f32; 3]) -> [f32; 3] {
    let length = dot(&v, &v).sqrt();
    if length > 0.0 {
        v.map(|x| x / length)
    } else {
        [0.0, 0.0, 1.0]
    }
}

/// From what a screen shows to linear light (sRGB, IEC 61966-2-1).
fn linear(c: f32) -> f32 {
    if c <= 0.04045 {
        c / 12.92
    } else {
        ((c + 0.055) / 1.055).powf(2.4)
    }
}

/// From linear light to what a screen shows.
fn encode(c: f32) -> u8 {
    const N: usize = 4096;
    static TABLE: OnceLock<Vec<u8>> = OnceLock::new();
    let table = TABLE.get_or_init(|| {
        let value = |i: usize| {
            let c = i as f32 / (N - 1) as f32;
            let shown = if c <= 0.003_130_8 {
                12.92 * c
            } else {
                1.055 * c.powf(1.0 / 2.4) - 0.055
            };
            (shown * 255.0 + 0.5) as u8
        };
        (0..N).map(value).collect()
    });
    // Negative and beyond white saturate; a NaN becomes black.
    let idx = (c * (N - 1) as f32) as usize;
    table[idx.min(N - 1)]
}
