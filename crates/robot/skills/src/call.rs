//! Common form of this crate's skills: arguments make a task, which runs and verifies itself.

use std::marker::PhantomData;

use regrasp_api::{Failure, HandUse, Operator, Reason, Success};
use regrasp_robot::{Robot, Skill};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// A skill that is defined by its arguments `A`.
#[derive(Clone, Copy, Debug)]
pub struct Standard<A>(PhantomData<fn() -> A>);

impl<A> Default for Standard<A> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

/// Arguments of a skill, with the properties that [`Skill`] reports to planners.
pub trait Call: DeserializeOwned + JsonSchema {
    /// State of a call once it may start.
    type Task: Task;
    /// Name, see [`Skill::NAME`].
    const NAME: &'static str;
    /// Description for planners.
    const DESCRIPTION: &'static str;
    /// Use of the hand. Default: any.
    const HAND: HandUse = HandUse::Any;
    /// True if the skill needs fingers. Default: true unless [`HAND`](Self::HAND) is `Any`.
    const GRIPS: bool = !matches!(Self::HAND, HandUse::Any);
    /// Failure reasons of other steps that this skill can remedy. Default: none.
    const REMEDIES: &'static [Reason] = &[];
    /// Preconditions and effects. Default: none.
    const OPERATORS: &'static [Operator] = &[];
    /// Returns true for calls about which the skill should know in advance. Default: none.
    const LOOKS_AHEAD: fn(&Value) -> bool = |_| false;

    /// Checks that the skill may start, without moving anything.
    ///
    /// # Errors
    ///
    /// The reason why it may not start.
    fn task(&self, robot: &mut Robot) -> Result<Self::Task, Failure>;
}

/// A call that may start.
pub trait Task {
    /// Runs the task.
    ///
    /// # Errors
    ///
    /// The reason why it was not done.
    fn run(&mut self, robot: &mut Robot) -> Result<(), Failure>;

    /// Looks at the world afterwards and checks that the task succeeded.
    ///
    /// # Errors
    ///
    /// The reason why success cannot be claimed.
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
