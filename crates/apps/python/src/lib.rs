//! Regrasp as a Python package: the only crate that knows Python.
//!
//! **What it does.** It makes the extension module `regrasp._regrasp`, on which the sources below
//! `python/regrasp` build the public API: a robot in a scene, environments for learning, and the
//! command line. Values that are not arrays pass as JSON, in the same form as in run folders.
//!
//! **What it does not do.** It has no logic about robots and no public class: those are Python with
//! types and docstrings.
//!
//! **Where to enter.** `robot` (behind `regrasp.Robot`), `env` (Gymnasium), `skill` and `planner`
//! (those written in Python).
//!
//! # Invariants
//!
//! - While it simulates, plans or renders, no thread holds Python's lock.
//! - Ctrl-C is noticed within 50 ms of real time; the arm comes to rest, and then
//!   `KeyboardInterrupt` is raised.
//! - A skill in Python can use the robot only while it is called.
//! - It is built without a Python (`abi3`, `extension-module`), and one build serves 3.10 and
//!   later.
//!
//! # The libraries behind it
//!
//! `pyo3` (PyO3) and `numpy` (rust-numpy). All unsafe code is theirs.

mod check;
mod effects;
mod env;
mod errors;
mod events;
mod interrupt;
mod lend;
mod motion;
mod planner;
mod robot;
mod scenes;
mod skill;
mod step;

use std::ffi::OsString;

use pyo3::prelude::*;
use regrasp::robot::SkillSet;

use crate::skill::PythonSkill;

/// Private extension module of the package `regrasp`.
#[pymodule]
mod _regrasp {
    #[pymodule_export]
    use super::check::conformance;
    #[pymodule_export]
    use super::env::{RawEnvs, task_names};
    #[pymodule_export]
    use super::main;
    #[pymodule_export]
    use super::robot::RawRobot;
    #[pymodule_export]
    use super::scenes::scene_names;
    #[pymodule_export]
    use super::version;
}

/// The version of the package.
#[pyfunction]
fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// Carries out a command line with further skills and, if one is given, with a planner; the first
/// word is the program's name. Returns the exit code.
#[pyfunction]
fn main(
    py: Python<'_>,
    arguments: Vec<OsString>,
    skills: Vec<Py<PyAny>>,
    planner: Option<Py<PyAny>>,
) -> PyResult<u8> {
    let skills = skills.into_iter().map(|skill| PythonSkill::new(py, skill));
    let skills: Vec<_> = skills.collect::<PyResult<_>>()?;
    let add = move |standard: SkillSet| {
        Python::attach(|py| {
            let own = skills.iter().map(|skill| skill.clone_ref(py));
            own.fold(standard, |set, skill| set.with(skill))
        })
    };
    let planner = planner.map(|source| planner::for_episodes(py, source));
    let planner = planner.transpose()?;
    Ok(py.detach(|| regrasp_cli::main_of(arguments, add, planner) as u8))
}
