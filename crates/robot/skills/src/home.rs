//! `home`: moves the arm to its home configuration.

use regrasp_api::{Failure, Goal, GoalStatus, Literal, Operator, Percept, Reason, Success};
use regrasp_relations::{Evidence, InHand};
use regrasp_robot::{Result, Robot, Skill};
use schemars::JsonSchema;
use serde::Deserialize;

/// Moves the arm to its home configuration.
#[derive(Clone, Copy, Debug, Default)]
pub struct Home;

/// No arguments.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HomeArgs {}

impl Skill for Home {
    type Args = HomeArgs;
    type Task = ();
    const NAME: &'static str = "home";
    const DESCRIPTION: &'static str =
        "Moves the arm to its home configuration. A held object stays in the hand.";
    const OPERATORS: &'static [Operator] = &[Operator::new(&[], &[Literal::so("home", &[])])];

    fn precondition(&self, _robot: &mut Robot, _args: &HomeArgs) -> Result<()> {
        Ok(())
    }

    fn run(&self, robot: &mut Robot, _args: &HomeArgs, _task: &mut ()) -> Result<()> {
        let home = robot.info.home.clone();
        robot.move_joints(&home).map(drop)
    }

    fn verify(&self, robot: &mut Robot, _args: &HomeArgs, _task: &()) -> Result<Success> {
        let evidence = Evidence {
            percept: &Percept::default(),
            observation: &robot.observe()?,
            hand: &InHand::Nothing,
            moving: &[],
            robot: &robot.info,
        };
        match evidence.judge(&Goal::Home) {
            GoalStatus::Met => Ok(Success::new("the arm is in its home configuration")),
            GoalStatus::Unmet(why) => Err(Failure::new(Reason::VerificationFailed, why)),
        }
    }
}
