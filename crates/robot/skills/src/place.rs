//! `place_on`, `place_beside`, `place_at`, `place_aside` and `reorient`: put the held object on or
//! beside another, at a point, out of the way, or upright.

use regrasp_api::{Failure, HandUse, Operator, Reason, Success};
use regrasp_robot::Robot;

use crate::arm::Arm;
use crate::call::{Call, Standard, Task};
use crate::hold::tighten;
use crate::lookahead::{
    PlaceAsideArgs, PlaceAtArgs, PlaceBesideArgs, PlaceOnArgs, PlacementArgs, Placing, ReorientArgs,
};
use crate::placement::PlacementRequest;
use crate::put_down::{PlaceTask, any_of, verify_close, verify_placed};
use crate::regrasp::put_down_or_regrasp;
use crate::sight;

/// Puts the held object on another object.
pub type PlaceOn = Standard<PlaceOnArgs>;

/// Puts the held object down beside another object.
pub type PlaceBeside = Standard<PlaceBesideArgs>;

/// Puts the held object down at a point.
pub type PlaceAt = Standard<PlaceAtArgs>;

/// Puts the held object down out of the way.
pub type PlaceAside = Standard<PlaceAsideArgs>;

/// Sets the held object upright on the surface below it.
pub type Reorient = Standard<ReorientArgs>;

impl<A: PlacementArgs> Call for A {
    type Task = PlaceTask;
    const NAME: &'static str = A::NAME;
    const DESCRIPTION: &'static str = A::DESCRIPTION;
    const HAND: HandUse = HandUse::Releases;
    const REMEDIES: &'static [Reason] = &[Reason::GripperOccupied];
    const OPERATORS: &'static [Operator] = A::OPERATORS;

    fn task(&self, robot: &mut Robot) -> Result<PlaceTask, Failure> {
        let held = sight::held(robot)?;
        let percept = match self.target() {
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
        let placements = self.candidates(&placing, self.places(&placing)?);
        let also = self.also().map(|also| robot.find(&percept, also));
        Ok(PlaceTask {
            also: also.transpose()?.map(|also| also.id.clone()),
            close_to: self.close_to().map(str::to_owned),
            ..any_of(held, placements)
        })
    }
}

impl Task for PlaceTask {
    fn run(&mut self, robot: &mut Robot) -> Result<(), Failure> {
        put_down_or_regrasp(robot, self).map_err(|failure| tighten(robot, failure))
    }

    fn verify(&self, robot: &mut Robot) -> Result<Success, Failure> {
        let placed = verify_placed(robot, self)?;
        verify_close(robot, self)?;
        Ok(placed)
    }
}
