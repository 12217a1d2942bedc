//! Search for placements.
//!
//! One pipeline serves every skill that releases an object. A region says where the object should
//! go (`region`). Generators propose poses with the contacts that would support them (`support`: on
//! a stable face, along a slope with the foot at a stop, leaning between two walls, dropped into a
//! container). One validator checks that the contacts exist and hold the object (`stability`), and
//! that it fits (`scene`). The cheapest valid candidates are offered, by one cost in metres
//! (`select`). Room for the hand and reach of the arm depend on the grasp, so they are checked once
//! it is known: by `crate::put_down`, and ahead of a pick by `crate::lookahead`.

mod aside;
#[cfg(test)]
mod aside_tests;
mod at_goal;
#[cfg(test)]
mod at_goal_tests;
mod candidate;
mod region;
mod scene;
mod select;
mod stability;
mod support;
#[cfg(test)]
mod tests;
mod upright;

use nalgebra::{Point3, Vector3};
use regrasp_api::{
    Failure, Goal, Held, ObjectId, ObjectJoint, PerceivedObject, Pose, Reason, Side,
};
use regrasp_relations::{is_inside, not_level, stands_on, support_of};
use regrasp_robot::Result;

use crate::bodies::extent_m;
use crate::grasp::narrow_directions;
use crate::hold::seen_at;
use crate::params::{SEEN_EXACT_M, TOLERANCE_M};
use crate::poses::level;
use candidate::{Candidate, Touch};
pub(crate) use candidate::{Placement, Places, Rest};
pub(crate) use scene::PlacementRequest;
use scene::Scene;
use select::{APART_M, Access, MOST_WITH_RETREAT, Offer};
use support::{TURN_IN_PLACE_M, TURN_M, Turned, turns};
pub(crate) use upright::upright;

/// Cost of a place on the rim of a hollow object, m: less than that of lying on a slope.
const ON_RIM_M: f64 = 10.0;
/// Least distance of places beside an object from each other, m.
const BESIDE_APART_M: f64 = 0.02;
/// Places for a drop into a container.
const DROPS: Offer = Offer(Access::Any, 9, 0.015);
/// Places below the highest surface.
const COVERED: Offer = Offer(Access::Under, MOST_WITH_RETREAT, 0.0);
/// Places at which the object rests on another face than now, each in all orientations.
const LAID: Offer = Offer(Access::FromAbove, 24, 0.0);
/// Distances by which an object may be shifted at its place, m, within its tolerance.
const SHIFTS_M: [f64; 3] = [0.004, 0.008, 0.013];
/// Gap to a neighbour, m: errors of tracking and release, and clearance of motion planning.
const GAP_M: f64 = 0.004;
/// Least cosine between a side's direction and the normal of a face on that side: 50 degrees.
const TOWARD: f64 = 0.64;

impl<'a> PlacementRequest<'a> {
    /// Returns the places on `target` (or in it, if it is a container) nearest to `near` (x, y in
    /// World), or in the middle of a movable target. The current rotation comes first, then those
    /// along the target's edges. If nothing is level, the object lies along a slope with its foot
    /// at a stop. In a drawer that would not close, it lies on another face, and in a full
    /// container on the contents. The first place leaves room for `later` goals, if one does.
    pub(crate) fn on_object(
        &self,
        target: &PerceivedObject,
        near: [f64; 2],
        later: &[&Goal],
    ) -> Places {
        let lying = self.lying_on(target, near, later);
        let lying = lying.or_else(|failure| self.laid_in(target).map_err(|_| failure));
        lying.or_else(|failure| {
            let falling = self.drops_into(target)?;
            match falling.is_empty() {
                true => Err(failure),
                false => Ok(falling),
            }
        })
    }

    /// Returns the places on an object at which the held one comes to rest where it is released.
    fn lying_on(&self, target: &PerceivedObject, near: [f64; 2], later: &[&Goal]) -> Places {
        let scene = Scene::new(self)?;
        let center = target.aabb_in_world().center();
        // Objects are put in the middle of a plate, but anywhere on a table.
        let from = if target.movable {
            [center.x, center.y]
        } else {
            near
        };
        let turned = turns(&scene, &self.world_from_held.rotation, target, TURN_M);
        let points = region::over(&target.aabb_in_world(), from);
        let points = support::leaving_room(&scene, &turned[0], target, points);
        // The other rotations are tried when the object is put down.
        let turned = &turned[..turned.len().min(3)];
        let standing = turned.iter().flat_map(|turned| {
            let (scene, points) = (&scene, points.iter());
            points.filter_map(move |place| turned.on(scene, target, *place))
        });
        let rim_z = target.shape.cavity().map(|cavity| {
            let rim = Point3::new(cavity.axis[0], cavity.axis[1], cavity.rim_z);
            (target.world_from_object * rim).z
        });
        // Below the rim, only the hollow is a place: the handle of a drawer or a jug is not.
        let is_no_handle = |candidate: &Candidate<'_>| {
            let placed = seen_at(self.held, candidate.world_from_object);
            let low_z = placed.aabb_in_world().min[2] + TOLERANCE_M;
            rim_z.is_none_or(|rim_z| low_z > rim_z || is_inside(&placed, target))
        };
        // On a slope, the object is laid with its lower end at a stop. The search goes from the
        // middle outwards, since places further inside tolerate larger position errors.
        let lying = || {
            let bounds = target.aabb_in_world();
            let middle = region::grid(&bounds, [center.x, center.y], region::GRID_M);
            let ups = upright(self.percept, &self.held.id, &self.held.shape).ok();
            let up = ups.map(|ups| ups.rotations(&self.world_from_held.rotation).into_iter());
            let up = up.and_then(|mut ups| ups.next()).into_iter();
            let scene = &scene;
            up.flat_map(move |up| support::lying(scene, target, middle.clone(), up))
        };
        let wanted = match target.movable {
            true if later.is_empty() => Offer(Access::FromAbove, 1, APART_M),
            true => Offer::TO_LEAVE_ROOM,
            false => Offer::ON_SURFACE,
        };
        // A lid or a saucer lies on the rim of a cup.
        let on_rim = turned.iter().map(|turned| {
            let middle = turned.origin_for_middle_at([center.x, center.y]);
            turned.on_level(target, middle, target.aabb_in_world().max[2], ON_RIM_M)
        });
        let candidates = standing
            .chain(on_rim)
            .chain(std::iter::once_with(lying).flatten());
        let candidates = candidates.filter(is_no_handle);
        let mut places = wanted.best(&scene, format!("on {}", target.id), candidates)?;
        let leaves_room = |place: &Placement| self.leaves_room(place, target, later);
        if let Some(first) = places.iter().position(leaves_room) {
            places.rotate_left(first);
        }
        if target.movable {
            places.truncate(1);
        }
        Ok(places)
    }

    /// Returns the places in a drawer at which the object rests on another face than now, because
    /// the drawer would not close otherwise.
    fn laid_in(&self, target: &PerceivedObject) -> Places {
        let scene = Scene::new(self)?;
        let closes = self
            .percept
            .joint_of(&target.id)
            .is_some_and(ObjectJoint::opens);
        let rotation = closes.then_some(&self.world_from_held.rotation);
        let laid = rotation.map_or_else(Vec::new, |now| support::laid(&scene, now, target));
        let center = target.aabb_in_world().center();
        let points = region::over(&target.aabb_in_world(), [center.x, center.y]);
        let candidates = points.into_iter().flat_map(|place| {
            let scene = &scene;
            laid.iter()
                .filter_map(move |turned| turned.on(scene, target, place))
        });
        LAID.best(&scene, format!("in {}", target.id), candidates)
    }

    /// Returns true if the objects of the `later` goals find places, too, one after another: on the
    /// target, or where goals that refer to the placed object hold.
    fn leaves_room(&self, place: &Placement, target: &PerceivedObject, later: &[&Goal]) -> bool {
        let object_of = |goal: &Goal| self.percept.object(goal.objects().first()?);
        let Some(next) = later.first().and_then(|goal| object_of(goal)) else {
            return true;
        };
        let is_own = |goal: &&&Goal| goal.objects().first() == Some(&&next.id);
        let (goals, rest): (Vec<&Goal>, Vec<&Goal>) = later.iter().partition(is_own);
        let mut percept = self.percept.clone();
        percept.objects.retain(|o| o.id != self.held.id);
        percept
            .objects
            .push(seen_at(self.held, place.world_from_object));
        let own = PlacementRequest {
            percept: &percept,
            held: &Held::of(next, Pose::identity(), 0.0),
            world_from_held: next.world_from_object,
            ..*self
        };
        let refers_to =
            |goal: &Goal, id: &ObjectId| goal.objects().iter().skip(1).any(|o| *o == id);
        // Later goals about other objects are not worth a search within the search.
        let relative = rest
            .iter()
            .copied()
            .filter(|goal| refers_to(goal, &next.id));
        let relative: Vec<&Goal> = relative.collect();
        let places = match goals.iter().any(|goal| refers_to(goal, &self.held.id)) {
            true => own.openly_at_goal(&goals),
            false => own.lying_on(target, place.position().xy().into(), &relative),
        };
        places.is_ok_and(|places| own.leaves_room(&places[0], target, &rest))
    }

    /// Returns the places in a container from which the object can be dropped on its contents,
    /// below the rim, the lowest first; empty if `target` is not a container.
    pub(crate) fn drops_into(&self, target: &PerceivedObject) -> Places {
        let scene = Scene::new(self)?;
        let turned = turns(&scene, &self.world_from_held.rotation, target, TURN_M);
        let center = target.aabb_in_world().center();
        let points = region::over(&target.aabb_in_world(), [center.x, center.y]);
        let points = support::leaving_room(&scene, &turned[0], target, points);
        let turned = turned.iter().take(3);
        let falling = turned.flat_map(|turned| support::dropped(&scene, turned, target, &points));
        Ok(DROPS.placements(falling.collect()))
    }

    /// Returns the place at a point (x, y in World), on `target` or on the highest surface there,
    /// in the current rotation. If the object does not fit between the walls of a compartment, it
    /// is aligned with them, with its middle at the point instead of its origin.
    pub(crate) fn at_point(
        &self,
        point: [f64; 2],
        target: Option<&PerceivedObject>,
    ) -> Result<Placement> {
        let scene = Scene::new(self)?;
        let support = match target {
            Some(target) => scene.height_of(target, point).map(|z| (target, z)),
            None => scene.highest(point),
        };
        let [x, y] = point;
        let Some((support, _)) = support else {
            let id = &self.held.id;
            let text = format!("there is nothing at x={x:.3} y={y:.3} that {id} could stand on");
            return Err(Failure::new(Reason::PlacementUnstable, text));
        };
        let held = &self.world_from_held.rotation;
        let turned = turns(&scene, held, support, TURN_IN_PLACE_M);
        let candidates = turned.iter().take(3).flat_map(|turned| {
            let middle = turned.origin_for_middle_at(point);
            [point, middle].map(|at| turned.on(&scene, support, (at, 0.0)))
        });
        let place = format!("at x={x:.3} y={y:.3} on {}", support.id);
        let best = Offer::ONE.best(&scene, place, candidates.flatten());
        Ok(best?.swap_remove(0))
    }

    /// Returns the places at a point (x, y in World) with the object's origin at a height in World,
    /// m: on the highest surface there, else under a roof, else leaning on a wall. If it could
    /// stand on the highest surface, the failure names its height there.
    pub(crate) fn at_height(&self, point: [f64; 2], z: f64) -> Places {
        let on_top = self.at_point(point, None);
        if let Ok(placement) = &on_top
            && (placement.position().z - z).abs() <= TOLERANCE_M
        {
            return Ok(vec![placement.clone()]);
        }
        let below = self.below_top(point, z);
        if below.is_ok() {
            return below;
        }
        let placement = on_top?;
        let stands_m = placement.world_from_object.translation.z;
        let mut text = format!(
            "{} would stand at z={stands_m:.3} on {}, not at z={z:.3}",
            self.held.id, placement.support
        );
        // The desired place is under a roof, so an obstacle there is reported first.
        if let Err(failure) = below
            && z < stands_m
        {
            text = format!("{}; on the highest surface there, {text}", failure.detail);
        }
        Err(Failure::new(Reason::PlacementUnstable, text)
            .about([placement.support])
            .measured("height", z, Some(stands_m), "m"))
    }

    /// Places at a point below the highest surface there.
    fn below_top(&self, point: [f64; 2], z: f64) -> Places {
        let (open, mut scene) = (Scene::new(self)?, Scene::new(self)?);
        let rotation = &self.world_from_held.rotation;
        let stands = Turned::new(&open, rotation);
        scene.below_z = Some(z - stands.above_m + TOLERANCE_M);
        let floor = scene.highest(point).map(|(support, _)| support);
        let points = region::around(point, &[0.0, SHIFTS_M[2]]);
        let turned = floor.map(|floor| turns(&scene, rotation, floor, TURN_IN_PLACE_M));
        let turned = turned.unwrap_or_default();
        let covered = turned.iter().flat_map(|turned| {
            let (scene, points) = (&scene, points.iter());
            points.filter_map(move |(point, cost_m)| {
                let (support, height) = scene.highest(*point)?;
                let candidate = turned.on_level(support, *point, height, *cost_m);
                let off_m = (candidate.world_from_object.translation.z - z).abs();
                (off_m <= TOLERANCE_M).then_some(candidate)
            })
        });
        let leaning = open.highest(point).map(|(support, _)| {
            let mut leaning = support::leaning(&open, support, rotation, point);
            leaning.retain(|c| (c.world_from_object.translation.z - z).abs() <= TOLERANCE_M);
            leaning
        });
        let candidates = covered.chain(leaning.into_iter().flatten());
        COVERED.best(&scene, format!("at z={z:.3}"), candidates)
    }

    /// Returns places and, for a single one whose walls leave the fingers no room, copies shifted
    /// towards each wall within the tolerance of the place: then a finger fits on the other side.
    pub(crate) fn between_walls(&self, places: Vec<Placement>) -> Vec<Placement> {
        let [placement] = places.as_slice() else {
            return places;
        };
        let support = self.percept.object(&placement.support);
        let Some((support, scene)) = support.zip(Scene::new(self).ok()) else {
            return places;
        };
        let turned = Turned::new(&scene, &placement.world_from_object.rotation);
        let at = placement.position();
        let on = |to: Vector3<f64>| turned.on(&scene, support, ([to.x, to.y], (to - at).norm()));
        if on(at).is_none_or(|there| scene.has_room_for_fingers(&there)) {
            return places;
        }
        let directions = [Vector3::x(), -Vector3::x(), Vector3::y(), -Vector3::y()];
        let directions = directions.map(|direction| support.world_from_object.rotation * direction);
        let shifts = SHIFTS_M
            .iter()
            .flat_map(|m| directions.map(|direction| at + direction * *m));
        let wanted = Offer(Access::Any, SHIFTS_M.len() * directions.len(), 0.0);
        let shifted = wanted.best(&scene, "beside its place", shifts.filter_map(on));
        let shifted = shifted.into_iter().flatten();
        places.into_iter().chain(shifted).collect()
    }

    /// Returns up to `most` of the nearest free places beside `target`, on its support. Without a
    /// given side, all sides count, the nearest to the object's current place first.
    pub(crate) fn beside(
        &self,
        target: &PerceivedObject,
        side: Option<Side>,
        most: usize,
    ) -> Places {
        let support = self.below(target)?;
        let scene = Scene::new(self)?;
        let turned = turns(&scene, &self.world_from_held.rotation, support, TURN_M);
        let from = &self.world_from_held.translation.vector;
        let side_text = side.map_or("beside".to_owned(), |side| side.to_string());
        let place = format!("{side_text} {}", target.id);
        self.level_with(target, scene, most, &place, |scene| {
            let each = turned.iter().take(3).flat_map(|turned| {
                let half_m = |out: &Vector3<f64>| scene.reach_m(&turned.rotation, out);
                let points = region::beside(target, side, from, half_m).into_iter();
                points.filter_map(|point| turned.on(scene, support, point))
            });
            each.collect()
        })
    }

    /// Returns the best of the candidates at the level of `target`, which may stand on the lower
    /// board of a shelf: those open from above, else those that are reached from the side.
    fn level_with<'c>(
        &self,
        target: &PerceivedObject,
        mut scene: Scene<'c>,
        most: usize,
        place: &str,
        candidates: impl Fn(&Scene<'c>) -> Vec<Candidate<'c>>,
    ) -> Places {
        let is_level = |candidate: &Candidate<'_>| {
            let placed = seen_at(self.held, candidate.world_from_object);
            not_level(&placed, target, target).is_none()
        };
        let mut open = candidates(&scene);
        open.retain(is_level);
        let is_roofed = open.is_empty();
        let outcome = Offer(Access::Any, most, BESIDE_APART_M).best(&scene, place, open);
        outcome.or_else(|why| {
            scene.below_z = Some(target.aabb_in_world().center().z);
            let under = at_goal::UNDER.best(&scene, place, candidates(&scene));
            under.map_err(|other| if is_roofed { other } else { why })
        })
    }

    fn below(&self, target: &PerceivedObject) -> Result<&'a PerceivedObject> {
        let mut others = self.percept.objects.iter();
        let support = support_of(self.percept, target);
        let support = support.or_else(|| others.find(|o| stands_on(target, o)));
        support.ok_or_else(|| {
            let text = format!("no support is seen below {}", target.id);
            Failure::new(Reason::PlacementUnstable, text).about([target.id.clone()])
        })
    }

    /// Returns the free places right beside the flat sides of `target` and parallel to them, the
    /// nearest first.
    pub(crate) fn against(&self, target: &PerceivedObject, side: Option<Side>) -> Places {
        let support = self.below(target)?;
        let mut scene = Scene::new(self)?;
        scene.close_to = Some(target.id.clone());
        let center = target.aabb_in_world().center().coords;
        let from = self.world_from_held.translation.vector - center;
        let sides = narrow_directions(&target.shape, &target.world_from_object).into_iter();
        let mut outs: Vec<Vector3<f64>> = sides
            .map(level)
            .flat_map(|out| [out, -out])
            .filter(|out| side.is_none_or(|side| side.direction().dot(out) > TOWARD))
            .collect();
        outs.sort_by(|a, b| b.dot(&from).total_cmp(&a.dot(&from)));
        let as_held = Turned::new(&scene, &self.world_from_held.rotation);
        let place = format!("at a flat side of {}", target.id);
        self.level_with(target, scene, outs.len().max(1), &place, |scene| {
            let facing = outs.iter().filter_map(|out| {
                let turned = as_held.facing(scene, out);
                let own_m = scene.reach_m(&turned.rotation, &-out);
                let at = center + out * (extent_m(target, &center, out) + own_m + GAP_M);
                // The nearer side costs less.
                let cost_m = from.norm() - out.dot(&from);
                let candidate = turned.on(scene, support, ([at.x, at.y], cost_m))?;
                let rest = Rest::Aligned;
                Some(Candidate { rest, ..candidate })
            });
            facing.collect()
        })
    }

    /// Returns the place across two objects of one height: over the middle between them, aligned
    /// with the line from one to the other. Fails if the heights differ or they are too far apart.
    pub(crate) fn across(&self, targets: [&PerceivedObject; 2]) -> Result<Placement> {
        let [a, b] = targets;
        let unstable = |text: String| {
            Failure::new(Reason::PlacementUnstable, text).about([a.id.clone(), b.id.clone()])
        };
        let [top_a, top_b] = targets.map(|t| t.aabb_in_world().max[2]);
        if (top_a - top_b).abs() > SEEN_EXACT_M {
            let (a, b) = (&a.id, &b.id);
            return Err(unstable(format!(
                "the tops of {a} and {b} are at z={top_a:.3} and z={top_b:.3}, so nothing lies \
                 level on both"
            )));
        }
        let [from, to] = targets.map(|t| t.aabb_in_world().center().coords);
        let apart = Vector3::new(to.x - from.x, to.y - from.y, 0.0);
        let Some(direction) = apart.try_normalize(1e-6) else {
            return Err(unstable(format!(
                "one of {} and {} is above the other, so nothing can lie across them",
                a.id, b.id
            )));
        };
        let edges_m = [
            extent_m(a, &from, &direction),
            apart.norm() - extent_m(b, &to, &-direction),
        ];
        let middle = from + direction * (0.5 * (edges_m[0] + edges_m[1]));
        let scene = Scene::new(self)?;
        let turned = Turned::new(&scene, &self.world_from_held.rotation).facing(&scene, &direction);
        let mut candidate = turned.on_level(a, [middle.x, middle.y], top_a.max(top_b), 0.0);
        candidate.supports.push(b);
        // The object is supported at the middle of its overlap with each target, not between them.
        let origin = candidate.world_from_object.translation.vector;
        let half_gap_m = 0.5 * (edges_m[1] - edges_m[0]);
        let on_m = |object: &PerceivedObject, from: &Vector3<f64>, out: Vector3<f64>| {
            let depth_m = extent_m(object, from, &out) + extent_m(object, from, &-out);
            let end_m = scene.reach_m(&turned.rotation, &out);
            0.5 * (half_gap_m + end_m.min(half_gap_m + depth_m))
        };
        let [on_a, on_b] = [on_m(a, &from, -direction), on_m(b, &to, direction)];
        let touch = |touch: &mut Touch| {
            let along_m = (touch.point.coords - origin).dot(&direction);
            let carried_m = if along_m > 0.0 { on_b } else { -on_a };
            touch.point += direction * (carried_m - along_m);
            touch.within_m = SEEN_EXACT_M;
        };
        candidate.contacts.iter_mut().for_each(touch);
        let place = format!("across {} and {}", a.id, b.id);
        let gap_m = edges_m[1] - edges_m[0];
        let best = Offer::ONE.best(&scene, place, [candidate]);
        let best = best.map_err(|failure| match failure.reason {
            Reason::PlacementUnstable => {
                unstable(format!("{}, which are {gap_m:.3} m apart", failure.detail))
            }
            _ => failure,
        });
        Ok(best?.swap_remove(0))
    }
}
