//! `pull`: grasps an object and drags it over its support.

use nalgebra::Translation3;
use regrasp_api::{HandUse, MotionGoal, Success};
use regrasp_robot::{Result, Robot, Skill};

use crate::aim::{Aim, SlideArgs, aim};
use crate::hold::{if_possible, leave as back_away, let_go};
use crate::lookahead::Purpose;
use crate::moved::{explain, verify};
use crate::params::SLIDE_SPEED;
use crate::pick::{PickTask, grip};
use crate::sight;

/// Pulls an object in a straight line along its support.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pull;

impl Skill for Pull {
    type Args = SlideArgs;
    type Task = Aim;
    const NAME: &'static str = "pull";
    const DESCRIPTION: &'static str = "Drags an object over its support. Grasps it with the empty \
         hand and does not lift it; in a straight line: in a direction, towards or beside another \
         object, or to a point. Nothing may rest on it.";
    const HAND: HandUse = HandUse::Empty;

    fn precondition(&self, robot: &mut Robot, args: &SlideArgs) -> Result<Aim> {
        aim(robot, args, |_, _, _| None)
    }

    fn run(&self, robot: &mut Robot, args: &SlideArgs, aim: &mut Aim) -> Result<()> {
        if aim.is_there() {
            return Ok(());
        }
        let mut hold = PickTask::new(&robot.perceive()?, aim.object.clone());
        let opening_m = grip(robot, &mut hold, &Purpose::Any)?;
        aim.object = hold.target;
        let aim = &*aim;
        robot.begin("drag");
        let from = aim.object.clone();
        let dragged =
            drag(robot, aim, args.force_n()).map_err(|failure| explain(robot, aim, &from, failure));
        // The hand must leave the object, whatever failed.
        let left = leave(robot, aim, opening_m);
        dragged.and(left)
    }

    fn verify(&self, robot: &mut Robot, _: &SlideArgs, aim: &Aim) -> Result<Success> {
        verify(robot, aim, "pulled")
    }
}

/// Drags the object over its support with a contact force of at most `max_force_n`.
fn drag(robot: &mut Robot, aim: &Aim, max_force_n: f64) -> Result<()> {
    let mut scene = sight::scene(robot)?;
    scene.may_touch.extend(aim.support.clone());
    let displacement = aim.displacement();
    let there = Translation3::new(displacement.x, displacement.y, 0.0) * robot.world_from_tool()?;
    let line = MotionGoal::Line(there);
    robot
        .press(line, &scene, SLIDE_SPEED, max_force_n)
        .map(drop)
}

fn leave(robot: &mut Robot, aim: &Aim, opening_m: f64) -> Result<()> {
    robot.begin("leave");
    let_go(robot, opening_m)?;
    let mut scene = sight::scene(robot)?.touching(aim.object.id.clone());
    scene.may_touch.extend(aim.support.clone());
    if_possible(back_away(robot, &scene)).map(drop)
}
