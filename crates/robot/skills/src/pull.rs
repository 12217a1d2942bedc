//! Dragging something over what it stands on, held from above.

use nalgebra::Translation3;
use regrasp_api::{Failure, HandUse, Heading, MotionGoal, Success};
use regrasp_robot::{Robot, Skill};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::aim::{Aim, Asked, aim};
use crate::hold::{DESCENT_SPEED, if_possible, leave as back_away, let_go};
use crate::lookahead::Purpose;
use crate::moved::{explain, verify};
use crate::pick::{PickTask, grip};
use crate::sight;

/// Pulls an object in a straight line along what it stands on.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pull;

/// Arguments of [`Pull`]: the way is exactly one of `direction`, `towards`, and `x` with `y`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PullArgs {
    /// What to pull: an id, or a phrase such as "the red cube".
    #[schemars(extend("x-names-object" = true))]
    pub object: String,
    /// Which way, as the robot sees it: back is nearer to it, left is its left.
    #[serde(default)]
    pub direction: Option<Heading>,
    /// An object to pull it towards; without `distance_m`, until just before that.
    #[serde(default)]
    #[schemars(extend("x-names-object" = true))]
    pub towards: Option<String>,
    /// Where its origin should come, forward from the world's origin, m; with `y`.
    #[serde(default)]
    pub x: Option<f64>,
    /// Where its origin should come, to the left of the world's origin, m; with `x`.
    #[serde(default)]
    pub y: Option<f64>,
    /// How far, m; 0.1 with a direction if left out.
    #[serde(default)]
    #[schemars(range(min = 0.001))]
    pub distance_m: Option<f64>,
}

/// What [`Pull`] knows about its object.
#[derive(Clone, Debug)]
pub struct PullTask {
    aim: Aim,
}

/// Part of the limits used for dragging: what is dragged rubs on what it stands on.
const DRAG_SPEED: f64 = 0.3;
/// The most with which what is held may press on anything, beside its weight, N.
const MAX_FORCE_N: f64 = 20.0;

impl Skill for Pull {
    type Args = PullArgs;
    type Task = PullTask;
    const NAME: &'static str = "pull";
    const DESCRIPTION: &'static str = "Drags an object over what it stands on, and lets go of it. Takes hold of it with the \
         empty hand and does not lift it; in a straight line: in a direction, towards another \
         object, or to a point. Nothing may rest on the object.";
    const HAND: HandUse = HandUse::Empty;

    fn precondition(&self, robot: &mut Robot, args: &PullArgs) -> Result<PullTask, Failure> {
        let asked = Asked {
            object: &args.object,
            heading: args.direction,
            towards: args.towards.as_deref(),
            point: [args.x, args.y],
            distance_m: args.distance_m,
        };
        let aim = aim(robot, &asked)?;
        Ok(PullTask { aim })
    }

    fn run(&self, robot: &mut Robot, _args: &PullArgs, task: &mut PullTask) -> Result<(), Failure> {
        if task.aim.is_there() {
            return Ok(());
        }
        let mut hold = PickTask::new(&robot.perceive()?, task.aim.object.clone());
        let opening_m = grip(robot, &mut hold, &Purpose::Any, None)?;
        task.aim.object = hold.target;
        let aim = &task.aim;
        robot.begin("drag");
        let from = aim.object.clone();
        let dragged = drag(robot, aim).map_err(|failure| explain(robot, aim, &from, failure));
        // A hand that stays at the object helps nobody, whatever went wrong.
        let left = leave(robot, aim, opening_m);
        dragged.and(left)
    }

    fn verify(
        &self,
        robot: &mut Robot,
        _args: &PullArgs,
        task: &PullTask,
    ) -> Result<Success, Failure> {
        verify(robot, &task.aim, "pulled")
    }
}

fn drag(robot: &mut Robot, aim: &Aim) -> Result<(), Failure> {
    let mut scene = sight::scene(robot)?;
    scene.may_touch.extend(aim.support.clone());
    let way = aim.way();
    let there = Translation3::new(way.x, way.y, 0.0) * robot.world_from_tool()?;
    robot
        .press(MotionGoal::Line(there), &scene, DRAG_SPEED, MAX_FORCE_N)
        .map(drop)
}

/// Lets go and gets away, the way the hand came.
fn leave(robot: &mut Robot, aim: &Aim, opening_m: f64) -> Result<(), Failure> {
    robot.begin("leave");
    let_go(robot, opening_m)?;
    let mut scene = sight::scene(robot)?.touching(aim.object.id.clone());
    scene.may_touch.extend(aim.support.clone());
    if_possible(back_away(robot, &scene, DESCENT_SPEED)).map(drop)
}
