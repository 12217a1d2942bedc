//! Steps of a skill written in Python.

use pyo3::prelude::*;
use regrasp::api::{Failure, Measured, ObjectId, Reason, SkillSpec, Success};
use regrasp::robot::{DynamicSkill, Robot};
use serde::Deserialize;
use serde_json::Value;

use crate::lend::lend;
use crate::robot::RawRobot;
use crate::skill::PythonSkill;

/// Answer of `regrasp.bridge` for a step of a skill.
#[derive(Deserialize)]
struct Answer {
    /// Reason of a failure, a slug.
    reason: Option<String>,
    #[serde(default)]
    detail: String,
    #[serde(default)]
    entities: Vec<ObjectId>,
    #[serde(default)]
    measured: Vec<Measured>,
    #[serde(default)]
    hints: Vec<String>,
}

impl Answer {
    fn success(self) -> Success {
        Success {
            detail: self.detail,
            entities: self.entities,
            measured: self.measured,
        }
    }

    fn failure(self) -> Failure {
        let reason = self.reason.unwrap_or_default();
        let mut failure = Failure::new(Reason::from_slug(&reason), self.detail);
        failure.entities = self.entities;
        failure.measured = self.measured;
        self.hints.into_iter().fold(failure, Failure::hint)
    }
}

impl PythonSkill {
    /// Calls one of the skill's functions on a thread to which the robot is lent.
    fn step(
        &self,
        robot: &mut Robot,
        function: &'static str,
        args: &Value,
        work: Option<&Py<PyAny>>,
    ) -> Result<(Success, Py<PyAny>), Failure> {
        let args = args.to_string();
        let called = lend(robot, |lent| {
            Python::attach(|py| -> PyResult<(String, Py<PyAny>)> {
                let robot = Py::new(py, RawRobot::lent(lent))?;
                let work = work.map(|work| work.clone_ref(py));
                let given = (&self.skill, function, robot, args, work);
                let bridge = py.import("regrasp.bridge")?;
                bridge.call_method1("skill_step", given)?.extract()
            })
        });
        let name = &self.spec.name;
        let crashed = |why: String| Failure::new(Reason::Custom("skill_crashed".into()), why);
        let (text, work) = match called {
            Some(Ok(answered)) => answered,
            Some(Err(error)) => return Err(crashed(format!("{name}.{function}: {error}"))),
            None => return Err(crashed(format!("{name}.{function} panicked"))),
        };
        let answer: Answer = serde_json::from_str(&text)
            .map_err(|error| crashed(format!("{name}.{function} returned {text}: {error}")))?;
        match answer.reason {
            None => Ok((answer.success(), work)),
            Some(_) => Err(answer.failure()),
        }
    }
}

impl DynamicSkill for PythonSkill {
    type Task = Py<PyAny>;

    fn spec(&self) -> SkillSpec {
        self.spec.clone()
    }

    fn precondition(&self, robot: &mut Robot, args: &Value) -> Result<Py<PyAny>, Failure> {
        self.step(robot, "precondition", args, None)
            .map(|(_, work)| work)
    }

    fn run(&self, robot: &mut Robot, args: &Value, work: &mut Py<PyAny>) -> Result<(), Failure> {
        self.step(robot, "run", args, Some(work)).map(drop)
    }

    fn verify(
        &self,
        robot: &mut Robot,
        args: &Value,
        work: &Py<PyAny>,
    ) -> Result<Success, Failure> {
        self.step(robot, "verify", args, Some(work))
            .map(|(found, _)| found)
    }
}
