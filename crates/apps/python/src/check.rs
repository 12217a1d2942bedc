//! Conformance tests for skills written in Python.

use pyo3::prelude::*;
use regrasp::api::CancelToken;
use regrasp::ground_truth_perception::NoiseOptions;
use regrasp::sim::SimOptions;
use regrasp_conformance::check;
use serde_json::{Value, json};

use crate::errors::{broken, setup};
use crate::interrupt::interruptible;
use crate::scenes;
use crate::skill::PythonSkill;

/// Runs a skill through every rule in a scene; `calls` are JSON, a list of arguments that should
/// succeed there. Returns the report as JSON.
#[pyfunction]
pub(crate) fn conformance(
    py: Python<'_>,
    skill: Py<PyAny>,
    calls: &str,
    scene: &str,
) -> PyResult<String> {
    let skill = PythonSkill::new(py, skill)?;
    let calls: Vec<Value> = serde_json::from_str(calls).map_err(setup)?;
    let loaded = scenes::loaded(None).map_err(setup)?;
    let scene = scenes::scene(&loaded, scene).map_err(setup)?;
    let make = || loaded.cell(&scene, SimOptions::default(), NoiseOptions::default());
    // Construction is deterministic: if it succeeds once, it succeeds again.
    make().map_err(setup)?;
    let cancel = CancelToken::new();
    let report = interruptible(py, &cancel, || {
        let robot = || match make() {
            Ok(mut cell) => {
                cell.robot.cancel = cancel.clone();
                cell.robot
            }
            Err(error) => panic!("set up the same cell again: {error}"),
        };
        check(&skill, &robot, &calls)
    })?;
    let findings = report.findings.iter().map(|finding| {
        json!({
            "rule": finding.rule,
            "args": finding.args,
            "detail": finding.detail,
        })
    });
    let report_json = json!({
        "skill": report.skill,
        "n_calls": report.n_calls,
        "n_stopped": report.n_stopped,
        "slowest_stop_sim_secs": report.slowest_stop_sim_secs,
        "findings": findings.collect::<Vec<_>>(),
        "text": report.to_string(),
    });
    serde_json::to_string(&report_json).map_err(broken)
}
