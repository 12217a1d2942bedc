//! What an interactive session can choose from.

use std::path::PathBuf;

use regrasp::PlannerKind;
use regrasp_agent::AgentOptions;
use regrasp_api::{ApprovalPolicy, Planner};
use regrasp_robot::SkillSet;
use regrasp_scene::{RobotFile, Scene, SceneError, Task, TaskInstance};
use regrasp_session::{Export, SetupFailure};

/// Makes planners, one a run.
pub type PlannerMaker = Box<dyn Fn() -> Box<dyn Planner> + Send>;

/// Makes the skills of a run.
pub type SkillMaker = Box<dyn Fn() -> SkillSet + Send>;

/// A scene or a task that is not built in.
#[derive(Clone, Debug)]
pub enum StartScene {
    /// A scene.
    Scene(Box<Scene>),
    /// A task; its scene is drawn with the seed.
    Task(Box<Task>),
}

/// How an interactive session is to be run. Everything has a default: the planners that need
/// no model, nothing kept, built-in scenes only.
pub struct StationOptions {
    /// Settings of the agent.
    pub agent: AgentOptions,
    /// Planners by name; the first is the usual one.
    pub planners: Vec<(String, PlannerMaker)>,
    /// What can be called. Default the standard skills.
    pub skills: SkillMaker,
    /// Scenes besides the built-in ones, by name. Nobody in a session can open other files.
    pub scenes: Vec<(String, StartScene)>,
    /// Where a folder is made for every run.
    pub runs_dir: Option<PathBuf>,
    /// What the program was started with, for the run folders.
    pub args: Vec<String>,
    /// What can be made from the recording of a run. Default none.
    pub exports: Vec<Export>,
}

impl Default for StationOptions {
    fn default() -> Self {
        let kinds = [PlannerKind::Feedback, PlannerKind::Stub];
        let planner = |kind: PlannerKind| {
            let make: PlannerMaker = Box::new(move || kind.build());
            (kind.name().to_owned(), make)
        };
        Self {
            agent: AgentOptions::default(),
            planners: kinds.map(planner).into(),
            skills: Box::new(regrasp_skills::standard),
            scenes: vec![],
            runs_dir: None,
            args: vec![],
            exports: vec![],
        }
    }
}

impl StationOptions {
    /// Names of the planners.
    pub(crate) fn planner_names(&self) -> Vec<String> {
        self.planners.iter().map(|(name, _)| name.clone()).collect()
    }

    /// Makes a planner by name; the usual one if none is named.
    ///
    /// # Errors
    ///
    /// There is none of that name.
    pub fn planner(&self, name: Option<&str>) -> Result<Box<dyn Planner>, SetupFailure> {
        let mut planners = self.planners.iter();
        let found = match name {
            None => planners.next(),
            Some(name) => planners.find(|(known, _)| known == name),
        };
        let (_, make) = found.ok_or_else(|| {
            let known = self.planner_names();
            let wanted = name.unwrap_or_default();
            SetupFailure(format!(
                "find the planner `{wanted}` (planners: {})",
                known.join(", ")
            ))
        })?;
        Ok(make())
    }

    /// Settings of the agent for a run.
    pub fn agent_of(&self, seed: u64, robot: &RobotFile) -> AgentOptions {
        AgentOptions {
            seed,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            approval: Some(self.approval(robot)),
            ..self.agent.clone()
        }
    }

    /// Which steps wait for approval.
    pub fn approval(&self, robot: &RobotFile) -> ApprovalPolicy {
        let approval = self.agent.approval.clone();
        approval.unwrap_or_else(|| robot.approval.clone())
    }
}

/// A scene as it is at the start, and its task if it is one's.
pub(crate) struct Drawn {
    pub(crate) scene: Scene,
    pub(crate) task: Option<TaskInstance>,
}

impl StartScene {
    pub(crate) fn draw(&self, seed: u64) -> Result<Drawn, SceneError> {
        match self {
            Self::Scene(scene) => Ok(Drawn {
                scene: scene.as_ref().clone(),
                task: None,
            }),
            Self::Task(task) => {
                let instance = task.instantiate(seed)?;
                Ok(Drawn {
                    scene: instance.scene.clone(),
                    task: Some(instance),
                })
            }
        }
    }
}
