//! What can be wrong with the parts of a world.

use regrasp_api::{RobotError, RobotErrorKind};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The physics produced a NaN or a runaway speed; nothing after this means anything.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Error)]
#[error("the simulation diverged at {time_secs:.3} s: {detail}")]
pub struct Diverged {
    /// Simulated time at which it was noticed.
    pub time_secs: f64,
    /// Which body, and how.
    pub detail: String,
}

impl From<Diverged> for RobotError {
    fn from(diverged: Diverged) -> Self {
        Self::new(
            RobotErrorKind::Diverged,
            diverged.time_secs,
            diverged.detail,
        )
    }
}

/// A world that cannot be built from a robot and a scene. Names what is at fault.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "each message says what its fields are")]
pub enum SimError {
    #[error("build the world: option `{option}` is not a usable number")]
    BadOption { option: String },
    #[error("build the robot: there is no {element} `{name}` (known: {})", known.join(", "))]
    UnknownElement {
        element: &'static str,
        name: String,
        known: Vec<String>,
    },
    #[error("build the robot: `{field}` has {got} entries, expected {expected}")]
    WrongCount {
        field: String,
        expected: usize,
        got: usize,
    },
    #[error(
        "start the arm: `{joint}` would be at {at:.3}, outside of its limits, {lower:.3} to {upper:.3}; \
         is the start that of another arm?"
    )]
    StartOutside {
        joint: String,
        at: f64,
        lower: f64,
        upper: f64,
    },
    #[error("build the robot: joint `{joint}` {problem}")]
    BadJoint { joint: String, problem: String },
    #[error("build the robot: link `{link}` {problem}")]
    BadLink { link: String, problem: String },
    #[error("build the robot: {n_bodies} moving links, at most {max} are supported")]
    TooManyLinks { n_bodies: usize, max: usize },
    #[error("build object `{object}`: {problem}")]
    BadObject { object: String, problem: String },
    #[error("build scene joint `{joint}`: {problem}")]
    BadSceneJoint { joint: String, problem: String },
    #[error("settle the scene: {0}")]
    Diverged(#[from] Diverged),
    #[error("encode the world: {0}")]
    Encode(String),
}
