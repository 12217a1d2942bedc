//! `place_on`, `place_beside`, `place_at` and `reorient`: put what is held down on or beside
//! something, at a point, or upright.

use std::marker::PhantomData;

use regrasp_api::{Failure, HandUse, Operator, Reason, Success};
use regrasp_robot::{Robot, Skill};

use crate::hold::tighten;
use crate::lookahead::{
    PlaceAtArgs, PlaceBesideArgs, PlaceOnArgs, PlacementArgs, Placing, ReorientArgs,
};
use crate::placement::PlacementRequest;
use crate::put_down::{PlaceTask, any_of, verify_placed};
use crate::regrasp::put_down_or_regrasp;
use crate::sight;

/// Puts down what is in the hand, at the place that its arguments mean.
#[derive(Clone, Copy, Debug)]
pub struct PutDown<A>(PhantomData<fn() -> A>);

/// Puts what is in the hand on another object.
pub type PlaceOn = PutDown<PlaceOnArgs>;

/// Puts what is in the hand down beside another object.
pub type PlaceBeside = PutDown<PlaceBesideArgs>;

/// Puts what is in the hand down at a point.
pub type PlaceAt = PutDown<PlaceAtArgs>;

/// Sets what is in the hand upright on what is below it.
pub type Reorient = PutDown<ReorientArgs>;

impl<A> Default for PutDown<A> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<A: PlacementArgs> Skill for PutDown<A> {
    type Args = A;
    type Task = PlaceTask;
    const NAME: &'static str = A::NAME;
    const DESCRIPTION: &'static str = A::DESCRIPTION;
    const HAND: HandUse = HandUse::Releases;
    const REMEDIES: &'static [Reason] = &[Reason::GripperOccupied];
    const OPERATORS: &'static [Operator] = A::OPERATORS;

    fn precondition(&self, robot: &mut Robot, args: &A) -> Result<PlaceTask, Failure> {
        let held = sight::held(robot)?;
        let percept = match args.target() {
            Some(phrase) => sight::find(robot, phrase)?.0,
            None => robot.perceive()?,
        };
        let now = robot.observe()?;
        let base_from_tool = robot.motion.base_from_tool(&now.joint_positions);
        let world_from_tool = now.world_from_base * base_from_tool;
        let placing = Placing {
            robot,
            request: PlacementRequest {
                percept: &percept,
                held: &held,
                world_from_held: world_from_tool * held.tool_from_object,
                widest_m: robot.info.gripper.max_width_m,
            },
            near: [world_from_tool.translation.x, world_from_tool.translation.y],
        };
        let placements = args.tried(&placing, &now, args.places(&placing)?);
        let also = args.second_support(&placing)?;
        Ok(PlaceTask {
            also,
            ..any_of(held, placements)
        })
    }

    fn run(&self, robot: &mut Robot, _args: &A, task: &mut PlaceTask) -> Result<(), Failure> {
        put_down_or_regrasp(robot, task).map_err(|failure| tighten(robot, failure))
    }

    fn verify(&self, robot: &mut Robot, args: &A, task: &PlaceTask) -> Result<Success, Failure> {
        let placed = verify_placed(robot, task)?;
        args.verify(robot, &task.held.id)?;
        Ok(placed)
    }
}
