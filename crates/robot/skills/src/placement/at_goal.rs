//! Places at which an object satisfies a goal.

use nalgebra::{Translation3, Vector3};
use regrasp_api::{
    Aabb, Failure, Goal, ObjectId, Part, PerceivedObject, Percept, Reason, Relation, Shape,
};
use regrasp_relations::{Corridor, Region, misplaced};
use regrasp_robot::Result;

use super::Places;
use super::candidate::Candidate;
use super::region::{self, SurfacePoint};
use super::scene::{PlacementRequest, Scene};
use super::select::{Access, Offer};
use super::support::{self, TURN_M, Turned, turns};
use crate::hold::seen_at;
use crate::params::{ON_TARGET_M, SEEN_EXACT_M};

/// Clearance from a wall, m.
const TO_WALL_M: f64 = 0.006;
const N_TURNS: usize = 3;
/// Largest number of places and rotations offered under a roof, and the least distance between two
/// places, m: the arm may reach only those near the edge.
pub(super) const UNDER: Offer = Offer(Access::Under, 48, 0.035);

impl PlacementRequest<'_> {
    /// Returns the places at which the object satisfies all goals: from above if that is free, else
    /// from the side or leaning. The narrowest goal determines the region. From above, places are
    /// preferred that satisfy the goals even if the object is slightly off, and then those that the
    /// arm `reaches` (points in World), since a large zone may have its middle out of reach. Fails
    /// with `bad_arguments` for an unknown zone.
    pub(crate) fn at_goal(&self, goals: &[&Goal], reaches: impl Fn([f64; 3]) -> bool) -> Places {
        let mut goals = goals.to_vec();
        goals.sort_by_key(|goal| width(goal));
        let open = Scene::new(self)?;
        let space = Space::new(self, &open, &goals)?;
        let stated = goals.iter().map(ToString::to_string).collect::<Vec<_>>();
        let stated = stated.join(" and ");
        if goals.len() > 1 && space.candidates(&open).next().is_none() {
            let text = format!("no place for {} satisfies {stated}", self.held.id);
            return Err(Failure::new(Reason::PlacementUnstable, text));
        }
        let place = format!("for {stated}");
        let from_above = Offer::ON_SURFACE;
        let is_near = |c: &Candidate<'_>| reaches(c.world_from_object.translation.into());
        let mut far = vec![];
        let sure = space.candidates(&open).filter(|c| space.holds_if_off(c));
        let near = sure.filter(|candidate| {
            let is_near = is_near(candidate);
            if !is_near {
                far.push(candidate.clone());
            }
            is_near
        });
        let mut outcome = from_above.best(&open, &place, near);
        if outcome.is_err() {
            // At the edge of a zone, a small error of the placement violates the goal.
            let at_edge = space.candidates(&open).filter(is_near);
            let at_edge = from_above.best(&open, &place, at_edge);
            let far = from_above.best(&open, &place, far);
            let more: Vec<_> = [far, at_edge].into_iter().flatten().flatten().collect();
            if !more.is_empty() {
                outcome = Ok(more);
            }
        }
        outcome = outcome.or_else(|_| from_above.best(&open, &place, space.candidates(&open)));
        for eye_z in &space.eyes_z {
            if outcome.is_ok() {
                break;
            }
            let mut scene = Scene::new(self)?;
            scene.below_z = Some(*eye_z);
            let leaning = std::iter::once_with(|| space.leaning(&open)).flatten();
            let candidates = space.candidates(&scene).chain(leaning);
            outcome = UNDER.best(&scene, &place, candidates);
        }
        outcome
    }

    /// Returns the free places at which the object satisfies all goals if it comes from above,
    /// whether or not the arm reaches them.
    pub(super) fn openly_at_goal(&self, goals: &[&Goal]) -> Places {
        let mut goals = goals.to_vec();
        goals.sort_by_key(|goal| width(goal));
        let open = Scene::new(self)?;
        let space = Space::new(self, &open, &goals)?;
        Offer::ON_SURFACE.best(&open, "for the goals", space.candidates(&open))
    }
}

/// Rank of the region in which a goal can hold: the smaller, the narrower.
fn width(goal: &Goal) -> usize {
    match goal {
        Goal::At { .. } => 0,
        Goal::Within { .. } | Goal::Between { .. } | Goal::Related { .. } => 1,
        Goal::Beside { .. } => 2,
        _ => 3,
    }
}

/// Returns true if a goal holds in a small region only.
pub(super) fn is_narrow(goal: &Goal) -> bool {
    width(goal) < 3
}

struct Space<'a> {
    percept: &'a Percept,
    /// The moved object, and the goals with the objects that they name besides it.
    object: PerceivedObject,
    goals: Vec<(&'a Goal, Vec<&'a PerceivedObject>)>,
    /// Points over the space, the best first.
    points: Vec<SurfacePoint>,
    /// Heights in World below which a support is searched for if the path from above is blocked, m.
    eyes_z: Vec<f64>,
}

impl<'a> Space<'a> {
    fn new(request: &PlacementRequest<'a>, scene: &Scene<'_>, goals: &[&'a Goal]) -> Result<Self> {
        let (percept, world_from_held) = (request.percept, request.world_from_held);
        let see = |id: &ObjectId| {
            let unseen = || Failure::new(Reason::ObjectNotFound, format!("{id} is not seen"));
            percept.object(id).ok_or_else(unseen)
        };
        let named = goals.iter().map(|goal| {
            let targets = goal.objects().into_iter().skip(1).map(see);
            Ok((*goal, targets.collect::<Result<Vec<_>>>()?))
        });
        let mut space = Self {
            percept,
            object: seen_at(request.held, world_from_held),
            goals: named.collect::<Result<Vec<_>>>()?,
            points: vec![],
            eyes_z: vec![],
        };
        let from = world_from_held.translation;
        (space.points, space.eyes_z) = match space.first() {
            Some((Goal::Within { zone, .. }, [whole])) => {
                let region = Region::of(percept, &whole.id, zone).ok_or_else(|| {
                    let text = format!("argument `zone`: {} has no zone `{zone}`", whole.id);
                    Failure::new(Reason::BadArguments, text).about([whole.id.clone()])
                })?;
                let aabb = region.aabb();
                let center = aabb.center();
                let mut points = region::over(&aabb, [center.x, center.y]);
                let mut eyes_z = vec![];
                if percept.declared_zone(&whole.id, zone).is_some() {
                    let turned = Turned::new(scene, &world_from_held.rotation);
                    let middle = between_walls(scene, whole, &aabb, &turned);
                    points.insert(0, (middle, 0.0));
                    eyes_z.push(center.z);
                }
                (points, eyes_z)
            }
            Some((Goal::Related { relation, .. }, [over])) => {
                let points = region::over(&over.aabb_in_world(), [from.x, from.y]);
                let eyes_z = match relation {
                    Relation::Under => undersides(over),
                    Relation::Against => vec![middle_z(over)],
                };
                (points, eyes_z)
            }
            Some((Goal::At { position, .. }, _)) => (vec![(position.xy, 0.0)], vec![]),
            Some((Goal::Beside { .. }, [by])) => (region::near(by), vec![middle_z(by)]),
            Some((_, [on])) => {
                let points = region::over(&on.aabb_in_world(), [from.x, from.y]);
                (points, vec![])
            }
            Some((_, [a, b])) => {
                let points = Corridor::of(a, b).map_or_else(Vec::new, region::between);
                (points, vec![0.5 * (middle_z(a) + middle_z(b))])
            }
            _ => (vec![], vec![]),
        };
        Ok(space)
    }

    /// Returns the goal that determines the region, and the objects that it names besides the moved
    /// one.
    fn first(&self) -> Option<(&'a Goal, &[&'a PerceivedObject])> {
        let (goal, targets) = self.goals.first()?;
        Some((goal, targets))
    }

    /// Returns true for a possible support: any object, except that a zone needs its owner or, if
    /// the zone is declared, a fixed object.
    fn may_carry(&self, support: &PerceivedObject) -> bool {
        match self.first() {
            Some((Goal::Within { zone, .. }, [whole])) => {
                let is_declared = self.percept.declared_zone(&whole.id, zone).is_some();
                support.id == whole.id || is_declared && !support.movable
            }
            _ => true,
        }
    }

    /// Candidates that stand on the highest surface at each point and satisfy the goals.
    fn candidates<'s>(&'s self, scene: &'s Scene<'a>) -> impl Iterator<Item = Candidate<'a>> + 's {
        let rotation = &self.object.world_from_object.rotation;
        let target = self
            .first()
            .and_then(|(_, targets)| targets.first().copied());
        let along = target.unwrap_or(&self.object);
        let turned = turns(scene, rotation, along, TURN_M).into_iter();
        let standing = turned.take(N_TURNS).flat_map(move |turned| {
            self.points.iter().filter_map(move |(point, cost_m)| {
                let (support, height) = scene.highest_of(*point, |o| self.may_carry(o))?;
                let origin = turned.origin_for_middle_at(*point);
                Some(turned.on_level(support, origin, height, *cost_m))
            })
        });
        standing.filter(|candidate| self.is_as_wanted(candidate))
    }

    fn leaning(&self, scene: &Scene<'a>) -> Vec<Candidate<'a>> {
        let Some((point, _)) = self.points.first() else {
            return vec![];
        };
        let support = scene.highest_of(*point, |o| self.may_carry(o));
        let rotation = &self.object.world_from_object.rotation;
        let mut leaning = support.map_or_else(Vec::new, |(support, _)| {
            support::leaning(scene, support, rotation, *point)
        });
        leaning.retain(|candidate| self.is_as_wanted(candidate));
        leaning
    }

    /// Returns true if the goals hold at a candidate. Several goals, or a relation, also have to
    /// hold if the object is off by the position tolerance.
    fn is_as_wanted(&self, candidate: &Candidate<'_>) -> bool {
        let is_exact = matches!(
            self.goals.as_slice(),
            [(Goal::Related { .. }, _)] | [_, _, ..]
        );
        self.holds_at(candidate, Vector3::zeros()) && (!is_exact || self.holds_if_off(candidate))
    }

    /// Returns true if the goals also hold if the object is off by the position tolerance. A goal
    /// at a point has its own tolerance.
    fn holds_if_off(&self, candidate: &Candidate<'_>) -> bool {
        let [x, y] = [Vector3::x() * ON_TARGET_M, Vector3::y() * ON_TARGET_M];
        let mut shifts = [x, -x, y, -y].into_iter();
        shifts.all(|shift| self.holds_at(candidate, shift))
    }

    fn holds_at(&self, candidate: &Candidate<'_>, shift: Vector3<f64>) -> bool {
        let object = PerceivedObject {
            world_from_object: Translation3::from(shift) * candidate.world_from_object,
            ..self.object.clone()
        };
        let is_own = |goal: &Goal| matches!(goal, Goal::At { .. }) && shift != Vector3::zeros();
        let mut goals = self.goals.iter().filter(|(goal, _)| !is_own(goal));
        goals.all(|(goal, targets)| {
            let objects = [&[&object], targets.as_slice()].concat();
            misplaced(goal, self.percept, &objects).is_none()
        })
    }
}

/// Height of an object's middle in World, m.
fn middle_z(object: &PerceivedObject) -> f64 {
    object.aabb_in_world().center().z
}

/// Heights just below the parts of an object, the lowest first, m in World.
fn undersides(over: &PerceivedObject) -> Vec<f64> {
    let parts = match &over.shape {
        Shape::Compound { parts } => parts.as_slice(),
        _ => &[],
    };
    let of_part = |part: &Part| {
        let world_from_part = over.world_from_object * part.object_from_part;
        part.shape.aabb(&world_from_part).min[2]
    };
    let whole = parts.is_empty().then(|| over.aabb_in_world().min[2]);
    let mut heights: Vec<f64> = parts.iter().map(of_part).chain(whole).collect();
    heights.sort_by(f64::total_cmp);
    heights.dedup_by(|a, b| *a - *b < SEEN_EXACT_M);
    heights.into_iter().map(|z| z - SEEN_EXACT_M).collect()
}

/// Middle between the walls of `whole` around a box, x and y in World, m. On an axis with one wall
/// only, the point nearest to the middle of the box at which the object clears that wall.
fn between_walls(
    scene: &Scene<'_>,
    whole: &PerceivedObject,
    space: &Aabb,
    turned: &Turned,
) -> [f64; 2] {
    let center = space.center();
    let most_m = whole.aabb_in_world().size().norm();
    let wall_m = |direction: Vector3<f64>| {
        let hit = scene
            .body_of(&whole.id)?
            .cast(&center, &direction, most_m)?;
        Some(hit.distance_m)
    };
    [Vector3::x(), Vector3::y()].map(|axis| {
        let at = center.coords.dot(&axis);
        let size_m =
            scene.reach_m(&turned.rotation, &axis) + scene.reach_m(&turned.rotation, &-axis);
        let room_m = 0.5 * size_m + TO_WALL_M;
        match [wall_m(-axis), wall_m(axis)] {
            [Some(low_m), Some(high_m)] => at + 0.5 * (high_m - low_m),
            [Some(low_m), None] => at + (room_m - low_m).max(0.0),
            [None, Some(high_m)] => at - (room_m - high_m).max(0.0),
            [None, None] => at,
        }
    })
}
