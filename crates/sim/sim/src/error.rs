//! Errors of building and stepping a world.

use std::fmt::Display;

use regrasp_api::{RobotError, RobotErrorKind};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The physics produced a NaN or a runaway speed. Later states are meaningless.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Error)]
#[error("the simulation diverged at {time_secs:.3} s: {detail}")]
pub struct Diverged {
    /// Simulated time of detection, s.
    pub time_secs: f64,
    /// The affected body and its state.
    pub detail: String,
}

impl From<Diverged> for RobotError {
    fn from(diverged: Diverged) -> Self {
        let Diverged { time_secs, detail } = diverged;
        Self::new(RobotErrorKind::Diverged, time_secs, detail)
    }
}

pub(crate) type Result<T, E = SimError> = std::result::Result<T, E>;

/// Reason why a world cannot be built from a robot and a scene. It names the faulty element.
#[derive(Clone, Debug, PartialEq, Error)]
#[error("{0}")]
pub struct SimError(pub(crate) String);

impl SimError {
    pub(crate) fn robot(problem: impl Display) -> Self {
        Self(format!("build the robot: {problem}"))
    }

    pub(crate) fn joint(name: &str, problem: impl Display) -> Self {
        Self::robot(format_args!("joint `{name}` {problem}"))
    }

    pub(crate) fn link(name: &str, problem: impl Display) -> Self {
        Self::robot(format_args!("link `{name}` {problem}"))
    }

    pub(crate) fn count(field: &str, got: usize, expected: usize) -> Self {
        Self::robot(format_args!(
            "`{field}` has {got} entries, expected {expected}"
        ))
    }

    pub(crate) fn encode(error: impl Display) -> Self {
        Self(format!("encode the world: {error}"))
    }
}

impl From<Diverged> for SimError {
    fn from(diverged: Diverged) -> Self {
        Self(format!("settle the scene: {diverged}"))
    }
}
