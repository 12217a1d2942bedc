//! Whether eight configurations are clear.

use pulp::Simd;

use super::frame::Frame;
use super::lanes::{V, Vec3, squared_distance};
use super::scene::{BodySphere, LinkSpheres, Part, SphereScene};

/// Obstacles that are narrowed down at once.
const CHUNK: usize = 32;

/// What spheres say about eight configurations: one bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Verdict {
    /// Covering spheres are hit: it may touch.
    pub(crate) perhaps: u32,
    /// Inscribed spheres are hit: it touches. Once one bit is set, the rest of
    /// the verdict is incomplete.
    pub(crate) surely: u32,
}

/// How much to find out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Find {
    /// Stop at the first covering sphere that is hit.
    Any,
    /// Every configuration.
    Each,
    /// Every configuration, until one surely touches.
    Sure,
}

/// Distances to be kept beyond the margins, m.
#[derive(Clone, Copy)]
pub(super) enum Beyond<'a> {
    /// By every part, from obstacles.
    Clearance(f32),
    /// A share of what each part moves, and each pair of links against each other.
    Motion(&'a Moves, f32),
}

/// By how much things move at most along a line, m.
#[derive(Clone, Debug)]
pub(super) struct Moves {
    /// Each part.
    pub(super) parts: Vec<f32>,
    /// Each pair of links, against each other.
    pub(super) pairs: Vec<f32>,
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
    fn of_pair(&self, idx: usize) -> f32 {
        match self {
            Self::Clearance(_) => 0.0,
            Self::Motion(moves, share) => moves.pairs[idx] * share,
        }
    }
}

/// Obstacles that are still near, as indices.
struct Near {
    idxs: [u32; CHUNK],
    n: usize,
}

impl Near {
    #[inline(always)]
    fn new() -> Self {
        Self {
            idxs: [0; CHUNK],
            n: 0,
        }
    }

    #[inline(always)]
    fn idxs(&self) -> &[u32] {
        &self.idxs[..self.n]
    }
}

/// Where eight configurations have the bodies and the links.
pub(super) struct Placed<S: Simd> {
    pub(super) bodies: Vec<Frame<S>>,
    /// Middles of the bodies' bounds.
    middles: Vec<Vec3<S>>,
}

impl SphereScene {
    /// Room that can be used again and again.
    #[inline(always)]
    pub(super) fn room<S: Simd>(&self) -> Placed<S> {
        Placed {
            bodies: Vec::with_capacity(self.tree.bodies.len()),
            middles: Vec::with_capacity(self.tree.bodies.len()),
        }
    }

    /// Looks at eight configurations; `q` has one vector for each joint of the arm.
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

    /// Narrows pairs down: bodies, links, groups, spheres.
    #[inline(always)]
    fn check_self<S: Simd>(
        &self,
        placed: &mut Placed<S>,
        find: Find,
        beyond: Beyond<'_>,
        verdict: &mut Verdict,
    ) {
        placed.middles.clear();
        for (frame, bound) in placed.bodies.iter().zip(&self.body_bounds) {
            placed.middles.push(frame.point(bound.centre));
        }
        for pair in &self.body_pairs {
            let (first, last) = pair.pairs;
            let reach = self.body_bounds[pair.a].outer + self.body_bounds[pair.b].outer;
            // Links of two bodies move alike against each other, up to their size.
            let mut more = beyond.of_pair(first);
            for idx in first..=last {
                more = more.max(beyond.of_pair(idx));
            }
            let reach = (reach + more) * (reach + more);
            let (a, b) = (&placed.middles[pair.a], &placed.middles[pair.b]);
            if !squared_distance(a, b).any_below(reach) {
                continue;
            }
            for idx in first..=last {
                self.check_pair(idx, placed, beyond.of_pair(idx), find, verdict);
                if verdict.is_settled(find) {
                    return;
                }
            }
        }
    }

    /// Frames of all bodies.
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

    /// Narrows the obstacles down: part, group, sphere.
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
        let near_part = self.narrow(obstacles, &middle, part.bound.outer + more);
        if near_part.n == 0 {
            return;
        }
        for group in &self.groups[part.groups.0..=part.groups.1] {
            let middle = frame.point(group.bound.centre);
            let near = self.narrow(near_part.idxs(), &middle, group.bound.outer + more);
            if near.n == 0 {
                continue;
            }
            for sphere in &self.spheres[group.spheres.0..=group.spheres.1] {
                let centre = frame.point(sphere.centre);
                for idx in near.idxs() {
                    let obstacle = &self.obstacles[*idx as usize];
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

    #[inline(always)]
    fn narrow<S: Simd>(&self, obstacles: &[u32], point: &Vec3<S>, reach: f32) -> Near {
        let mut near = Near::new();
        for idx in obstacles {
            let excess = self.obstacles[*idx as usize].excess(point, reach);
            near.idxs[near.n] = *idx;
            near.n += usize::from(excess.any_below(0.0));
        }
        near
    }

    #[inline(always)]
    pub(super) fn check_pair<S: Simd>(
        &self,
        pair: usize,
        placed: &Placed<S>,
        more: f32,
        find: Find,
        verdict: &mut Verdict,
    ) {
        let pair = &self.self_pairs[pair];
        let (a, b) = (&self.links[pair.a], &self.links[pair.b]);
        let (frame_a, frame_b) = (&placed.bodies[a.body], &placed.bodies[b.body]);
        let middle_b = &frame_b.point(b.bound.centre);
        if !is_near(frame_a, &a.bound, middle_b, b.bound.outer + more) {
            return;
        }
        for of_a in self.groups_of(a) {
            if !is_near(frame_a, &of_a.bound, middle_b, b.bound.outer + more) {
                continue;
            }
            let middle_a = frame_a.point(of_a.bound.centre);
            for of_b in self.groups_of(b) {
                if !is_near(frame_b, &of_b.bound, &middle_a, of_a.bound.outer + more) {
                    continue;
                }
                let spheres = [of_a.spheres, of_b.spheres];
                self.check_groups(spheres, [frame_a, frame_b], more, find, verdict);
                if verdict.is_settled(find) {
                    return;
                }
            }
        }
    }

    #[inline(always)]
    fn check_groups<S: Simd>(
        &self,
        [of_a, of_b]: [(usize, usize); 2],
        [frame_a, frame_b]: [&Frame<S>; 2],
        more: f32,
        find: Find,
        verdict: &mut Verdict,
    ) {
        for s in &self.spheres[of_a.0..=of_a.1] {
            let centre = frame_a.point(s.centre);
            for t in &self.spheres[of_b.0..=of_b.1] {
                let d = squared_distance(&centre, &frame_b.point(t.centre));
                let outer = s.outer + t.outer + more;
                if !d.any_below(outer * outer) {
                    continue;
                }
                verdict.perhaps |= d.below(outer * outer);
                let inner = s.inner + t.inner;
                if find == Find::Sure && inner > 0.0 {
                    verdict.surely |= d.below(inner * inner);
                }
                if verdict.is_settled(find) {
                    return;
                }
            }
        }
    }

    fn groups_of(&self, link: &LinkSpheres) -> &[super::scene::Group] {
        &self.groups[link.groups.0..=link.groups.1]
    }
}

/// Whether a sphere comes as close to a point as `radius` beyond its own anywhere.
#[inline(always)]
fn is_near<S: Simd>(frame: &Frame<S>, sphere: &BodySphere, to: &Vec3<S>, radius: f32) -> bool {
    let reach = sphere.outer + radius;
    squared_distance(&frame.point(sphere.centre), to).any_below(reach * reach)
}

impl Verdict {
    #[inline(always)]
    fn is_settled(&self, find: Find) -> bool {
        match find {
            Find::Any => self.perhaps != 0,
            Find::Each => self.perhaps == 0xff,
            Find::Sure => self.surely != 0,
        }
    }
}
