//! Present state of a session.

use regrasp_api::{ApprovalRequest, ObjectId};
use serde::Serialize;

use crate::RobotState;

/// Present state of a session.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Status {
    /// Number of the world; a new number means that everything in the scene may be different.
    pub world: u64,
    /// Name of the scene or the task.
    pub scene: String,
    /// Seed of the scene.
    pub seed: u64,
    /// Prompt of the task, if the scene is a task's.
    pub prompt: Option<String>,
    /// Simulated time, s.
    pub sim_secs: f64,
    /// Job under way.
    pub doing: Option<Doing>,
    /// Flow of time.
    pub flow: Flow,
    /// Speed of time relative to real time; 0 is as fast as the machine can.
    pub speed: f64,
    /// Question that waits for an answer.
    pub pending: Option<Pending>,
    /// Object believed to be in the hand.
    pub held: Option<ObjectId>,
    /// Number of the last run, from 1.
    pub run: Option<u64>,
    /// True if the positions of the last run are recorded, so that a video, for example, can be
    /// made of it.
    pub recorded: bool,
    /// Faults of the next run, as JSON.
    pub armed: Vec<String>,
    /// True if new runs are recorded with all positions.
    pub record: bool,
    /// State of a real robot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub robot: Option<RobotState>,
}

/// Job under way.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Doing {
    /// `run`, `skill`, `check`, `teleoperate`, `gripper`, `follow` or `reset`.
    pub what: &'static str,
    /// Description in words.
    pub text: String,
    /// True if a stop was requested.
    pub stopping: bool,
}

/// Flow of simulated time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Flow {
    /// Time runs.
    #[default]
    Running,
    /// Time runs until the next step begins, and then pauses.
    ToNextStep,
    /// Time is paused.
    Paused,
}

/// Question to a person.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Pending {
    /// Approval of a step.
    Approval {
        /// Number that the answer refers to.
        id: u64,
        /// The step and its risks.
        request: ApprovalRequest,
    },
    /// Question in words.
    Question {
        /// Number that the answer refers to.
        id: u64,
        /// The question.
        question: String,
    },
}

impl Pending {
    /// Number that the answer refers to.
    pub fn id(&self) -> u64 {
        match self {
            Self::Approval { id, .. } | Self::Question { id, .. } => *id,
        }
    }
}
