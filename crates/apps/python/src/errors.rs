//! Conversion of Rust errors to Python exceptions.

use std::fmt::Display;

use pyo3::prelude::*;
use regrasp::api::{Failure, SkillResult};

/// Exception class of this name in `regrasp.errors`.
fn exception(name: &str, text: String) -> PyErr {
    let made = |py: Python<'_>| -> PyResult<PyErr> {
        let class = py.import("regrasp.errors")?.getattr(name)?;
        Ok(PyErr::from_value(class.call1((text,))?))
    };
    Python::attach(made).unwrap_or_else(|error| error)
}

/// Exception for a failure of the robot, with its reason and figures.
pub(crate) fn failed(failure: Failure) -> PyErr {
    match serde_json::to_string(&SkillResult::from(failure)) {
        Ok(json) => exception("RobotFailure", json),
        Err(error) => broken(error),
    }
}

/// Exception for a setup failure: files, names, options.
pub(crate) fn setup(error: impl Display) -> PyErr {
    exception("SetupError", error.to_string())
}

pub(crate) fn broken(error: impl Display) -> PyErr {
    exception("RegraspError", error.to_string())
}
