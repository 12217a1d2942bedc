//! Data derived from a model once, for recognition: points on its visible surfaces, the poses in
//! which it rests, and how its joints move its parts.

use std::f64::consts::PI;
use std::sync::Arc;

use nalgebra::{Matrix3, Point3, UnitQuaternion, Vector2, Vector3};
use regrasp_api::{CameraView, Intrinsics, JointKind, Pose, looking_at};
use regrasp_render::{Body, Look, Mesh, SoftwareRenderer, Stage};

use crate::colour::Tint;
use crate::model::{Model, ModelJoint, ModelSurface};

/// A model with the data derived from it.
#[derive(Debug)]
pub(crate) struct Template {
    pub(crate) model: Model,
    /// Points on the surfaces of each object, in its frame.
    pub(crate) samples: Vec<Vec<Sample>>,
    /// Joints that move each object, from the base outwards.
    pub(crate) moved_by: Vec<Vec<usize>>,
    /// Resting poses of the object on a level support.
    pub(crate) rests: Vec<Rest>,
    /// Surfaces of each object without colours, for rendering depth.
    bodies: Vec<Vec<(Pose, Arc<Mesh>)>>,
    /// Mean of the samples that no joint moves, in the frame of the base.
    pub(crate) middle: Point3<f64>,
    /// Distance of the farthest point from the base's origin, m.
    pub(crate) radius_m: f64,
}

/// Point that represents a piece of a surface.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sample {
    pub(crate) at: Vector3<f32>,
    pub(crate) normal: Vector3<f32>,
    pub(crate) rgb: [f32; 3],
    pub(crate) tint: Tint,
    /// Area of the piece, m^2.
    pub(crate) area: f32,
}

/// A resting pose of an object on a level support.
#[derive(Debug)]
pub(crate) struct Rest {
    /// Rotation of the base that makes the resting face level.
    pub(crate) rotation: UnitQuaternion<f64>,
    /// Height of the base's origin above the support, m.
    pub(crate) origin_z: f64,
    /// Height of the highest point above the support, m.
    pub(crate) height_m: f64,
    /// Middle of the rotated base seen from above, m.
    pub(crate) middle: Vector2<f64>,
    /// Samples rotated by `rotation`, relative to the middle and the support; sorted by height.
    pub(crate) samples: Vec<Sample>,
}

/// Distance between samples on small objects, m.
const SPACING_M: f32 = 0.004;
/// Smallest and largest number of samples on an object, before invisible samples are left out.
const N_SAMPLES: [f32; 2] = [600.0, 2400.0];
/// Number of samples of a resting object that vote for its place.
const N_VOTERS: usize = 260;
/// Edge of the patch whose mean colour a sample has, m: about a pixel.
const PATCH_M: f32 = 0.004;
/// Height up to which points of an object touch its support, m.
const TOUCHES_M: f64 = 0.0015;
/// Angle below which two resting poses count as one, rad.
const SAME_REST_RAD: f64 = 0.35;
/// Largest number of resting poses.
const MOST_RESTS: usize = 10;

impl Template {
    /// Derives the data; `None` for a model without surfaces.
    pub(crate) fn new(model: Model) -> Option<Self> {
        let n = model.objects.len();
        let areas: Vec<f32> = model.surfaces.iter().map(|s| patches(s).1).collect();
        let area: f32 = areas.iter().take(n).sum();
        if n == 0 || area <= 0.0 {
            return None;
        }
        let n_samples = (area / SPACING_M.powi(2)).clamp(N_SAMPLES[0], N_SAMPLES[1]);
        let mut renderer = SoftwareRenderer::default();
        let samples = model.surfaces.iter().take(n).map(|surfaces| {
            let samples = sampled(surfaces, area / n_samples);
            visible(samples, surfaces, &mut renderer)
        });
        let samples: Vec<Vec<Sample>> = samples.collect();
        let moved_by: Vec<Vec<usize>> = (0..n).map(|idx| movers(&model, idx)).collect();
        let bodies = model.surfaces.iter().take(n);
        let bodies = bodies.map(|surfaces| surfaces.iter().map(plain).collect());
        let mut template = Self {
            bodies: bodies.collect(),
            samples,
            moved_by,
            rests: vec![],
            middle: Point3::origin(),
            radius_m: 0.0,
            model,
        };
        let (corners, fixed) = template.in_base();
        let sum: Vector3<f32> = fixed.iter().map(|s| s.at).sum();
        template.middle = (sum.cast() / fixed.len().max(1) as f64).into();
        let far = corners.iter().map(Vector3::norm);
        template.radius_m = far.fold(0.0, f64::max);
        let rotations = match template.model.objects[0].movable {
            true => rests(&corners, &fixed),
            false => vec![UnitQuaternion::identity()],
        };
        let rotations = rotations.iter();
        let rests = rotations.map(|r| Rest::new(*r, &corners, &fixed, &template.middle));
        let rests: Vec<Rest> = rests.collect();
        template.rests = rests;
        Some(template)
    }

    /// Openings of all joints in the state in which the model is declared.
    pub(crate) fn openings(&self) -> Vec<f64> {
        let joints = self.model.joints.iter();
        joints.map(|j| j.joint.opening).collect()
    }

    /// True for an object that is mounted and never moves.
    pub(crate) fn is_furniture(&self) -> bool {
        !self.model.objects[0].movable
    }

    /// Indices of the joints that slide.
    pub(crate) fn slides(&self) -> impl Iterator<Item = usize> {
        let joints = self.model.joints.iter().enumerate();
        let slides = joints.filter(|(_, j)| j.joint.kind == JointKind::Prismatic);
        slides.map(|(idx, _)| idx)
    }

    /// Moves the base along its first slide, while the sliding part stays where it is.
    pub(crate) fn slide(&self, world_from_base: &mut Pose, openings: &mut [f64], by_m: f64) {
        let Some(first) = self.slides().next() else {
            return;
        };
        let along = by_m * self.model.joints[first].joint.axis();
        world_from_base.translation.vector += world_from_base.rotation * along;
        for idx in self.slides() {
            let ModelJoint {
                joint,
                openings: [low, high],
                ..
            } = &self.model.joints[idx];
            let by = along.dot(&joint.axis());
            openings[idx] = (openings[idx] - by).clamp(*low, *high);
        }
    }

    /// Motion that some joints cause, from the base outwards, in the frame of the base.
    pub(crate) fn moved(&self, joints: &[usize], openings: &[f64]) -> Pose {
        let joint = |j: usize| &self.model.joints[j].joint;
        let joints = joints.iter();
        let motions = joints.map(|j| joint(*j).carried(&Pose::identity(), openings[*j]));
        motions.fold(Pose::identity(), |all, motion| all * motion)
    }

    /// Poses of all objects in World.
    pub(crate) fn placed(&self, world_from_base: &Pose, openings: &[f64]) -> Vec<Pose> {
        let objects = self.model.objects.iter().zip(&self.moved_by);
        let poses = objects.map(|(object, joints)| {
            world_from_base * self.moved(joints, openings) * object.world_from_object
        });
        poses.collect()
    }

    /// True for an object that no joint moves. If only moved objects have a surface, true for any
    /// object.
    pub(crate) fn is_fixed(&self, object: usize) -> bool {
        let stays = |idx: &usize| self.moved_by[*idx].is_empty();
        let mut shown = (0..self.samples.len()).filter(|idx| !self.samples[*idx].is_empty());
        stays(&object) || !shown.any(|idx| stays(&idx))
    }

    /// Height of the lowest sample that no joint moves, m.
    pub(crate) fn low_z(&self, world_from_base: &Pose) -> f64 {
        let poses = self.placed(world_from_base, &self.openings());
        let fixed = (0..poses.len()).filter(|idx| self.is_fixed(*idx));
        let heights = fixed.flat_map(|idx| {
            let pose = poses[idx].cast::<f32>();
            let samples = self.samples[idx].iter();
            samples.map(move |s| f64::from((pose * Point3::from(s.at)).z))
        });
        heights.fold(f64::INFINITY, f64::min)
    }

    /// Adds the surfaces of placed objects to a stage.
    pub(crate) fn add_to(&self, stage: &mut Stage, world_from_objects: &[Pose]) {
        let instance = stage.instance(self.model.name.as_str());
        for (bodies, pose) in self.bodies.iter().zip(world_from_objects) {
            stage.bodies.extend(bodies.iter().map(|(from, mesh)| Body {
                instance,
                mesh: Arc::clone(mesh),
                look: Look::plain([0.5; 3]),
                world_from_body: pose * from,
            }));
        }
    }

    /// All corners in the frame of the base, and the samples that no joint moves (all, if there
    /// are no others).
    fn in_base(&self) -> (Vec<Vector3<f64>>, Vec<Sample>) {
        let poses = self.placed(&Pose::identity(), &self.openings());
        let corners = self.bodies.iter().zip(&poses).flat_map(|(bodies, pose)| {
            bodies.iter().flat_map(move |(from, mesh)| {
                let corners = mesh.surface().positions.iter();
                corners.map(move |p| (pose * from * Point3::from(p.map(f64::from))).coords)
            })
        });
        let of = |is_wanted: &dyn Fn(&[usize]) -> bool| -> Vec<Sample> {
            let objects = self.samples.iter().zip(&poses).zip(&self.moved_by);
            let wanted = objects.filter(|(_, joints)| is_wanted(joints));
            let samples = wanted.flat_map(|((samples, pose), _)| {
                let rotation = pose.rotation.cast::<f32>();
                let shift: Vector3<f32> = pose.translation.vector.cast();
                samples.iter().map(move |s| s.moved(&rotation, &shift))
            });
            samples.collect()
        };
        let fixed = of(&|joints| joints.is_empty());
        let fixed = if fixed.is_empty() {
            of(&|_| true)
        } else {
            fixed
        };
        (corners.collect(), fixed)
    }
}

impl Sample {
    fn moved(&self, rotation: &UnitQuaternion<f32>, shift: &Vector3<f32>) -> Self {
        Self {
            at: rotation * self.at + shift,
            normal: rotation * self.normal,
            ..*self
        }
    }
}

impl Rest {
    /// Rotation of this resting pose, turned about the vertical so that it is nearest to `now`.
    pub(crate) fn level_from(&self, now: &UnitQuaternion<f64>) -> UnitQuaternion<f64> {
        let off = now * self.rotation.inverse();
        let turn = 2.0 * off.k.atan2(off.w);
        UnitQuaternion::from_axis_angle(&Vector3::z_axis(), turn) * self.rotation
    }

    fn new(
        rotation: UnitQuaternion<f64>,
        corners: &[Vector3<f64>],
        samples: &[Sample],
        middle: &Point3<f64>,
    ) -> Self {
        let heights = corners.iter().map(|p| (rotation * p).z);
        let (low, high) = heights.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), z| {
            (low.min(z), high.max(z))
        });
        let middle = (rotation * middle).coords.xy();
        let turn = rotation.cast::<f32>();
        let shift = Vector3::new(-middle.x, -middle.y, -low).cast::<f32>();
        let every = samples.len().div_ceil(N_VOTERS).max(1);
        let voters = samples.iter().step_by(every);
        let mut voters: Vec<Sample> = voters.map(|s| s.moved(&turn, &shift)).collect();
        voters.sort_by(|a, b| a.at.z.total_cmp(&b.at.z));
        Self {
            rotation,
            origin_z: -low,
            height_m: high - low,
            middle,
            samples: voters,
        }
    }
}

/// Joints that move an object, from the base outwards: the joint of the object, or of the object
/// that it is a part of, and the joints that move the parent of that joint.
fn movers(model: &Model, object: usize) -> Vec<usize> {
    let mut found = Vec::new();
    let mut id = &model.objects[object].id;
    while found.len() <= model.joints.len() {
        if let Some(idx) = model.joints.iter().position(|j| &j.joint.child == id) {
            found.push(idx);
            id = &model.joints[idx].joint.parent;
            continue;
        }
        let known = model.known.iter().find(|k| &k.object == id);
        match known.and_then(|k| k.part_of.as_ref()) {
            Some(whole) if whole != id && found.is_empty() => id = whole,
            _ => break,
        }
    }
    found.reverse();
    found
}

fn plain(surface: &ModelSurface) -> (Pose, Arc<Mesh>) {
    let Some(_) = surface.mesh.image() else {
        return (surface.object_from_surface, Arc::clone(&surface.mesh));
    };
    // For depth the image is not needed; a mesh without one may be drawn with fewer triangles.
    let all = surface.mesh.surface();
    let (corners, normals) = (all.positions.clone(), all.normals.clone());
    let mesh = Mesh::with_normals(corners, normals, &all.triangles);
    (surface.object_from_surface, Arc::new(mesh))
}

/// A triangle in its object's frame: first corner, edges, texture coordinates, area (m^2), surface.
type Patch<'a> = (
    [Vector3<f32>; 3],
    Option<[[f32; 2]; 3]>,
    f32,
    &'a ModelSurface,
);

/// The triangles of surfaces, and their total area, m^2.
fn patches(surfaces: &[ModelSurface]) -> (Vec<Patch<'_>>, f32) {
    let mut patches = Vec::new();
    let mut sum = 0.0;
    for surface in surfaces {
        let all = surface.mesh.surface();
        let pose = surface.object_from_surface.cast::<f32>();
        for triangle in &all.triangles {
            let idx = triangle.map(|i| i as usize);
            let [a, b, c] = idx.map(|i| pose * Point3::from(all.positions[i]));
            let area = 0.5 * (b - a).cross(&(c - a)).norm();
            let uv = all.texcoords.len() == all.positions.len();
            let uv = uv.then(|| idx.map(|i| all.texcoords[i]));
            if area > 0.0 && area.is_finite() {
                patches.push(([a.coords, b - a, c - a], uv, area, surface));
                sum += area;
            }
        }
    }
    (patches, sum)
}

/// Evenly spread samples, each of which represents `area`, m^2.
fn sampled(surfaces: &[ModelSurface], area: f32) -> Vec<Sample> {
    // The additive recurrence with the plastic number fills a square evenly (M. Roberts, "The
    // unreasonable effectiveness of quasirandom sequences", 2018).
    const STEPS: [f32; 2] = [0.754_877_7, 0.569_840_3];
    let mut samples = Vec::new();
    let mut due = 0.5 * area;
    let mut uv = [0.5_f32; 2];
    for (patch, texcoords, patch_area, surface) in patches(surfaces).0 {
        due -= patch_area;
        while due <= 0.0 {
            due += area;
            uv = [0, 1].map(|i| (uv[i] + STEPS[i]).fract());
            let [u, v] = if uv[0] + uv[1] > 1.0 {
                uv.map(|c| 1.0 - c)
            } else {
                uv
            };
            let [a, ab, ac] = patch;
            let rgb = match (surface.mesh.image(), texcoords) {
                (Some(image), Some([ta, tb, tc])) => {
                    let at = [0, 1].map(|i| ta[i] + u * (tb[i] - ta[i]) + v * (tc[i] - ta[i]));
                    let [tb, tc] = [tb, tc].map(|t| [t[0] - ta[0], t[1] - ta[1]]);
                    let on_image = 0.5 * (tb[0] * tc[1] - tb[1] * tc[0]).abs();
                    image.rgb_around(at, [PATCH_M * (on_image / patch_area).sqrt(); 2])
                }
                _ => surface.look.rgb,
            };
            samples.push(Sample {
                at: a + u * ab + v * ac,
                normal: ab.cross(&ac).normalize(),
                rgb,
                tint: Tint::new(rgb),
                area,
            });
        }
    }
    samples
}

/// Leaves out the samples that are never visible from outside, such as the inner side of a shell.
fn visible(
    mut samples: Vec<Sample>,
    surfaces: &[ModelSurface],
    renderer: &mut SoftwareRenderer,
) -> Vec<Sample> {
    const PIXELS: u32 = 128;
    const N_VIEWS: usize = 40;
    const DISTANCE: f64 = 6.0;
    let n = samples.len().max(1) as f64;
    let middle: Vector3<f64> = samples.iter().map(|s| s.at.cast()).sum::<Vector3<f64>>() / n;
    let far = samples.iter().map(|s| (s.at.cast() - middle).norm());
    let radius = far.fold(1e-3, f64::max);
    let mut stage = Stage::default();
    let bodies = surfaces.iter().map(|surface| Body {
        instance: 1,
        mesh: Arc::clone(&surface.mesh),
        look: surface.look,
        world_from_body: surface.object_from_surface,
    });
    stage.bodies.extend(bodies);
    let fov_rad = 2.0 * (1.05 / (DISTANCE - 1.0)).atan();
    let intrinsics = Intrinsics::from_vertical_fov(PIXELS, PIXELS, fov_rad);
    let mut is_seen = vec![false; samples.len()];
    let slack_m = 3.0 * (radius / f64::from(PIXELS));
    for direction in sphere(N_VIEWS) {
        let from = middle + DISTANCE * radius * direction;
        let Some(world_from_camera) = looking_at(&from, &middle, &Vector3::z()) else {
            continue;
        };
        let view = CameraView {
            name: String::new(),
            intrinsics,
            world_from_camera,
        };
        let depths = renderer.depth(&stage, &view);
        for (sample, is_seen) in samples.iter().zip(&mut is_seen) {
            let at: Point3<f64> = sample.at.cast().into();
            if *is_seen || sample.normal.cast().dot(&direction) < 0.1 {
                continue;
            }
            let Some(([u, v], depth_m)) = view.project(&at) else {
                continue;
            };
            let pixel = v.round() as usize * PIXELS as usize + u.round() as usize;
            let seen_m = depths.get(pixel).copied().unwrap_or_default();
            *is_seen = seen_m > 0.0 && depth_m - f64::from(seen_m) < slack_m;
        }
    }
    let mut is_seen = is_seen.iter();
    samples.retain(|_| is_seen.next().copied().unwrap_or_default());
    samples
}

/// Evenly spread directions (a Fibonacci lattice on the sphere).
fn sphere(n: usize) -> impl Iterator<Item = Vector3<f64>> {
    let golden = PI * (3.0 - 5.0_f64.sqrt());
    (0..n).map(move |i| {
        let z = 1.0 - (2.0 * i as f64 + 1.0) / n as f64;
        let (sin, cos) = (golden * i as f64).sin_cos();
        let r = (1.0 - z * z).sqrt();
        Vector3::new(r * cos, r * sin, z)
    })
}

/// Rotations in which an object rests: local minima of the height of its centre.
fn rests(corners: &[Vector3<f64>], samples: &[Sample]) -> Vec<UnitQuaternion<f64>> {
    const N_COARSE: usize = 160;
    const N_FINE: usize = 1200;
    /// Angle to the neighbours of a direction, rad.
    const NEAR_RAD: f64 = 0.13;
    /// Angle by which a resting object is tilted to test its stability, rad, and the height that
    /// its centre may lose because its surface is rough, m.
    const TILT_RAD: f64 = 0.06;
    const ROLLS_M: f64 = 0.0003;
    let center: Vector3<f64> = samples.iter().map(|s| s.at.cast()).sum();
    let center = center / samples.len().max(1) as f64;
    let lowest = |down: &Vector3<f64>, among: &[Vector3<f64>]| {
        let ranked = among.iter().map(|p| (p - center).dot(down));
        ranked.fold(f64::NEG_INFINITY, f64::max)
    };
    let outer = sphere(N_COARSE).filter_map(|d| {
        let far = corners.iter();
        far.copied().max_by(|a, b| a.dot(&d).total_cmp(&b.dot(&d)))
    });
    let outer: Vec<Vector3<f64>> = outer.collect();
    let heights = sphere(N_FINE).map(|d| (lowest(&d, &outer), d));
    let heights: Vec<(f64, Vector3<f64>)> = heights.collect();
    let is_least = |(height, down): &&(f64, Vector3<f64>)| {
        let mut near = heights.iter();
        !near.any(|(h, d)| h < height && d.dot(down) > NEAR_RAD.cos())
    };
    let mut found: Vec<(f64, Vector3<f64>)> = Vec::new();
    for (_, down) in heights.iter().filter(is_least) {
        let down = settled(*down, corners);
        // A tilt to any side must not lower the centre, as it does for an object on its edge.
        let height = lowest(&down, corners);
        let beside = [0, 1, 2, 3, 4, 5, 6, 7].map(|i| {
            let turn = UnitQuaternion::rotation_between(&Vector3::z(), &down).unwrap_or_default();
            let (sin, cos) = (0.25 * PI * f64::from(i)).sin_cos();
            let tilted = turn * Vector3::new(TILT_RAD * cos, TILT_RAD * sin, 1.0).normalize();
            lowest(&tilted, corners) - height
        });
        let rise = beside.into_iter().fold(f64::INFINITY, f64::min);
        if rise > -ROLLS_M {
            found.push((rise, down));
        }
    }
    // The most stable resting poses come first.
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut downs: Vec<Vector3<f64>> = Vec::new();
    for (_, down) in found {
        if downs.iter().all(|d| d.angle(&down) > SAME_REST_RAD) && downs.len() < MOST_RESTS {
            downs.push(down);
        }
    }
    let level = |down: &Vector3<f64>| {
        let level = UnitQuaternion::rotation_between(down, &-Vector3::z());
        level.unwrap_or_else(|| UnitQuaternion::from_axis_angle(&Vector3::x_axis(), PI))
    };
    downs.iter().map(level).collect()
}

/// Rotates a direction to the normal of the nearest face on which the object rests.
fn settled(mut down: Vector3<f64>, corners: &[Vector3<f64>]) -> Vector3<f64> {
    for slack_m in [6.0, 3.0, 1.0, 1.0].map(|s| s * TOUCHES_M) {
        let low = corners.iter().map(|p| p.dot(&down));
        let low = low.fold(f64::NEG_INFINITY, f64::max);
        let touching = corners.iter().filter(|p| p.dot(&down) > low - slack_m);
        let touching: Vec<_> = touching.collect();
        let n = touching.len() as f64;
        let middle = touching.iter().copied().sum::<Vector3<f64>>() / n;
        let spread = touching.iter().map(|p| *p - middle);
        let spread: Matrix3<f64> = spread.map(|v| v * v.transpose()).sum();
        let eigen = spread.symmetric_eigen();
        let mut values: Vec<f64> = eigen.eigenvalues.iter().copied().collect();
        values.sort_by(f64::total_cmp);
        let normal: Vector3<f64> = eigen.eigenvectors.column(eigen.eigenvalues.imin()).into();
        let normal = if normal.dot(&down) < 0.0 {
            -normal
        } else {
            normal
        };
        // Points on a line do not form a face.
        if values[1] > 4.0 * values[0] && values[1] > n * TOUCHES_M.powi(2) {
            down = normal;
        }
    }
    down
}
