//! Answer of the model, checked against the scene and converted to a goal in the notation.

use regrasp_api::{Fact, Goal, PlanRequest, Side};
use regrasp_language::{Misunderstanding, ParseContext, understand};
use regrasp_relations::{Evidence, InHand};
use serde::Deserialize;

use super::question::{MAX_FACTS, RELATIONS};
use crate::names::Names;
use crate::text::{MAX_SENTENCE, clean};

/// An answer of the model.
#[derive(Debug, Deserialize)]
struct Answer {
    #[serde(default)]
    command: String,
    outcome: Outcome,
    #[serde(default)]
    facts: Vec<String>,
    #[serde(default)]
    why: String,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
enum Outcome {
    Goal,
    Unclear,
    Impossible,
}

/// Goals in one answer, all of them about perceived objects.
#[derive(Debug)]
pub(super) struct Reading {
    /// Goal from the facts of the answer, or the reason why there is none.
    pub(super) facts: Result<String, String>,
    /// Goal that the grammar reads in the answer's plain words, if it can.
    pub(super) words: Option<String>,
    /// Question of the grammar, if the plain words are ambiguous.
    pub(super) question: Option<String>,
    /// The command in plain words, as the model put it.
    pub(super) plain: String,
}

impl Reading {
    /// Parses an answer. Checks everything that a schema would ensure, because some servers do not
    /// support schemas.
    pub(super) fn of(text: &str, names: &Names, request: &PlanRequest<'_>) -> Self {
        let object = text.find('{').zip(text.rfind('}'));
        let object = object.and_then(|(from, to)| text.get(from..=to));
        let answer: Answer = match serde_json::from_str(object.unwrap_or(text)) {
            Ok(answer) => answer,
            Err(error) => return Self::none(format!("an answer that is no goal ({error})")),
        };
        if answer.outcome != Outcome::Goal || answer.facts.is_empty() {
            let why = clean(answer.why.trim(), MAX_SENTENCE);
            return Self::none(match why.is_empty() {
                true => "no goal, and no reason".to_owned(),
                false => why,
            });
        }
        let plain = names.ids_in(&answer.command);
        let context = ParseContext {
            answers: &[],
            ..ParseContext::from(request)
        };
        let (words, question) = match understand(&plain, &context) {
            Ok(understood) => (Some(understood.goal()), None),
            Err(Misunderstanding::Ambiguous { question, .. }) => (None, Some(question)),
            Err(_) => (None, None),
        };
        Self {
            facts: goal_of(&answer.facts, names, request),
            words,
            question,
            plain,
        }
    }

    fn none(why: String) -> Self {
        Self {
            facts: Err(why),
            words: None,
            question: None,
            plain: String::new(),
        }
    }

    /// Goals of the answer. The one that the grammar read comes first, because it includes the
    /// order of the steps, if the words give one.
    pub(super) fn goals(&self) -> impl Iterator<Item = &String> {
        self.words.iter().chain(self.facts.iter())
    }
}

/// Converts facts to a goal. Sides are converted to the robot's, and `in` is used for hollow
/// targets and `on` for all others. Small models also list facts that already hold: these are
/// dropped unless all facts hold.
fn goal_of(facts: &[String], names: &Names, request: &PlanRequest<'_>) -> Result<String, String> {
    let checked = |text: &String| -> Result<Goal, String> {
        let mut fact: Fact = names.ids_in(text).parse()?;
        if !RELATIONS.contains(&fact.predicate.as_str()) {
            return Err(format!("`{}` is not a relation", fact.predicate));
        }
        let mut sides = Side::ALL.into_iter();
        if let Some(said) = sides.find(|side| side.predicate() == fact.predicate) {
            let word = match said {
                Side::Left => "left",
                Side::Right => "right",
                Side::InFront => "front",
                Side::Behind => "back",
            };
            let side = request.viewpoint.side(word);
            let between = || format!("`{fact}`: this is between two of the robot's sides");
            fact.predicate = side.ok_or_else(between)?.predicate();
        }
        Ok(Goal::from(fact).in_or_on_by_shape(request.percept))
    };
    let facts = facts.iter().take(MAX_FACTS).map(checked);
    let facts = facts.collect::<Result<Vec<_>, _>>()?;
    let (so_already, changes): (Vec<_>, Vec<_>) =
        facts.into_iter().partition(|goal| is_so(goal, request));
    let facts = if changes.is_empty() {
        so_already
    } else {
        changes
    };
    let facts: Vec<_> = facts.iter().map(Goal::to_string).collect();
    let facts = facts.join(" and ");
    let understood = understand(&format!("goal: {facts}"), &ParseContext::from(request));
    understood
        .map(|it| it.goal())
        .map_err(|why| why.to_string())
}

fn is_so(goal: &Goal, request: &PlanRequest<'_>) -> bool {
    let evidence = Evidence {
        percept: request.percept,
        observation: request.observation,
        hand: &InHand::as_found(request.held),
        moving: &[],
        robot: request.robot,
    };
    evidence.judge(goal).is_met()
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
