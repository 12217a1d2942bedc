//! Goals that nothing can bring about: they are refused before anything moves.

use regrasp_api::{Fact, Goal, ObjectId, Relation, Side};
use regrasp_relations::ring;

use crate::formula::Formula;
use crate::intent::Intent;
use crate::task::{Step, Task, Untouched};

/// Ways to fulfil a formula that are looked at; of one with more nothing is said.
const MAX_WAYS: usize = 100;

/// A fact that should be so, or should not.
type Literal<'a> = (&'a Intent, bool);

/// The reason for which a task contradicts itself, if it does.
pub(crate) fn contradiction(task: &Task) -> Option<String> {
    let mut lasting: Vec<Literal<'_>> = vec![];
    for (i, step) in task.steps.iter().enumerate() {
        let mut later = task.steps[i + 1..].iter().flat_map(Step::intents);
        match step {
            Step::Do(intent) if !later.any(|later| intent.is_undone_by(later)) => {
                lasting.push((intent, true));
            }
            Step::Goal(formula) => {
                let ways = formula.ways().unwrap_or_default().into_iter();
                let clashes: Option<Vec<_>> = ways.map(|way| clash(task, way)).collect();
                if let Some(first) = clashes.and_then(|all| all.into_iter().next()) {
                    return Some(first);
                }
            }
            _ => {}
        }
    }
    clash(task, lasting)
}

impl Formula {
    /// The sets of facts that each fulfil it; `None` if they are too many.
    fn ways(&self) -> Option<Vec<Vec<Literal<'_>>>> {
        let ways = match self {
            Self::Is(intent) => vec![vec![(intent, true)]],
            Self::Not(intent) => vec![vec![(intent, false)]],
            Self::Any(of) => of
                .iter()
                .map(Self::ways)
                .collect::<Option<Vec<_>>>()?
                .concat(),
            Self::All(of) => of.iter().try_fold(vec![vec![]], |ways, part| {
                let more = part.ways()?;
                let joined = ways
                    .iter()
                    .flat_map(|way| more.iter().map(|m| [&way[..], m].concat()));
                Some(joined.take(MAX_WAYS + 1).collect::<Vec<_>>())
            })?,
            Self::Some { .. } => return None,
        };
        (ways.len() <= MAX_WAYS).then_some(ways)
    }
}

/// The reason for which facts cannot hold at the same time, if there is one.
fn clash(task: &Task, facts: Vec<Literal<'_>>) -> Option<String> {
    for (i, a) in facts.iter().enumerate() {
        if let Untouched::These(ids) = &task.untouched
            && a.1
            && let Some(id) = ids.iter().find(|id| a.0.object() == Some(id))
        {
            return Some(format!("{id} is to be moved, and not to be touched"));
        }
        if a.1
            && let Some(never) = task.never.iter().find(|never| *never == a.0)
        {
            return Some(format!("{never} is to come about, and never to be so"));
        }
        if let Some(b) = facts[i + 1..].iter().find(|b| exclude(a, b)) {
            return Some(at_once(&[*a, *b]));
        }
    }
    let wanted = facts
        .iter()
        .filter(|(_, so)| *so)
        .map(|(intent, _)| *intent);
    let orders: Vec<_> = wanted.flat_map(orders).collect();
    orders.iter().find_map(|(name, ..)| {
        let alike = orders.iter().filter(|(own, ..)| own == name).collect();
        let ring = ring(alike, |(_, ends, _)| *ends);
        let facts: Vec<_> = ring.iter().map(|(.., intent)| (*intent, true)).collect();
        (!facts.is_empty()).then(|| at_once(&facts))
    })
}

fn at_once(facts: &[Literal<'_>]) -> String {
    let said = facts.iter().map(|(intent, so)| match so {
        true => intent.to_string(),
        false => format!("not {intent}"),
    });
    let said: Vec<_> = said.collect();
    format!("{} cannot hold at the same time", said.join(" and "))
}

/// Returns true if two facts exclude each other: one is the other's contrary, the hand holds one thing, and a
/// thing is in the hand or let go of, and at one point.
fn exclude(a: &Literal<'_>, b: &Literal<'_>) -> bool {
    let ((fact, so), (other, other_so)) = (literal(a), literal(b));
    if fact == other {
        return so != other_so;
    }
    let (Some(x), Some(y), true) = (a.0.goal(), b.0.goal(), so && other_so) else {
        return false;
    };
    let is_held = |goal: &Goal| goal.says_where() && goal.keeps_hold();
    let same = a.0.object() == b.0.object();
    match (is_held(x), is_held(y)) {
        (true, true) => !same,
        (true, false) => same && y.says_where(),
        (false, true) => same && x.says_where(),
        (false, false) => same && are_apart(x, y),
    }
}

/// Returns true if two goals name points that are further apart than their tolerances.
fn are_apart(a: &Goal, b: &Goal) -> bool {
    let point = |goal: &Goal| match goal {
        Goal::At {
            position,
            tolerance_m,
            ..
        } => Some((position.xy, *tolerance_m)),
        _ => None,
    };
    let apart = |((a, near), (b, also)): (([f64; 2], f64), ([f64; 2], f64))| {
        (a[0] - b[0]).hypot(a[1] - b[1]) > near + also
    };
    point(a).zip(point(b)).is_some_and(apart)
}

/// The fact, and whether it should be so. What is in something may well not rest on it.
fn literal((intent, so): &Literal<'_>) -> (Fact, bool) {
    let (fact, holds) = match intent {
        Intent::Achieve(goal @ Goal::In { .. }) => (goal.fact(), true),
        intent => intent.literal(),
    };
    (fact, holds == *so)
}

/// The orders in which an intent puts things: name, what comes before and after, and the intent.
fn orders(intent: &Intent) -> Vec<(&str, [&str; 2], &Intent)> {
    let Some(goal) = intent.goal() else {
        return vec![];
    };
    let (name, is_turned) = match goal {
        Goal::On { .. } | Goal::In { .. } | Goal::Within { .. } => ("on", false),
        Goal::Inserted { .. } | Goal::Across { .. } => ("on", false),
        Goal::Related { relation, .. } if *relation == Relation::Under => ("under", false),
        Goal::Beside { side, .. } => match side {
            Some(side @ (Side::Left | Side::Right)) => ("left", *side == Side::Right),
            Some(side) => ("in_front", *side == Side::Behind),
            None => return vec![],
        },
        _ => return vec![],
    };
    let objects: Vec<_> = goal.objects().into_iter().map(ObjectId::as_str).collect();
    let Some((object, others)) = objects.split_first() else {
        return vec![];
    };
    let ends = others.iter().map(|other| match is_turned {
        true => [*other, *object],
        false => [*object, *other],
    });
    ends.map(|ends| (name, ends, intent)).collect()
}
