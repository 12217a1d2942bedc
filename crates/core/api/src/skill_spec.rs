//! What planners and people are told of a skill.

use serde::Serialize;
use serde_json::Value;

use crate::{HandUse, Operator, Reason, Resource};

/// The keyword that marks, in the schema of a skill's arguments, a string that names an
/// object: `#[schemars(extend("x-names-object" = true))]`. A planner that asks a model
/// checks such names before anything moves.
pub const NAMES_OBJECT: &str = "x-names-object";

/// The keyword that marks an argument that hardly any plan needs, such as a limit of force:
/// `#[schemars(extend("x-rarely" = true))]`. A model is not told of it.
pub const RARELY: &str = "x-rarely";

/// The argument by which a skill is passed the call that follows: its arguments, and its name as `skill`.
/// Planners need not know of it.
pub const NEXT_CALL: &str = "then";

/// What a planner is told about a skill.
#[derive(Clone, Debug, Serialize)]
pub struct SkillSpec {
    /// Name to call it by.
    pub name: String,
    /// What it does and when to use it.
    pub description: String,
    /// JSON schema of its arguments.
    pub args_schema: Value,
    /// What nothing else may use while it runs.
    pub claims: Vec<Resource>,
    /// What it needs in the hand, and what it leaves there.
    pub hand: HandUse,
    /// Reasons of other steps whose cause it can remove.
    pub mends: Vec<Reason>,
    /// What its calls need and bring about.
    #[serde(skip)]
    pub operators: &'static [Operator],
    /// Returns true for a call that it wants to know of if it follows, with its skill among its arguments.
    #[serde(skip)]
    pub looks_ahead: fn(&Value) -> bool,
}
