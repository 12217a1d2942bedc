//! Compares the result of a step with the plan's expectations.

use regrasp_api::{Expectation, ExpectedFigure, GoalStatus, Percept, PlanStep, SkillResult};
use regrasp_relations::Evidence;
use regrasp_robot::Robot;
use serde::{Deserialize, Serialize};

/// Thresholds at which a success counts as a deviation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, smart_default::SmartDefault)]
#[serde(default, deny_unknown_fields)]
pub struct Criteria {
    /// Least fraction of the expected figures in range. Default 0.7.
    #[default(0.7)]
    pub quality: f64,
    /// Least fraction of the expected goals that hold. Default 1.
    #[default(1.0)]
    pub completeness: f64,
    /// Least fraction of the expected objects that the result mentions. Default 0.5.
    #[default(0.5)]
    pub relevance: f64,
    /// Deviation (1 minus the lowest score) above which the modes `triggered` and `full` replan.
    /// Default 0.5.
    #[default(0.5)]
    pub threshold: f64,
}

/// A successful step and its expectations.
pub struct StepOutcome<'a> {
    /// The step.
    pub step: &'a PlanStep,
    /// Expectations of the plan.
    pub expected: &'a Expectation,
    /// Result of the skill.
    pub result: &'a SkillResult,
    /// Present percept.
    pub percept: &'a Percept,
    /// The robot, for goals that need its sensors.
    pub robot: &'a mut Robot,
}

/// Agreement of a success with its expectations. Each score is 0 to 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Assessment {
    /// Fraction of the expected figures in range.
    pub quality: f64,
    /// Fraction of the expected goals that hold.
    pub completeness: f64,
    /// Fraction of the expected objects that the result mentions.
    pub relevance: f64,
    /// Confidence of the evaluator, 0 to 1.
    pub confidence: f64,
    /// The deviations in one sentence; empty if there are none.
    pub why: String,
}

impl Assessment {
    /// Deviation from the expectations, 0 to 1.
    pub fn deviation(&self) -> f64 {
        let worst = self.quality.min(self.completeness).min(self.relevance);
        (1.0 - worst).clamp(0.0, 1.0)
    }

    /// Returns true if a score is below its threshold.
    pub fn misses(&self, criteria: &Criteria) -> bool {
        self.quality < criteria.quality
            || self.completeness < criteria.completeness
            || self.relevance < criteria.relevance
    }
}

/// Evaluator of successful steps. Evaluators are asked in order until one can tell, so cheap ones
/// come first and a model last.
pub trait Evaluator: Send {
    /// Assesses a step; `None` if this evaluator cannot tell, for example after an error.
    fn assess(&mut self, outcome: &mut StepOutcome<'_>) -> Option<Assessment>;
}

/// Evaluator that compares goals, figures and objects. It cannot tell for expectations in words
/// only.
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
        let completeness = part(goals, &mut missed, |goal| match evidence.judge(goal) {
            GoalStatus::Met => Ok(()),
            GoalStatus::Unmet(why) => Err(why),
        });
        let result = outcome.result;
        Some(Assessment {
            completeness,
            quality: part(measured, &mut missed, |figure| is_in_range(figure, result)),
            relevance: part(entities, &mut missed, |id| {
                let about = result.entities.contains(id).then_some(());
                about.ok_or_else(|| format!("the result does not name {id}"))
            }),
            confidence: 1.0,
            why: missed.join("; "),
        })
    }
}

/// Fraction of the items that pass a check; 1 if there are none. Adds the reasons of the other
/// items to `missed`.
fn part<T>(items: &[T], missed: &mut Vec<String>, check: impl Fn(&T) -> Result<(), String>) -> f64 {
    let n_before = missed.len();
    missed.extend(items.iter().filter_map(|item| check(item).err()));
    match items.len() {
        0 => 1.0,
        n => (n + n_before - missed.len()) as f64 / n as f64,
    }
}

fn is_in_range(expected: &ExpectedFigure, result: &SkillResult) -> Result<(), String> {
    let ExpectedFigure { name, min, max } = expected;
    let found = result.measured.iter().find(|m| &m.name == name);
    match found {
        None => Err(format!("the result has no figure {name}")),
        Some(m) if (*min..=*max).contains(&m.value) => Ok(()),
        Some(m) => Err(format!(
            "{name} is {:.4} {}, expected {min:.4} to {max:.4}",
            m.value, m.unit
        )),
    }
}
