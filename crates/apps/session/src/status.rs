//! What the session is about, now.

use regrasp_api::{ApprovalRequest, ObjectId};
use serde::Serialize;

use crate::hardware::RobotState;

/// The present state of a session, as everybody may see it.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Status {
    /// Counts worlds: another number means that everything in the scene may be different.
    pub world: u64,
    /// The scene or the task that was asked for.
    pub scene: String,
    /// Its seed.
    pub seed: u64,
    /// What the task asks for, if it is one.
    pub prompt: Option<String>,
    /// Simulated time, s.
    pub sim_secs: f64,
    /// What is under way.
    pub doing: Option<Doing>,
    /// Whether time passes.
    pub flow: Flow,
    /// So many times as fast as real time; 0 is as fast as the machine can.
    pub speed: f64,
    /// What waits for an answer.
    pub pending: Option<Pending>,
    /// What is believed to be in the hand.
    pub held: Option<ObjectId>,
    /// The last run, counted from 1.
    pub run: Option<u64>,
    /// True if its positions are recorded, so that a video and the like can be made of it.
    pub recorded: bool,
    /// Faults that the next run will have, in words.
    pub armed: Vec<String>,
    /// True if runs are kept with all positions.
    pub record: bool,
    /// The robot, if it is a real one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub robot: Option<RobotState>,
}

/// Something that is under way.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Doing {
    /// `run`, `skill`, `teleoperate`, `gripper`, `reset` or `settle`.
    pub what: &'static str,
    /// In words.
    pub text: String,
    /// True if a stop was asked for.
    pub stopping: bool,
}

/// Whether time passes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Flow {
    /// It does.
    #[default]
    Running,
    /// It does until the next step begins.
    ToNextStep,
    /// It does not.
    Paused,
}

/// A question that somebody has to answer.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Pending {
    /// May this step be made?
    Approval {
        /// Number to answer to.
        id: u64,
        /// The step, and what is critical about it.
        request: ApprovalRequest,
    },
    /// A question in words.
    Question {
        /// Number to answer to.
        id: u64,
        /// The question.
        question: String,
    },
}

impl Pending {
    /// Number to answer to.
    pub fn id(&self) -> u64 {
        match self {
            Self::Approval { id, .. } | Self::Question { id, .. } => *id,
        }
    }
}
