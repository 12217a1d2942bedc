//! Free places near an object's former place that do not obstruct later goals.

use nalgebra::Vector2;
use regrasp_api::{Aabb, Failure, Goal, Held, ObjectId, PerceivedObject, Percept, Pose, Reason};
use regrasp_relations::misplaced;

use super::Places;
use super::at_goal::is_narrow;
use super::candidate::Candidate;
use super::region::{self, GRID_M, SurfacePoint, nearest_first};
use super::scene::{PlacementRequest, Scene};
use super::select::{Access, Offer};
use super::support::{TURN_M, turns};
use crate::bodies::cleared;
use crate::hold::seen_at;

/// Least distance from the former place, m.
const LEAST_M: f64 = 0.08;
/// Distance from the former place at which an object is out of the arm's way, m.
const OUT_OF_THE_WAY_M: f64 = 0.16;
/// Desired space around the object for open fingers and a hand, m.
const ROOM_M: f64 = 0.06;
/// Cost in m per metre of missing space.
const PER_ROOM: f64 = 10.0;
/// Cost of a place on the path of another object to its goal, m.
const ON_A_PATH_M: f64 = 0.3;
/// Cost of a place in the arm's way, m.
const NEAR_M: f64 = 0.5;
/// Cost of a place that violates a goal or is another object's goal, m.
const SPOILS_M: f64 = 2.0;
/// Cost of a place where a drawer or a door opens, m.
const SWEPT_M: f64 = 0.5;
/// Number of steps in which the travel of a drawer or a door is checked.
const N_OPENINGS: usize = 12;
const N_TURNS: usize = 3;
/// Largest number of places offered, and their least spacing, m: the arm may reach only some.
const NEARBY: Offer = Offer(Access::FromAbove, 24, 0.08);

impl PlacementRequest<'_> {
    /// Returns the free places nearest to `near` (x, y in World), but some distance off, within the
    /// workspace, on fixed supports below or near that point. Prefers those that the arm `reaches`
    /// (points in World) and that violate none of the goals in `keeping`, on whichever support.
    pub(crate) fn aside(
        &self,
        near: [f64; 2],
        keeping: &[&Goal],
        workspace: &Aabb,
        reaches: impl Fn([f64; 3]) -> bool,
    ) -> Places {
        let scene = Scene::new(self)?;
        let costs = Costs::new(self, keeping);
        let surfaces = surfaces(self.percept, near);
        let passes = [(true, true), (false, true), (false, false)];
        let passes = passes
            .iter()
            .flat_map(|pass| surfaces.iter().map(move |on| (*on, *pass)));
        let mut why = None;
        for (surface, (spoils_nothing, is_reached)) in passes {
            let points = region::grid(&surface.aabb_in_world(), near, GRID_M);
            let is_within = |at: &[f64; 2]| {
                let inner = |i: usize| {
                    workspace.min[i] + costs.radius_m..=workspace.max[i] - costs.radius_m
                };
                inner(0).contains(&at[0]) && inner(1).contains(&at[1])
            };
            let is_off = |(at, away_m): &SurfacePoint| *away_m >= LEAST_M && is_within(at);
            let points = points.into_iter().filter(is_off);
            let points = points.map(|point| costs.added(surface, point));
            let is_good = |(_, cost_m): &SurfacePoint| !spoils_nothing || *cost_m < SPOILS_M;
            let points = nearest_first(points.filter(is_good));
            let turned = turns(&scene, &self.world_from_held.rotation, surface, TURN_M);
            let places = turned.iter().take(N_TURNS).flat_map(|turned| {
                let (scene, points) = (&scene, points.iter());
                points.filter_map(move |place| turned.on(scene, surface, *place))
            });
            // What is put elsewhere could not be picked again.
            let is_usable = |place: &Candidate<'_>| {
                let at = place.world_from_object.translation;
                workspace.contains(&at.vector.into()) && (!is_reached || reaches(at.into()))
            };
            let places = places.filter(is_usable);
            match NEARBY.best(&scene, "out of the way", places) {
                Ok(found) => return Ok(found),
                // The failure on the first surface is the most relevant one.
                Err(failure) => drop(why.get_or_insert(failure)),
            }
        }
        Err(why.unwrap_or_else(|| {
            let id = &self.held.id;
            let text = format!("no fixed surface is seen on which {id} could be put");
            Failure::new(Reason::PlacementUnstable, text)
        }))
    }
}

/// Fixed objects on which something could stand: those below a point, the lowest first, since the
/// others stand on it; then those nearest to the point.
fn surfaces(percept: &Percept, near: [f64; 2]) -> Vec<&PerceivedObject> {
    let fixed = percept.objects.iter().filter(|o| !o.movable);
    let mut fixed: Vec<&PerceivedObject> = fixed.collect();
    let key = |o: &PerceivedObject| {
        let bounds = o.aabb_in_world();
        (bounds.distance_xy(near), bounds.max[2])
    };
    fixed.sort_by(|a, b| {
        let ((a_m, a_z), (b_m, b_z)) = (key(a), key(b));
        a_m.total_cmp(&b_m).then(a_z.total_cmp(&b_z))
    });
    fixed
}

struct Costs<'a> {
    percept: &'a Percept,
    object: PerceivedObject,
    /// Half the diagonal of the object's footprint, m: a bound for any yaw.
    radius_m: f64,
    /// Start and goal (x, y in World) of other objects, with the radius of each, m.
    places: Vec<([Vector2<f64>; 2], f64)>,
    /// Bounds of drawers and doors at several openings, in World.
    swept: Vec<Aabb>,
    /// Goals that relate this object to others, with the objects that each names.
    goals: Vec<(&'a Goal, Vec<&'a ObjectId>)>,
}

impl<'a> Costs<'a> {
    fn new(request: &PlacementRequest<'a>, keeping: &[&'a Goal]) -> Self {
        let (percept, held) = (request.percept, request.held);
        let object = seen_at(held, request.world_from_held);
        let named = keeping.iter().map(|goal| (*goal, goal.objects()));
        // What is not yet in place cannot lose its reference.
        let is_met = |goal: &Goal, named: &[&ObjectId]| {
            let objects = named.iter().map(|id| percept.object(id));
            let objects = objects.collect::<Option<Vec<_>>>();
            objects.is_some_and(|objects| misplaced(goal, percept, &objects).is_none())
        };
        let (own, others): (Vec<_>, Vec<_>) = named.partition(|(goal, named)| {
            named[0] == &held.id || named.contains(&&held.id) && is_met(goal, named)
        });
        let place = |goal: &Goal| {
            let other = percept.object(goal.objects().first()?)?;
            let to = destination(request, other, goal)?;
            Some(([other.position().xy(), to], radius_m(other)))
        };
        Self {
            radius_m: radius_m(&object),
            places: others.iter().filter_map(|(goal, _)| place(goal)).collect(),
            goals: own,
            swept: swept(percept),
            percept,
            object,
        }
    }

    /// Returns a surface point with its cost, given its distance from the former place.
    fn added(&self, surface: &PerceivedObject, (at, away_m): SurfacePoint) -> SurfacePoint {
        let point = Vector2::from(at);
        let is_near = |distance_m: f64, radius_m: f64| distance_m < self.radius_m + radius_m;
        let is_taken = |([_, to], radius_m): &([Vector2<f64>; 2], f64)| {
            is_near((to - point).norm(), *radius_m)
        };
        let is_passed = |([from, to], radius_m): &([Vector2<f64>; 2], f64)| {
            let line = to - from;
            let part = (point - from).dot(&line) / line.norm_squared().max(1e-12);
            let from_line_m = (from + line * part.clamp(0.0, 1.0) - point).norm();
            is_near(from_line_m, *radius_m)
        };
        let prices = [
            (away_m < OUT_OF_THE_WAY_M, NEAR_M),
            (self.places.iter().any(is_passed), ON_A_PATH_M),
            (self.places.iter().any(is_taken), SPOILS_M),
            (self.is_swept(surface, at), SWEPT_M),
            (self.spoils_a_goal(surface, &point), SPOILS_M),
        ];
        let prices = prices.iter().filter(|(applies, _)| *applies);
        let narrow_m = (ROOM_M - self.room_m(surface, at)).max(0.0);
        let cost_m = away_m + PER_ROOM * narrow_m + prices.map(|(_, price_m)| price_m).sum::<f64>();
        (at, cost_m)
    }

    /// Gap to the nearest other object that rises above a surface, m, at most [`ROOM_M`].
    fn room_m(&self, surface: &PerceivedObject, at: [f64; 2]) -> f64 {
        let top_z = surface.aabb_in_world().max[2];
        let others = self.percept.objects.iter();
        let others = others.filter(|o| o.id != self.object.id && o.id != surface.id);
        let rising = others
            .map(|o| o.aabb_in_world())
            .filter(|b| b.max[2] > top_z);
        let gaps = rising.map(|bounds| bounds.distance_xy(at) - self.radius_m);
        gaps.fold(ROOM_M, f64::min)
    }

    fn is_swept(&self, surface: &PerceivedObject, at: [f64; 2]) -> bool {
        let stands_z = surface.aabb_in_world().max[2];
        let top_z = stands_z + self.object.aabb_in_world().size().z;
        let mut swept = self.swept.iter();
        swept.any(|b| b.min[2] < top_z && stands_z < b.max[2] && b.distance_xy(at) < self.radius_m)
    }

    fn spoils_a_goal(&self, surface: &PerceivedObject, point: &Vector2<f64>) -> bool {
        let mut moved = self.object.clone();
        let above_m = self.object.position().z - self.object.aabb_in_world().min[2];
        let stands_z = surface.aabb_in_world().max[2] + above_m;
        moved.world_from_object.translation.vector = point.push(stands_z);
        let see = |id: &&ObjectId| match **id == moved.id {
            true => Some(&moved),
            false => self.percept.object(id),
        };
        let mut goals = self.goals.iter();
        goals.any(|(goal, named)| {
            let objects = named.iter().map(see).collect::<Option<Vec<_>>>();
            objects.is_some_and(|objects| misplaced(goal, self.percept, &objects).is_some())
        })
    }
}

/// Bounds of drawers and doors at openings from closed to fully open.
fn swept(percept: &Percept) -> Vec<Aabb> {
    let joints = percept.joints.iter().filter(|joint| joint.opens());
    let bounds = joints.flat_map(|joint| {
        let openings = (0..=N_OPENINGS).map(|i| joint.travel * i as f64 / N_OPENINGS as f64);
        openings.filter_map(|opening| {
            let part = percept.object(&joint.child)?;
            let there = joint.carried(&part.world_from_object, opening);
            Some(part.shape.aabb(&there))
        })
    });
    bounds.collect()
}

/// Position (x, y in World) to which a goal that leaves little room brings an object. Movable
/// obstacles are ignored, as they may be gone by then.
fn destination(
    request: &PlacementRequest<'_>,
    object: &PerceivedObject,
    goal: &Goal,
) -> Option<Vector2<f64>> {
    if !is_narrow(goal) {
        return None;
    }
    let alone = cleared(request.percept, &goal.objects());
    let own = PlacementRequest {
        percept: &alone,
        held: &Held::of(object, Pose::identity(), 0.0),
        world_from_held: object.world_from_object,
        ..*request
    };
    let places = own.openly_at_goal(&[goal]).ok()?;
    Some(places.first()?.world_from_object.translation.vector.xy())
}

fn radius_m(object: &PerceivedObject) -> f64 {
    0.5 * object.aabb_in_world().size().xy().norm()
}
