//! Spheres of the robot against obstacles and against each other.

use regrasp_api::{Obstacle, Pose};
use wide::f32x8;

use super::obstacle::SphereObstacle;
use super::rake::{Frame8, Vec8};
use super::{SphereModel, Tree};

/// Added to every covering radius, m: rounding of 32-bit figures at arm's length.
const ROUNDING_M: f32 = 2e-5;

/// What a scene is made of, beside the robot.
pub(crate) struct SceneOptions<'a> {
    pub(crate) obstacles: &'a [Obstacle],
    pub(crate) root_from_world: Pose,
    /// Obstacles that fingers may touch.
    pub(crate) may_touch: &'a [regrasp_api::ObjectId],
    pub(crate) arm_margin_m: f64,
    pub(crate) hand_margin_m: f64,
    /// What is held, as spheres in the frame of the tool's link.
    pub(crate) held: Option<super::LinkCover>,
}

/// A robot among obstacles, as spheres.
pub(crate) struct SphereScene {
    tree: Tree,
    links: Vec<LinkSpheres>,
    obstacles: Vec<SphereObstacle>,
    self_pairs: Vec<(usize, usize)>,
}

struct LinkSpheres {
    body: usize,
    is_finger: bool,
    moves: bool,
    bound: BodySphere,
    spheres: Vec<BodySphere>,
    margin: f32,
}

#[derive(Clone, Copy)]
struct BodySphere {
    centre: [f32; 3],
    outer: f32,
    inner: f32,
}

/// What spheres say about eight configurations: one bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Verdict {
    /// Covering spheres are hit: it may touch.
    pub(crate) perhaps: u32,
    /// Inscribed spheres are hit: it touches. Once one bit is set, the rest of
    /// the verdict is incomplete.
    pub(crate) surely: u32,
}

impl SphereScene {
    pub(crate) fn new(
        model: &SphereModel,
        tree: Tree,
        self_pairs: Vec<(usize, usize)>,
        options: &SceneOptions<'_>,
    ) -> Self {
        let links = model.links.iter().chain(&options.held).map(|link| {
            let (body, body_from_link) = tree.links[link.link_idx];
            let spheres: Vec<_> = link
                .spheres
                .iter()
                .map(|s| {
                    let c = s.centre;
                    let p = body_from_link * nalgebra::Point3::new(c.x, c.y, c.z);
                    BodySphere {
                        centre: [p.x as f32, p.y as f32, p.z as f32],
                        outer: s.radius as f32 + ROUNDING_M,
                        inner: s.inner as f32 - ROUNDING_M,
                    }
                })
                .collect();
            let margin = if link.is_finger {
                options.hand_margin_m
            } else {
                options.arm_margin_m
            };
            LinkSpheres {
                body,
                is_finger: link.is_finger,
                moves: link.moves,
                bound: bound(&spheres),
                spheres,
                margin: margin as f32,
            }
        });
        let links = links.collect();
        let mut obstacles: Vec<_> = options
            .obstacles
            .iter()
            .flat_map(|o| {
                let root_from_object = options.root_from_world * o.world_from_object;
                let may_be_touched = options.may_touch.contains(&o.id);
                SphereObstacle::parts(&o.shape, &root_from_object, may_be_touched)
            })
            .collect();
        obstacles.sort_by(|a, b| a.distance_from_root().total_cmp(&b.distance_from_root()));
        Self {
            tree,
            links,
            obstacles,
            self_pairs,
        }
    }

    /// Looks at eight configurations; `q` has one vector for each joint of the arm.
    pub(crate) fn check(&self, q: &[f32x8]) -> Verdict {
        let frames = self.frames(q);
        let mut verdict = Verdict::default();
        for link in self.links.iter().filter(|l| l.moves) {
            self.check_link(link, &frames[link.body], &mut verdict);
            if verdict.surely != 0 {
                return verdict;
            }
        }
        for (a, b) in &self.self_pairs {
            let (a, b) = (&self.links[*a], &self.links[*b]);
            check_pair(a, &frames[a.body], b, &frames[b.body], &mut verdict);
            if verdict.surely != 0 {
                return verdict;
            }
        }
        verdict
    }

    /// Pairs of links that are hit in each of the eight configurations.
    pub(crate) fn pair_hits(&self, q: &[f32x8]) -> Vec<u32> {
        let frames = self.frames(q);
        let pairs = self.self_pairs.iter().map(|(a, b)| {
            let (a, b) = (&self.links[*a], &self.links[*b]);
            let mut verdict = Verdict::default();
            check_pair(a, &frames[a.body], b, &frames[b.body], &mut verdict);
            verdict.perhaps
        });
        pairs.collect()
    }

    fn frames(&self, q: &[f32x8]) -> [Frame8; MAX_BODIES] {
        let mut frames = [Frame8::identity(); MAX_BODIES];
        for (idx, body) in self.tree.bodies.iter().enumerate().skip(1) {
            let at = frames[body.parent].fixed(&body.parent_from_z);
            let by = q[body.q_idx] * f32x8::splat(body.multiplier) + f32x8::splat(body.offset);
            frames[idx] = if body.is_prismatic {
                at.slide(by)
            } else {
                at.turn(by)
            };
        }
        frames
    }

    fn check_link(&self, link: &LinkSpheres, frame: &Frame8, verdict: &mut Verdict) {
        let middle = frame.point(link.bound.centre);
        let reach = link.bound.outer + link.margin;
        for obstacle in &self.obstacles {
            if link.is_finger && obstacle.may_be_touched {
                continue;
            }
            let far = f32x8::splat((reach + obstacle.bound).powi(2));
            if !obstacle
                .squared_distance_to_middle(&middle)
                .simd_lt(far)
                .any()
            {
                continue;
            }
            let near = f32x8::splat(reach * reach);
            if !obstacle.squared_distance(&middle).simd_lt(near).any() {
                continue;
            }
            for sphere in &link.spheres {
                let d = obstacle.squared_distance(&frame.point(sphere.centre));
                judge(
                    d,
                    sphere.outer + link.margin,
                    sphere.inner + link.margin,
                    verdict,
                );
                if verdict.surely != 0 {
                    return;
                }
            }
        }
    }
}

/// More moving joints than any chain has, and the root.
pub(super) const MAX_BODIES: usize = regrasp_kinematics::MAX_DOF + 1;

fn judge(squared: f32x8, outer: f32, inner: f32, verdict: &mut Verdict) {
    let hit = squared.simd_lt(f32x8::splat(outer * outer)).to_bitmask();
    if hit == 0 {
        return;
    }
    verdict.perhaps |= hit;
    if inner > 0.0 {
        verdict.surely |= squared.simd_lt(f32x8::splat(inner * inner)).to_bitmask();
    }
}

fn squared_distance(a: &Vec8, b: &Vec8) -> f32x8 {
    let [x, y, z] = [0, 1, 2].map(|i| a[i] - b[i]);
    x * x + y * y + z * z
}

fn check_pair(
    a: &LinkSpheres,
    frame_a: &Frame8,
    b: &LinkSpheres,
    frame_b: &Frame8,
    verdict: &mut Verdict,
) {
    let (middle_a, middle_b) = (frame_a.point(a.bound.centre), frame_b.point(b.bound.centre));
    let reach = f32x8::splat((a.bound.outer + b.bound.outer).powi(2));
    if !squared_distance(&middle_a, &middle_b).simd_lt(reach).any() {
        return;
    }
    for sphere in &a.spheres {
        let centre = frame_a.point(sphere.centre);
        let reach = f32x8::splat((sphere.outer + b.bound.outer).powi(2));
        if !squared_distance(&centre, &middle_b).simd_lt(reach).any() {
            continue;
        }
        for other in &b.spheres {
            let d = squared_distance(&centre, &frame_b.point(other.centre));
            let inner = (sphere.inner + other.inner).max(0.0);
            judge(d, sphere.outer + other.outer, inner, verdict);
        }
    }
}

/// A sphere around spheres: around the middle of their box.
fn bound(spheres: &[BodySphere]) -> BodySphere {
    let end = |i: usize, sign: f32| {
        let ends = spheres.iter().map(|s| sign * s.centre[i] + s.outer);
        sign * ends.fold(f32::NEG_INFINITY, f32::max)
    };
    let centre = [0, 1, 2].map(|i| 0.5 * (end(i, 1.0) + end(i, -1.0)));
    let reach = |s: &BodySphere| {
        let squares = (0..3).map(|i| (s.centre[i] - centre[i]).powi(2));
        squares.sum::<f32>().sqrt() + s.outer
    };
    BodySphere {
        centre,
        outer: spheres.iter().map(reach).fold(0.0, f32::max) + ROUNDING_M,
        inner: 0.0,
    }
}
