//! What all skills that move something along its joint do with their arguments.

use std::marker::PhantomData;

use regrasp_api::{Failure, HandUse, Operator, Reason, Success};
use regrasp_robot::{Robot, Skill};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use super::{JointTask, drive_to, verify};

/// Moves something along its joint, to where its arguments say.
#[derive(Clone, Copy, Debug)]
pub struct DriveTo<A>(PhantomData<fn() -> A>);

impl<A> Default for DriveTo<A> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

/// Arguments of a skill that moves something along its joint.
pub(crate) trait JointCall: DeserializeOwned + JsonSchema {
    const NAME: &'static str;
    const DESCRIPTION: &'static str;
    const GRIPS: bool = true;
    const REMEDIES: &'static [Reason] = &[];
    const OPERATORS: &'static [Operator];

    fn task(&self, robot: &mut Robot) -> Result<JointTask, Failure>;
}

impl<A: JointCall> Skill for DriveTo<A> {
    type Args = A;
    type Task = JointTask;
    const NAME: &'static str = A::NAME;
    const DESCRIPTION: &'static str = A::DESCRIPTION;
    const HAND: HandUse = HandUse::Empty;
    const GRIPS: bool = A::GRIPS;
    const REMEDIES: &'static [Reason] = A::REMEDIES;
    const OPERATORS: &'static [Operator] = A::OPERATORS;

    fn precondition(&self, robot: &mut Robot, args: &A) -> Result<JointTask, Failure> {
        args.task(robot)
    }

    fn run(&self, robot: &mut Robot, _args: &A, task: &mut JointTask) -> Result<(), Failure> {
        drive_to::bring(robot, task)
    }

    fn verify(&self, robot: &mut Robot, _: &A, task: &JointTask) -> Result<Success, Failure> {
        verify::verify(robot, task)
    }
}
