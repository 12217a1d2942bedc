//! Clearance checks of eight configurations at once.

use pulp::Simd;
use smallvec::SmallVec;

use super::frame::Frame;
use super::lanes::{V, Vec3};
use super::scene::{Part, SelfPair, SphereScene};

/// Number of obstacles that are culled at once: one bit each.
const CHUNK: usize = 32;
/// Number of bodies, the root included, up to which a check needs no heap.
const BODIES: usize = 12;

/// Verdict of spheres on eight configurations: one bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Verdict {
    /// Set if covering spheres are hit: the configuration may touch.
    pub(crate) perhaps: u32,
    /// Set if inscribed spheres are hit: the configuration touches. Once one bit is set, the rest
    /// of the verdict is incomplete.
    pub(crate) surely: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Find {
    /// Stops at the first covering sphere that is hit.
    Any,
    /// Checks every configuration completely.
    Each,
    /// Checks every configuration until an inscribed sphere of one is hit.
    Sure,
}

/// Distances to be kept beyond the margins, m.
#[derive(Clone, Copy)]
pub(super) enum Beyond<'a> {
    /// Clearance of every part from obstacles.
    Clearance(f32),
    /// A share of the motion of each part, and of each pair of links relative to each other.
    Motion(&'a Moves, f32),
}

/// Upper bounds on the motion of parts along a line, m.
#[derive(Clone, Debug)]
pub(super) struct Moves {
    pub(super) parts: Vec<f32>,
    pub(super) pairs: Vec<f32>,
}

/// Upper bounds on the displacement of links within half a stretch of a line, m.
pub(crate) struct Travel<'a> {
    pub(super) scene: &'a SphereScene,
    pub(super) moves: &'a Moves,
    pub(super) share: f32,
}

impl Travel<'_> {
    /// Displacement of a link, or of the object that it holds.
    pub(crate) fn of_link(&self, link_idx: usize) -> f64 {
        let (body, _) = self.scene.tree.links[link_idx];
        let parts = self.scene.parts.iter().zip(&self.moves.parts);
        let moves = parts.filter(|(part, _)| part.body == body).map(|(_, m)| *m);
        f64::from(self.share * moves.fold(0.0, f32::max))
    }

    /// Relative displacement of two links.
    pub(crate) fn between(&self, a: usize, b: usize) -> f64 {
        let [a, b] = [a, b].map(|link_idx| self.scene.tree.links[link_idx].0);
        let bodies = |pair: &SelfPair| [pair.a, pair.b].map(|i| self.scene.links[i].body);
        let pairs = self.scene.self_pairs.iter().zip(&self.moves.pairs);
        let moves = pairs.filter(|(p, _)| bodies(p) == [a, b] || bodies(p) == [b, a]);
        f64::from(self.share * moves.map(|(_, m)| *m).fold(0.0, f32::max))
    }
}

impl Beyond<'_> {
    #[inline(always)]
    fn of_part(&self, idx: usize) -> f32 {
        match self {
            Self::Clearance(m) => *m,
            Self::Motion(moves, share) => moves.parts[idx] * share,
        }
    }

    #[inline(always)]
    pub(super) fn of_pair(&self, idx: usize) -> f32 {
        match self {
            Self::Clearance(_) => 0.0,
            Self::Motion(moves, share) => moves.pairs[idx] * share,
        }
    }
}

/// Places in a list that are still to be visited, one bit each.
#[derive(Clone, Copy)]
struct Places(u32);

impl Places {
    #[inline(always)]
    fn add(&mut self, place: usize, is_in: bool) {
        self.0 |= u32::from(is_in) << place;
    }
}

impl Iterator for Places {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        let place = self.0.trailing_zeros() as usize;
        self.0 &= self.0.wrapping_sub(1);
        (place < CHUNK).then_some(place)
    }
}

/// Poses of the bodies in eight configurations.
pub(super) struct Placed<S: Simd> {
    pub(super) bodies: SmallVec<[Frame<S>; BODIES]>,
    /// Centres of the bodies' bounding spheres.
    pub(super) middles: SmallVec<[Vec3<S>; BODIES]>,
}

impl<S: Simd> Placed<S> {
    /// Empty buffers, to be reused from check to check.
    #[inline(always)]
    pub(super) fn new() -> Self {
        Self {
            bodies: SmallVec::new(),
            middles: SmallVec::new(),
        }
    }
}

impl SphereScene {
    /// Checks eight configurations; `q` has one vector for each joint of the arm.
    #[inline(always)]
    pub(super) fn check<S: Simd>(
        &self,
        placed: &mut Placed<S>,
        q: &[V<S>],
        find: Find,
        beyond: Beyond<'_>,
    ) -> Verdict {
        self.place(placed, q);
        let mut verdict = Verdict::default();
        for (idx, part) in self.parts.iter().enumerate() {
            let more = part.margin + beyond.of_part(idx);
            let frame = &placed.bodies[part.body];
            for obstacles in part.obstacles.chunks(CHUNK) {
                self.check_part(part, obstacles, frame, more, find, &mut verdict);
                if verdict.is_settled(find) {
                    return verdict;
                }
            }
        }
        self.check_self(placed, find, beyond, &mut verdict);
        verdict
    }

    #[inline(always)]
    pub(super) fn place<S: Simd>(&self, placed: &mut Placed<S>, q: &[V<S>]) {
        placed.bodies.clear();
        placed.bodies.push(Frame::identity_like(q[0]));
        for body in &self.tree.bodies[1..] {
            let at = placed.bodies[body.parent].fixed(&body.parent_from_z);
            let q = q[body.q_idx];
            let by = q * q.like(body.multiplier) + q.like(body.offset);
            placed.bodies.push(match body.is_prismatic {
                true => at.slide(by),
                false => at.turn(by),
            });
        }
    }

    #[inline(always)]
    fn check_part<S: Simd>(
        &self,
        part: &Part,
        obstacles: &[u32],
        frame: &Frame<S>,
        more: f32,
        find: Find,
        verdict: &mut Verdict,
    ) {
        let middle = frame.point(part.bound.centre);
        let near_part = self.near(obstacles, &middle, part.bound.outer + more);
        if near_part.0 == 0 {
            return;
        }
        for group in &self.groups[part.groups.0..=part.groups.1] {
            let middle = frame.point(group.bound.centre);
            let near = self.narrow(obstacles, near_part, &middle, group.bound.outer + more);
            if near.0 == 0 {
                continue;
            }
            for sphere in &self.spheres[group.spheres.0..=group.spheres.1] {
                let centre = frame.point(sphere.centre);
                for place in near {
                    let obstacle = &self.obstacles[obstacles[place] as usize];
                    let excess = obstacle.excess(&centre, sphere.outer + more);
                    if !excess.any_below(0.0) {
                        continue;
                    }
                    verdict.perhaps |= excess.below(0.0);
                    let inner = sphere.inner + more;
                    if find == Find::Sure && inner > 0.0 {
                        verdict.surely |= obstacle.excess(&centre, inner).below(0.0);
                    }
                    if verdict.is_settled(find) {
                        return;
                    }
                }
            }
        }
    }

    /// Places of the obstacles within `reach` of a point. They are ordered by distance from the
    /// root, so the loop ends at the first one that is too far out.
    #[inline(always)]
    fn near<S: Simd>(&self, obstacles: &[u32], point: &Vec3<S>, reach: f32) -> Places {
        let mut near = Places(0);
        let [x, y, z] = *point;
        let out = (x * x + y * y + z * z).sqrt() + x.like(reach);
        for (place, idx) in obstacles.iter().enumerate() {
            let obstacle = &self.obstacles[*idx as usize];
            if !(x.like(obstacle.from_root) - out).any_below(0.0) {
                break;
            }
            near.add(place, obstacle.excess(point, reach).any_below(0.0));
        }
        near
    }

    /// The places among those of `obstacles` at which an obstacle is within `reach` of a point.
    #[inline(always)]
    fn narrow<S: Simd>(
        &self,
        obstacles: &[u32],
        among: Places,
        point: &Vec3<S>,
        reach: f32,
    ) -> Places {
        let mut near = Places(0);
        for place in among {
            let obstacle = &self.obstacles[obstacles[place] as usize];
            near.add(place, obstacle.excess(point, reach).any_below(0.0));
        }
        near
    }
}

impl Verdict {
    #[inline(always)]
    pub(super) fn is_settled(&self, find: Find) -> bool {
        match find {
            Find::Any => self.perhaps != 0,
            Find::Each => self.perhaps == 0xff,
            Find::Sure => self.surely != 0,
        }
    }
}
