//! Conversion of Rust errors to Python exceptions.

use pyo3::prelude::*;
use regrasp::api::{Failure, SkillResult};

/// Exception of this name from `regrasp.errors`.
fn exception<'py>(
    py: Python<'py>,
    name: &str,
    arguments: impl pyo3::call::PyCallArgs<'py>,
) -> PyResult<PyErr> {
    let class = py.import("regrasp.errors")?.getattr(name)?;
    Ok(PyErr::from_value(class.call1(arguments)?))
}

/// Exception for a failure of the robot, with its reason and figures.
pub(crate) fn failed(py: Python<'_>, failure: Failure) -> PyErr {
    let result: SkillResult = failure.into();
    let json = match serde_json::to_string(&result) {
        Ok(json) => json,
        Err(error) => return broken(py, &error),
    };
    match exception(py, "RobotFailure", (json,)) {
        Ok(error) | Err(error) => error,
    }
}

/// Exception for a setup failure: files, names, options.
pub(crate) fn setup(py: Python<'_>, error: &dyn std::fmt::Display) -> PyErr {
    match exception(py, "SetupError", (error.to_string(),)) {
        Ok(error) | Err(error) => error,
    }
}

pub(crate) fn broken(py: Python<'_>, error: &dyn std::fmt::Display) -> PyErr {
    match exception(py, "RegraspError", (error.to_string(),)) {
        Ok(error) | Err(error) => error,
    }
}
