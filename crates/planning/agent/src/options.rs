//! Options and budgets of an agent.

use regrasp_api::{ApprovalPolicy, Viewpoint};
use serde::{Deserialize, Serialize};

use crate::evaluate::Criteria;
use crate::table::RuleTable;

/// How an agent carries out tasks. Every field has a default.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AgentOptions {
    /// What an episode may cost.
    pub budgets: Budgets,
    /// Whether a failed step leads to another plan. Default true; otherwise the first
    /// failure that no retry mends ends the episode.
    pub replan_on_failure: bool,
    /// What happens when a step succeeds in another way than the plan expects. Default
    /// off.
    pub replan_on_deviation: DeviationMode,
    /// When a success deviates.
    pub criteria: Criteria,
    /// Whether a call that failed is refused when it is repeated in an unchanged world.
    /// Default true.
    pub refuse_repeats: bool,
    /// What is done about which reason.
    pub rules: RuleTable,
    /// Which steps wait for approval. Default: what the robot file says, where there is
    /// one; else those with a risk, and nothing is one.
    pub approval: Option<ApprovalPolicy>,
    /// From where left and right are meant. Default: from the robot's base.
    pub viewpoint: Viewpoint,
    /// Seed of everything random in the episode; only reported. Default 0.
    #[serde(skip)]
    pub seed: u64,
    /// Version of the program; only reported. Default: this crate's.
    #[serde(skip)]
    pub version: String,
}

impl Default for AgentOptions {
    fn default() -> Self {
        Self {
            budgets: Budgets::default(),
            replan_on_failure: true,
            replan_on_deviation: DeviationMode::Off,
            criteria: Criteria::default(),
            refuse_repeats: true,
            rules: RuleTable::default(),
            approval: None,
            viewpoint: Viewpoint::Robot,
            seed: 0,
            version: env!("CARGO_PKG_VERSION").to_owned(),
        }
    }
}

impl AgentOptions {
    /// The same with another budget of replans.
    pub fn with_max_replans(mut self, max_replans: usize) -> Self {
        self.budgets.max_replans = max_replans;
        self
    }
}

/// What an episode may cost. Whatever fails, it ends within these.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Budgets {
    /// How often the planner may be asked again because of trouble; a replan that fails
    /// counts too. Default 3.
    pub max_replans: usize,
    /// How often the planner may be asked in all, rounds without trouble included.
    /// Default 20.
    pub max_rounds: usize,
    /// Rounds in a row that may lead the world back to where an earlier one had found it; the
    /// planner is told after each. Default 2.
    pub max_idle_rounds: usize,
    /// Skill calls in one episode. Default 50, far above what any plan here needs.
    pub max_steps: usize,
    /// Simulated time for one episode, s, checked between steps. Default 600.
    pub max_sim_secs: f64,
    /// Real time for one episode, s, checked between steps. Default: no limit, so that
    /// results do not depend on the machine.
    pub max_wall_secs: Option<f64>,
    /// Tokens that the planner's model may take. Default: no limit.
    pub max_tokens: Option<u64>,
    /// Part of the tokens that only replans may take. Default 0.2.
    pub reserved_tokens: f64,
    /// Real time for one answer of the planner, s. Default 120.
    pub max_planning_secs: f64,
    /// Least real time between two questions after trouble outside, s; doubled each time
    /// in a row. Default 1.
    pub min_interval_secs: f64,
    /// Longest such time, s. Default 60.
    pub max_interval_secs: f64,
    /// Failed steps in a row after which a person is asked. Default 5.
    pub human_after: usize,
}

impl Default for Budgets {
    fn default() -> Self {
        Self {
            max_replans: 3,
            max_rounds: 20,
            max_idle_rounds: 2,
            max_steps: 50,
            max_sim_secs: 600.0,
            max_wall_secs: None,
            max_tokens: None,
            reserved_tokens: 0.2,
            max_planning_secs: 120.0,
            min_interval_secs: 1.0,
            max_interval_secs: 60.0,
            human_after: 5,
        }
    }
}

impl Budgets {
    /// Tokens left for the next answer: what was not spent, less the reserve unless the
    /// answer is a replan. `None` without a limit.
    pub(crate) fn tokens_left(&self, spent: u64, is_replan: bool) -> Option<u64> {
        let max = self.max_tokens?;
        let share = if is_replan {
            1.0
        } else {
            1.0 - self.reserved_tokens.clamp(0.0, 1.0)
        };
        Some(((max as f64 * share) as u64).saturating_sub(spent))
    }

    /// How long to wait before the planner is asked again, after so many troubles
    /// outside in a row, s.
    pub(crate) fn interval_secs(&self, n_in_a_row: usize) -> f64 {
        let doublings = n_in_a_row.saturating_sub(1).min(32) as i32;
        (self.min_interval_secs * 2f64.powi(doublings)).min(self.max_interval_secs)
    }
}

/// What happens when a step succeeds in another way than the plan expects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeviationMode {
    /// Nothing: a success is a success.
    #[default]
    Off,
    /// Every criterion that is missed leads to another plan for what is left.
    Reactive,
    /// Only a deviation over the threshold does.
    Triggered,
    /// A deviation over the threshold discards the whole plan.
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
