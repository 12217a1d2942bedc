//! Interfaces that a session needs from the program that builds robots, worlds and planners.

use std::path::PathBuf;
use std::sync::Arc;

use regrasp_agent::AgentOptions;
use regrasp_api::{ApprovalPolicy, CameraView, EventSink, ObjectId, Planner, Pose, SkillSpec};
use regrasp_faults::Fault;
use regrasp_ground_truth::{Frame, FrameListener, GroundTruth, GroundTruthSource};
use regrasp_record::Geometry;
use regrasp_render::Stage;
use regrasp_robot::{Robot, SkillSet};
use serde::Serialize;

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
    /// Geometry and looks of the scene.
    pub view: View,
    /// Disturbs the world; `None` for a real robot.
    pub disturb: Option<Arc<dyn Disturb>>,
    /// The robot's hardware, if it is a real one. `robot` is then dropped before the next load.
    pub hardware: Option<Arc<dyn Hardware>>,
    /// Skills that can be called by hand.
    pub skills: Arc<SkillSet>,
    /// Approval policy for skills called by hand.
    pub approval: ApprovalPolicy,
    /// Builds the parts of a run.
    pub prepare: Prepare,
    /// Keeper of the runs' data; `None` if runs are not kept.
    pub runs: Option<Box<dyn Runs>>,
    /// Judge of runs of the prompt; `None` if the world's true state is not available.
    pub judge: Option<Judge>,
}

/// Geometry and looks of a scene.
pub struct View {
    /// Links and surfaces.
    pub geometry: Arc<dyn Geometry + Sync>,
    /// All visible surfaces at a frame; their instances are the nodes of the scene.
    pub stage: Box<dyn Fn(&Frame) -> Stage + Send + Sync>,
    /// Poses and parameters of the cameras.
    pub cameras: Box<Cameras>,
}

/// Cameras for the joint positions of the arm, rad, and the distance between the finger pads, m.
pub type Cameras = dyn Fn(&[f64], f64) -> Vec<CameraView> + Send + Sync;

/// Disturbs a world that may be in motion. No method waits for the world.
pub trait Disturb: Send + Sync {
    /// Causes a fault from the world's next step on.
    ///
    /// # Errors
    ///
    /// The reason why the fault cannot be caused, as a sentence.
    fn fault(&self, fault: &Fault, now: &GroundTruth) -> Result<Disturbed, String>;

    /// Puts an object at a pose, at rest.
    ///
    /// # Errors
    ///
    /// The reason why the object cannot be put there, as a sentence.
    fn put(&self, object: &ObjectId, world_from_object: Pose) -> Result<(), String>;

    /// Ends all mechanical faults.
    fn repair(&self);
}

/// Time at which a fault takes effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Disturbed {
    /// The fault takes effect in the world immediately.
    Now,
    /// The fault begins with the next run, because it is not a fault of the world.
    NextRun,
}

/// Parts of a run.
pub struct Prepared {
    /// Planner of the run.
    pub planner: Box<dyn Planner>,
    /// Skills that the planner can call.
    pub skills: SkillSet,
    /// Settings of the agent.
    pub agent: AgentOptions,
    /// Name of the perception.
    pub perception: String,
}

/// Destination of a run's data.
pub struct RunOutput {
    /// Sink of the run's events.
    pub sink: Box<dyn EventSink>,
    /// Folder of the run.
    pub folder: PathBuf,
    /// File of the run's positions, if they are recorded.
    pub recording: Option<PathBuf>,
}

/// Setup failure, as a sentence that fits after "failed to".
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SetupFailure(pub String);

impl SetupFailure {
    /// Creates a failure with the message of an error.
    pub fn of(error: impl std::fmt::Display) -> Self {
        Self(error.to_string())
    }
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

/// Keeper of the data of a scene's runs.
pub trait Runs: Send {
    /// Opens the destination of a run's data. With `record`, all positions are recorded, too.
    fn open(
        &mut self,
        order: &RunOrder,
        prepared: &Prepared,
        record: bool,
    ) -> Result<RunOutput, SetupFailure>;

    /// Completes the data of the run that has ended.
    ///
    /// # Errors
    ///
    /// The file that could not be written.
    fn close(&mut self) -> Result<(), SetupFailure>;
}
