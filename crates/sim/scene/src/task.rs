//! Tasks: a scene, what to say to the robot, and what counts as success. One seed
//! gives one instance.

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

/// A task file, checked. [`Task::instantiate`] draws what is random in it.
#[derive(Debug, Clone)]
pub struct Task {
    pub(crate) name: String,
    pub(crate) description: Option<String>,
    /// What is said with the baseline's values.
    pub(crate) prompt: String,
    pub(crate) file: String,
    /// With every drawn value in the middle of its range.
    pub(crate) scene: SceneDef,
    /// Where the scene is read anew for other values, if there are any.
    pub(crate) formulas: Option<Formulas>,
    /// The name that the random numbers depend on: that of the file.
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

/// What a task draws, and what its values are put into.
#[derive(Debug, Clone)]
pub(crate) struct Formulas {
    pub(crate) draws: Vec<Draw>,
    pub(crate) prompt: Node,
    /// The scene and the file that it stands in; `None` if it is a file of its own, which draws nothing.
    pub(crate) scene: Option<(Node, Source)>,
}

/// One episode's worth of a [`Task`]: nothing in it is random any more.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TaskInstance {
    /// The task's name.
    pub name: String,
    /// What the user says.
    pub prompt: String,
    /// The world at the start.
    pub scene: Scene,
    /// What must be true at the end.
    pub success: Success,
    /// What counts as done by a stricter rule, if there is one beside that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stricter: Option<Success>,
    /// How often a second of simulated time another benchmark looks whether it is done: the first
    /// look at which it is ends its episodes as successes, whatever comes of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub looked_at_hz: Option<f64>,
    /// Which start it has, if a file says where things begin; else they were drawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub begins_as: Option<KeptStart>,
    /// If given, the task cannot be done, and the episode is a success if and only
    /// if the agent says so for this reason.
    pub expected_failure: Option<Reason>,
    /// The goal point in World, m, if the task has one.
    pub goal: Option<[f64; 3]>,
    /// Simulated time that the episode may take, s.
    pub time_limit_s: f64,
    /// The seed that it was drawn with.
    pub seed: u64,
}

/// A start out of a file of another benchmark.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptStart {
    /// The file: its name and its last folders.
    pub file: String,
    /// Which of its starts, from 0.
    pub row: usize,
}

impl Task {
    /// Its name, as `--tasks` takes it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// One sentence about it, if the file has one.
    pub fn description(&self) -> Option<&str> {
        self.description.as_deref()
    }

    /// The prompt, parameters not yet put in.
    pub fn prompt_template(&self) -> &str {
        &self.prompt
    }

    /// The file it came from.
    pub fn file(&self) -> &str {
        &self.file
    }
}
