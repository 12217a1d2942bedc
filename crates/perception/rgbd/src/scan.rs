//! Evidence of one look for and against an object at a pose.

use nalgebra::{Isometry3, Matrix3, Vector3};
use regrasp_api::{CameraView, Pose};

use crate::cloud::{Cloud, Kind, is_measured};
use crate::colour::Tint;
use crate::plane::Plane;
use crate::template::{Sample, Template};

/// The pictures of one look, with the objects that are found in them so far.
pub(crate) struct Scan<'a> {
    pub(crate) eyes: Vec<Eye<'a>>,
}

/// One picture of the look, with data derived from its pixels.
pub(crate) struct Eye<'a> {
    pub(crate) view: &'a CameraView,
    pub(crate) cloud: &'a Cloud,
    camera_from_world: Pose,
    /// Number of the object that explains each pixel; 0 for none.
    pub(crate) owners: Vec<u32>,
    /// True where the robot may be seen if the pose of the camera is slightly wrong.
    pub(crate) is_beside_robot: Vec<bool>,
    /// Tolerance in depth, m, within which a measured surface matches an expected one. It is larger
    /// for a camera that measures the table with noise or off its plane.
    pub(crate) slack_m: f32,
    /// Normal in World at each pixel of an object; zero where there is none.
    pub(crate) normals: Vec<Vector3<f32>>,
    /// Colour of each pixel.
    tints: Vec<Tint>,
}

/// Content of a picture where a point of a surface should be visible.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Sight {
    /// Not known: outside the picture, no depth, the robot, or the table at the same depth.
    Unknown,
    /// Something nearer hides the point.
    Hidden,
    /// Something farther is visible through it.
    Through,
    /// An object is seen at the point: index of the pixel, and its depth behind the point as a
    /// fraction of the tolerance.
    There(usize, f32),
}

/// Evidence for an object, in pixels.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Evidence {
    /// Pixels that show the object's surface at its depth.
    pub(crate) there: f32,
    /// Pixels as in `there`, each weighted less the farther it is from the expected depth.
    pub(crate) close: f32,
    /// Pixels whose colour is that of the object; opposite colours count negatively.
    pub(crate) alike: f32,
    /// Pixels through which something behind is visible.
    pub(crate) through: f32,
    /// Pixels that something hides, or that belong to another object.
    pub(crate) hidden: f32,
}

/// Settings for collecting evidence.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sampling {
    /// Interval at which samples are used: 1 uses all.
    pub(crate) every: usize,
    /// Factor on the tolerance in depth, above 1 for a pose that is not refined yet.
    pub(crate) slack: f32,
}

/// Weight of a pixel through which something behind is visible.
const THROUGH: f32 = 1.5;
/// Tolerance in depth within which a measured surface matches an expected one, m.
pub(crate) const SLACK_M: f32 = 0.006;
/// Difference of chroma at which a colour speaks neither for nor against an object.
const OTHER_CHROMA: f32 = 0.16;
/// Difference in the logarithm of light from which brightness contradicts an object.
const OTHER_LIGHT: f32 = 1.2;
/// Range of the logarithm of light that shade and exposure can explain.
const LIGHT: [f32; 2] = [-2.2, 0.7];

impl Evidence {
    /// Pixels that an object explains, minus those that contradict it.
    pub(crate) fn value(&self) -> f32 {
        0.6 * self.close + self.alike - THROUGH * self.through
    }

    /// Value for a pose that is not refined yet, at which texture is misplaced.
    pub(crate) fn promise(&self) -> f32 {
        self.close + 0.3 * self.alike - self.through
    }

    /// Fraction of the visible surface that is seen at its place.
    pub(crate) fn part(&self) -> f32 {
        self.there / (self.there + self.through).max(1.0)
    }
}

/// A rigid transform in single precision.
#[derive(Clone, Copy)]
pub(crate) struct Rigid {
    pub(crate) turn: Matrix3<f32>,
    pub(crate) shift: Vector3<f32>,
}

impl Rigid {
    pub(crate) fn new(pose: &Pose) -> Self {
        let pose: Isometry3<f32> = pose.cast();
        Self {
            turn: pose.rotation.to_rotation_matrix().into_inner(),
            shift: pose.translation.vector,
        }
    }

    #[inline]
    pub(crate) fn point(&self, p: &Vector3<f32>) -> Vector3<f32> {
        self.turn * p + self.shift
    }
}

impl<'a> Scan<'a> {
    pub(crate) fn new(views: &'a [CameraView], clouds: &'a [Cloud], table: &Plane) -> Self {
        let eyes = views.iter().zip(clouds);
        let eyes = eyes.map(|(view, cloud)| Eye::new(view, cloud, table));
        Self {
            eyes: eyes.collect(),
        }
    }

    /// Evidence for an object with its parts at these poses, of the parts that `is_wanted` selects.
    /// Pixels of other objects count as hidden.
    pub(crate) fn evidence(
        &self,
        template: &Template,
        world_from_objects: &[Pose],
        how: Sampling,
        is_wanted: impl Fn(usize) -> bool,
    ) -> Evidence {
        let mut sum = Evidence::default();
        for eye in &self.eyes {
            let mut lights = Lights::default();
            for (idx, samples) in template.samples.iter().enumerate() {
                if is_wanted(idx) {
                    let pose = &world_from_objects[idx];
                    eye.add(samples, pose, how, &mut sum, &mut lights);
                }
            }
            sum.alike -= lights.against();
        }
        sum
    }
}

impl<'a> Eye<'a> {
    fn new(view: &'a CameraView, cloud: &'a Cloud, table: &Plane) -> Self {
        let on_table = (0..cloud.kinds.len()).filter(|at| cloud.kinds[*at] == Kind::Table);
        let squares = on_table.step_by(7).map(|at| {
            let height = table.height(&cloud.point(at).map(f64::from).into()) as f32;
            height * height
        });
        let (n, sum) = squares.fold((0.0, 0.0), |(n, sum), square| (n + 1.0, sum + square));
        let rough_m = (sum / f32::max(n, 1.0)).sqrt();
        Self {
            is_beside_robot: (0..cloud.kinds.len())
                .map(|at| cloud.kinds[at] == Kind::Thing && cloud.is_beside_own(at))
                .collect(),
            slack_m: SLACK_M + 2.0 * rough_m,
            view,
            cloud,
            camera_from_world: view.world_from_camera.inverse(),
            owners: vec![0; cloud.kinds.len()],
            normals: normals(view, cloud),
            tints: (0..cloud.kinds.len())
                .map(|at| Tint::new(cloud.color(at)))
                .collect(),
        }
    }

    pub(crate) fn camera_from(&self, world_from_object: &Pose) -> Rigid {
        Rigid::new(&(self.camera_from_world * world_from_object))
    }

    /// Weight of a sample in pixels and its tolerance in depth, m; `None` if it faces away or is
    /// behind the camera.
    #[inline]
    pub(crate) fn weight(
        &self,
        sample: &Sample,
        at: &Vector3<f32>,
        camera_from: &Rigid,
    ) -> Option<(f32, f32)> {
        let away = at.norm();
        let towards = -(camera_from.turn * sample.normal).dot(at) / away;
        if at.z < 0.03 || towards < 0.12 {
            return None;
        }
        let pixel_m = at.z / self.view.intrinsics.fx as f32;
        let slant = (1.0 / (towards * towards) - 1.0).sqrt();
        let slack = self.slack_m + 0.5 * pixel_m * slant.min(3.0);
        Some((sample.area * towards / (pixel_m * pixel_m), slack))
    }

    /// Content of the picture at a point in Camera.
    #[inline]
    pub(crate) fn sight(&self, at: &Vector3<f32>, slack: f32) -> Sight {
        let i = &self.view.intrinsics;
        let u = i.fx as f32 * at.x / at.z + i.cx as f32 + 0.5;
        let v = i.fy as f32 * at.y / at.z + i.cy as f32 + 0.5;
        let (width, height) = (self.cloud.width, self.cloud.height);
        if u < 0.0 || v < 0.0 || u >= width as f32 || v >= height as f32 {
            return Sight::Unknown;
        }
        let (x, y) = (u as usize, v as usize);
        let pixel = y * width + x;
        match self.at(pixel, at.z, slack, 0) {
            // The point is up to half a pixel from the centre of its pixel. At an outline, a
            // neighbouring pixel may therefore show the surface.
            Sight::Through => {
                let right = u - x as f32 > 0.5;
                let below = v - y as f32 > 0.5;
                let beside = match right {
                    true => (x + 1 < width).then_some(pixel + 1),
                    false => pixel.checked_sub(1),
                };
                let over = match below {
                    true => (y + 1 < height).then_some(pixel + width),
                    false => pixel.checked_sub(width),
                };
                let near = [beside, over].into_iter().flatten();
                let mut near = near.map(|p| self.at(p, at.z, slack, 0));
                match near.any(|sight| matches!(sight, Sight::There(..))) {
                    true => Sight::Unknown,
                    false => Sight::Through,
                }
            }
            sight => sight,
        }
    }

    /// Content of a pixel at which a surface is expected at a depth. Pixels that an object other
    /// than number `own` explains count as hidden.
    #[inline]
    pub(crate) fn at(&self, pixel: usize, depth_m: f32, slack: f32, own: u32) -> Sight {
        let seen_m = self.cloud.depths[pixel];
        if !is_measured(seen_m) {
            return Sight::Unknown;
        }
        let behind = seen_m - depth_m;
        if behind > slack {
            return Sight::Through;
        }
        let kind = self.cloud.kinds[pixel];
        if kind == Kind::Robot {
            return Sight::Unknown;
        }
        if behind < -slack {
            return Sight::Hidden;
        }
        let owner = self.owners[pixel];
        match kind {
            Kind::Thing if owner == 0 || owner == own => Sight::There(pixel, behind / slack),
            Kind::Thing => Sight::Hidden,
            _ => Sight::Unknown,
        }
    }

    fn add(
        &self,
        samples: &[Sample],
        world_from_object: &Pose,
        Sampling { every, slack }: Sampling,
        sum: &mut Evidence,
        lights: &mut Lights,
    ) {
        let camera_from = self.camera_from(world_from_object);
        let world_from = Rigid::new(world_from_object);
        for sample in samples.iter().step_by(every) {
            let at = camera_from.point(&sample.at);
            let Some((weight, slack_m)) = self.weight(sample, &at, &camera_from) else {
                continue;
            };
            let weight = weight * every as f32;
            match self.sight(&at, slack * slack_m) {
                Sight::Unknown => {}
                Sight::Hidden => sum.hidden += weight,
                Sight::Through => sum.through += weight,
                Sight::There(pixel, off) => {
                    sum.there += weight;
                    sum.close += weight * (1.0 - off * off);
                    let seen = &self.tints[pixel];
                    let off = seen.apart(&sample.tint) / OTHER_CHROMA;
                    sum.alike += weight * (1.0 - off).max(-1.0);
                    let light = seen.light - sample.tint.light;
                    lights.add(&(world_from.turn * sample.normal), light, weight);
                }
            }
        }
    }
}

/// Differences of the logarithm of light from that of the model, by the direction of the surface:
/// the common part of all points of one direction is light and shade, the rest is texture.
#[derive(Default)]
struct Lights {
    by_side: [Vec<(f32, f32)>; 6],
}

impl Lights {
    fn add(&mut self, normal: &Vector3<f32>, light: f32, weight: f32) {
        let axis = normal.iamax();
        let side = 2 * axis + usize::from(normal[axis] < 0.0);
        self.by_side[side].push((light, weight));
    }

    /// Pixels whose light contradicts the model.
    fn against(&mut self) -> f32 {
        let sides = self.by_side.iter_mut().filter(|side| !side.is_empty());
        let against = sides.map(|side| {
            side.sort_by(|a, b| a.0.total_cmp(&b.0));
            let half: f32 = 0.5 * side.iter().map(|s| s.1).sum::<f32>();
            let mut sum = 0.0;
            let middle = side.iter().find(|s| {
                sum += s.1;
                sum >= half
            });
            let typical = middle.map_or(0.0, |s| s.0).clamp(LIGHT[0], LIGHT[1]);
            let off = side
                .iter()
                .map(|(light, weight)| weight * ((light - typical).abs() / OTHER_LIGHT).min(1.0));
            off.sum::<f32>()
        });
        against.sum()
    }
}

/// Normals in World of the pixels of objects, from their neighbours two pixels away.
fn normals(view: &CameraView, cloud: &Cloud) -> Vec<Vector3<f32>> {
    const STEP: usize = 2;
    const GAP_M: f32 = 0.012;
    let (width, height) = (cloud.width, cloud.height);
    let eye: Vector3<f32> = view.world_from_camera.translation.vector.cast();
    let is_thing = |at: usize| matches!(cloud.kinds[at], Kind::Thing | Kind::Table);
    let mut normals = vec![Vector3::zeros(); cloud.kinds.len()];
    for (at, normal) in normals.iter_mut().enumerate() {
        if cloud.kinds[at] != Kind::Thing {
            continue;
        }
        let (x, y) = (at % width, at / width);
        let p = Vector3::from(cloud.point(at));
        let to = |other: Option<usize>| {
            let q = Vector3::from(cloud.point(other.filter(|o| is_thing(*o))?)) - p;
            (q.norm() < GAP_M).then_some(q)
        };
        let right = to((x + STEP < width).then(|| at + STEP));
        let left = to((x >= STEP).then(|| at - STEP));
        let below = to((y + STEP < height).then(|| at + STEP * width));
        let above = to((y >= STEP).then(|| at - STEP * width));
        let across = [(right, above), (above, left), (left, below), (below, right)];
        let crossed = across.into_iter().filter_map(|(a, b)| Some(a?.cross(&b?)));
        let sum: Vector3<f32> = crossed.sum();
        if let Some(unit) = sum.try_normalize(1e-9) {
            *normal = if unit.dot(&(eye - p)) < 0.0 {
                -unit
            } else {
                unit
            };
        }
    }
    normals
}
