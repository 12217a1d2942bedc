//! From a task, which may leave choices, to commands, which leave none.

use regrasp_api::{ObjectId, PerceivedObject, PlanRequest, is_inside, is_supported_by, objects_on};
use regrasp_language::{Command, Step, Task};

use crate::feedback::Spots;

/// How many ways to carry a task out are tried.
const MAX_WAYS: usize = 12;
/// How far something is put aside that another thing takes the place of, m.
const ASIDE_M: f64 = 0.12;

/// The ways to carry a task out, the likeliest first. None if one of its steps has none.
pub(crate) fn ways(task: &Task, request: &PlanRequest<'_>) -> Result<Vec<Vec<Command>>, String> {
    let mut ways = vec![vec![]];
    for step in &task.steps {
        let mut longer = vec![];
        for more in of_step(step, request)? {
            longer.extend(
                ways.iter()
                    .map(|way: &Vec<Command>| [&way[..], &more].concat()),
            );
        }
        longer.truncate(MAX_WAYS);
        ways = longer;
    }
    Ok(ways)
}

fn of_step(step: &Step, request: &PlanRequest<'_>) -> Result<Vec<Vec<Command>>, String> {
    match step {
        Step::Do(Command::TakeOff { object, target }) => taken_off(object, target, request),
        Step::Do(command) => Ok(vec![vec![command.clone()]]),
        Step::Any(commands) => {
            let mut ways = vec![];
            for command in easiest_first(commands, request) {
                ways.extend(of_step(&Step::Do(command), request)?);
            }
            Ok(ways)
        }
        Step::Some { n, of } => {
            let all = easiest_first(of, request);
            let ways = (0..=all.len().saturating_sub(*n)).map(|i| all[i..i + n].to_vec());
            Ok(ways.collect())
        }
        Step::Tower { n, of, on } => tower(*n, of, on.as_ref(), request),
        Step::Swap { objects } => swap(objects, request),
    }
}

/// What nothing lies on and what is near comes first.
fn easiest_first(commands: &[Command], request: &PlanRequest<'_>) -> Vec<Command> {
    let base = request.observation.world_from_base.translation.vector;
    let effort = |command: &Command| {
        let seen = |name: &str| request.percept.object(&ObjectId::new(name));
        let object = command.object().and_then(seen);
        let covered = object.map_or(0, |o| objects_on(request.percept, o).len());
        let far_m = object.map_or(0.0, |o| (o.position() - base).norm());
        covered as f64 + far_m
    };
    let mut sorted = commands.to_vec();
    sorted.sort_by(|a, b| effort(a).total_cmp(&effort(b)));
    sorted
}

fn see<'r>(request: &PlanRequest<'r>, name: &str) -> Result<&'r PerceivedObject, String> {
    let seen = request.percept.object(&ObjectId::new(name));
    seen.ok_or_else(|| format!("{name} is not seen"))
}

/// What is wide goes below, what is round on top.
fn tower(
    n: usize,
    of: &[String],
    on: Option<&String>,
    request: &PlanRequest<'_>,
) -> Result<Vec<Vec<Command>>, String> {
    let mut objects = of
        .iter()
        .map(|name| see(request, name))
        .collect::<Result<Vec<_>, _>>()?;
    let width_m = |o: &PerceivedObject| {
        let size = o.aabb_in_world().size();
        let round = matches!(o.shape, regrasp_api::Shape::Sphere { .. });
        if round { 0.0 } else { size.x.min(size.y) }
    };
    objects.sort_by(|a, b| {
        width_m(b)
            .total_cmp(&width_m(a))
            .then_with(|| a.id.cmp(&b.id))
    });
    let put = |pair: &[&PerceivedObject]| Command::PutOn {
        object: pair[1].id.to_string(),
        target: pair[0].id.to_string(),
    };
    let ways = (0..=objects.len().saturating_sub(n)).map(|i| {
        let chosen = &objects[i..(i + n).min(objects.len())];
        let first = on.map(|on| Command::PutOn {
            object: chosen[0].id.to_string(),
            target: on.clone(),
        });
        first
            .into_iter()
            .chain(chosen.windows(2).map(put))
            .collect()
    });
    Ok(ways.collect())
}

/// One is put aside, the other takes its place, and the first that of the other.
fn swap([a, b]: &[String; 2], request: &PlanRequest<'_>) -> Result<Vec<Vec<Command>>, String> {
    let [first, second] = [see(request, a)?, see(request, b)?];
    let mut spots = Spots::new(request);
    for object in [first, second] {
        spots.reserve(
            object.position().xy().into(),
            spots.radius(object.id.as_str()),
        );
    }
    let spot = spots.find(a, ASIDE_M);
    let spot =
        spot.ok_or_else(|| format!("there is no free spot within reach to put {a} aside"))?;
    let to_place_of = |object: &str, other: &PerceivedObject| place_of(object, other, request);
    Ok(vec![vec![
        Command::PutAt {
            object: a.clone(),
            xy: spot,
            z: None,
        },
        to_place_of(b, first),
        to_place_of(a, second),
    ]])
}

/// Where another thing is: on what that stands on, if that can be moved, else at its point.
fn place_of(object: &str, other: &PerceivedObject, request: &PlanRequest<'_>) -> Command {
    let carriers = request.percept.objects.iter().filter(|o| o.movable);
    let mut below = carriers.filter(|o| is_supported_by(other, o) || is_inside(other, o));
    let object = object.to_owned();
    match below.next() {
        Some(below) => Command::PutOn {
            object,
            target: below.id.to_string(),
        },
        None => Command::PutAt {
            object,
            xy: other.position().xy().into(),
            z: None,
        },
    }
}

/// Off something that can be moved onto what that stands on; off the table into what holds
/// things.
fn taken_off(
    object: &str,
    from: &str,
    request: &PlanRequest<'_>,
) -> Result<Vec<Vec<Command>>, String> {
    let (thing, below) = (see(request, object)?, see(request, from)?);
    let off = Command::TakeOff {
        object: object.to_owned(),
        target: from.to_owned(),
    };
    if below.movable {
        return Ok(vec![vec![off]]);
    }
    let size = |o: &PerceivedObject| o.aabb_in_world().size();
    let holds = |o: &&PerceivedObject| {
        let fits = size(thing).x.min(size(thing).y) < size(o).x.min(size(o).y);
        let flat = size(o).z < 0.4 * size(o).x.min(size(o).y);
        o.movable && o.id != thing.id && fits && (o.shape.cavity().is_some() || flat)
    };
    let mut into: Vec<_> = request.percept.objects.iter().filter(holds).collect();
    into.sort_by(|a, b| (size(b).x * size(b).y).total_cmp(&(size(a).x * size(a).y)));
    if into.is_empty() {
        return Err(format!(
            "nothing is seen that could hold {object} instead of {from}"
        ));
    }
    let put = |target: &PerceivedObject| {
        vec![Command::PutIn {
            object: object.to_owned(),
            target: target.id.to_string(),
        }]
    };
    Ok(into.into_iter().map(put).collect())
}
