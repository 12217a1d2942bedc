//! Self-collision checks with spheres.

use pulp::Simd;

use super::bound::{BodySphere, Group};
use super::check::{Beyond, Find, Placed, Verdict};
use super::frame::Frame;
use super::lanes::{Vec3, squared_distance};
use super::scene::{LinkSpheres, SphereScene};

impl SphereScene {
    /// Culls pairs by bodies, then by links, groups and spheres.
    #[inline(always)]
    pub(super) fn check_self<S: Simd>(
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
            // The bounds contain all links of both bodies, so the largest motion of any pair
            // counts.
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

    fn groups_of(&self, link: &LinkSpheres) -> &[Group] {
        &self.groups[link.groups.0..=link.groups.1]
    }
}

/// Returns true if, in any lane, a sphere comes within `radius` plus its own radius of a point.
#[inline(always)]
fn is_near<S: Simd>(frame: &Frame<S>, sphere: &BodySphere, to: &Vec3<S>, radius: f32) -> bool {
    let reach = sphere.outer + radius;
    squared_distance(&frame.point(sphere.centre), to).any_below(reach * reach)
}
