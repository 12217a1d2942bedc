//! Where the sun shines: a shadow map.

use nalgebra::Vector3;

use crate::raster::{Frame, draw_towards_light};
use crate::stage::Stage;

/// Pixels along each edge of the map.
const N: usize = 1024;
/// What is larger than this is a ground and throws no shadow worth a pixel, m.
const LARGEST_CASTER_M: f32 = 1.0;
/// A point this far in front of its own surface along the normal asks for the light, so
/// that the map's pixels do not shade the surface they were drawn from, in pixels of the map.
const OFFSET_PIXELS: f32 = 1.6;

/// Towards the sun, not of unit length: behind the left shoulder of who looks at the robot.
pub(crate) const TOWARDS_SUN: [f32; 3] = [0.55, 0.42, 1.0];

/// How far the nearest surface is, seen from the sun.
#[derive(Debug, Default)]
pub(crate) struct Shadows {
    depths: Vec<f32>,
    axes: [[f32; 3]; 3],
    middle: [f32; 3],
    /// 1 / half of the map's edge, 1/m.
    scale: f32,
}

impl Shadows {
    /// Draws the stage as the sun sees it.
    pub(crate) fn draw(&mut self, stage: &Stage) {
        let towards = Vector3::from(TOWARDS_SUN).normalize();
        let across = towards.cross(&Vector3::x()).normalize();
        // Right-handed with y down, as a camera's: seen from the sun, fronts face it.
        self.axes = [across, (-towards).cross(&across), -towards].map(Into::into);
        let (middle, radius) = extent(stage);
        self.middle = middle;
        self.scale = 1.0 / radius;
        self.depths.clear();
        self.depths.resize(N * N, f32::INFINITY);
        for body in &stage.bodies {
            let frame = Frame::new(&body.world_from_body);
            let (axes, middle, scale) = (self.axes, self.middle, self.scale);
            draw_towards_light(&mut self.depths, N, &body.mesh, |p| {
                in_light(&axes, middle, scale, frame.point(p).into())
            });
        }
    }

    /// The part of the sun that is seen from a point on a surface, 0 to 1.
    pub(crate) fn sunlight(&self, p: [f32; 3], normal: [f32; 3], n_taps: usize) -> f32 {
        let off = OFFSET_PIXELS * 2.0 / (self.scale * N as f32);
        let p = [0, 1, 2].map(|i| p[i] + normal[i] * off);
        let [x, y, distance] = in_light(&self.axes, self.middle, self.scale, p);
        let place = |a: f32| (a + 1.0) * 0.5 * N as f32 - 0.5;
        let (u, v) = (place(x), place(y));
        let limit = (N - n_taps - 2) as f32;
        if !(1.0..limit).contains(&u) || !(1.0..limit).contains(&v) {
            return 1.0;
        }
        self.filtered(u, v, distance, n_taps)
    }

    /// A tent over `n_taps` pixels in each direction and one more.
    fn filtered(&self, u: f32, v: f32, distance: f32, n_taps: usize) -> f32 {
        let back = (n_taps - 1) as f32 * 0.5;
        let (u, v) = (u - back, v - back);
        let (i, j) = (u as usize, v as usize);
        let (tu, tv) = (u.fract(), v.fract());
        let weight = |k: usize, t: f32| match k {
            0 => 1.0 - t,
            k if k == n_taps => t,
            _ => 1.0,
        };
        let mut light = 0.0;
        for k in 0..=n_taps {
            let row = &self.depths[(j + k) * N + i..(j + k) * N + i + n_taps + 1];
            let lit = row.iter().enumerate().map(|(l, depth)| {
                if *depth > distance {
                    weight(l, tu)
                } else {
                    0.0
                }
            });
            light += weight(k, tv) * lit.sum::<f32>();
        }
        light / (n_taps * n_taps) as f32
    }
}

fn in_light(axes: &[[f32; 3]; 3], middle: [f32; 3], scale: f32, p: [f32; 3]) -> [f32; 3] {
    let d = [0, 1, 2].map(|i| p[i] - middle[i]);
    let along = |axis: &[f32; 3]| axis[0] * d[0] + axis[1] * d[1] + axis[2] * d[2];
    [
        along(&axes[0]) * scale,
        along(&axes[1]) * scale,
        along(&axes[2]),
    ]
}

/// Middle and radius of a ball around everything that throws a shadow.
fn extent(stage: &Stage) -> ([f32; 3], f32) {
    let mut bounds: Option<[[f32; 3]; 2]> = None;
    for body in &stage.bodies {
        let Some([low, high]) = body.mesh.bounds() else {
            continue;
        };
        let half = [0, 1, 2].map(|i| 0.5 * (high[i] - low[i]));
        let radius = Vector3::from(half).norm();
        if 2.0 * radius > LARGEST_CASTER_M {
            continue;
        }
        let center =
            Frame::new(&body.world_from_body).point([0, 1, 2].map(|i| 0.5 * (high[i] + low[i])));
        let corner = |sign: f32| [0, 1, 2].map(|i| center[i] + sign * radius);
        let (low, high) = (corner(-1.0), corner(1.0));
        bounds = Some(bounds.map_or([low, high], |[a, b]| {
            [
                [0, 1, 2].map(|i| a[i].min(low[i])),
                [0, 1, 2].map(|i| b[i].max(high[i])),
            ]
        }));
    }
    let [low, high] = bounds.unwrap_or([[-1.0; 3], [1.0; 3]]);
    let half = Vector3::from([0, 1, 2].map(|i| 0.5 * (high[i] - low[i])));
    let middle = [0, 1, 2].map(|i| 0.5 * (high[i] + low[i]));
    (middle, half.norm().max(0.05))
}
