//! `place_on`, `place_beside`, `place_at`, `place_aside` and `reorient`: put the held object on or
//! beside another, at a point, out of the way, or upright.

use std::marker::PhantomData;

use regrasp_api::{HandUse, Operator, Reason, Success};
use regrasp_robot::{Result, Robot, Skill};

use crate::arm::Arm;
use crate::hold::tighten;
use crate::lookahead::{
    PlaceAsideArgs, PlaceAtArgs, PlaceBesideArgs, PlaceOnArgs, PlacementArgs, Placing, ReorientArgs,
};
use crate::placement::PlacementRequest;
use crate::put_down::{PlaceTask, any_of, verify_close, verify_placed};
use crate::regrasp::put_down_or_regrasp;
use crate::sight;

/// Puts the held object on another object.
pub type PlaceOn = Put<PlaceOnArgs>;

/// Puts the held object down beside another object.
pub type PlaceBeside = Put<PlaceBesideArgs>;

/// Puts the held object down at a point.
pub type PlaceAt = Put<PlaceAtArgs>;

/// Puts the held object down out of the way.
pub type PlaceAside = Put<PlaceAsideArgs>;

/// Sets the held object upright on the surface below it.
pub type Reorient = Put<ReorientArgs>;

/// Puts the held object down at a place that the arguments `A` denote.
#[derive(Clone, Copy, Debug)]
pub struct Put<A>(PhantomData<fn() -> A>);

impl<A> Default for Put<A> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<A: PlacementArgs> Skill for Put<A> {
    type Args = A;
    type Task = PlaceTask;
    const NAME: &'static str = A::NAME;
    const DESCRIPTION: &'static str = A::DESCRIPTION;
    const HAND: HandUse = HandUse::Releases;
    const REMEDIES: &'static [Reason] = &[Reason::GripperOccupied];
    const OPERATORS: &'static [Operator] = A::OPERATORS;

    fn precondition(&self, robot: &mut Robot, args: &A) -> Result<PlaceTask> {
        let held = sight::held(robot)?;
        let percept = match args.target() {
            Some(phrase) => sight::find(robot, phrase)?.0,
            None => robot.perceive()?,
        };
        let now = robot.observe()?;
        let world_from_tool = Arm::new(robot, &now).world_from_tool();
        let world_from_held = world_from_tool * held.tool_from_object;
        let placing = Placing {
            robot,
            now: &now,
            request: PlacementRequest::new(robot, &percept, &held, world_from_held),
            near: [world_from_tool.translation.x, world_from_tool.translation.y],
        };
        let placements = args.candidates(&placing, args.places(&placing)?);
        let also = args.also().map(|also| robot.find(&percept, also));
        Ok(PlaceTask {
            also: also.transpose()?.map(|also| also.id.clone()),
            ..any_of(held, placements)
        })
    }

    fn run(&self, robot: &mut Robot, _: &A, task: &mut PlaceTask) -> Result<()> {
        put_down_or_regrasp(robot, task).map_err(|failure| tighten(robot, failure))
    }

    fn verify(&self, robot: &mut Robot, args: &A, task: &PlaceTask) -> Result<Success> {
        let placed = verify_placed(robot, task)?;
        let close = args
            .close_to()
            .map(|other| verify_close(robot, task, other));
        close.transpose()?;
        Ok(placed)
    }
}
