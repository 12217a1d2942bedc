//! What a skill is.

use regrasp_api::{Failure, HandUse, Operator, Reason, Resource, Success};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::Robot;

/// Something the robot can do. A new skill is one `impl` of this trait.
///
/// The three functions are called in order; the first failure ends the call.
/// `Task` carries what the precondition found (the object, the grasp) to the
/// others.
pub trait Skill: Send + Sync {
    /// Typed arguments; their JSON schema is what planners see. Use
    /// `#[serde(deny_unknown_fields)]` so that misspelt ones are refused.
    type Args: DeserializeOwned + JsonSchema;
    /// What is carried from one function to the next.
    type Task;
    /// Name that planners call it by.
    const NAME: &'static str;
    /// One or two sentences for planners: what it does and when to use it.
    const DESCRIPTION: &'static str;
    /// What nothing else may use while it runs. Default: arm and gripper.
    const CLAIMS: &'static [Resource] = &[Resource::Arm, Resource::Gripper];
    /// What it needs in the hand, and what it leaves there. Default: any.
    const HAND: HandUse = HandUse::Any;
    /// Whether it needs fingers. Default: unless any hand will do. What pushes or presses with
    /// closed fingers can do so with any tool, and says no.
    const GRIPS: bool = !matches!(Self::HAND, HandUse::Any);
    /// Reasons of other steps whose cause it can remove, such as `unreachable` for
    /// something that pushes. Default: none.
    const REMEDIES: &'static [Reason] = &[];
    /// What it needs and brings about, for planners that search: one for each way to use it.
    /// Default: none, and only a planner that knows it by name can use it.
    const OPERATORS: &'static [Operator] = &[];
    /// Returns true for the calls that it does better if it knows that they follow; it is passed them as its
    /// argument [`NEXT_CALL`](regrasp_api::NEXT_CALL). Default: for none.
    const LOOKS_AHEAD: fn(&Value) -> bool = |_| false;

    /// Whether it may start. Must not move anything.
    ///
    /// # Errors
    ///
    /// Why it may not.
    fn precondition(&self, robot: &mut Robot, args: &Self::Args) -> Result<Self::Task, Failure>;

    /// Does it.
    ///
    /// # Errors
    ///
    /// What went wrong on the way.
    fn run(
        &self,
        robot: &mut Robot,
        args: &Self::Args,
        task: &mut Self::Task,
    ) -> Result<(), Failure>;

    /// Looks at the world whether it was done.
    ///
    /// # Errors
    ///
    /// What does not hold.
    fn verify(
        &self,
        robot: &mut Robot,
        args: &Self::Args,
        task: &Self::Task,
    ) -> Result<Success, Failure>;
}
