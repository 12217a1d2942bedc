//! Pushing something along what it stands on, with the closed hand: from behind, or, where the arm
//! has no room there, by pressing on something flat from above and taking it along.

mod along;
mod contacts;
mod plan;
mod press_slide;
mod response;
mod strokes;

use regrasp_api::{Failure, HandUse, Heading, Success};
use regrasp_robot::{Robot, Skill};
use schemars::JsonSchema;
use serde::Deserialize;

pub(crate) use contacts::turns;

use crate::aim::{Aim, Asked, aim};
use crate::params::{MOST_FORCE_N, USUAL_FORCE_N};

/// Pushes an object in a straight line along what it stands on.
#[derive(Clone, Copy, Debug, Default)]
pub struct Push;

/// Arguments of [`Push`]: the way is exactly one of `direction`, `towards`, and `x` with `y`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PushArgs {
    /// What to push: an id, or a phrase such as "the red cube".
    #[schemars(extend("x-names-object" = true))]
    pub object: String,
    /// Which way, as the robot sees it: forward is away from it, left is its left.
    #[serde(default)]
    pub direction: Option<Heading>,
    /// An object to push it towards; without `distance_m`, until just before that.
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
    /// With how much force at most, N; 20 if left out.
    #[serde(default)]
    #[schemars(range(min = 1.0, max = 60.0), extend("x-rarely" = true))]
    pub max_force_n: Option<f64>,
}

/// What [`Push`] knows about its object.
#[derive(Clone, Debug)]
pub struct PushTask {
    aim: Aim,
    max_force_n: f64,
}

impl Skill for Push {
    type Args = PushArgs;
    type Task = PushTask;
    const NAME: &'static str = "push";
    const DESCRIPTION: &'static str = "Pushes an object over what it stands on, with the closed, empty hand. In a straight \
         line: in a direction, towards another object, or to a point. Nothing may rest on the \
         object.";
    const HAND: HandUse = HandUse::Empty;
    const GRIPS: bool = false;

    fn precondition(&self, robot: &mut Robot, args: &PushArgs) -> Result<PushTask, Failure> {
        let asked = Asked {
            object: &args.object,
            heading: args.direction,
            towards: args.towards.as_deref(),
            point: [args.x, args.y],
            distance_m: args.distance_m,
        };
        let force_n = args.max_force_n.unwrap_or(USUAL_FORCE_N);
        Ok(PushTask {
            aim: aim(robot, &asked)?,
            max_force_n: if force_n.is_finite() {
                force_n.clamp(1.0, MOST_FORCE_N)
            } else {
                USUAL_FORCE_N
            },
        })
    }

    fn run(&self, robot: &mut Robot, _args: &PushArgs, task: &mut PushTask) -> Result<(), Failure> {
        strokes::push(robot, &mut task.aim, task.max_force_n)
    }

    fn verify(
        &self,
        robot: &mut Robot,
        _args: &PushArgs,
        task: &PushTask,
    ) -> Result<Success, Failure> {
        crate::moved::verify(robot, &task.aim, "pushed")
    }
}
