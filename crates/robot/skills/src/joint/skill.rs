//! What all skills that move something along its joint do with their arguments.

use std::marker::PhantomData;

use regrasp_api::{Failure, HandUse, Operator, Reason, Success};
use regrasp_robot::{Robot, Skill};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use super::{JointWork, bring, verify};

/// Moves something along its joint, to where its arguments say.
#[derive(Clone, Copy, Debug)]
pub struct Bring<A>(PhantomData<fn() -> A>);

impl<A> Default for Bring<A> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

/// Arguments of a skill that moves something along its joint.
pub(crate) trait JointCall: DeserializeOwned + JsonSchema {
    const NAME: &'static str;
    const DESCRIPTION: &'static str;
    const GRIPS: bool = true;
    const MENDS: &'static [Reason] = &[];
    const OPERATORS: &'static [Operator];

    fn work(&self, robot: &mut Robot) -> Result<JointWork, Failure>;
}

impl<A: JointCall> Skill for Bring<A> {
    type Args = A;
    type Work = JointWork;
    const NAME: &'static str = A::NAME;
    const DESCRIPTION: &'static str = A::DESCRIPTION;
    const HAND: HandUse = HandUse::Empty;
    const GRIPS: bool = A::GRIPS;
    const MENDS: &'static [Reason] = A::MENDS;
    const OPERATORS: &'static [Operator] = A::OPERATORS;

    fn precondition(&self, robot: &mut Robot, args: &A) -> Result<JointWork, Failure> {
        args.work(robot)
    }

    fn run(&self, robot: &mut Robot, _args: &A, work: &mut JointWork) -> Result<(), Failure> {
        bring::bring(robot, work)
    }

    fn verify(&self, robot: &mut Robot, _: &A, work: &JointWork) -> Result<Success, Failure> {
        verify::verify(robot, work)
    }
}
