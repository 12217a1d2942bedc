//! `reorient`: sets what is held upright.

use regrasp_api::{Failure, HandUse, Literal, Operator, Reason, Success};
use regrasp_robot::{Robot, Skill};

use crate::hold::tighten;
use crate::lookahead::ReorientArgs;
use crate::placement;
use crate::put_down::{PlaceTask, any_of, is_reachable, verify_placed};
use crate::regrasp::put_down_or_regrasp;
use crate::sight;

/// Sets what is in the hand upright on what is below it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reorient;

impl Skill for Reorient {
    type Args = ReorientArgs;
    type Task = PlaceTask;
    const NAME: &'static str = "reorient";
    const DESCRIPTION: &'static str = "Sets what is in the hand down upright nearby, and lets go of it. A can that lay on its \
         side stands afterwards. Where the grip does not allow that, it is put down and taken \
         anew on the way.";
    const HAND: HandUse = HandUse::Releases;
    const REMEDIES: &'static [Reason] = &[Reason::GripperOccupied];
    const OPERATORS: &'static [Operator] = &[Operator::new(
        &[Operator::OBJECT],
        &[Literal::so("upright", &["object"])],
    )];

    fn precondition(&self, robot: &mut Robot, _args: &ReorientArgs) -> Result<PlaceTask, Failure> {
        let held = sight::held(robot)?;
        let percept = robot.perceive()?;
        let now = robot.observe()?;
        let world_from_held = robot.world_from_tool()? * held.tool_from_object;
        let places = placement::standing(&percept, &held, &world_from_held)?;
        let reaches = |placement: &placement::Placement| {
            is_reachable(&held, placement, |pose| robot.reaches(&now, pose))
        };
        let (near, far): (Vec<_>, Vec<_>) = places.into_iter().partition(reaches);
        // In another grip all of them may be within reach.
        Ok(any_of(held, if near.is_empty() { far } else { near }))
    }

    fn run(
        &self,
        robot: &mut Robot,
        _args: &ReorientArgs,
        task: &mut PlaceTask,
    ) -> Result<(), Failure> {
        put_down_or_regrasp(robot, task).map_err(|failure| tighten(robot, failure))
    }

    fn verify(
        &self,
        robot: &mut Robot,
        _args: &ReorientArgs,
        task: &PlaceTask,
    ) -> Result<Success, Failure> {
        verify_placed(robot, task)
    }
}
