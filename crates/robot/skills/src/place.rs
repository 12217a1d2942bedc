//! `place_on`: puts what is held on another object.

use regrasp_api::{Failure, HandUse, Kind, Literal, Operator, Reason, Success};
use regrasp_robot::{Robot, Skill};

use crate::hold::tighten;
use crate::next::{PlaceAtArgs, PlaceOnArgs};
use crate::put_down::{PlaceWork, any_of, verify_placed};
use crate::regrip::put_down_or_regrip;
use crate::sight;
use crate::spot::{self, Spot};

/// Puts what is in the hand on another object.
#[derive(Clone, Copy, Debug, Default)]
pub struct PlaceOn;

/// Puts what is in the hand down at a point.
#[derive(Clone, Copy, Debug, Default)]
pub struct PlaceAt;

impl Skill for PlaceOn {
    type Args = PlaceOnArgs;
    type Work = PlaceWork;
    const NAME: &'static str = "place_on";
    const DESCRIPTION: &'static str = "Puts what is in the hand on an object, across two, or into a container, and lets go of it. In the \
         middle of a movable object, on a free place of a table, or across two that stand \
         beside each other.";
    const HAND: HandUse = HandUse::Releases;
    const MENDS: &'static [Reason] = &[Reason::GripperOccupied];
    const OPERATORS: &'static [Operator] = &[
        Operator::new(
            &[Operator::OBJECT, Operator::TARGET],
            &[Literal::so("on", &["object", "target"])],
        )
        .needing(&[Literal::so("room", &["target"])]),
        Operator::new(
            &[Operator::OBJECT, Operator::TARGET, ("also", Kind::Thing)],
            &[Literal::so("across", &["object", "target", "also"])],
        ),
    ];

    fn precondition(&self, robot: &mut Robot, args: &PlaceOnArgs) -> Result<PlaceWork, Failure> {
        let held = sight::held(robot)?;
        let (percept, target) = sight::find(robot, &args.target)?;
        if target.id == held.id {
            let text = format!("argument `target`: {} cannot be put on itself", held.id);
            return Err(Failure::new(Reason::BadArguments, text).about([held.id]));
        }
        let world_from_tool = robot.world_from_tool()?;
        let near = [world_from_tool.translation.x, world_from_tool.translation.y];
        let world_from_held = world_from_tool * held.tool_from_object;
        let Some(also) = &args.also else {
            let spots = spot::on_object(&percept, &held, &world_from_held, &target, near)?;
            return Ok(any_of(held, spots));
        };
        let also = robot.find(&percept, also)?;
        if [&held.id, &target.id].contains(&&also.id) {
            let text = format!("argument `also`: {} is none besides the others", also.id);
            return Err(Failure::new(Reason::BadArguments, text).about([also.id.clone()]));
        }
        let spot = spot::across(&percept, &held, &world_from_held, [&target, also])?;
        Ok(any_of(held, vec![spot]).and_on(Some(also.id.clone())))
    }

    fn run(
        &self,
        robot: &mut Robot,
        _args: &PlaceOnArgs,
        work: &mut PlaceWork,
    ) -> Result<(), Failure> {
        put_down_or_regrip(robot, work).map_err(|failure| tighten(robot, failure))
    }

    fn verify(
        &self,
        robot: &mut Robot,
        _args: &PlaceOnArgs,
        work: &PlaceWork,
    ) -> Result<Success, Failure> {
        verify_placed(robot, work)
    }
}

impl Skill for PlaceAt {
    type Args = PlaceAtArgs;
    type Work = PlaceWork;
    const NAME: &'static str = "place_at";
    const DESCRIPTION: &'static str = "Puts what is in the hand down at a point, on whatever is there, and lets go of it. The \
         point is in World: metres, x forward, y left.";
    const HAND: HandUse = HandUse::Releases;
    const MENDS: &'static [Reason] = &[Reason::GripperOccupied];
    const OPERATORS: &'static [Operator] = &[Operator::new(
        &[Operator::OBJECT, Operator::POINT],
        &[Literal::so("at", &["object", "point"])],
    )];

    fn precondition(&self, robot: &mut Robot, args: &PlaceAtArgs) -> Result<PlaceWork, Failure> {
        let held = sight::held(robot)?;
        let percept = robot.perceive()?;
        let world_from_held = robot.world_from_tool()? * held.tool_from_object;
        let at = [args.x, args.y];
        let spots = match args.z {
            Some(z) => spot::at_height(&percept, &held, &world_from_held, at, z)?,
            None => vec![spot::at_point(&percept, &held, &world_from_held, at, None)?],
        };
        let spots = match <[Spot; 1]>::try_from(spots) {
            Ok([spot]) => spot::between_walls(&percept, &held, spot),
            Err(spots) => spots,
        };
        Ok(any_of(held, spots))
    }

    fn run(
        &self,
        robot: &mut Robot,
        _args: &PlaceAtArgs,
        work: &mut PlaceWork,
    ) -> Result<(), Failure> {
        put_down_or_regrip(robot, work).map_err(|failure| tighten(robot, failure))
    }

    fn verify(
        &self,
        robot: &mut Robot,
        _args: &PlaceAtArgs,
        work: &PlaceWork,
    ) -> Result<Success, Failure> {
        verify_placed(robot, work)
    }
}
