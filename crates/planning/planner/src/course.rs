//! Where things that are pushed or pulled should come, as points.

use std::collections::BTreeMap;

use nalgebra::Vector3;
use regrasp_api::{Goal, ObjectId, PlanRequest};
use regrasp_language::{Course, Intent};

/// How far something is pushed or pulled if nobody says so, m.
const USUAL_DISTANCE_M: f64 = 0.1;

/// For each intent the point at which what it pushes or pulls should end, if the words and what is
/// seen now give one. A later intent begins where an earlier one ends.
///
/// "10 cm forward" means another point once the object has moved, so this is asked once, at
/// the beginning.
pub(crate) fn points(intents: &[Intent], request: &PlanRequest<'_>) -> Vec<Option<[f64; 2]>> {
    let percept = request.percept;
    let mut expected: BTreeMap<ObjectId, Vector3<f64>> = BTreeMap::new();
    intents
        .iter()
        .map(|intent| {
            let place = |id: &ObjectId| {
                let seen = || percept.object(id).map(|o| o.position());
                expected.get(id).copied().or_else(seen)
            };
            let (moved, to, is_shifted) = match intent {
                Intent::Shift { object, to, .. } => (object, end(place(object), to, &place), true),
                Intent::Achieve(Goal::At {
                    object, position, ..
                }) => {
                    let [x, y] = position.xy;
                    (object, Some(Vector3::new(x, y, 0.0)), false)
                }
                Intent::Achieve(Goal::On { object, target } | Goal::In { object, target }) => {
                    (object, place(target), false)
                }
                _ => return None,
            };
            if let Some(to) = to {
                expected.insert(moved.clone(), to);
            }
            to.filter(|_| is_shifted).map(|to| [to.x, to.y])
        })
        .collect()
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
pub(crate) fn with_points(mut intents: Vec<Intent>, points: &[Option<[f64; 2]>]) -> Vec<Intent> {
    for (intent, point) in intents.iter_mut().zip(points) {
        if let (Intent::Shift { to, .. }, Some(xy)) = (intent, point) {
            *to = Course::Point(*xy);
        }
    }
    intents
}
