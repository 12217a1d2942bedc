//! Free spots on the surface that objects stand on.

use nalgebra::Vector2;
use regrasp_api::{Aabb, ObjectId, PerceivedObject, PlanRequest};

/// Finds free spots on the surface that objects stand on.
pub(crate) struct Spots<'a> {
    request: &'a PlanRequest<'a>,
    /// Places that are or will be taken: centre and radius seen from above, m.
    taken: Vec<([f64; 2], f64)>,
}

/// Free space around a spot that is tried first, m: room for the open fingers and
/// the hand. If the table is full, less will do.
const CLEARANCES_M: [f64; 3] = [0.06, 0.03, 0.015];
/// Distance between the rings of spots that are tried, m.
const RING_STEP_M: f64 = 0.02;
/// Furthest spot from where the object is now, m.
const MAX_MOVE_M: f64 = 0.6;
/// Spots on a ring.
const N_ANGLES: usize = 24;
/// Part of the reach within which a hand that points down gets anywhere. Robots may
/// state a reach that only a stretched arm has, so this is cautious; a spot as far
/// away as the object is now is fine too, since the hand gets there.
const SURE_REACH: f64 = 0.55;
/// Distance from the base within which the arm is in its own way, m.
const TOO_NEAR_BASE_M: f64 = 0.25;
/// Half width of what has not been seen, m: about what a hand can take.
const UNSEEN_RADIUS_M: f64 = 0.04;
/// Things that do not rise further above the surface do not take any of it, m.
const FLAT_M: f64 = 0.003;

impl<'a> Spots<'a> {
    pub(crate) fn new(request: &'a PlanRequest<'a>) -> Self {
        let taken = vec![];
        Self { request, taken }
    }

    /// Keeps a place free for something, or away from it.
    pub(crate) fn reserve(&mut self, xy: [f64; 2], radius_m: f64) {
        self.taken.push((xy, radius_m));
    }

    /// Keeps free what an object takes up on its way straight to a point.
    pub(crate) fn reserve_way(&mut self, name: &str, to: [f64; 2]) {
        const MAX_STEPS: usize = 100;
        let object = self.request.percept.object(&ObjectId::new(name));
        let (radius_m, to) = (self.radius(name), Vector2::from(to));
        let from = object.map_or(to, |o| o.position().xy());
        let n_steps = ((to - from).norm() / radius_m.max(1e-3)).ceil() as usize;
        let n_steps = n_steps.clamp(1, MAX_STEPS);
        for i in 0..=n_steps {
            let at = to.lerp(&from, i as f64 / n_steps as f64);
            self.reserve([at.x, at.y], radius_m);
        }
    }

    /// Half the diagonal of an object's footprint: whatever its yaw, it fits.
    pub(crate) fn radius(&self, name: &str) -> f64 {
        let object = self.request.percept.object(&ObjectId::new(name));
        object.map_or(UNSEEN_RADIUS_M, |o| {
            0.5 * o.aabb_in_world().size().xy().norm()
        })
    }

    /// The free spot nearest to where `name` is now, at least `min_move_m` away from
    /// there: one that suits, if there is one. Deterministic. `None` if the surface is full.
    pub(crate) fn find(
        &self,
        name: &str,
        min_move_m: f64,
        suits: impl Fn([f64; 2]) -> bool,
    ) -> Option<[f64; 2]> {
        let id = ObjectId::new(name);
        let object = self.request.percept.object(&id);
        let near = object.map_or_else(|| self.in_front_of_base(), |o| o.position().xy());
        let surfaces = self.surfaces_for(object, near.into());
        let candidates = rings(near, min_move_m);
        let find = |suits: &dyn Fn([f64; 2]) -> bool| {
            let on = |surface| {
                CLEARANCES_M.iter().find_map(|clearance_m| {
                    let is_free = |xy| self.is_free(xy, &id, surface, *clearance_m) && suits(xy);
                    candidates.iter().copied().find(|xy| is_free(*xy))
                })
            };
            match surfaces.is_empty() {
                true => on(None),
                // What a small pedestal has no room for goes to the table below it.
                false => surfaces.iter().find_map(|surface| on(Some(*surface))),
            }
        };
        find(&suits).or_else(|| find(&|_| true))
    }

    /// The surfaces on which a spot for an object is looked for, best first: what is below it, or
    /// else what is nearest. Empty if nothing fixed is seen.
    fn surfaces_for(
        &self,
        object: Option<&PerceivedObject>,
        near: [f64; 2],
    ) -> Vec<&'a PerceivedObject> {
        let below = object.map_or_else(Vec::new, |o| self.surfaces_below(o));
        if !below.is_empty() {
            return below;
        }
        let fixed = self.request.percept.objects.iter().filter(|o| !o.movable);
        let mut fixed: Vec<_> = fixed.collect();
        let away_m = |o: &PerceivedObject| distance(&o.aabb_in_world(), near);
        let top = |o: &PerceivedObject| o.aabb_in_world().max[2];
        fixed.sort_by(|a, b| {
            let nearer = away_m(a).total_cmp(&away_m(b));
            nearer.then(top(b).total_cmp(&top(a)))
        });
        fixed
    }

    fn is_free(
        &self,
        xy: [f64; 2],
        id: &ObjectId,
        surface: Option<&PerceivedObject>,
        clearance_m: f64,
    ) -> bool {
        let radius_m = self.radius(id.as_str());
        let top_z = surface.map(|s| s.aabb_in_world().max[2]);
        let workspace = &self.request.robot.workspace;
        let in_the_way = |o: &PerceivedObject| {
            let rises = top_z.is_none_or(|z| o.aabb_in_world().max[2] > z + FLAT_M);
            (o.movable || rises) && surface.is_none_or(|s| s.id != o.id)
        };
        contains_disc(workspace, xy, radius_m)
            && surface.is_none_or(|s| contains_disc(&s.aabb_in_world(), xy, radius_m))
            && self.is_in_reach(xy, self.request.percept.object(id))
            && self.is_clear(xy, id, radius_m + clearance_m, in_the_way)
    }

    /// Returns true if what may be in the way, and what is taken, is so far away, m.
    fn is_clear(
        &self,
        xy: [f64; 2],
        id: &ObjectId,
        apart_m: f64,
        in_the_way: impl Fn(&PerceivedObject) -> bool,
    ) -> bool {
        let mut others = self.request.percept.objects.iter();
        let mut taken = self.taken.iter();
        let away_m = |at: [f64; 2]| (Vector2::from(at) - Vector2::from(xy)).norm();
        others.all(|o| {
            let may_be_near = &o.id == id || !in_the_way(o);
            may_be_near || distance(&o.aabb_in_world(), xy) >= apart_m
        }) && taken.all(|(at, taken_m)| away_m(*at) >= taken_m + apart_m)
    }

    fn is_in_reach(&self, xy: [f64; 2], object: Option<&PerceivedObject>) -> bool {
        let base = self.request.observation.world_from_base.translation.vector;
        let from_base = |xy: Vector2<f64>| (xy - base.xy()).norm();
        let now_m = object.map_or(0.0, |o| from_base(o.position().xy()));
        let sure_m = SURE_REACH * self.request.robot.reach_m;
        (TOO_NEAR_BASE_M..=now_m.max(sure_m)).contains(&from_base(Vector2::from(xy)))
    }

    /// The fixed things below the centre of an object, the highest first: what it stands
    /// on in the end, whatever is between.
    fn surfaces_below(&self, object: &PerceivedObject) -> Vec<&'a PerceivedObject> {
        let p = object.aabb_in_world().center();
        let fixed = self.request.percept.objects.iter().filter(|o| !o.movable);
        let below = fixed.filter(|o| {
            let b = o.aabb_in_world();
            b.max[2] <= p.z && contains_disc(&b, [p.x, p.y], 0.0)
        });
        let mut below: Vec<_> = below.collect();
        let top = |o: &PerceivedObject| o.aabb_in_world().max[2];
        below.sort_by(|a, b| top(b).total_cmp(&top(a)));
        below
    }

    /// Where to begin the search for the place of something that was not seen.
    fn in_front_of_base(&self) -> Vector2<f64> {
        let forward_in_base =
            nalgebra::Point3::new(SURE_REACH * self.request.robot.reach_m, 0.0, 0.0);
        let world_from_base = &self.request.observation.world_from_base;
        (world_from_base * forward_in_base).coords.xy()
    }
}

/// Spots on rings around a point, nearest first; on a ring, those to the sides of the
/// robot first, since moving sideways keeps the distance to the base.
fn rings(around: Vector2<f64>, min_move_m: f64) -> Vec<[f64; 2]> {
    let n_rings = ((MAX_MOVE_M - min_move_m) / RING_STEP_M).max(0.0) as usize;
    let radii = (0..=n_rings).map(|i| min_move_m + i as f64 * RING_STEP_M);
    let angles = |i: usize| {
        // Quarter turn, three quarter turns, then outwards from both.
        let (side, step) = (i % 2, i / 2);
        let turn = step as f64 / N_ANGLES as f64 * if step % 2 == 0 { 1.0 } else { -1.0 };
        std::f64::consts::TAU * (0.25 + 0.5 * side as f64 + turn)
    };
    radii
        .flat_map(|r| (0..N_ANGLES).map(move |i| (r, angles(i))))
        .map(|(r, angle)| {
            let xy = around + r * Vector2::new(angle.cos(), angle.sin());
            // Whole millimetres: nothing finer is meant, and plans stay readable.
            [xy.x, xy.y].map(|v| (v * 1000.0).round() / 1000.0)
        })
        .collect()
}

fn contains_disc(aabb: &Aabb, xy: [f64; 2], radius_m: f64) -> bool {
    (0..2).all(|i| xy[i] - radius_m >= aabb.min[i] && xy[i] + radius_m <= aabb.max[i])
}

/// Horizontal distance of a point from a box; 0 inside.
pub(crate) fn distance(aabb: &Aabb, xy: [f64; 2]) -> f64 {
    let outside = |i: usize| (aabb.min[i] - xy[i]).max(xy[i] - aabb.max[i]).max(0.0);
    outside(0).hypot(outside(1))
}
