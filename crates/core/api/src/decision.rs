//! Severity, category and route of a failure.

use serde::{Deserialize, Serialize};

/// How bad a failure is for the task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// The result is usable as it is.
    Low,
    /// Another try of the same step may do.
    Medium,
    /// The plan has to change.
    High,
    /// The episode cannot go on.
    Critical,
}

/// Where a failure comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Category {
    /// The scene is not as the plan needs it.
    Environment,
    /// Another step should have come first.
    Dependency,
    /// The call itself is wrong.
    Validation,
    /// The step did not bring about what it should.
    Logic,
    /// It took too long.
    Timeout,
    /// The robot cannot do this: reach, width, strength.
    Resource,
    /// The machinery failed, not the robot.
    Infrastructure,
    /// Nobody knows.
    Unknown,
}

impl Category {
    /// Its word, as it is written in files.
    pub fn word(self) -> &'static str {
        self.into()
    }
}

/// What is done about a step's outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Route {
    /// Go on with the next step.
    Continue,
    /// The same call again, changed where the failure says how.
    Retry,
    /// Another plan for this step only.
    Substitute,
    /// Another plan for all that is left.
    Replan,
    /// Another plan from scratch.
    FullReplan,
    /// Ask a person.
    Ask,
    /// End the episode.
    Abort,
}

/// What was decided about the outcome of a step, and on what grounds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    /// What is done.
    pub route: Route,
    /// How bad it is.
    pub severity: Severity,
    /// Where it comes from.
    pub category: Category,
    /// In one sentence.
    pub why: String,
}
