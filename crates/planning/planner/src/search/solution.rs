//! Result of a search.

use regrasp_api::{Goal, SkillCall};
use regrasp_language::Intent;

/// A step of a solution: a recipe of the planner, or a call.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Move {
    /// Achieve an intent with its preparations, such as picking the object or opening a drawer, at
    /// a place that also meets further goals of the object.
    Do { intent: Intent, meeting: Vec<Goal> },
    /// Put an object out of the way.
    Aside(String),
    /// Call a skill that is known by its declaration alone.
    Call(SkillCall),
}

impl From<Intent> for Move {
    fn from(intent: Intent) -> Self {
        let meeting = vec![];
        Self::Do { intent, meeting }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Solution {
    pub(crate) moves: Vec<Move>,
    /// Number of skill calls of the moves.
    pub(crate) n_calls: usize,
    /// Number of expanded states.
    pub(crate) n_states: usize,
    pub(crate) is_shortest: bool,
    /// Intents of the goal at the end; of a choice, those that hold.
    pub(crate) goals: Vec<Intent>,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NoSolution {
    /// Every state was expanded.
    #[error("impossible: no sequence of the remaining calls achieves `{0}`")]
    Impossible(String),
    /// No skill has the requested effect.
    #[error("no skill of this robot achieves `{0}`")]
    Unknown(String),
    /// The goal has more facts than the limit.
    #[error("the goal has {0} facts; at most 4000 can be searched")]
    TooLarge(usize),
    /// The budget of states was spent.
    #[error("no plan for `{1}` was found among {0} states")]
    OverBudget(usize, String),
}
