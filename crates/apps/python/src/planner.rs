//! Planners written in Python.

use std::thread;

use async_trait::async_trait;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use regrasp::api::{Fact, Goal, Plan, PlanRequest, Planner, PlannerError};
use serde_json::{Value, json};
use tokio::sync::oneshot;

/// Planner that is a Python object: `plan(request)`, which may be `async`.
pub(crate) struct PythonPlanner {
    /// The planner, or the error of its construction, reported when it is asked to plan.
    planner: Result<Py<PyAny>, String>,
    name: String,
}

impl PythonPlanner {
    pub(crate) fn new(py: Python<'_>, planner: Py<PyAny>) -> PyResult<Self> {
        let bridge = py.import("regrasp.bridge")?;
        let name = bridge
            .call_method1("planner_name", (&planner,))?
            .extract()?;
        Ok(Self {
            planner: Ok(planner),
            name,
        })
    }
}

/// Planner of a command line. Each episode plans with a fresh copy, so that its state does not
/// depend on other episodes, earlier or concurrent.
pub(crate) fn for_episodes(py: Python<'_>, source: Py<PyAny>) -> PyResult<regrasp_cli::OwnPlanner> {
    let name: String = source.getattr(py, "name")?.extract(py)?;
    let version = source.getattr(py, "version")?.extract(py)?;
    let planner_name = name.clone();
    let build = move || -> Box<dyn Planner> {
        // The copy itself is made when the episode first plans, on a thread that may block.
        let fresh = Python::attach(|py| {
            let sources = py.import("regrasp.sources")?;
            let fresh = sources.call_method1("FreshPlanner", (&source,))?;
            Ok::<_, PyErr>(fresh.unbind())
        });
        Box::new(PythonPlanner {
            planner: fresh.map_err(|error| error.to_string()),
            name: planner_name.clone(),
        })
    };
    Ok(regrasp_cli::OwnPlanner {
        name,
        version,
        build: Box::new(build),
    })
}

#[async_trait]
impl Planner for PythonPlanner {
    fn name(&self) -> &str {
        &self.name
    }

    /// Runs Python on a thread of its own, so that a request that takes too long can be abandoned.
    async fn plan(&mut self, request: &PlanRequest<'_>) -> Result<Plan, PlannerError> {
        let crashed = |detail: String| PlannerError::Crashed { detail };
        let planner = self.planner.as_ref().map_err(|why| crashed(why.clone()))?;
        let planner = Python::attach(|py| planner.clone_ref(py));
        let request_json = to_json(request).to_string();
        let (answer, answered) = oneshot::channel();
        thread::spawn(move || {
            let asked = Python::attach(|py| -> PyResult<(String, String)> {
                let bridge = py.import("regrasp.bridge")?;
                let answer = bridge.call_method1("ask_planner", (planner, request_json))?;
                answer.cast::<PyTuple>()?.extract()
            });
            // The caller may have given up.
            let _ = answer.send(asked.map_err(|error| error.to_string()));
        });
        let unusable = |detail: String| PlannerError::Unusable { detail };
        let asked = answered.await;
        let asked = asked.map_err(|_| crashed("its thread panicked".to_owned()))?;
        match asked.map_err(crashed)? {
            (kind, plan) if kind == "plan" => parse(&plan, request).map_err(unusable),
            (kind, why) if kind == "unusable" => Err(unusable(why)),
            (_, traceback) => Err(crashed(traceback)),
        }
    }
}

fn to_json(request: &PlanRequest<'_>) -> Value {
    json!({
        "task": request.task,
        "trigger": request.trigger,
        "scope": request.scope,
        "remaining": request.remaining,
        "percept": request.percept,
        "observation": request.observation,
        "held": request.held.map(|held| &held.id),
        "attempts": request.attempts,
        "completed": request.completed,
        "past_cases": request.past_cases,
        "answers": request.answers,
        "repair": request.repair,
        "correction": request.correction,
        "tokens_left": request.tokens_left,
        "skills": request.skills,
        "robot": request.robot.name,
    })
}

/// Parses a plan from JSON. A goal may also be a text such as `on(red_cube, plate)`.
fn parse(text: &str, request: &PlanRequest<'_>) -> Result<Plan, String> {
    let mut plan: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    if let Some(goals) = plan.get_mut("goals").and_then(Value::as_array_mut) {
        for goal in goals {
            let Some(text) = goal.as_str() else {
                continue;
            };
            let fact: Fact = text.parse()?;
            let meant = match Goal::from(fact) {
                Goal::Declared { .. } => {
                    return Err(format!(
                        "the goal `{text}` is not known; expected for example `on(red_cube, plate)`"
                    ));
                }
                goal => goal.in_or_on_by_shape(request.percept),
            };
            *goal = serde_json::to_value(meant).map_err(|error| error.to_string())?;
        }
    }
    serde_json::from_value(plan).map_err(|error| error.to_string())
}
