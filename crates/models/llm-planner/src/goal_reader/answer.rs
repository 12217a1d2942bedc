//! Answer of the model, checked against the scene and converted to a goal in the notation.

use std::collections::BTreeMap;

use regrasp_api::{Fact, Goal, PlanRequest};
use regrasp_language::{Misunderstanding, ParseContext, understand};
use serde::Deserialize;
use serde_json::Value;

use super::doubt::is_founded;
use super::facts::{facts, together};
use super::question::NOTHING;
use crate::data::judged;
use crate::{MAX_SENTENCE, Names, clean};

/// Largest number of steps that are read from an answer without a schema.
const MAX_STEPS: usize = 12;

/// An answer of the model.
#[derive(Debug, Deserialize)]
struct Answer {
    #[serde(default)]
    why: String,
    /// Steps of the command's portions by their numbers, which have one digit.
    #[serde(flatten)]
    portions: BTreeMap<String, Value>,
}

/// A fact of a goal in the notation, and true if it holds already.
type Judged = (String, bool);

/// Meaning of one answer.
#[derive(Debug)]
pub(super) enum Reading {
    /// Goal about perceived objects.
    Goal {
        /// Goal in the notation.
        goal: String,
        /// True if the whole goal holds already.
        holds: bool,
    },
    /// Question of the grammar, if the words of a step are ambiguous.
    Question(String),
    /// No goal, and the reason why.
    None(String),
}

impl Reading {
    /// Parses an answer. Checks everything that a schema would ensure, because some servers do not
    /// support schemas.
    pub(super) fn of(text: &str, names: &Names, request: &PlanRequest<'_>) -> Self {
        let object = text.find('{').zip(text.rfind('}'));
        let object = object.and_then(|(from, to)| text.get(from..=to));
        let answer: Answer = match serde_json::from_str(object.unwrap_or(text)) {
            Ok(answer) => answer,
            Err(error) => return Self::None(format!("(the answer is not a goal: {error})")),
        };
        let steps = answer
            .portions
            .values()
            .filter_map(|it| it["step"].as_str());
        let steps = steps.map(str::trim).filter(|step| *step != NOTHING);
        let steps = steps.map(|step| facts_of_step(&names.ids_in(step), request));
        let steps: Vec<_> = steps.take(MAX_STEPS).collect();
        if steps.is_empty() {
            let why = clean(answer.why.trim(), MAX_SENTENCE);
            return Self::None(match why.is_empty() {
                true => "(no goal and no reason)".to_owned(),
                false => why,
            });
        }
        let facts = match founded(&steps, names, request) {
            founded if founded.is_empty() => steps.into_iter().collect::<Result<Vec<_>, _>>(),
            founded => Ok(vec![founded]),
        };
        facts
            .and_then(|facts| whole(facts.concat(), request))
            .unwrap_or_else(|other| other)
    }

    /// Returns the goal, if there is one.
    pub(super) fn goal(&self) -> Option<&String> {
        match self {
            Self::Goal { goal, .. } => Some(goal),
            Self::Question(_) | Self::None(_) => None,
        }
    }
}

/// Returns the facts whose objects the text names. Small models add steps for objects that the text
/// does not name, or that fit its words less well than others.
fn founded(
    steps: &[Result<Vec<Judged>, Reading>],
    names: &Names,
    request: &PlanRequest<'_>,
) -> Vec<Judged> {
    let facts = steps.iter().flatten().flatten();
    let founded = facts.filter(|(fact, _)| is_founded(request, fact, names));
    founded.cloned().collect()
}

/// Returns the facts that a step brings about, which the grammar reads. Small models do not
/// distinguish `in` and `on`, so the shapes decide.
fn facts_of_step(step: &str, request: &PlanRequest<'_>) -> Result<Vec<Judged>, Reading> {
    let context = ParseContext {
        answers: &[],
        ..ParseContext::from(request)
    };
    let understood = understand(&with_zones_as_goals(step), &context);
    let judged = |fact: Fact| {
        let goal = Goal::from(fact).in_or_on_by_shape(request.percept);
        (goal.to_string(), judged(request, &goal).is_met())
    };
    match understood.map(|it| it.goal()) {
        Ok(goal) => Ok(
            match facts(&goal).map(str::parse).collect::<Result<Vec<_>, _>>() {
                Ok(facts) => facts.into_iter().map(judged).collect(),
                Err(_) => vec![(goal, false)],
            },
        ),
        Err(Misunderstanding::Ambiguous { question, .. }) => Err(Reading::Question(question)),
        Err(why) => {
            let step = clean(step, MAX_SENTENCE);
            Err(Reading::None(format!("`{step}`, but {why}")))
        }
    }
}

/// Converts "put A in B.zone" to the notation, because zones of objects have no names in sentences.
fn with_zones_as_goals(step: &str) -> String {
    let words: Vec<_> = step.split_whitespace().collect();
    match words.as_slice() {
        ["put", object, "on" | "in", place] if place.contains('.') => {
            format!("goal: on({object}, {place})")
        }
        // In all other steps, a zone stands for its whole object.
        [beside @ .., place] => match place.split_once('.') {
            Some((whole, _)) => format!("{} {whole}", beside.join(" ")),
            None => step.to_owned(),
        },
        [] => step.to_owned(),
    }
}

/// Joins facts in their order. Drops two kinds of facts that small models add: facts that already
/// hold, unless all do, and the holding of an object before a later step with the same object.
fn whole(mut facts: Vec<Judged>, request: &PlanRequest<'_>) -> Result<Reading, Reading> {
    let parsed: Vec<Option<Fact>> = facts.iter().map(|(fact, _)| fact.parse().ok()).collect();
    let is_held = |fact: &Fact| fact.predicate == "holding";
    let goes_on = |n: usize, fact: &Fact| {
        let mut later = parsed[n + 1..].iter().flatten();
        is_held(fact) && later.any(|it| !is_held(it) && it.of.first() == fact.of.first())
    };
    let mut each = parsed.iter().enumerate();
    facts.retain(|_| match each.next() {
        Some((n, Some(fact))) => !goes_on(n, fact),
        _ => true,
    });
    let holds = facts.iter().all(|(_, is_so)| *is_so);
    let facts = facts.into_iter().filter(|(_, is_so)| holds || !is_so);
    match together(facts.map(|(fact, _)| fact), request) {
        Ok(goal) => Ok(Reading::Goal { goal, holds }),
        Err(why) => Err(Reading::None(why)),
    }
}
