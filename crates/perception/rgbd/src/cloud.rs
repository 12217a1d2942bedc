//! Converts depth to points, and classifies each pixel.

use regrasp_api::{Aabb, RgbdFrame};

use crate::plane::Plane;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// No depth, or a point outside the cell or below the table.
    Nothing,
    Robot,
    /// A point that is not classified yet.
    Unknown,
    Table,
    Thing,
}

/// An image whose pixels are points in World.
pub(crate) struct Cloud {
    pub(crate) width: usize,
    pub(crate) height: usize,
    /// Points in World, m; meaningless where `kinds` is `Nothing`.
    pub(crate) points: Vec<[f32; 3]>,
    pub(crate) kinds: Vec<Kind>,
    pub(crate) depths: Vec<f32>,
    pub(crate) rgb: Vec<u8>,
    /// Size of a pixel for each metre of depth, m.
    pub(crate) pixel_slope: f32,
}

/// Distance in front of the robot's own surface from which a point is not the robot, m.
const OWN_DEPTH_M: f32 = 0.004;
/// Height up to which a point belongs to the table, m.
const TABLE_TOP_M: f64 = 0.004;
/// Height below which a point lies under the table, m.
const TABLE_BELOW_M: f64 = -0.006;

impl Cloud {
    /// Computes the points of a frame. `own_depth_m` is the depth of the robot's own surface at
    /// each pixel, 0 where it is not visible.
    pub(crate) fn new(frame: RgbdFrame, own_depth_m: &[f32], workspace: &Aabb) -> Self {
        let i = frame.view.intrinsics;
        let (width, height) = (i.width as usize, i.height as usize);
        let mut cloud = Self {
            width,
            height,
            points: vec![[0.0; 3]; width * height],
            kinds: vec![Kind::Nothing; width * height],
            depths: frame.depth_m,
            rgb: frame.rgb,
            pixel_slope: (1.0 / i.fx) as f32,
        };
        let rotation = frame.view.world_from_camera.rotation.to_rotation_matrix();
        let rotation = rotation.into_inner().cast::<f32>();
        let eye = frame.view.world_from_camera.translation.vector;
        let eye: [f32; 3] = eye.cast().into();
        let rows = [i.fx, i.fy, i.cx, i.cy].map(|x| x as f32);
        let [fx, fy, cx, cy] = rows;
        for y in 0..height {
            for x in 0..width {
                let at = y * width + x;
                let depth = cloud.depths.get(at).copied().unwrap_or(0.0);
                if !(depth.is_finite() && depth > 0.0) {
                    continue;
                }
                let ray = nalgebra::Vector3::new((x as f32 - cx) / fx, (y as f32 - cy) / fy, 1.0);
                let along = rotation * ray;
                let p = [0, 1, 2].map(|k| eye[k] + along[k] * depth);
                cloud.points[at] = p;
                cloud.kinds[at] = if is_own(own_depth_m, at, x, width, depth) {
                    Kind::Robot
                } else if workspace.contains(&nalgebra::Point3::from(p.map(f64::from))) {
                    Kind::Unknown
                } else {
                    Kind::Nothing
                };
            }
        }
        cloud
    }

    /// Separates table and objects, once the table has been found.
    pub(crate) fn sort(&mut self, table: &Plane, bounds: &Aabb) {
        const BESIDE_M: f64 = 0.02;
        for (kind, p) in self.kinds.iter_mut().zip(&self.points) {
            if *kind != Kind::Unknown {
                continue;
            }
            let p = nalgebra::Point3::from(p.map(f64::from));
            let height = table.height(&p);
            let is_over = (0..2)
                .all(|i| (bounds.min[i] - BESIDE_M..=bounds.max[i] + BESIDE_M).contains(&p[i]));
            *kind = match height {
                h if h < TABLE_BELOW_M || !is_over => Kind::Nothing,
                h if h <= TABLE_TOP_M => Kind::Table,
                _ => Kind::Thing,
            };
        }
    }

    /// The four neighbours of a pixel that are inside the image.
    pub(crate) fn neighbours(&self, at: usize) -> impl Iterator<Item = usize> + use<> {
        let (x, y) = (at % self.width, at / self.width);
        let (width, height) = (self.width, self.height);
        [
            (x > 0).then(|| at - 1),
            (x + 1 < width).then_some(at + 1),
            (y > 0).then(|| at.wrapping_sub(width)),
            (y + 1 < height).then_some(at + width),
        ]
        .into_iter()
        .flatten()
    }

    pub(crate) fn is_at_edge(&self, at: usize) -> bool {
        let (x, y) = (at % self.width, at / self.width);
        x == 0 || y == 0 || x + 1 == self.width || y + 1 == self.height
    }

    /// Size of a pixel at its depth, m.
    pub(crate) fn pixel_m(&self, at: usize) -> f32 {
        self.depths[at] * self.pixel_slope
    }

    pub(crate) fn color(&self, at: usize) -> [f32; 3] {
        [0, 1, 2].map(|k| f32::from(self.rgb[3 * at + k]) / 255.0)
    }
}

/// Returns true if a pixel, or one of its four neighbours, shows the robot: the margin of a pixel
/// allows for errors of the model.
fn is_own(own_depth_m: &[f32], at: usize, x: usize, width: usize, depth: f32) -> bool {
    let hit = |i: usize| {
        own_depth_m
            .get(i)
            .is_some_and(|own| *own > 0.0 && depth > own - OWN_DEPTH_M)
    };
    hit(at)
        || (x > 0 && hit(at - 1))
        || (x + 1 < width && hit(at + 1))
        || (at >= width && hit(at - width))
        || hit(at + width)
}
