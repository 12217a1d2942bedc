//! Options and budgets of an agent.

use regrasp_api::{ApprovalPolicy, Viewpoint};
use serde::{Deserialize, Serialize};

use crate::evaluate::Criteria;
use crate::table::RuleTable;

/// Options of an agent. Every field has a default.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, smart_default::SmartDefault)]
#[serde(default, deny_unknown_fields)]
pub struct AgentOptions {
    /// Limits of an episode.
    pub budgets: Budgets,
    /// Replan after a failed step. Default true; otherwise the first failure that retries do not
    /// fix ends the episode.
    #[default(true)]
    pub replan_on_failure: bool,
    /// Reaction to a success that deviates from the plan. Default off.
    pub replan_on_deviation: DeviationMode,
    /// Thresholds of deviations.
    pub criteria: Criteria,
    /// Refuse to repeat a failed call in an unchanged world. Default true.
    #[default(true)]
    pub refuse_repeats: bool,
    /// Rule for each reason.
    pub rules: RuleTable,
    /// Policy of approvals. Default: that of the robot file if there is one; otherwise critical
    /// steps, of which there are none without risk rules.
    pub approval: Option<ApprovalPolicy>,
    /// Viewpoint for left and right. Default: from the robot's base.
    pub viewpoint: Viewpoint,
    /// Seed of all randomness in the episode; only reported. Default 0.
    #[serde(skip)]
    pub seed: u64,
    /// Version of the program; only reported. Default: this crate's.
    #[serde(skip)]
    #[default(env!("CARGO_PKG_VERSION").to_owned())]
    pub version: String,
}

impl AgentOptions {
    /// Checks the ranges of numbers.
    ///
    /// # Errors
    ///
    /// The path of the first setting outside its range, and a sentence with its value and range.
    pub fn check(&self) -> Result<(), (&'static str, String)> {
        let (budgets, criteria) = (&self.budgets, &self.criteria);
        let risks = self.approval.as_ref().map(|policy| &policy.risks);
        let longest = budgets.max_interval_secs;
        let infinite = f64::INFINITY;
        for (path, value, most) in [
            ("budgets.max_sim_secs", Some(budgets.max_sim_secs), infinite),
            ("budgets.max_wall_secs", budgets.max_wall_secs, infinite),
            (
                "budgets.max_planning_secs",
                Some(budgets.max_planning_secs),
                infinite,
            ),
            (
                "budgets.min_interval_secs",
                Some(budgets.min_interval_secs),
                longest,
            ),
            (
                "budgets.reserved_tokens",
                Some(budgets.reserved_tokens),
                1.0,
            ),
            ("criteria.quality", Some(criteria.quality), 1.0),
            ("criteria.completeness", Some(criteria.completeness), 1.0),
            ("criteria.relevance", Some(criteria.relevance), 1.0),
            ("criteria.threshold", Some(criteria.threshold), 1.0),
            (
                "approval.risks.speed_over",
                risks.and_then(|r| r.speed_over),
                1.0,
            ),
        ] {
            if let Some(x) = value.filter(|x| !(0.0..=most).contains(x)) {
                let range = match most.is_finite() {
                    true => format!("from 0 to {most}"),
                    false => "0 or greater".to_owned(),
                };
                return Err((path, format!("it is {x}, but must be {range}")));
            }
        }
        let zones = risks.map_or(&[][..], |risks| &risks.person_zones_in_base_m);
        match zones
            .iter()
            .find(|zone| (0..3).any(|i| zone.min[i] >= zone.max[i]))
        {
            None => Ok(()),
            Some(zone) => Err((
                "approval.risks.person_zones_in_base_m",
                format!(
                    "`max` is {:?}, but must be greater than `min` on every axis, {:?}",
                    zone.max, zone.min
                ),
            )),
        }
    }

    /// Sets the replan budget.
    pub fn with_max_replans(mut self, max_replans: usize) -> Self {
        self.budgets.max_replans = max_replans;
        self
    }
}

/// Limits of an episode, within which it always ends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, smart_default::SmartDefault)]
#[serde(default, deny_unknown_fields)]
pub struct Budgets {
    /// Replans after failures; a failed replan counts, too. Default 3.
    #[default(3)]
    pub max_replans: usize,
    /// Requests to the planner in all, also without failures. Default 20.
    #[default(20)]
    pub max_rounds: usize,
    /// Rounds in a row that may return the world to the start of an earlier round. The planner is
    /// told after each. Default 2.
    #[default(2)]
    pub max_idle_rounds: usize,
    /// Skill calls in one episode. Default 50, far more than any plan for the bundled scenes needs.
    #[default(50)]
    pub max_steps: usize,
    /// Simulated time of one episode, s, checked between steps. Default 600.
    #[default(600.0)]
    pub max_sim_secs: f64,
    /// Wall time of one episode, s, checked between steps. Default: no limit, so that results do
    /// not depend on the machine.
    pub max_wall_secs: Option<f64>,
    /// Tokens of the planner's model. Default: no limit.
    pub max_tokens: Option<u64>,
    /// Fraction of the tokens that is reserved for replans. Default 0.2.
    #[default(0.2)]
    pub reserved_tokens: f64,
    /// Wall time for one answer of the planner, s. Default 120.
    #[default(120.0)]
    pub max_planning_secs: f64,
    /// Least wall time before the next request after an outage, s; doubled for each further outage
    /// in a row. Default 1.
    #[default(1.0)]
    pub min_interval_secs: f64,
    /// Longest wall time before the next request after an outage, s. Default 60.
    #[default(60.0)]
    pub max_interval_secs: f64,
    /// Failed steps in a row after which a person is asked. Default 5.
    #[default(5)]
    pub human_after: usize,
}

impl Budgets {
    /// Tokens left for the next answer, without the reserve unless it is a replan. `None` without a
    /// limit.
    pub(crate) fn tokens_left(&self, spent: u64, is_replan: bool) -> Option<u64> {
        let max = self.max_tokens?;
        let share = if is_replan {
            1.0
        } else {
            1.0 - self.reserved_tokens.clamp(0.0, 1.0)
        };
        Some(((max as f64 * share) as u64).saturating_sub(spent))
    }

    /// Wait before the next request after `n_in_a_row` outages, s.
    pub(crate) fn interval_secs(&self, n_in_a_row: usize) -> f64 {
        let doublings = n_in_a_row.saturating_sub(1).min(32) as i32;
        (self.min_interval_secs * 2f64.powi(doublings)).min(self.max_interval_secs)
    }
}

/// Reaction to a success that deviates from the plan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeviationMode {
    /// None: every success is accepted.
    #[default]
    Off,
    /// Replan the rest if any criterion is missed.
    Reactive,
    /// Replan the rest if the deviation exceeds the threshold.
    Triggered,
    /// Discard the whole plan if the deviation exceeds the threshold.
    Full,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fifth_of_the_tokens_is_kept_for_replans() {
        let budgets = Budgets {
            max_tokens: Some(1000),
            ..Budgets::default()
        };
        assert_eq!(budgets.tokens_left(300, false), Some(500));
        assert_eq!(budgets.tokens_left(300, true), Some(700));
        assert_eq!(budgets.tokens_left(900, false), Some(0));
        assert_eq!(Budgets::default().tokens_left(900, false), None);
    }

    #[test]
    fn waiting_times_double_up_to_a_limit() {
        let budgets = Budgets::default();
        let waits = [1, 2, 3, 4, 100].map(|n| budgets.interval_secs(n));
        assert_eq!(waits, [1.0, 2.0, 4.0, 8.0, 60.0]);
    }
}
