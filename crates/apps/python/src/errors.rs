//! Errors of Rust as exceptions of Python.

use pyo3::prelude::*;
use regrasp::api::{Failure, SkillResult};

/// The exception of that name in `regrasp.errors`, made of these arguments.
fn exception<'py>(
    py: Python<'py>,
    name: &str,
    arguments: impl pyo3::call::PyCallArgs<'py>,
) -> PyResult<PyErr> {
    let class = py.import("regrasp.errors")?.getattr(name)?;
    Ok(PyErr::from_value(class.call1(arguments)?))
}

/// A failure of the robot with its reason and figures.
pub(crate) fn failed(py: Python<'_>, failure: Failure) -> PyErr {
    let result: SkillResult = failure.into();
    let told = match serde_json::to_string(&result) {
        Ok(told) => told,
        Err(error) => return broken(py, &error),
    };
    match exception(py, "RobotFailure", (told,)) {
        Ok(error) | Err(error) => error,
    }
}

/// Something that cannot be set up: files, names, options.
pub(crate) fn setup(py: Python<'_>, error: &dyn std::fmt::Display) -> PyErr {
    match exception(py, "SetupError", (error.to_string(),)) {
        Ok(error) | Err(error) => error,
    }
}

/// A bug.
pub(crate) fn broken(py: Python<'_>, error: &dyn std::fmt::Display) -> PyErr {
    match exception(py, "RegraspError", (error.to_string(),)) {
        Ok(error) | Err(error) => error,
    }
}
