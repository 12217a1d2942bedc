//! Severity and category of a failure, and the reaction to it.

use serde::{Deserialize, Serialize};

/// Severity of a failure for the task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// The result can be used as it is.
    Low,
    /// Another try of the same step may succeed.
    Medium,
    /// The plan has to change.
    High,
    /// The episode cannot go on.
    Critical,
}

/// Cause of a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Category {
    /// The scene differs from what the plan needs.
    Environment,
    /// Another step should have come first.
    Dependency,
    /// The call itself is invalid.
    Validation,
    /// The step did not have its intended effect.
    Logic,
    /// The step took too long.
    Timeout,
    /// The robot cannot do this: reach, width, strength.
    Resource,
    /// The infrastructure failed, not the robot.
    Infrastructure,
    /// The cause is not known.
    Unknown,
}

impl Category {
    /// Returns the category as files write it.
    pub fn word(self) -> &'static str {
        self.into()
    }
}

/// Reaction to the outcome of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Route {
    /// Go on with the next step.
    Continue,
    /// Repeat the call, changed if the failure suggests it.
    Retry,
    /// Plan this step again.
    Substitute,
    /// Plan all remaining steps again.
    Replan,
    /// Plan from scratch.
    FullReplan,
    /// Ask a person.
    Ask,
    /// End the episode.
    Abort,
}

/// Decision about the outcome of a step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    /// Reaction.
    pub route: Route,
    /// Severity of the failure.
    pub severity: Severity,
    /// Cause of the failure.
    pub category: Category,
    /// Grounds, in one sentence.
    pub why: String,
}
