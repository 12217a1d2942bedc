//! Tasks: a scene, a prompt and a success condition. One seed gives one instance.

use regrasp_api::Reason;
use regrasp_faults::Fault;
use regrasp_ground_truth::Success;
use serde::{Deserialize, Serialize};

use crate::defs::SceneDef;
use crate::draws::Draw;
use crate::placement::Placement;
use crate::source::Source;
use crate::yaml::Node;
use crate::{RobotFile, Scene};

/// A checked task file. [`Task::instantiate`] draws its random values.
#[derive(Debug, Clone)]
pub struct Task {
    pub(crate) name: String,
    pub(crate) description: Option<String>,
    /// Prompt with the baseline's values.
    pub(crate) prompt: String,
    pub(crate) file: String,
    /// Scene with every drawn value at its baseline.
    pub(crate) scene: SceneDef,
    /// Templates for other drawn values, if the task has any.
    pub(crate) formulas: Option<Formulas>,
    /// Name that the random numbers depend on: that of the file.
    pub(crate) drawn_as: String,
    pub(crate) placements: Vec<Placement>,
    pub(crate) joint_noise_rad: f64,
    pub(crate) goal: Option<[[f64; 2]; 3]>,
    pub(crate) success: Node,
    /// Shifts of objects for which a draw must leave room.
    pub(crate) room: Option<Node>,
    pub(crate) expected_failure: Option<Reason>,
    pub(crate) faults: Vec<Fault>,
    pub(crate) time_limit_s: f64,
    pub(crate) robot: RobotFile,
}

/// The random values of a task, and the templates that use them.
#[derive(Debug, Clone)]
pub(crate) struct Formulas {
    pub(crate) draws: Vec<Draw>,
    pub(crate) prompt: Node,
    /// The inline scene and its file; `None` for a scene file, which uses no drawn values.
    pub(crate) scene: Option<(Node, Source)>,
}

/// One episode of a [`Task`], without any randomness left.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TaskInstance {
    /// Name of the task.
    pub name: String,
    /// Instruction of the user.
    pub prompt: String,
    /// World at the start.
    pub scene: Scene,
    /// Condition at the end for success.
    pub success: Success,
    /// Success condition by a stricter rule, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stricter: Option<Success>,
    /// Rate, in simulated time, at which another benchmark checks for success: the first check that
    /// succeeds ends its episode as a success, whatever happens later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub looked_at_hz: Option<f64>,
    /// Start state from a file; `None` if the start was drawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub begins_as: Option<KeptStart>,
    /// Reason for infeasibility: the episode succeeds if and only if the agent reports it.
    pub expected_failure: Option<Reason>,
    /// Goal point in World, m, if the task has one.
    pub goal: Option<[f64; 3]>,
    /// Time limit of the episode, simulated s.
    pub time_limit_s: f64,
    /// Seed of the draw.
    pub seed: u64,
}

/// A start state from a file of another benchmark.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptStart {
    /// File name with its last folders.
    pub file: String,
    /// Index of the start in the file, from 0.
    pub row: usize,
}

impl Task {
    /// Name of the task, as `--tasks` takes it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Description in one sentence, if the file has one.
    pub fn description(&self) -> Option<&str> {
        self.description.as_deref()
    }

    /// Prompt with its parameters not yet filled in.
    pub fn prompt_template(&self) -> &str {
        &self.prompt
    }

    /// File of the task.
    pub fn file(&self) -> &str {
        &self.file
    }
}
