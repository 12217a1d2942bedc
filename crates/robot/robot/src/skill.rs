//! Interface of a skill.

use regrasp_api::{HandUse, Operator, Reason, Resource, Success};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::{Result, Robot};

/// An ability of the robot. A new skill is one `impl` of this trait.
///
/// The three functions are called in order; the first failure ends the call. `Task` carries the
/// results of the precondition (the object, the grasp) to the others.
pub trait Skill: Send + Sync {
    /// Typed arguments; planners see their JSON schema. Use `#[serde(deny_unknown_fields)]` so that
    /// misspelt arguments are rejected.
    type Args: DeserializeOwned + JsonSchema;
    /// State that is passed from one function to the next.
    type Task;
    /// Name by which planners call the skill.
    const NAME: &'static str;
    /// Purpose and use, for planners, in one or two sentences.
    const DESCRIPTION: &'static str;
    /// Resources that are reserved while the skill runs. Default: arm and gripper.
    const CLAIMS: &'static [Resource] = &[Resource::Arm, Resource::Gripper];
    /// Required content of the hand before, and its content afterwards. Default: any.
    const HAND: HandUse = HandUse::Any;
    /// True if the skill needs fingers. Default: true unless `HAND` is `Any`. Skills that push or
    /// press with closed fingers can do so with any tool, so they set this to false.
    const GRIPS: bool = !matches!(Self::HAND, HandUse::Any);
    /// Failure reasons of other steps that the skill can remedy, such as `unreachable` for a push.
    /// Default: none.
    const REMEDIES: &'static [Reason] = &[];
    /// Preconditions and effects for search-based planners, one operator per way of use. Default:
    /// none; then only a planner that knows the skill by name can use it.
    const OPERATORS: &'static [Operator] = &[];
    /// Returns true for next calls that the skill takes into account; they are passed as its
    /// argument [`NEXT_CALL`](regrasp_api::NEXT_CALL). Default: none.
    const LOOKS_AHEAD: fn(&Value) -> bool = |_| false;

    /// Checks that the skill may start. Must not move anything.
    ///
    /// # Errors
    ///
    /// The reason why the skill may not start.
    fn precondition(&self, robot: &mut Robot, args: &Self::Args) -> Result<Self::Task>;

    /// Runs the task.
    ///
    /// # Errors
    ///
    /// The reason why the task was not done.
    fn run(&self, robot: &mut Robot, args: &Self::Args, task: &mut Self::Task) -> Result<()>;

    /// Looks at the world and checks that the task was done.
    ///
    /// # Errors
    ///
    /// The condition that does not hold.
    fn verify(&self, robot: &mut Robot, args: &Self::Args, task: &Self::Task) -> Result<Success>;
}
