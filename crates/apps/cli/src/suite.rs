//! Suites of tasks by name.

use regrasp::bench::Suite;

/// Name of the suite of fault classes.
const RECOVERY: &str = "recovery";

/// A suite of tasks by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SuiteName {
    /// Built-in tasks.
    Tasks(Suite),
    /// Every class of faults, and whether the agent recovers or says why it cannot. It has no tasks of
    /// its own.
    Recovery,
    /// A folder of LIBERO's problem files.
    Libero(String),
}

impl SuiteName {
    /// `libero_goal`, `libero:goal`, or one of those that are known.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        if let Some(own) = text.strip_prefix("libero:") {
            return Ok(Self::Libero(format!("libero_{own}")));
        }
        if text.starts_with("libero_") {
            return Ok(Self::Libero(text.to_owned()));
        }
        if text == RECOVERY {
            return Ok(Self::Recovery);
        }
        let tasks = task_suite(text).map(Self::Tasks);
        tasks.map_err(|expected| {
            format!(
                "{expected}, {RECOVERY}, or a folder of LIBERO's problem files such as libero_goal"
            )
        })
    }
}

/// Reads the name of a suite of built-in tasks.
pub(crate) fn task_suite(text: &str) -> Result<Suite, String> {
    if text == RECOVERY {
        return Err("the recovery suite's classes of faults have no tasks of their own".into());
    }
    let found = Suite::EVERY.into_iter().find(|suite| suite.name() == text);
    found.ok_or_else(|| {
        format!(
            "expected one of {}",
            Suite::EVERY.map(Suite::name).join(", ")
        )
    })
}
