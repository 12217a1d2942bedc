//! Conversion of Rust errors to Python exceptions.

use pyo3::prelude::*;
use regrasp::api::{Failure, SkillResult};

/// Exception of this name from `regrasp.errors`.
fn exception(py: Python<'_>, name: &str, text: String) -> PyErr {
    let made = || -> PyResult<PyErr> {
        let class = py.import("regrasp.errors")?.getattr(name)?;
        Ok(PyErr::from_value(class.call1((text,))?))
    };
    made().unwrap_or_else(|error| error)
}

/// Exception for a failure of the robot, with its reason and figures.
pub(crate) fn failed(py: Python<'_>, failure: Failure) -> PyErr {
    match serde_json::to_string(&SkillResult::from(failure)) {
        Ok(json) => exception(py, "RobotFailure", json),
        Err(error) => broken(py, &error),
    }
}

/// Exception for a setup failure: files, names, options.
pub(crate) fn setup(py: Python<'_>, error: &dyn std::fmt::Display) -> PyErr {
    exception(py, "SetupError", error.to_string())
}

pub(crate) fn broken(py: Python<'_>, error: &dyn std::fmt::Display) -> PyErr {
    exception(py, "RegraspError", error.to_string())
}
