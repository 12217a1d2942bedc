//! Converts tasks to formulas for the search.

use regrasp_api::{Goal, ObjectId, PerceivedObject, PlanRequest};
use regrasp_language::{Formula, Intent, Step, Task, sort_for_tower};
use regrasp_relations::{carriers, is_inside, is_supported_by, level_z, support_of};

/// Returns true if a task is a list of intents without rules, choices, `off` and declared goals.
pub(crate) fn is_plain(task: &Task) -> bool {
    let plain = |step: &Step| {
        let goal = step.intent().map(Intent::goal);
        goal.is_some_and(|goal| !matches!(goal, Some(Goal::Off { .. } | Goal::Declared { .. })))
    };
    task.never.is_empty() && task.steps.iter().all(plain)
}

pub(crate) fn formula_of(step: &Step, request: &PlanRequest<'_>) -> Result<Formula, String> {
    Ok(match step {
        Step::Goal(formula) => formula.try_map(&mut |intent, so| match so {
            true => of_intent(intent, request),
            false => Ok(unlike(intent, request)),
        })?,
        Step::Tower { n, of, on } => tower(*n, of, on.as_ref(), request)?,
        Step::Swap { objects: [a, b] } => {
            let [a, b] = [a, b].map(ObjectId::new);
            let [first, second] = [see(request, &a)?, see(request, &b)?];
            let mut places = vec![place_of(a, second, request), place_of(b, first, request)];
            // Whatever lies on one of them lies on the other afterwards.
            places.extend(carried(first, second, request));
            places.extend(carried(second, first, request));
            Formula::All(
                places
                    .into_iter()
                    .map(|goal| Formula::Is(goal.into()))
                    .collect(),
            )
        }
    })
}

fn of_intent(intent: &Intent, request: &PlanRequest<'_>) -> Result<Formula, String> {
    match intent.goal() {
        Some(Goal::Off { object, target }) => taken_off(object, target, request),
        _ => Ok(Formula::Is(intent.clone())),
    }
}

/// Formula for a fact that must not hold. An object that must not be on or in another has to be put
/// down elsewhere: holding it is not enough.
fn unlike(intent: &Intent, request: &PlanRequest<'_>) -> Formula {
    let not = Formula::Not(intent.clone());
    let Some(Goal::On { object, target } | Goal::In { object, target }) = intent.goal() else {
        return not;
    };
    let holding = Goal::Holding {
        object: object.clone(),
    };
    let released = Formula::All(vec![not, Formula::Not(holding.into())]);
    match taken_off(object, target, request) {
        Ok(Formula::Any(elsewhere)) => Formula::Any([elsewhere, vec![released]].concat()),
        Ok(off) => off,
        Err(_) => released,
    }
}

fn see<'r>(request: &PlanRequest<'r>, id: &ObjectId) -> Result<&'r PerceivedObject, String> {
    let seen = request.percept.object(id);
    seen.ok_or_else(|| format!("{id} is not seen"))
}

/// Creates the goal of a tower. Wide objects go to the bottom, round ones to the top.
fn tower(
    n: usize,
    of: &[String],
    on: Option<&String>,
    request: &PlanRequest<'_>,
) -> Result<Formula, String> {
    let mut objects = of
        .iter()
        .map(|name| see(request, &ObjectId::new(name)))
        .collect::<Result<Vec<_>, _>>()?;
    sort_for_tower(&mut objects);
    let put = |object: &PerceivedObject, target: &str| {
        let (object, target) = (object.id.clone(), target.into());
        Formula::Is(Goal::On { object, target }.into())
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

/// Goals that move the other objects on `of`, but not those in it, to `to`.
fn carried(of: &PerceivedObject, to: &PerceivedObject, request: &PlanRequest<'_>) -> Vec<Goal> {
    let objects = request.percept.objects.iter();
    let others = objects.filter(|o| o.movable && o.id != to.id && is_supported_by(o, of));
    let put = |o: &PerceivedObject| Goal::On {
        object: o.id.clone(),
        target: to.id.clone(),
    };
    others.filter(|o| !is_inside(o, of)).map(put).collect()
}

/// Goal to put `object` where `other` is: on the support of `other` if that is movable and does not
/// carry `object` too, otherwise at the point of `other`. If `object` itself is the support, it
/// goes on `other`.
fn place_of(object: ObjectId, other: &PerceivedObject, request: &PlanRequest<'_>) -> Goal {
    let movable_support = |o| support_of(request.percept, o).filter(|below| below.movable);
    let own = request.percept.object(&object);
    let own_support = own.and_then(movable_support).map(|o| &o.id);
    let z = own.map(|own| level_z(own, other));
    match movable_support(other) {
        Some(below) if own_support == Some(&below.id) => {
            Goal::put_at(object, other.position().xy().into(), z)
        }
        Some(below) if below.id == object => {
            let target = other.id.clone();
            Goal::On { object, target }
        }
        Some(below) => Goal::On {
            object,
            target: below.id.clone(),
        },
        None => Goal::put_at(object, other.position().xy().into(), z),
    }
}

/// Goal to take an object off another. It may go anywhere, but from the table it goes into a
/// receptacle that does not stand there.
fn taken_off(
    object: &ObjectId,
    from: &ObjectId,
    request: &PlanRequest<'_>,
) -> Result<Formula, String> {
    let (thing, below) = (see(request, object)?, see(request, from)?);
    if request
        .percept
        .table()
        .is_none_or(|table| table.id != *from)
    {
        // What carries the object there does not leave with it.
        let carriers = carriers(request.percept, thing);
        let n_between = carriers.iter().position(|o| below.movable && o.id == *from);
        let between = carriers.iter().take(n_between.unwrap_or(0));
        let targets = between.map(|o| o.id.clone()).chain([from.clone()]);
        let object = || object.clone();
        let holding = Goal::Holding { object: object() };
        let not_on = |target| Goal::On {
            object: object(),
            target,
        };
        let goals = targets.map(not_on).chain([holding]);
        let none = goals.map(|goal| Formula::Not(goal.into()));
        return Ok(Formula::All(none.collect()));
    }
    let size = |o: &PerceivedObject| o.aabb_in_world().size();
    let holds = |o: &&PerceivedObject| {
        let fits = size(thing).x.min(size(thing).y) < size(o).x.min(size(o).y);
        let flat = size(o).z < 0.4 * size(o).x.min(size(o).y);
        // In a receptacle that stands on the table, the object would still be on the table.
        let is_elsewhere = o.id != *from && !(o.movable && is_supported_by(o, below));
        is_elsewhere && o.id != thing.id && fits && (o.shape.cavity().is_some() || flat)
    };
    let mut into: Vec<_> = request.percept.objects.iter().filter(holds).collect();
    into.sort_by(|a, b| (size(b).x * size(b).y).total_cmp(&(size(a).x * size(a).y)));
    if into.is_empty() {
        return Err(format!("no support for {object} other than {from} is seen"));
    }
    let put = |target: &PerceivedObject| {
        let (object, target) = (object.clone(), target.id.clone());
        Formula::Is(Goal::In { object, target }.into())
    };
    Ok(Formula::Any(into.into_iter().map(put).collect()))
}

/// Returns a negative intent without its negation, and any other intent unchanged.
pub(crate) fn positive(intent: &Intent) -> Intent {
    match opposite(intent) {
        Some(other) if !intent.literal().1 => other.into(),
        _ => intent.clone(),
    }
}

/// Returns the goal that holds exactly when an intent's goal does not; `None` if there is none.
fn opposite(intent: &Intent) -> Option<Goal> {
    Some(match intent.goal()?.clone() {
        Goal::On { object, target } | Goal::In { object, target } => Goal::Off { object, target },
        Goal::Off { object, target } => Goal::On { object, target },
        Goal::Slid { object, open } => Goal::Slid {
            object,
            open: !open,
        },
        _ => return None,
    })
}

/// Returns a place that a formula forbids although nothing judges that at the end.
pub(crate) fn unjudged(formula: &Formula) -> Option<&Intent> {
    match formula {
        Formula::Is(_) => None,
        Formula::Not(intent) => {
            let puts = |goal: &Goal| goal.constrains_pose() && !goal.keeps_hold();
            let is_place = intent.goal().is_some_and(puts);
            (is_place && opposite(intent).is_none()).then_some(intent)
        }
        Formula::All(of) | Formula::Any(of) | Formula::Some { of, .. } => {
            of.iter().find_map(unjudged)
        }
    }
}

/// Intents of a formula; of a choice, those that hold.
pub(crate) fn intents_of(formula: &Formula, is_so: &dyn Fn(&Intent) -> bool) -> Vec<Intent> {
    match formula {
        Formula::Is(intent) => vec![intent.clone()],
        Formula::Not(intent) => opposite(intent).into_iter().map(Into::into).collect(),
        Formula::All(of) => of.iter().flat_map(|f| intents_of(f, is_so)).collect(),
        Formula::Any(of) => {
            let chosen = of.iter().find(|f| f.holds(is_so));
            chosen.map_or_else(Vec::new, |f| intents_of(f, is_so))
        }
        Formula::Some { n, of } => {
            let chosen = of.iter().filter(|f| f.holds(is_so)).take(*n);
            chosen.flat_map(|f| intents_of(f, is_so)).collect()
        }
    }
}
