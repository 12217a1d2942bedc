//! Where things that are pushed or pulled should come, as points.

use std::collections::BTreeMap;

use nalgebra::Vector3;
use regrasp_api::{Goal, ObjectId, PerceivedObject, PlanRequest, Point, Shape};
use regrasp_relations::Region;

use regrasp_language::{Course, Intent};

use crate::compartment::Boxes;
use crate::feedback::Spots;
use crate::goals::is_met;

/// How far something is pushed or pulled if nobody says so, m.
const USUAL_DISTANCE_M: f64 = 0.1;

/// How far something is put that is taken off something, m.
const TAKEN_OFF_M: f64 = 0.1;

/// For each intent the point at which what it shifts should end, if the words and what is
/// seen now give one. A later intent begins where an earlier one ends.
///
/// "10 cm forward" means another point once the object has moved, so this is asked once, at
/// the beginning.
pub(crate) fn points(intents: &[Intent], request: &PlanRequest<'_>) -> Vec<Option<Point>> {
    let percept = request.percept;
    let mut spots = Spots::new(request);
    let mut expected: BTreeMap<ObjectId, Vector3<f64>> = BTreeMap::new();
    intents
        .iter()
        .map(|intent| {
            let place = |id: &ObjectId| {
                let seen = || percept.object(id).map(|o| o.position());
                expected.get(id).copied().or_else(seen)
            };
            let (moved, to, point) = match intent {
                Intent::Shift { object, to, .. } => {
                    let end = end(place(object), to, &place);
                    (object, end, end.map(|p| [p.x, p.y]))
                }
                Intent::Achieve(Goal::At {
                    object, position, ..
                }) => {
                    let [x, y] = position.xy;
                    (object, Some(Vector3::new(x, y, 0.0)), None)
                }
                Intent::Achieve(Goal::On { object, target } | Goal::In { object, target }) => {
                    (object, place(target), None)
                }
                Intent::Achieve(goal) if is_for_a_point(goal) => {
                    return spot(intent, goal, request, &mut spots);
                }
                _ => return None,
            };
            if let Some(to) = to {
                expected.insert(moved.clone(), to);
            }
            point.map(|xy: [f64; 2]| Point { xy, z: None })
        })
        .collect()
}

/// Returns true for what is put down at a point that the planner chooses.
pub(crate) fn is_for_a_point(goal: &Goal) -> bool {
    matches!(
        goal,
        Goal::Within { .. } | Goal::Between { .. } | Goal::Off { .. }
    )
}

/// A free spot at a place that has a name; where it is now, if it is there.
fn spot(
    intent: &Intent,
    goal: &Goal,
    request: &PlanRequest<'_>,
    spots: &mut Spots<'_>,
) -> Option<Point> {
    let percept = request.percept;
    let object = percept.object(goal.objects().first()?)?;
    if is_met(intent, request) == Some(true) {
        let at = object.position();
        return Some(Point {
            xy: [at.x, at.y],
            z: None,
        });
    }
    let see = |id: &ObjectId| percept.object(id);
    let name = object.id.as_str();
    let (xy, z) = match goal {
        Goal::Within { target, zone, .. } => {
            let region = Region::of(percept, target, zone)?;
            let (aabb, whole) = (region.aabb(), see(target)?);
            let center = aabb.center();
            let inside = |xy: [f64; 2]| region.covers(&Vector3::new(xy[0], xy[1], center.z));
            let boxes = Boxes::of(whole).filter(|_| zone.is_declared());
            let stands_at = boxes.as_ref().map(|boxes| boxes.place_in(&aabb, object));
            // A shelf has a board above it: what lies highest is not meant there.
            let is_covered = boxes.is_some_and(|boxes| boxes.covers(&center));
            if let Some(at) = stands_at.filter(|_| is_covered) {
                let xy = spots.find_under(name, [at.x, at.y], target.as_str(), &inside);
                (xy, Some(at.z))
            } else {
                let xy = spots.find_where(name, [center.x, center.y], target.as_str(), &inside);
                let below_origin_m = object.position().z - object.aabb_in_world().min[2];
                // Of one piece, it does not tell what is over the zone.
                let is_whole = !matches!(whole.shape, Shape::Compound { .. });
                let over_m = (zone.is_declared() && is_whole).then(|| aabb.min[2] + below_origin_m);
                // Where it would stand too low it may lean.
                let is_low = |at: &Vector3<f64>| !region.is_at_height(at.z - below_origin_m, at.z);
                let raised_m = stands_at.filter(is_low).map(|_| aabb.min[2]);
                (xy, over_m.or(raised_m))
            }
        }
        Goal::Between {
            targets: [a, b], ..
        } => {
            let middle = |o: &PerceivedObject| o.aabb_in_world().center().coords;
            let [a, b] = [middle(see(a)?), middle(see(b)?)];
            let middle = (a + b) * 0.5;
            (Some([middle.x, middle.y]), None)
        }
        _ => (spots.find(name, TAKEN_OFF_M), None),
    };
    let xy = xy?;
    spots.reserve(xy, spots.radius(name));
    Some(Point { xy, z })
}

fn end(
    from: Option<Vector3<f64>>,
    to: &Course,
    place: &impl Fn(&ObjectId) -> Option<Vector3<f64>>,
) -> Option<Vector3<f64>> {
    match to {
        Course::Point([x, y]) => Some(Vector3::new(*x, *y, 0.0)),
        Course::Heading {
            heading,
            distance_m,
        } => Some(from? + heading.direction() * distance_m.unwrap_or(USUAL_DISTANCE_M)),
        Course::Towards {
            target,
            distance_m: Some(distance_m),
        } => {
            let from = from?;
            let mut way = place(target)? - from;
            way.z = 0.0;
            Some(from + way.try_normalize(1e-9)? * *distance_m)
        }
        // Until just before it: for the skill to say.
        Course::Towards {
            distance_m: None, ..
        } => None,
    }
}

/// The intents with the points put in.
pub(crate) fn with_points(mut intents: Vec<Intent>, points: &[Option<Point>]) -> Vec<Intent> {
    for (intent, point) in intents.iter_mut().zip(points) {
        let Some(Point { xy, z }) = *point else {
            continue;
        };
        match intent {
            Intent::Shift { to, .. } => *to = Course::Point(xy),
            Intent::Achieve(goal) if is_for_a_point(goal) => {
                if let [object, ..] = goal.objects()[..] {
                    *intent = Goal::put_at(object.clone(), xy, z).into();
                }
            }
            _ => {}
        }
    }
    intents
}
