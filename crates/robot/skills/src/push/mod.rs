//! `push`: pushes an object along its support with the closed hand, from behind. If the arm has no
//! room there, it presses on a flat object from above and slides it along.

mod along;
mod contacts;
mod plan;
mod press_slide;
mod response;
mod strokes;

use regrasp_api::{Failure, HandUse, Kind, Literal, Operator, Reason, Success};
use regrasp_robot::{Robot, Skill};

pub(crate) use contacts::turns;

use crate::aim::{Aim, SlideArgs, aim};

/// Pushes an object in a straight line along its support.
#[derive(Clone, Copy, Debug, Default)]
pub struct Push;

const BESIDE: (&str, Kind) = ("beside", Kind::Thing);
const ASIDE: (&str, Kind) = ("aside", Kind::Flag(true));
const CLEAR: &[Literal] = &[Literal::so("clear", &["object"])];

impl Skill for Push {
    type Args = SlideArgs;
    type Task = Aim;
    const NAME: &'static str = "push";
    const DESCRIPTION: &'static str = "Pushes an object over its support with the closed, empty \
         hand. In a straight line: in a direction, towards or beside another object, or to a \
         point. Nothing may rest on it.";
    const HAND: HandUse = HandUse::Empty;
    const GRIPS: bool = false;
    const REMEDIES: &'static [Reason] = &[Reason::NoGraspFound];
    const OPERATORS: &'static [Operator] = &[
        Operator::new(
            &[Operator::OBJECT, ("point", Kind::LevelPoint)],
            &[Literal::so("at", &["object", "point"])],
        )
        .needing(CLEAR),
        Operator::new(
            &[Operator::OBJECT, BESIDE],
            &[Literal::so("beside", &["object", "beside"])],
        )
        .needing(CLEAR),
        Operator::new(
            &[Operator::OBJECT, BESIDE, ("side", Kind::Side)],
            &[Literal::so("beside", &["object", "beside", "side"])],
        )
        .needing(CLEAR),
        Operator::new(
            &[Operator::OBJECT, ASIDE],
            &[Literal::so("aside", &["object"])],
        )
        .needing(CLEAR),
    ];

    fn precondition(&self, robot: &mut Robot, args: &SlideArgs) -> Result<Aim, Failure> {
        aim(robot, args)
    }

    fn run(&self, robot: &mut Robot, args: &SlideArgs, task: &mut Aim) -> Result<(), Failure> {
        strokes::push(robot, task, args.force_n())
    }

    fn verify(&self, robot: &mut Robot, _: &SlideArgs, task: &Aim) -> Result<Success, Failure> {
        crate::moved::verify(robot, task, "pushed")
    }
}
