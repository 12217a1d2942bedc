//! What a search finds, or why it does not.

use regrasp_api::SkillCall;
use regrasp_language::Intent;

/// What the search says to do next. The recipes of the planner carry each of them out.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Move {
    /// Bring this about, with all that belongs to it: taking it up first, opening a drawer.
    Do(Intent),
    /// Put it out of the way.
    Aside(String),
    /// Call a skill that is known by its declaration alone.
    Call(SkillCall),
}

/// What was found.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Solution {
    pub(crate) moves: Vec<Move>,
    /// Calls of skills that they stand for.
    pub(crate) n_calls: usize,
    /// States that were looked at.
    pub(crate) n_states: usize,
    /// True if there are none shorter.
    pub(crate) is_shortest: bool,
    /// What the goal comes to at the end: which of its choices hold.
    pub(crate) goals: Vec<Intent>,
}

/// Why nothing was found.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NoSolution {
    /// Every state was looked at.
    #[error("impossible: no order of the calls that are left brings about `{0}`")]
    Impossible(String),
    /// No skill brings something about that is asked for.
    #[error("no skill that this robot has brings about `{0}`")]
    Unknown(String),
    /// Nobody means so much.
    #[error("the goal speaks of {0} facts; at most 4000 can be searched for")]
    TooLarge(usize),
    /// Too many states.
    #[error("not found within {0} states: `{1}`")]
    OverBudget(usize, String),
}
