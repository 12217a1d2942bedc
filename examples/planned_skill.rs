//! A custom skill that the task planner uses because of its declared preconditions and effects.
//!
//! ```sh
//! cargo run --example planned_skill
//! ```
//!
//! The skill looks at an object closely from above. It declares only its preconditions (an empty
//! hand, a clear object) and its effect, `inspected(object)`. The goal asks for this effect, and
//! the planner finds that the blue cube must be moved first.

#![expect(clippy::print_stdout, reason = "an example shows its result")]

use std::error::Error;
use std::f64::consts::PI;
use std::io;

use nalgebra::{Translation3, UnitQuaternion, Vector3};
use regrasp::LoadedRobot;
use regrasp::agent::{Agent, AgentOptions};
use regrasp::api::{
    Failure, HandUse, Kind, Literal, MotionGoal, ObjectId, Operator, Pose, Success,
};
use regrasp::ground_truth_perception::NoiseOptions;
use regrasp::planner::FeedbackPlanner;
use regrasp::record::ConsoleSink;
use regrasp::robot::{Robot, Skill};
use regrasp::scene::builtin_scene;
use regrasp::sim::SimOptions;
use schemars::JsonSchema;
use serde::Deserialize;

/// Height above an object from which it is inspected, m.
const ABOVE_M: f64 = 0.1;
/// Position tolerance of the tool, m.
const OFF_M: f64 = 0.005;

struct Inspect;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct InspectArgs {
    #[schemars(extend("x-names-object" = true))]
    object: String,
}

impl Skill for Inspect {
    type Args = InspectArgs;
    /// Object, and the position of the tool above it in World, m.
    type Task = (ObjectId, Vector3<f64>);
    const NAME: &'static str = "inspect";
    const DESCRIPTION: &'static str = "Looks at an object closely, from right above it.";
    const HAND: HandUse = HandUse::Empty;
    const OPERATORS: &'static [Operator] = &[Operator {
        parameters: &[("object", Kind::Movable)],
        needs: &[
            Literal::so("hand_empty", &[]),
            Literal::so("clear", &["object"]),
        ],
        brings: &[Literal::so("inspected", &["object"])],
    }];

    fn precondition(&self, robot: &mut Robot, args: &InspectArgs) -> Result<Self::Task, Failure> {
        let percept = robot.perceive()?;
        let object = robot.find(&percept, &args.object)?;
        let seen = object.aabb_in_world();
        let above = Vector3::new(seen.center().x, seen.center().y, seen.max[2] + ABOVE_M);
        Ok((object.id.clone(), above))
    }

    fn run(
        &self,
        robot: &mut Robot,
        _: &InspectArgs,
        (_, above): &mut Self::Task,
    ) -> Result<(), Failure> {
        let percept = robot.perceive()?;
        let scene = robot.planning_scene(&percept);
        let down = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), PI);
        let turned = |i: u8| {
            let about_z =
                UnitQuaternion::from_axis_angle(&Vector3::z_axis(), f64::from(i) * PI / 4.0);
            Pose::from_parts(Translation3::from(*above), about_z * down)
        };
        let speed = robot.usual_speed();
        let goal = MotionGoal::AnyPose((0..8).map(turned).collect());
        robot.go(goal, &scene, speed).map(drop)
    }

    fn verify(
        &self,
        robot: &mut Robot,
        _: &InspectArgs,
        (id, above): &Self::Task,
    ) -> Result<Success, Failure> {
        let off_m = (robot.world_from_tool()?.translation.vector - above).norm();
        Success::verified(
            off_m < OFF_M,
            format!("the tool is {off_m:.4} m from its target above {id}"),
        )
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let scene = builtin_scene("covered")?;
    let mut robot = LoadedRobot::panda()?
        .cell(&scene, SimOptions::default(), NoiseOptions::default())?
        .robot;
    robot.set_sink(Box::new(ConsoleSink::new(io::stdout())));
    let skills = regrasp::skills::standard().with(Inspect);
    let planner = Box::new(FeedbackPlanner::new());
    let mut agent = Agent::new(robot, skills, planner, AgentOptions::default());
    let result = agent.run("inspected(red_cube) then on(red_cube, plate)");
    println!(
        "success: {}, steps: {}, replans: {}",
        result.success, result.steps, result.replans
    );
    match result.success {
        true => Ok(()),
        false => Err(result.final_detail.into()),
    }
}
