//! Merges and removes steps.

use regrasp_api::{Goal, ObjectId};

use crate::clauses::{chained, goal};
use crate::formula::{Formula, Intent};
use crate::referent::Referent;
use crate::task::Step;

/// Number and intents of a choice: any `n` of several.
fn choice(step: &Step) -> Option<(usize, Vec<&Intent>)> {
    let (n, of) = match step {
        Step::Goal(Formula::Any(of)) => (1, of),
        Step::Goal(Formula::Some { n, of }) => (*n, of),
        _ => return None,
    };
    let intents: Option<_> = of.iter().map(Formula::intent).collect();
    Some((n, intents?))
}

/// Removes the steps for some objects. `None` if there are no such steps, or if too few
/// alternatives of a choice remain.
pub(crate) fn without_some(steps: &[Step], things: &[Referent]) -> Option<Vec<Step>> {
    let is_one = |name: &str| things.iter().any(|t| t.to_string() == name);
    let is_for = |intent: &Intent| intent.fact().of.iter().any(|name| is_one(name));
    let is_object = |step: &Step| things.iter().any(|t| step.moves(t.id().as_str()));
    if let [step] = steps
        && let Some((n, of)) = choice(step)
    {
        let all = of.len();
        let left = of.into_iter().filter(|intent| !is_for(intent)).cloned();
        let left: Vec<_> = left.map(Formula::Is).collect();
        return match left.len() {
            some if some == all || some < n => None,
            some if some == n => Some(left.into_iter().map(Step::Goal).collect()),
            _ => Some(vec![Step::Goal(Formula::some(n, left))]),
        };
    }
    let left: Vec<Step> = steps.iter().filter(|s| !is_object(s)).cloned().collect();
    // "clear the plate, except for the apple" may leave nothing to do.
    let clears = |step: &Step| matches!(step.intent(), Some(Intent::Achieve(Goal::Off { .. })));
    let may_be_none = steps.len() > 1 || steps.iter().all(clears);
    (left.len() < steps.len() && may_be_none && !things.is_empty()).then_some(left)
}

/// Merges the steps of a stack that is moved as one: it goes where its lowest object goes, and its
/// own relations still hold at the end. `None` if it would have to go to a point.
pub(crate) fn as_one_stack(steps: &[Step], stack: &[Referent]) -> Option<Vec<Step>> {
    let is_in = |id: &str| stack.iter().any(|t| t.id().as_str() == id);
    let is_all = |of: &[String]| of.len() == stack.len() && of.iter().all(|id| is_in(id));
    // True for a step that moves the stack, false for one that makes it.
    let kind = |step: &Step| match step {
        Step::Tower { of, on, .. } => is_all(of).then_some(on.is_some()),
        step => {
            let own = step.intent().filter(|own| own.object().is_some_and(is_in));
            own.map(|own| !own.targets().into_iter().any(is_in))
        }
    };
    let makes = |step: &Step| kind(step) == Some(false);
    let moved = |step: &Step| kind(step) == Some(true);
    // A stack that stands there already is not made by any step.
    let made = steps.iter().rposition(makes).map_or(0, |made| made + 1);
    let Some(from) = steps[made..].iter().position(moved).map(|n| made + n) else {
        return Some(steps.to_vec());
    };
    let lowest = stack.first()?;
    let mut moves = (from + 1..).zip(&steps[from..]);
    let (to, goal) = moves.find_map(|(next, step)| match step {
        Step::Tower { on: Some(on), .. } => {
            let target = Referent::Object(ObjectId::new(on));
            Some((next, goal("on", [lowest, &target])))
        }
        step => {
            let intent = step.intent()?;
            let is_lowest = intent.object() == Some(lowest.id().as_str());
            let goal = intent.goal()?.clone();
            (is_lowest && goal.objects().len() > 1).then_some((from + stack.len(), goal))
        }
    })?;
    let mut all = steps.iter();
    let tower = all.find(|step| makes(step) && step.formula().is_none());
    let whole = match (&goal, tower) {
        (Goal::On { target, .. } | Goal::In { target, .. }, Some(Step::Tower { n, of, .. })) => {
            Step::Tower {
                n: *n,
                of: of.clone(),
                on: Some(target.to_string()),
            }
        }
        _ => {
            let mut all = match chained(&["on".into()], stack) {
                Formula::All(of) => of,
                one => vec![one],
            };
            all.push(Formula::Is(goal.into()));
            Step::Goal(Formula::All(all))
        }
    };
    let before = steps[..from].iter().filter(|step| !makes(step)).cloned();
    let after = steps.iter().skip(to).cloned();
    Some(before.chain([whole]).chain(after).collect())
}

/// Removes a pick or a removal that the next step includes, as it puts the same object elsewhere.
pub(crate) fn without_absorbed(steps: &[Step], stays: &dyn Fn(&str, &Intent) -> bool) -> Vec<Step> {
    let is_absorbed_by = |own: &Intent, next: &Intent| match own {
        Intent::Achieve(Goal::Holding { object }) => !stays(object.as_str(), next),
        Intent::Achieve(Goal::Off { object, target }) => {
            !next.targets().contains(&target.as_str()) && !stays(object.as_str(), next)
        }
        _ => false,
    };
    let absorbed = |pair: &[Step]| {
        let [own, next] = [&pair[0], &pair[1]].map(Step::intents);
        let [n, next_n] = [&pair[0], &pair[1]].map(|step| choice(step).map(|(n, _)| n == 1));
        let is_alike = n == next_n || n.is_none() && matches!(pair[1], Step::Goal(_));
        let absorbs = |next: &&Intent| {
            let own = own.iter().find(|own| own.object() == next.object());
            own.is_some_and(|own| is_absorbed_by(own, next))
        };
        is_alike && !next.is_empty() && next.iter().all(absorbs)
    };
    let is_absorbed = |idx: usize| steps.get(idx..idx + 2).is_some_and(absorbed);
    let kept = steps.iter().enumerate().filter(|(i, _)| !is_absorbed(*i));
    kept.map(|(_, step)| step.clone()).collect()
}
