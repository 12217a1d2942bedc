//! What a world reports when it cannot do what it was told.

use serde::{Deserialize, Serialize};
use strum::VariantArray;

use crate::{Failure, Measured, Phase, Reason};

/// The robot, its controller or the simulation ended something by itself, or cannot answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, thiserror::Error)]
#[error("{kind} at {time_secs:.3} s: {detail}")]
pub struct RobotError {
    /// Its kind.
    pub kind: RobotErrorKind,
    /// The world's time at which it was noticed, s.
    pub time_secs: f64,
    /// What exactly, with figures.
    pub detail: String,
    /// The figures.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub measured: Vec<Measured>,
}

/// Kinds of robot errors.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, thiserror::Error, VariantArray,
)]
#[serde(rename_all = "snake_case")]
pub enum RobotErrorKind {
    /// The controller stopped the arm, since it took something for a collision.
    #[error("the arm stopped by reflex")]
    Reflex,
    /// Somebody pressed the emergency stop, or a safety controller did.
    #[error("the robot waits for a person")]
    EmergencyStop,
    /// The robot does not answer.
    #[error("the robot does not answer")]
    LinkLost,
    /// What was commanded is beyond a limit of the arm, and was refused or ended.
    #[error("a limit of the arm was violated")]
    LimitViolated,
    /// State or commands come too late to act on: one side does not receive the other in time.
    #[error("the robot's state is stale")]
    StaleState,
    /// The motion does not begin where the arm is.
    #[error("the motion does not begin where the arm is")]
    StartMismatch,
    /// Nobody approved that the arm may begin to move.
    #[error("nobody approved the motion")]
    NotApproved,
    /// The physics of a simulation produced a NaN or a runaway speed; nothing after this
    /// means anything.
    #[error("the simulation diverged")]
    Diverged,
}

impl RobotErrorKind {
    /// Why a skill fails that meets it.
    pub fn reason(self) -> Reason {
        match self {
            Self::Reflex => Reason::Reflex,
            Self::EmergencyStop => Reason::EmergencyStop,
            Self::LinkLost => Reason::LinkLost,
            Self::LimitViolated => Reason::LimitViolated,
            Self::StaleState => Reason::StaleState,
            Self::StartMismatch => Reason::StartMismatch,
            Self::NotApproved => Reason::ApprovalDenied,
            Self::Diverged => Reason::SimDiverged,
        }
    }

    /// The kind that a reason speaks of, if it is one of these.
    pub fn of(reason: &Reason) -> Option<Self> {
        let mut all = Self::VARIANTS.iter().copied();
        all.find(|kind| kind.reason() == *reason)
    }

    /// Whether nothing that the robot does can help: somebody has to release, reconnect,
    /// approve or restart something.
    pub fn is_lasting(self) -> bool {
        matches!(
            self,
            Self::EmergencyStop | Self::LinkLost | Self::NotApproved | Self::Diverged
        )
    }
}

impl RobotError {
    /// An error with its sentence.
    pub fn new(kind: RobotErrorKind, time_secs: f64, detail: impl Into<String>) -> Self {
        Self {
            kind,
            time_secs,
            detail: detail.into(),
            measured: vec![],
        }
    }

    /// Adds a figure.
    pub fn measured(mut self, name: &str, value: f64, limit: Option<f64>, unit: &str) -> Self {
        self.measured.push(Measured {
            name: name.into(),
            value,
            limit,
            unit: unit.into(),
        });
        self
    }
}

impl From<RobotError> for Failure {
    fn from(error: RobotError) -> Self {
        let mut failure =
            Self::new(error.kind.reason(), error.to_string()).in_phase(Phase::Execute);
        failure.measured = error.measured;
        failure
    }
}
