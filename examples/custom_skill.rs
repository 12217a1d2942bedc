//! A custom skill, called by the agent like any other.
//!
//! ```sh
//! cargo run --example custom_skill
//! ```

#![expect(clippy::print_stdout, reason = "an example shows its result")]

use std::error::Error;
use std::io;

use async_trait::async_trait;
use regrasp::LoadedRobot;
use regrasp::agent::{Agent, AgentOptions};
use regrasp::api::{Failure, Plan, PlanRequest, Planner, PlannerError, SkillCall, Success};
use regrasp::ground_truth_perception::NoiseOptions;
use regrasp::record::ConsoleSink;
use regrasp::robot::{Robot, Skill};
use regrasp::scene::builtin_scene;
use regrasp::sim::SimOptions;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

// --- the skill ---
struct Wave;
#[derive(Deserialize, JsonSchema)]
struct WaveArgs {
    times: u8,
}
impl Skill for Wave {
    type Args = WaveArgs;
    type Task = Vec<f64>; // joint positions before the wave, rad
    const NAME: &'static str = "wave";
    const DESCRIPTION: &'static str = "Waves the hand a number of times.";
    fn precondition(&self, robot: &mut Robot, _: &WaveArgs) -> Result<Vec<f64>, Failure> {
        Ok(robot.observe()?.joint_positions)
    }
    fn run(&self, robot: &mut Robot, args: &WaveArgs, q: &mut Vec<f64>) -> Result<(), Failure> {
        for turn_rad in [0.3, -0.3].repeat(args.times.into()) {
            q[0] += turn_rad;
            robot.move_joints(q)?;
        }
        Ok(())
    }
    fn verify(&self, robot: &mut Robot, _: &WaveArgs, q: &Vec<f64>) -> Result<Success, Failure> {
        let off_rad = (robot.observe()?.joint_positions[0] - q[0]).abs();
        Success::verified(off_rad < 0.01, format!("back within {off_rad:.4} rad"))
    }
}
// --- end of the skill ---

/// A planner that always waves twice and goes home.
struct Friendly;

#[async_trait]
impl Planner for Friendly {
    fn name(&self) -> &str {
        "friendly"
    }

    async fn plan(&mut self, _: &PlanRequest<'_>) -> Result<Plan, PlannerError> {
        let steps = vec![
            SkillCall::new("wave", json!({"times": 2})),
            SkillCall::new("home", json!({})),
        ];
        Ok(Plan::complete(steps, "waved").because("waving is polite"))
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let scene = builtin_scene("tabletop")?;
    let mut robot = LoadedRobot::panda()?
        .cell(&scene, SimOptions::default(), NoiseOptions::default())?
        .robot;
    robot.set_sink(Box::new(ConsoleSink::new(io::stdout())));
    let skills = regrasp::skills::standard().with(Wave);
    let mut agent = Agent::new(robot, skills, Box::new(Friendly), AgentOptions::default());
    let result = agent.run("wave at me");
    println!(
        "success: {}, steps: {}, {:.1} s simulated",
        result.success, result.steps, result.sim_s
    );
    if result.success {
        Ok(())
    } else {
        Err(result.final_detail.into())
    }
}
