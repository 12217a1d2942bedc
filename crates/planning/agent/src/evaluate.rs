//! Whether a success is what the plan expected.

use regrasp_api::{Expectation, ExpectedFigure, Percept, PlanStep, SkillResult};
use regrasp_relations::Evidence;
use regrasp_robot::Robot;
use serde::{Deserialize, Serialize};

/// When a success deviates from what was expected: a score below its threshold.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Criteria {
    /// Least part of the expected figures that are in range. Default 0.7.
    pub quality: f64,
    /// Least part of the expected goals that hold. Default 1.
    pub completeness: f64,
    /// Least part of the expected objects that the answer is about. Default 0.5.
    pub relevance: f64,
    /// Deviation (1 less the worst score) above which the modes `triggered` and `full`
    /// replan. Default 0.5.
    pub threshold: f64,
}

impl Default for Criteria {
    fn default() -> Self {
        Self {
            quality: 0.7,
            completeness: 1.0,
            relevance: 0.5,
            threshold: 0.5,
        }
    }
}

/// A success and what was expected of it.
pub struct StepOutcome<'a> {
    /// The step.
    pub step: &'a PlanStep,
    /// What was expected.
    pub expected: &'a Expectation,
    /// The skill's answer.
    pub result: &'a SkillResult,
    /// What is seen now.
    pub percept: &'a Percept,
    /// The robot, for goals that need its senses.
    pub robot: &'a mut Robot,
}

/// How well a success fits what was expected; each score is 0 to 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Assessment {
    /// Part of the expected figures that are in range.
    pub quality: f64,
    /// Part of the expected goals that hold.
    pub completeness: f64,
    /// Part of the expected objects that the answer is about.
    pub relevance: f64,
    /// How sure the evaluator is, 0 to 1.
    pub confidence: f64,
    /// What deviates, in one sentence; empty if nothing does.
    pub why: String,
}

impl Assessment {
    /// How far it is from what was expected, 0 to 1.
    pub fn deviation(&self) -> f64 {
        let worst = self.quality.min(self.completeness).min(self.relevance);
        (1.0 - worst).clamp(0.0, 1.0)
    }

    /// Whether a score is below its threshold.
    pub fn misses(&self, criteria: &Criteria) -> bool {
        self.quality < criteria.quality
            || self.completeness < criteria.completeness
            || self.relevance < criteria.relevance
    }
}

/// Judges successes. Evaluators are asked in order until one can tell, so cheap ones
/// come first and a model last.
pub trait Evaluator: Send {
    /// The assessment; `None` if this evaluator cannot tell. An evaluator in trouble
    /// cannot tell.
    fn assess(&mut self, outcome: &mut StepOutcome<'_>) -> Option<Assessment>;
}

/// Compares goals, figures and objects. Cannot tell what only words expect.
#[derive(Clone, Copy, Debug, Default)]
pub struct Heuristics;

impl Evaluator for Heuristics {
    fn assess(&mut self, outcome: &mut StepOutcome<'_>) -> Option<Assessment> {
        let Expectation {
            goals,
            measured,
            entities,
            ..
        } = outcome.expected;
        if goals.is_empty() && measured.is_empty() && entities.is_empty() {
            return None;
        }
        let mut missed = vec![];
        let observation = outcome.robot.observe().ok()?;
        let hand = outcome.robot.in_hand(outcome.percept).ok()?;
        let evidence = Evidence {
            percept: outcome.percept,
            observation: &observation,
            hand: &hand,
            moving: &[],
            robot: &outcome.robot.info,
        };
        let completeness = part(goals, |goal| {
            let status = evidence.judge(goal);
            if let regrasp_api::GoalStatus::Unmet(why) = &status {
                missed.push(why.clone());
            }
            status.is_met()
        });
        let quality = part(measured, |figure| {
            let fits = is_in_range(figure, outcome.result);
            if let Err(why) = &fits {
                missed.push(why.clone());
            }
            fits.is_ok()
        });
        let relevance = part(entities, |id| {
            let about = outcome.result.entities.contains(id);
            if !about {
                missed.push(format!("the answer is not about {id}"));
            }
            about
        });
        Some(Assessment {
            quality,
            completeness,
            relevance,
            confidence: 1.0,
            why: missed.join("; "),
        })
    }
}

/// Part of the items for which `holds`; 1 of none.
fn part<T>(items: &[T], mut holds: impl FnMut(&T) -> bool) -> f64 {
    if items.is_empty() {
        return 1.0;
    }
    let n = items.iter().filter(|item| holds(item)).count();
    n as f64 / items.len() as f64
}

fn is_in_range(expected: &ExpectedFigure, result: &SkillResult) -> Result<(), String> {
    let ExpectedFigure { name, min, max } = expected;
    let found = result.measured.iter().find(|m| &m.name == name);
    match found {
        None => Err(format!("the answer has no figure {name}")),
        Some(m) if (*min..=*max).contains(&m.value) => Ok(()),
        Some(m) => Err(format!(
            "{name} is {:.4} {}, expected {min:.4} to {max:.4}",
            m.value, m.unit
        )),
    }
}
