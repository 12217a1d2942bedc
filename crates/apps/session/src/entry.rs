//! What happened, in the order in which it did.

use regrasp_api::StampedEvent;
use serde::Serialize;

use crate::verdict::Verdict;

/// Something that happened in a session.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "snake_case", tag = "entry")]
pub enum Entry {
    /// A new world; nothing before this matters any more.
    Reset {
        /// The scene or the task.
        scene: String,
        /// Seed of everything random.
        seed: u64,
    },
    /// A run began.
    RunStarted {
        /// Counts from 1.
        run: u64,
        /// What was asked for.
        text: String,
        /// Planner in charge.
        planner: String,
        /// Perception in use.
        perception: String,
    },
    /// An event of the robot.
    Event {
        /// The event.
        event: Box<StampedEvent>,
    },
    /// A run ended, and what was kept of it is there.
    RunFinished {
        /// Which.
        run: u64,
        /// True if it can be downloaded.
        kept: bool,
        /// What the judge says, if the run was about the task of the scene.
        verdict: Option<Verdict>,
    },
    /// Somebody made something go wrong, or moved something.
    Disturbed {
        /// What, in words.
        what: String,
    },
    /// Something is wrong with the session itself.
    Trouble {
        /// What.
        message: String,
    },
}

/// An entry with its place.
#[derive(Clone, Debug, Serialize)]
pub struct LogEntry {
    /// Counts from 0 over the life of the session.
    pub n: u64,
    /// Simulated time, s.
    pub sim_secs: f64,
    /// What happened.
    #[serde(flatten)]
    pub entry: Entry,
}
