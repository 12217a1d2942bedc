//! Skills that are written in Python.

use pyo3::prelude::*;
use regrasp::api::{Failure, HandUse, Measured, ObjectId, Reason, Resource, SkillSpec, Success};
use regrasp::robot::{DynamicSkill, Robot};
use serde::Deserialize;
use serde_json::Value;

use crate::effects::{Declared, operators};
use crate::lend::lend;
use crate::robot::RawRobot;

/// A skill that is an object of Python. `regrasp.bridge` knows how to call it.
pub(crate) struct OwnSkill {
    skill: Py<PyAny>,
    spec: SkillSpec,
}

/// What a skill says of itself.
#[derive(Deserialize)]
struct Said {
    name: String,
    description: String,
    args_schema: Value,
    mends: Vec<Reason>,
    hand: HandUse,
    operators: Vec<Declared>,
}

/// What `regrasp.bridge` answers for a step of a skill.
#[derive(Deserialize)]
struct Answer {
    /// A slug, if it failed.
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

impl OwnSkill {
    /// Takes in what the skill says of itself.
    pub(crate) fn new(py: Python<'_>, skill: Py<PyAny>) -> PyResult<Self> {
        let bridge = py.import("regrasp.bridge")?;
        let text: String = bridge.call_method1("skill_spec", (&skill,))?.extract()?;
        let said: Result<Said, _> = serde_json::from_str(&text);
        let said = said.map_err(|error| crate::errors::setup(py, &error))?;
        let operators = operators(&said.operators).map_err(|why| {
            crate::errors::setup(py, &format!("use the skill `{}`: {why}", said.name))
        })?;
        let spec = SkillSpec {
            name: said.name,
            description: said.description,
            args_schema: said.args_schema,
            claims: vec![Resource::Arm, Resource::Gripper],
            hand: said.hand,
            mends: said.mends,
            operators,
        };
        Ok(Self { skill, spec })
    }

    pub(crate) fn clone_ref(&self, py: Python<'_>) -> Self {
        Self {
            skill: self.skill.clone_ref(py),
            spec: self.spec.clone(),
        }
    }

    pub(crate) fn name(&self) -> &str {
        &self.spec.name
    }

    /// Calls one of its functions on a thread that has the robot lent.
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
        let (told, work) = match called {
            Some(Ok(told)) => told,
            Some(Err(error)) => return Err(crashed(format!("{name}.{function}: {error}"))),
            None => return Err(crashed(format!("{name}.{function} panicked"))),
        };
        let answer: Answer = serde_json::from_str(&told)
            .map_err(|error| crashed(format!("{name}.{function} answered {told}: {error}")))?;
        match answer.reason {
            None => Ok((answer.success(), work)),
            Some(_) => Err(answer.failure()),
        }
    }
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

impl DynamicSkill for OwnSkill {
    type Work = Py<PyAny>;

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
