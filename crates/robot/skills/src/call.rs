//! The shape of all skills of this crate: arguments make a task, and the task runs and verifies
//! itself.

use std::marker::PhantomData;

use regrasp_api::{Failure, HandUse, Operator, Reason, Success};
use regrasp_robot::{Robot, Skill};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// The skill with these arguments.
#[derive(Clone, Copy, Debug)]
pub struct Standard<A>(PhantomData<fn() -> A>);

impl<A> Default for Standard<A> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

/// Arguments of a skill of this crate, with what [`Skill`] tells planners of it.
pub trait Call: DeserializeOwned + JsonSchema {
    /// All that the skill knows of a call once it may start.
    type Task: Task;
    /// As [`Skill::NAME`], like those that follow.
    const NAME: &'static str;
    /// Description for planners.
    const DESCRIPTION: &'static str;
    /// Use of the hand. Default: any.
    const HAND: HandUse = HandUse::Any;
    /// True if it needs fingers. Default: unless any hand will do.
    const GRIPS: bool = !matches!(Self::HAND, HandUse::Any);
    /// Reasons of other steps whose cause it can remove. Default: none.
    const REMEDIES: &'static [Reason] = &[];
    /// Needs and effects. Default: none.
    const OPERATORS: &'static [Operator] = &[];
    /// Calls that it does better if it knows that they follow. Default: none.
    const LOOKS_AHEAD: fn(&Value) -> bool = |_| false;

    /// Checks that the skill may start, without moving anything.
    ///
    /// # Errors
    ///
    /// Why it may not.
    fn task(&self, robot: &mut Robot) -> Result<Self::Task, Failure>;
}

/// A call that may start.
pub trait Task {
    /// Does it.
    ///
    /// # Errors
    ///
    /// The reason why it was not done.
    fn run(&mut self, robot: &mut Robot) -> Result<(), Failure>;

    /// Looks at the world afterwards, before anything is claimed.
    ///
    /// # Errors
    ///
    /// The reason why it is not claimed.
    fn verify(&self, robot: &mut Robot) -> Result<Success, Failure>;
}

impl<A: Call> Skill for Standard<A> {
    type Args = A;
    type Task = A::Task;
    const NAME: &'static str = A::NAME;
    const DESCRIPTION: &'static str = A::DESCRIPTION;
    const HAND: HandUse = A::HAND;
    const GRIPS: bool = A::GRIPS;
    const REMEDIES: &'static [Reason] = A::REMEDIES;
    const OPERATORS: &'static [Operator] = A::OPERATORS;
    const LOOKS_AHEAD: fn(&Value) -> bool = A::LOOKS_AHEAD;

    fn precondition(&self, robot: &mut Robot, args: &A) -> Result<A::Task, Failure> {
        args.task(robot)
    }

    fn run(&self, robot: &mut Robot, _: &A, task: &mut A::Task) -> Result<(), Failure> {
        task.run(robot)
    }

    fn verify(&self, robot: &mut Robot, _: &A, task: &A::Task) -> Result<Success, Failure> {
        task.verify(robot)
    }
}
