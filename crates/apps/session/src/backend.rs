//! Interface of a session to the builders of robots, worlds and planners.

use std::sync::Arc;

use regrasp::SceneView;
use regrasp_api::{ApprovalPolicy, SkillSpec};
use regrasp_faults::Fault;
use regrasp_ground_truth::{FrameListener, GroundTruthSource};
use regrasp_robot::{Robot, SkillSet};
use serde::Serialize;

use crate::disturb::SimDisturb;
use crate::prepared::{Prepared, SetupFailure};
use crate::run_store::RunStore;
use crate::{Export, Hardware, Judge, RunOrder};

/// Scenes, tasks, planners, perceptions, skills and exports of a session.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Catalogue {
    /// Version of the program.
    pub version: String,
    /// Scenes by name.
    pub scenes: Vec<String>,
    /// Tasks.
    pub tasks: Vec<TaskEntry>,
    /// Planners by name; the first is the default.
    pub planners: Vec<String>,
    /// Perceptions by name; the first is the default.
    pub perceptions: Vec<String>,
    /// Skills with the schemas of their arguments.
    pub skills: Vec<SkillSpec>,
    /// Joints of the arm by name.
    pub joints: Vec<String>,
    /// Files that can be made from the recording of a run.
    pub exports: Vec<Export>,
}

/// Task in the catalogue.
#[derive(Clone, Debug, Serialize)]
pub struct TaskEntry {
    /// Name of the task.
    pub name: String,
    /// Prompt of the task. Its goal point, if any, is drawn with the seed.
    pub prompt: String,
    /// Description of the task in one sentence.
    pub description: Option<String>,
}

/// Registers a listener that gets the frames of a running world. The world waits for the listener.
pub type Listen = Box<dyn FnOnce(FrameListener) -> Result<(), SetupFailure> + Send>;

/// Builds the parts of a run by its order, and may replace the robot's perception. The faults are
/// those that do not act on the world. If preparation fails, the robot stays as it was.
pub type Prepare =
    Box<dyn FnMut(&mut Robot, &RunOrder, &[Fault]) -> Result<Prepared, SetupFailure> + Send>;

/// A robot in its scene, ready to move.
pub struct LoadedScene {
    /// Prompt of a task's scene.
    pub prompt: Option<String>,
    /// Robot for skills, ready to move.
    pub robot: Robot,
    /// Source of the world's true state, for display only.
    pub truth: Arc<dyn GroundTruthSource>,
    /// Registers a listener for the world's frames.
    pub listen: Listen,
    /// Geometry and looks of the scene, and its cameras.
    pub view: Arc<SceneView>,
    /// Disturbs the world; `None` for a real robot.
    pub disturb: Option<Arc<SimDisturb>>,
    /// The robot's hardware, if it is a real one. `robot` is then dropped before the next load.
    pub hardware: Option<Arc<dyn Hardware>>,
    /// Skills that can be called by hand.
    pub skills: Arc<SkillSet>,
    /// Approval policy for skills called by hand.
    pub approval: ApprovalPolicy,
    /// Builds the parts of a run.
    pub prepare: Prepare,
    /// Keeper of the runs' data; `None` if runs are not kept.
    pub runs: Option<RunStore>,
    /// Judge of runs of the prompt; `None` if the world's true state is not available.
    pub judge: Option<Judge>,
}

/// Builder of worlds and planners.
pub trait Backend: Send {
    /// Scenes, tasks, planners, perceptions, skills and exports.
    fn catalogue(&self) -> Catalogue;

    /// Loads a scene, or a task's scene, and puts the robot into it.
    ///
    /// # Errors
    ///
    /// [`SetupFailure`]; a previous simulated scene stays as it was.
    fn load(&mut self, scene: &str, seed: u64) -> Result<LoadedScene, SetupFailure>;
}
