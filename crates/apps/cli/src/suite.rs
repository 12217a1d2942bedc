//! Suites of tasks by name.

use regrasp::bench::Suite;

const RECOVERY: &str = "recovery";

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SuiteName {
    /// Built-in tasks.
    Tasks(Suite),
    /// Fault classes, from which the agent recovers or reports why it cannot. The suite
    /// lists no tasks.
    Recovery,
    /// Folder of LIBERO's problem files.
    Libero(String),
}

impl SuiteName {
    /// Parses `libero_goal`, `libero:goal`, or a known name.
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
            format!("{expected}, {RECOVERY}, or a suite of LIBERO's such as libero:goal")
        })
    }
}

pub(crate) fn task_suite(text: &str) -> Result<Suite, String> {
    let known = format!("expected one of {}", Suite::NAMES.join(", "));
    match text {
        RECOVERY => Err(format!(
            "the recovery suite has classes of faults, not tasks; {known}"
        )),
        _ => text.parse().map_err(|_| known),
    }
}
