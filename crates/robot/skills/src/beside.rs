//! `place_beside`: puts what is held down beside another object.

use regrasp_api::{Failure, HandUse, Kind, Literal, Operator, Reason, Success};
use regrasp_relations::level_gap_m;
use regrasp_robot::{Robot, Skill};

use crate::hold::tighten;
use crate::next::PlaceBesideArgs;
use crate::put_down::{PlaceWork, any_of, verify_placed};
use crate::regrip::put_down_or_regrip;
use crate::sight;
use crate::spot;

/// Puts what is in the hand down beside another object.
#[derive(Clone, Copy, Debug, Default)]
pub struct PlaceBeside;

/// Widest gap between two things of which one was put right beside the other, m.
const CLOSE_M: f64 = 0.01;

const CLOSE: (&str, Kind) = ("close", Kind::Flag(true));

impl Skill for PlaceBeside {
    type Args = PlaceBesideArgs;
    type Work = PlaceWork;
    const NAME: &'static str = "place_beside";
    const DESCRIPTION: &'static str = "Puts what is in the hand down beside an object, and lets go of it. On what that stands \
         on: left, right, in_front (nearer to the robot) or behind.";
    const HAND: HandUse = HandUse::Releases;
    const MENDS: &'static [Reason] = &[Reason::GripperOccupied];
    const OPERATORS: &'static [Operator] = &[
        Operator::new(
            &[Operator::OBJECT, Operator::TARGET],
            &[Literal::so("beside", &["object", "target"])],
        ),
        Operator::new(
            &[Operator::OBJECT, Operator::TARGET, ("side", Kind::Side)],
            &[Literal::so("beside", &["object", "target", "side"])],
        ),
        Operator::new(
            &[Operator::OBJECT, Operator::TARGET, CLOSE],
            &[Literal::so("against", &["object", "target"])],
        ),
    ];

    fn precondition(
        &self,
        robot: &mut Robot,
        args: &PlaceBesideArgs,
    ) -> Result<PlaceWork, Failure> {
        let held = sight::held(robot)?;
        let (percept, target) = sight::find(robot, &args.target)?;
        if target.id == held.id {
            let text = format!("argument `target`: {} cannot be put beside itself", held.id);
            return Err(Failure::new(Reason::BadArguments, text).about([held.id]));
        }
        let world_from_held = robot.world_from_tool()? * held.tool_from_object;
        if args.close {
            let spots = spot::against(&percept, &held, &world_from_held, &target, args.side)?;
            return Ok(any_of(held, spots));
        }
        let spot = spot::beside(&percept, &held, &world_from_held, &target, args.side)?;
        Ok(any_of(held, vec![spot]))
    }

    fn run(
        &self,
        robot: &mut Robot,
        _args: &PlaceBesideArgs,
        work: &mut PlaceWork,
    ) -> Result<(), Failure> {
        put_down_or_regrip(robot, work).map_err(|failure| tighten(robot, failure))
    }

    fn verify(
        &self,
        robot: &mut Robot,
        args: &PlaceBesideArgs,
        work: &PlaceWork,
    ) -> Result<Success, Failure> {
        let placed = verify_placed(robot, work)?;
        if args.close {
            verify_close(robot, args, work)?;
        }
        Ok(placed)
    }
}

/// Whether it really stands right beside its target.
fn verify_close(
    robot: &mut Robot,
    args: &PlaceBesideArgs,
    work: &PlaceWork,
) -> Result<(), Failure> {
    let (_, target) = sight::find(robot, &args.target)?;
    let placed = sight::see_again(robot, work.id())?;
    let gap_m = level_gap_m(&placed, &target);
    let limit_m = CLOSE_M + 3.0 * (placed.position_std_m + target.position_std_m);
    if gap_m <= limit_m {
        return Ok(());
    }
    let text = format!(
        "{} stands {gap_m:.4} m from {} (right beside it, at most {limit_m:.4} m)",
        placed.id, target.id
    );
    Err(Failure::new(Reason::PlacedOffTarget, text)
        .about([placed.id, target.id])
        .measured("gap", gap_m, Some(limit_m), "m"))
}
