//! Merges and removes steps.

use regrasp_api::Goal;

use crate::formula::{Formula, Intent};
use crate::referent::Referent;
use crate::task::Step;

pub(crate) fn moves(step: &Step, id: &str) -> bool {
    match step {
        Step::Goal(Formula::Is(intent)) => intent.object() == Some(id),
        Step::Goal(Formula::Any(of)) => of
            .iter()
            .all(|one| matches!(one, Formula::Is(intent) if intent.object() == Some(id))),
        Step::Goal(_) => false,
        Step::Tower { n, of, .. } => *n == of.len() && of.iter().any(|o| o == id),
        Step::Swap { objects } => objects.iter().any(|o| o == id),
    }
}

/// Number and intents of a choice: any `n` of several.
fn choice(step: &Step) -> Option<(usize, Vec<&Intent>)> {
    let (n, of) = match step {
        Step::Goal(Formula::Any(of)) => (1, of),
        Step::Goal(Formula::Some { n, of }) => (*n, of),
        _ => return None,
    };
    let intents = of.iter().map(|one| match one {
        Formula::Is(intent) => Some(intent),
        _ => None,
    });
    Some((n, intents.collect::<Option<_>>()?))
}

/// Removes the steps for some objects. `None` if there are no such steps, or if too few
/// alternatives of a choice remain.
pub(crate) fn without_some(steps: &[Step], things: &[Referent]) -> Option<Vec<Step>> {
    let is_one = |name: &str| things.iter().any(|t| t.to_string() == name);
    let is_for = |intent: &Intent| {
        let zone = match intent.goal() {
            Some(Goal::Within { target, zone, .. }) => Some(format!("{target}.{zone}")),
            _ => None,
        };
        intent.object().is_some_and(is_one)
            || zone.is_some_and(|zone| is_one(&zone))
            || intent.targets().into_iter().any(is_one)
    };
    let is_object = |step: &Step| things.iter().any(|t| moves(step, t.id().as_str()));
    if let [step] = steps
        && let Some((n, of)) = choice(step)
    {
        let all = of.len();
        let left: Vec<Intent> = of.into_iter().filter(|c| !is_for(c)).cloned().collect();
        return match left.len() {
            some if some == all || some < n => None,
            some if some == n => Some(left.into_iter().map(Step::from).collect()),
            _ => Some(vec![Step::Goal(Formula::some(
                n,
                left.into_iter().map(Formula::Is).collect(),
            ))]),
        };
    }
    let left: Vec<Step> = steps.iter().filter(|s| !is_object(s)).cloned().collect();
    // "clear the plate, except for the apple" may leave nothing to do.
    let clears = |step: &Step| matches!(step.intent(), Some(Intent::Achieve(Goal::Off { .. })));
    let may_be_none = steps.len() > 1 || steps.iter().all(clears);
    (left.len() < steps.len() && may_be_none && !things.is_empty()).then_some(left)
}

/// Merges the steps of a stack that is moved as one: its own relation still holds at the end.
pub(crate) fn as_one_stack(mut steps: Vec<Step>) -> Vec<Step> {
    let towers = steps.iter().enumerate();
    let mut towers = towers.filter_map(|(at, step)| match step {
        Step::Tower { of, on, .. } if on.is_none() => Some((at + 1, of.clone())),
        _ => None,
    });
    if let Some((from, of)) = towers.next() {
        let moved = steps[from..].iter().map_while(Step::intent).take(of.len());
        let moved: Vec<_> = moved
            .filter(|one| of.iter().any(|o| one.object() == Some(o)))
            .collect();
        let target = moved
            .first()
            .and_then(|one| one.targets().first().map(|id| (*id).to_owned()));
        let is_one = moved
            .iter()
            .all(|one| one.targets().first().copied() == target.as_deref());
        if moved.len() == of.len() && target.is_some() && is_one {
            let (n, on) = (of.len(), target);
            steps.splice(from - 1..from + n, [Step::Tower { n, of, on }]);
        }
    }
    let at = steps.windows(3).position(|three| {
        let intents: Vec<_> = three.iter().filter_map(Step::intent).collect();
        let [stack, lower, upper] = intents[..] else {
            return false;
        };
        let Some(Goal::On { object, target }) = stack.goal() else {
            return false;
        };
        lower.object() == Some(target.as_str())
            && upper.object() == Some(object.as_str())
            && lower.targets() == upper.targets()
    });
    if let Some(at) = at {
        let intents = steps[at..at + 2].iter().flat_map(Step::intents);
        let goal = Formula::All(intents.cloned().map(Formula::Is).collect());
        steps.splice(at..at + 3, [Step::Goal(goal)]);
    }
    steps
}

/// Removes a pick that the next step includes because it puts the same object elsewhere.
pub(crate) fn without_absorbed(steps: &[Step], stays: &dyn Fn(&str, &Intent) -> bool) -> Vec<Step> {
    let is_absorbed_by = |own: &Intent, next: &Intent| match own {
        Intent::Achieve(Goal::Holding { object }) => {
            next.object() == Some(object.as_str()) && !stays(object.as_str(), next)
        }
        Intent::Achieve(Goal::Off { object, target }) => {
            next.object() == Some(object.as_str()) && !next.targets().contains(&target.as_str())
        }
        _ => false,
    };
    let absorbed = |pair: &[Step]| match (pair[0].intent(), pair[1].intent()) {
        (Some(own), Some(next)) => is_absorbed_by(own, next),
        _ => match (choice(&pair[0]), choice(&pair[1])) {
            (Some((n, of)), Some((next_n, next))) if (n == 1) == (next_n == 1) => {
                let taken: Vec<_> = of.iter().map(|one| one.object()).collect();
                let takes = |one: &&Intent| {
                    matches!(one.goal(), Some(Goal::Holding { .. } | Goal::Off { .. }))
                };
                of.iter().all(takes) && next.iter().all(|one| taken.contains(&one.object()))
            }
            _ => false,
        },
    };
    let is_absorbed = |idx: usize| steps.get(idx..idx + 2).is_some_and(absorbed);
    let kept = steps.iter().enumerate().filter(|(i, _)| !is_absorbed(*i));
    kept.map(|(_, step)| step.clone()).collect()
}
