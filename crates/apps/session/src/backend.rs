//! Parts that a session needs of the program that wires robots, worlds and planners.

use std::path::PathBuf;
use std::sync::Arc;

use regrasp_agent::AgentOptions;
use regrasp_api::{ApprovalPolicy, CameraView, EventSink, ObjectId, Planner, Pose, SkillSpec};
use regrasp_faults::Fault;
use regrasp_ground_truth::{Frame, FrameListener, GroundTruth, GroundTruthSource};
use regrasp_render::Stage;
use regrasp_robot::{Robot, SkillSet};
use serde::Serialize;

use crate::command::RunOrder;
use crate::export::Export;
use crate::hardware::Hardware;
use crate::verdict::Judge;

/// Everything there is to choose from.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Catalogue {
    /// Version of the program.
    pub version: String,
    /// Scenes by name.
    pub scenes: Vec<String>,
    /// Tasks.
    pub tasks: Vec<TaskEntry>,
    /// Planners by name; the first is the usual one.
    pub planners: Vec<String>,
    /// Perceptions by name; the first is the usual one.
    pub perceptions: Vec<String>,
    /// Skills with the schemas of their arguments.
    pub skills: Vec<SkillSpec>,
    /// Joints of the arm by name.
    pub joints: Vec<String>,
    /// Files that can be made from the recording of a run.
    pub exports: Vec<Export>,
}

/// A task that can be chosen.
#[derive(Clone, Debug, Serialize)]
pub struct TaskEntry {
    /// Its name.
    pub name: String,
    /// Words that it is asked with; a goal point is drawn with the seed.
    pub prompt: String,
    /// One sentence about it.
    pub description: Option<String>,
}

/// Shows a world to a listener while it runs. The listener may take its time: the world waits.
pub type Listen = Box<dyn FnOnce(FrameListener) -> Result<(), SetupFailure> + Send>;

/// A robot in its scene, ready to move.
pub struct LoadedScene {
    /// The prompt, if it is a task.
    pub prompt: Option<String>,
    /// The robot.
    pub robot: Robot,
    /// The truth, for showing only.
    pub truth: Arc<dyn GroundTruthSource>,
    /// The world while it runs.
    pub listen: Listen,
    /// The looks of it all.
    pub view: Arc<dyn View>,
    /// Makes things go wrong; `None` if the robot is no simulation.
    pub disturb: Option<Arc<dyn Disturb>>,
    /// The robot itself, if it is a real one. It has to be gone before it is placed again.
    pub hardware: Option<Arc<dyn Hardware>>,
}

/// The looks of a scene.
pub trait View: Send + Sync {
    /// Everything that can be seen; its instances are the nodes of the scene.
    fn stage(&self, frame: &Frame) -> Stage;

    /// The cameras where they are when the robot stands like this.
    fn cameras(&self, joint_positions: &[f64], gripper_width_m: f64) -> Vec<CameraView>;
}

/// Makes things go wrong in a world that may be moving. Nothing here waits for it.
pub trait Disturb: Send + Sync {
    /// Brings a fault about, from the world's next step on.
    ///
    /// # Errors
    ///
    /// The obstacle, as a sentence.
    fn fault(&self, fault: &Fault, now: &GroundTruth) -> Result<Disturbed, String>;

    /// Puts an object somewhere, at rest.
    ///
    /// # Errors
    ///
    /// The obstacle, as a sentence.
    fn put(&self, object: &ObjectId, world_from_object: Pose) -> Result<(), String>;

    /// Makes everything mechanical whole again.
    fn repair(&self);
}

/// When a fault shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Disturbed {
    /// In the world, from now on.
    Now,
    /// It is none of the world's: the next run has it.
    NextRun,
}

/// The parts that a run is made with.
pub struct Prepared {
    /// Planner in charge.
    pub planner: Box<dyn Planner>,
    /// Skills it can call.
    pub skills: SkillSet,
    /// Settings of the agent.
    pub agent: AgentOptions,
    /// Name of the perception.
    pub perception: String,
}

/// Place that keeps a run.
pub struct RunOutput {
    /// Takes its events.
    pub sink: Box<dyn EventSink>,
    /// The folder.
    pub folder: PathBuf,
    /// File of its positions, if they are recorded.
    pub recording: Option<PathBuf>,
}

/// Something that cannot be set up, as a sentence that fits after "failed to".
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SetupFailure(pub String);

impl SetupFailure {
    /// The trouble that an error says.
    pub fn of(error: impl std::fmt::Display) -> Self {
        Self(error.to_string())
    }
}

/// Builds worlds and planners.
pub trait Backend: Send {
    /// Everything there is to choose from.
    fn catalogue(&self) -> Catalogue;

    /// Puts the robot into a scene, or a task's scene.
    ///
    /// # Errors
    ///
    /// [`SetupFailure`]; what was before is not touched.
    fn load(&mut self, scene: &str, seed: u64) -> Result<LoadedScene, SetupFailure>;

    /// Makes what a run needs, and gives the robot the eyes that are asked for; `faults` are
    /// those that are none of the world's.
    ///
    /// # Errors
    ///
    /// [`SetupFailure`]; the robot is as it was.
    fn prepare(
        &mut self,
        robot: &mut Robot,
        order: &RunOrder,
        faults: &[Fault],
    ) -> Result<Prepared, SetupFailure>;

    /// Opens what a run is kept in, with all positions if `record`; `None` if nothing is kept.
    ///
    /// # Errors
    ///
    /// [`SetupFailure`].
    fn open_output(
        &mut self,
        order: &RunOrder,
        prepared: &Prepared,
        record: bool,
    ) -> Result<Option<RunOutput>, SetupFailure>;

    /// A run is over: what it was kept in is complete now.
    ///
    /// # Errors
    ///
    /// The file that could not be written.
    fn close_output(&mut self) -> Result<(), SetupFailure>;

    /// Skills that can be called by hand.
    fn skills(&self) -> SkillSet;

    /// The policy by which skills that are called by hand wait for approval.
    fn approval(&self) -> ApprovalPolicy;

    /// The judge of an order; `None` if it is not the task of the present scene, or if nobody knows
    /// the truth.
    fn judge(&self, _order: &RunOrder) -> Option<Box<dyn Judge>> {
        None
    }
}
