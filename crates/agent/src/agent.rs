use regrasp_api::{EpisodeResult, Planner, Robot, SkillSet};

use crate::episode::Episode;

/// Limits of an episode, and what its result should say about it.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentOptions {
    /// How often the planner may be asked again. Default 3.
    pub max_replans: usize,
    /// Skill calls in one episode. Default 50, far above what any plan here needs.
    pub max_steps: usize,
    /// Simulated time for one episode, s, checked between steps. Default 600.
    pub max_sim_secs: f64,
    /// Seed of everything random in the episode; only reported. Default 0.
    pub seed: u64,
    /// Version of the program; only reported. Default: this crate's.
    pub version: String,
}

impl Default for AgentOptions {
    fn default() -> Self {
        Self {
            max_replans: 3,
            max_steps: 50,
            max_sim_secs: 600.0,
            seed: 0,
            version: env!("CARGO_PKG_VERSION").to_owned(),
        }
    }
}

/// Carries out tasks with a robot, some skills and a planner.
pub struct Agent {
    robot: Robot,
    skills: SkillSet,
    planner: Box<dyn Planner>,
    options: AgentOptions,
}

impl Agent {
    /// Puts the parts together.
    pub fn new(
        robot: Robot,
        skills: SkillSet,
        planner: Box<dyn Planner>,
        options: AgentOptions,
    ) -> Self {
        Self {
            robot,
            skills,
            planner,
            options,
        }
    }

    /// Carries out one task and says how it ended. Blocks; never panics because of
    /// what a planner or a skill answers.
    pub fn run(&mut self, task: &str) -> EpisodeResult {
        let planner = self.planner.as_mut();
        Episode::new(&mut self.robot, &self.skills, planner, &self.options, task).run()
    }

    /// The robot.
    pub fn robot(&self) -> &Robot {
        &self.robot
    }

    /// The robot, to set its sink or its cancel token.
    pub fn robot_mut(&mut self) -> &mut Robot {
        &mut self.robot
    }

    /// Gives the robot back.
    pub fn into_robot(self) -> Robot {
        self.robot
    }
}
