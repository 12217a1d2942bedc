//! Answer of the model, checked against the scene and converted to a goal in the notation.

use regrasp_api::{Fact, Goal, PlanRequest};
use regrasp_language::{Misunderstanding, ParseContext, understand};
use serde::Deserialize;

use super::question::MAX_STEPS;
use crate::data::judged;
use crate::names::Names;
use crate::text::{MAX_SENTENCE, clean};

/// An answer of the model.
#[derive(Debug, Deserialize)]
struct Answer {
    steps: Vec<Step>,
    #[serde(default)]
    why: String,
}

/// A step, without its quotation of the command.
#[derive(Debug, Deserialize)]
struct Step {
    step: String,
}

/// Meaning of one answer.
#[derive(Debug)]
pub(super) enum Reading {
    /// Goal about perceived objects.
    Goal {
        /// Goal in the notation.
        goal: String,
        /// True if all of it holds already.
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
            Err(error) => return Self::None(format!("an answer that is no goal ({error})")),
        };
        if answer.steps.is_empty() {
            let why = clean(answer.why.trim(), MAX_SENTENCE);
            return Self::None(match why.is_empty() {
                true => "no goal, and no reason".to_owned(),
                false => why,
            });
        }
        let steps = answer.steps.iter().take(MAX_STEPS);
        let steps = steps.map(|it| goal_of_step(&names.ids_in(&it.step), request));
        let steps: Result<Vec<_>, Self> = steps.collect();
        steps
            .and_then(|steps| whole(steps, request))
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

/// Returns the goal of a step, which the grammar reads, and true if it holds already. Small models
/// do not distinguish `in` and `on`, so the shapes decide.
fn goal_of_step(step: &str, request: &PlanRequest<'_>) -> Result<(String, bool), Reading> {
    let context = ParseContext {
        answers: &[],
        ..ParseContext::from(request)
    };
    let understood = understand(&with_zones_as_goals(step), &context);
    match understood.map(|it| it.goal()) {
        Ok(goal) => Ok(match goal.parse::<Fact>() {
            Ok(fact) => {
                let goal = Goal::from(fact).in_or_on_by_shape(request.percept);
                (goal.to_string(), judged(request, &goal).is_met())
            }
            Err(_) => (goal, false),
        }),
        Err(Misunderstanding::Ambiguous { question, .. }) => Err(Reading::Question(question)),
        Err(why) => {
            let step = clean(step, MAX_SENTENCE);
            Err(Reading::None(format!("`{step}`, but {why}")))
        }
    }
}

/// Converts "put A in B.zone" to the notation, because zones of things have no names in sentences.
fn with_zones_as_goals(step: &str) -> String {
    match step.split_whitespace().collect::<Vec<_>>().as_slice() {
        ["put", object, "on" | "in", place] if place.contains('.') => {
            format!("goal: on({object}, {place})")
        }
        _ => step.to_owned(),
    }
}

/// Joins the goals of the steps, in their order. Small models also list what holds already, which
/// is dropped unless all of it does.
fn whole(steps: Vec<(String, bool)>, request: &PlanRequest<'_>) -> Result<Reading, Reading> {
    let holds = steps.iter().all(|(_, is_so)| *is_so);
    let mut goals: Vec<String> = vec![];
    for (goal, _) in steps.into_iter().filter(|(_, is_so)| holds || !is_so) {
        if !goals.contains(&goal) {
            goals.push(goal);
        }
    }
    let goal = format!("goal: {}", goals.join(" then "));
    match understand(&goal, &ParseContext::from(request)) {
        Ok(understood) => Ok(Reading::Goal {
            goal: understood.goal(),
            holds,
        }),
        Err(why) => Err(Reading::None(why.to_string())),
    }
}

/// Returns true if two goals consist of the same facts, in any order.
pub(super) fn is_same(a: &str, b: &str) -> bool {
    let facts = |goal: &str| {
        let goal = goal.replace(" then ", " and ");
        let mut facts: Vec<String> = goal.split(" and ").map(str::to_owned).collect();
        facts.sort();
        facts.dedup();
        facts
    };
    facts(a) == facts(b)
}
