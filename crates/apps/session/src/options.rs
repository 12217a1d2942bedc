//! Options of an interactive session.

use std::path::PathBuf;
use std::sync::Arc;

use regrasp::PlannerKind;
use regrasp::rgbd_perception::Catalogue;
use regrasp_agent::AgentOptions;
use regrasp_api::{ApprovalPolicy, Planner};
use regrasp_robot::SkillSet;
use regrasp_scene::{RobotFile, Scene, SceneError, Task, TaskInstance};

use crate::prepared::SetupFailure;
use crate::{Export, RunOrder};

/// Makes a new planner for every run.
pub type PlannerMaker = Box<dyn Fn() -> Box<dyn Planner> + Send + Sync>;

/// Makes the skills of a run.
pub type SkillMaker = Box<dyn Fn() -> SkillSet + Send + Sync>;

/// Scene or task that is not built in.
#[derive(Clone, Debug)]
pub enum StartScene {
    /// A scene.
    Scene(Box<Scene>),
    /// A task; its scene is drawn with the seed.
    Task(Box<Task>),
}

/// Options of an interactive session. The defaults are the planners that need no model, no kept
/// runs, and built-in scenes only.
#[derive(smart_default::SmartDefault)]
pub struct StationOptions {
    /// Settings of the agent.
    pub agent: AgentOptions,
    /// Planners by name; the first is the default.
    #[default(without_models())]
    pub planners: Vec<(String, PlannerMaker)>,
    /// Makes the skills of a run. Default the standard skills.
    #[default(Box::new(regrasp_skills::standard))]
    pub skills: SkillMaker,
    /// Scenes besides the built-in ones, by name. A session cannot open other files.
    pub scenes: Vec<(String, StartScene)>,
    /// Models of objects that may be in a scene, for perception from pixels. Default none.
    pub models: Arc<Catalogue>,
    /// Parent of the run folders; `None` keeps no runs.
    pub runs_dir: Option<PathBuf>,
    /// Command-line arguments of the program, for the run folders.
    pub args: Vec<String>,
    /// Formats that can be made from the recording of a run. Default none.
    pub exports: Vec<Export>,
}

fn without_models() -> Vec<(String, PlannerMaker)> {
    let planner = |kind: PlannerKind| {
        let make: PlannerMaker = Box::new(move || kind.build());
        (kind.name().to_owned(), make)
    };
    [PlannerKind::Feedback, PlannerKind::Stub]
        .map(planner)
        .into()
}

impl StationOptions {
    pub(crate) fn planner_names(&self) -> Vec<String> {
        self.planners.iter().map(|(name, _)| name.clone()).collect()
    }

    /// Makes a planner by name, or the default one.
    ///
    /// # Errors
    ///
    /// [`SetupFailure`] if there is no planner with that name.
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

    /// Approval policy: that of the options, or else the robot file's.
    pub fn approval(&self, robot: &RobotFile) -> ApprovalPolicy {
        let approval = self.agent.approval.clone();
        approval.unwrap_or_else(|| robot.approval.clone())
    }
}

/// Name of an order's perception: by default the first of the known ones.
///
/// # Errors
///
/// [`SetupFailure`] if there is no perception with that name.
pub(crate) fn perception_of(order: &RunOrder, known: &[&str]) -> Result<String, SetupFailure> {
    let first = known.first().copied().unwrap_or_default();
    let name = order.perception.as_deref().unwrap_or(first);
    match known.contains(&name) {
        true => Ok(name.to_owned()),
        false => Err(SetupFailure(format!(
            "find the perception `{name}` (perceptions: {})",
            known.join(", ")
        ))),
    }
}

impl StartScene {
    /// Initial scene, with its task if it belongs to one.
    pub(crate) fn draw(&self, seed: u64) -> Result<(Scene, Option<TaskInstance>), SceneError> {
        Ok(match self {
            Self::Scene(scene) => (scene.as_ref().clone(), None),
            Self::Task(task) => {
                let instance = task.instantiate(seed)?;
                (instance.scene.clone(), Some(instance))
            }
        })
    }
}
