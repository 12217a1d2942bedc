//! Where things that are pushed or pulled should come, as points.

use std::collections::BTreeMap;

use nalgebra::Vector3;
use regrasp_api::{ObjectId, Percept};

use crate::grammar::{Command, Course};

/// How far something is pushed or pulled if nobody says so, m.
const USUAL_DISTANCE_M: f64 = 0.1;

/// For each command the point at which what it shifts should end, if the words and what is
/// seen now give one. A later command begins where an earlier one ends.
///
/// "10 cm forward" means another point once the object has moved, so this is asked once, at
/// the beginning.
pub(crate) fn points(commands: &[Command], percept: &Percept) -> Vec<Option<[f64; 2]>> {
    let mut expected: BTreeMap<String, Vector3<f64>> = BTreeMap::new();
    commands
        .iter()
        .map(|command| {
            let place = |name: &String| {
                let seen = || percept.object(&ObjectId::new(name)).map(|o| o.position());
                expected.get(name).copied().or_else(seen)
            };
            let (moved, to, point) = match command {
                Command::Shift { object, to, .. } => {
                    let end = end(place(object), to, &place);
                    (object, end, end.map(|p| [p.x, p.y]))
                }
                Command::PutAt { object, xy, .. } => {
                    (object, Some(Vector3::new(xy[0], xy[1], 0.0)), None)
                }
                Command::PutOn { object, target } | Command::PutIn { object, target } => {
                    (object, place(target), None)
                }
                _ => return None,
            };
            if let Some(to) = to {
                expected.insert(moved.clone(), to);
            }
            point
        })
        .collect()
}

fn end(
    from: Option<Vector3<f64>>,
    to: &Course,
    place: &impl Fn(&String) -> Option<Vector3<f64>>,
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

/// The commands with the points put in.
pub(crate) fn with_points(mut commands: Vec<Command>, points: &[Option<[f64; 2]>]) -> Vec<Command> {
    for (command, point) in commands.iter_mut().zip(points) {
        if let (Command::Shift { to, .. }, Some(point)) = (command, point) {
            *to = Course::Point(*point);
        }
    }
    commands
}
