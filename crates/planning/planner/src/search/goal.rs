//! What is to hold, from what was said.

use regrasp_api::{ObjectId, PerceivedObject, PlanRequest, Shape};
use regrasp_language::{Command, Formula, Step, Task};
use regrasp_relations::{is_inside, is_supported_by};

/// Whether a task is a list of commands that are carried out as they were said.
pub(crate) fn is_plain(task: &Task) -> bool {
    let plain = |step: &Step| match step {
        Step::Do(command) => !matches!(command, Command::TakeOff { .. } | Command::Have { .. }),
        _ => false,
    };
    task.never.is_empty() && task.steps.iter().all(plain)
}

/// What a step asks for.
pub(crate) fn formula_of(step: &Step, request: &PlanRequest<'_>) -> Result<Formula, String> {
    let each = |commands: &[Command]| {
        let of = commands.iter().map(|c| of_command(c, request));
        of.collect::<Result<Vec<_>, _>>()
    };
    Ok(match step {
        Step::Do(command) => of_command(command, request)?,
        Step::Any(commands) => Formula::Any(each(commands)?),
        Step::Some { n, of } => Formula::Some {
            n: *n,
            of: each(of)?,
        },
        Step::Goal(formula) => formula.clone(),
        Step::Tower { n, of, on } => tower(*n, of, on.as_ref(), request)?,
        Step::Swap { objects: [a, b] } => {
            let [first, second] = [see(request, a)?, see(request, b)?];
            Formula::All(vec![
                Formula::Is(place_of(a, second, request)),
                Formula::Is(place_of(b, first, request)),
            ])
        }
    })
}

fn of_command(command: &Command, request: &PlanRequest<'_>) -> Result<Formula, String> {
    match command {
        Command::TakeOff { object, target } => taken_off(object, target, request),
        command => Ok(Formula::Is(command.clone())),
    }
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
) -> Result<Formula, String> {
    let mut objects = of
        .iter()
        .map(|name| see(request, name))
        .collect::<Result<Vec<_>, _>>()?;
    let width_m = |o: &PerceivedObject| {
        let size = o.aabb_in_world().size();
        let round = matches!(o.shape, Shape::Sphere { .. });
        if round { 0.0 } else { size.x.min(size.y) }
    };
    objects.sort_by(|a, b| {
        width_m(b)
            .total_cmp(&width_m(a))
            .then_with(|| a.id.cmp(&b.id))
    });
    let put = |object: &PerceivedObject, target: &str| {
        Formula::Is(Command::PutOn {
            object: object.id.to_string(),
            target: target.to_owned(),
        })
    };
    let n = n.min(objects.len());
    let stacks = (0..=objects.len() - n).map(|i| {
        let chosen = &objects[i..i + n];
        let first = on.and_then(|on| chosen.first().map(|object| put(object, on)));
        let others = chosen
            .windows(2)
            .map(|pair| put(pair[1], pair[0].id.as_str()));
        Formula::All(first.into_iter().chain(others).collect())
    });
    Ok(Formula::Any(stacks.collect()))
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

/// Off something that can be moved onto anything else; off the table into what holds things.
fn taken_off(object: &str, from: &str, request: &PlanRequest<'_>) -> Result<Formula, String> {
    let (thing, below) = (see(request, object)?, see(request, from)?);
    if below.movable || below.shape.cavity().is_some() {
        return Ok(Formula::All(vec![
            Formula::Not(Command::PutOn {
                object: object.to_owned(),
                target: from.to_owned(),
            }),
            Formula::Not(Command::Pick {
                object: object.to_owned(),
            }),
        ]));
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
        Formula::Is(Command::PutIn {
            object: object.to_owned(),
            target: target.id.to_string(),
        })
    };
    Ok(Formula::Any(into.into_iter().map(put).collect()))
}

/// What still has to hold when a later stage does: nothing that a later one undoes.
pub(crate) fn lasting(stages: &[Formula]) -> Vec<&Formula> {
    let moves = |formula: &Formula, object: &str| {
        let mut atoms = formula.atoms().into_iter();
        atoms.any(|atom| atom.object() == Some(object))
    };
    let lasts = |idx: usize| {
        let later = &stages[idx + 1..];
        stages[idx].atoms().iter().all(|atom| match atom {
            Command::Home => later.is_empty(),
            atom => {
                let object = atom.object();
                let moved = object.is_some_and(|o| later.iter().any(|f| moves(f, o)));
                let in_hand = matches!(atom, Command::Pick { .. } | Command::HoldAt { .. });
                !moved && (!in_hand || later.is_empty())
            }
        })
    };
    let kept = (0..stages.len()).filter(|idx| lasts(*idx));
    kept.map(|idx| &stages[idx]).collect()
}

/// What a formula comes to, with of each choice what holds.
pub(crate) fn commands_of(formula: &Formula, is_so: &dyn Fn(&Command) -> bool) -> Vec<Command> {
    match formula {
        Formula::Is(command) => vec![command.clone()],
        Formula::Not(Command::PutOn { object, target } | Command::PutIn { object, target }) => {
            vec![Command::TakeOff {
                object: object.clone(),
                target: target.clone(),
            }]
        }
        Formula::Not(Command::Slide { object, open }) => vec![Command::Slide {
            object: object.clone(),
            open: !open,
        }],
        Formula::Not(_) => vec![],
        Formula::All(of) => of.iter().flat_map(|f| commands_of(f, is_so)).collect(),
        Formula::Any(of) => {
            let chosen = of.iter().find(|f| f.holds(is_so));
            chosen.map_or_else(Vec::new, |f| commands_of(f, is_so))
        }
        Formula::Some { n, of } => {
            let chosen = of.iter().filter(|f| f.holds(is_so)).take(*n);
            chosen.flat_map(|f| commands_of(f, is_so)).collect()
        }
    }
}
