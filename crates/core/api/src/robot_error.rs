//! Errors of a world that cannot execute a command.

use serde::{Deserialize, Serialize};
use strum::VariantArray;

use crate::{Failure, Measured, Phase, Reason};

/// Error of the robot, its controller or the simulation, which ended a motion or cannot answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, thiserror::Error)]
#[error("{kind} at {time_secs:.3} s: {detail}")]
pub struct RobotError {
    /// Kind of the error.
    pub kind: RobotErrorKind,
    /// World time of the detection, s.
    pub time_secs: f64,
    /// Details with figures.
    pub detail: String,
    /// Figures behind the error.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub measured: Vec<Measured>,
}

/// Kinds of robot errors.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, thiserror::Error, VariantArray,
)]
#[serde(rename_all = "snake_case")]
pub enum RobotErrorKind {
    /// The controller stopped the arm because of a suspected collision.
    #[error("the controller stopped the arm (reflex)")]
    Reflex,
    /// A person or a safety controller triggered the emergency stop.
    #[error("the emergency stop is active")]
    EmergencyStop,
    /// The robot does not answer.
    #[error("the robot does not answer")]
    LinkLost,
    /// A command exceeded a limit of the arm, and was rejected or ended.
    #[error("a limit of the arm was violated")]
    LimitViolated,
    /// State or commands arrive too late to act on, in either direction.
    #[error("the robot's state is stale")]
    StaleState,
    /// The motion does not begin at the arm's present position.
    #[error("the motion does not start at the arm's position")]
    StartMismatch,
    /// No person approved that the arm may begin to move.
    #[error("nobody approved the motion")]
    NotApproved,
    /// The simulation produced a NaN or a runaway speed; all later states are meaningless.
    #[error("the simulation diverged")]
    Diverged,
}

impl RobotErrorKind {
    /// Returns the reason for the result of a skill that meets this error.
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

    /// Returns the kind of error that a reason denotes; `None` for other reasons.
    pub fn of(reason: &Reason) -> Option<Self> {
        let mut all = Self::VARIANTS.iter().copied();
        all.find(|kind| kind.reason() == *reason)
    }

    /// Returns true if a person has to release, reconnect, approve or restart something.
    pub fn is_lasting(self) -> bool {
        matches!(
            self,
            Self::EmergencyStop | Self::LinkLost | Self::NotApproved | Self::Diverged
        )
    }
}

impl RobotError {
    /// Creates an error; `detail` describes it in a sentence.
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
        let figure = Measured::new(name, value, limit, unit);
        self.measured.push(figure);
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
