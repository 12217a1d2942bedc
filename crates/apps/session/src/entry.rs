//! Log of a session.

use regrasp_api::StampedEvent;
use serde::Serialize;

use crate::Verdict;

/// Log entry: something that happened in a session.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "snake_case", tag = "entry")]
pub enum Entry {
    /// A new world; earlier entries no longer matter.
    Reset {
        /// Name of the scene or the task.
        scene: String,
        /// Seed of everything random.
        seed: u64,
    },
    /// A run began.
    RunStarted {
        /// Number of the run, from 1.
        run: u64,
        /// Text of the order.
        text: String,
        /// Planner of the run.
        planner: String,
        /// Perception of the run.
        perception: String,
    },
    /// An event of the robot.
    Event {
        /// The event.
        event: Box<StampedEvent>,
    },
    /// A run ended, and its data are complete.
    RunFinished {
        /// Number of the run.
        run: u64,
        /// True if the run can be downloaded.
        kept: bool,
        /// Verdict of the judge, if the run was about the task of the scene.
        verdict: Option<Verdict>,
    },
    /// Somebody caused a fault or moved an object.
    Disturbed {
        /// The fault as JSON, or a sentence about the moved object.
        what: String,
    },
    /// Internal failure of the session.
    Trouble {
        /// Description.
        message: String,
    },
}

/// Log entry with its number and time.
#[derive(Clone, Debug, Serialize)]
pub struct LogEntry {
    /// Number, from 0 over the life of the session.
    pub n: u64,
    /// Simulated time, s.
    pub sim_secs: f64,
    /// The entry.
    #[serde(flatten)]
    pub entry: Entry,
}
