use regrasp_api::{Failure, HandUse, Reason, Robot, Skill, Success};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::hold::tighten;
use crate::look;
use crate::put_down::{PlaceWork, put_down, verify_placed, work};
use crate::spot::{self, Side};

/// Puts what is in the hand down beside another object.
#[derive(Clone, Copy, Debug, Default)]
pub struct PlaceBeside;

/// Arguments of [`PlaceBeside`].
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlaceBesideArgs {
    /// What to put it beside: an id, or a phrase such as "the red cube".
    #[schemars(extend("x-names-object" = true))]
    pub target: String,
    /// On which side, as the robot sees it; left out, wherever is nearest.
    #[serde(default)]
    pub side: Option<Side>,
}

impl Skill for PlaceBeside {
    type Args = PlaceBesideArgs;
    type Work = PlaceWork;
    const NAME: &'static str = "place_beside";
    const DESCRIPTION: &'static str = "Puts what is in the hand down beside an object, on what \
         that stands on: left, right, in_front (nearer to the robot) or behind. Lets go of it.";
    const HAND: HandUse = HandUse::Releases;
    const MENDS: &'static [Reason] = &[Reason::GripperOccupied];

    fn precondition(
        &self,
        robot: &mut Robot,
        args: &PlaceBesideArgs,
    ) -> Result<PlaceWork, Failure> {
        let held = look::held(robot)?;
        let (percept, target) = look::find(robot, &args.target)?;
        if target.id == held.id {
            let text = format!("argument `target`: {} cannot be put beside itself", held.id);
            return Err(Failure::new(Reason::BadArguments, text).about([held.id]));
        }
        let world_from_held = robot.world_from_tool() * held.tool_from_object;
        let spot = spot::beside(&percept, &held, &world_from_held, &target, args.side)?;
        Ok(work(held, spot))
    }

    fn run(
        &self,
        robot: &mut Robot,
        _args: &PlaceBesideArgs,
        work: &mut PlaceWork,
    ) -> Result<(), Failure> {
        put_down(robot, work).map_err(|failure| tighten(robot, failure))
    }

    fn verify(
        &self,
        robot: &mut Robot,
        _args: &PlaceBesideArgs,
        work: &PlaceWork,
    ) -> Result<Success, Failure> {
        verify_placed(robot, work)
    }
}
