//! What an interactive session can choose from.

use std::path::PathBuf;

use regrasp::PlannerKind;
use regrasp_agent::AgentOptions;
use regrasp_api::Planner;
use regrasp_robot::SkillSet;
use regrasp_scene::{Scene, SceneError, Task, TaskInstance};
use regrasp_session::Export;

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
pub struct LiveOptions {
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

impl Default for LiveOptions {
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

/// A scene as it is at the start, and its task if it is one's.
pub(super) struct Drawn {
    pub(super) scene: Scene,
    pub(super) task: Option<TaskInstance>,
}

impl StartScene {
    pub(super) fn draw(&self, seed: u64) -> Result<Drawn, SceneError> {
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
