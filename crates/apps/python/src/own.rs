//! Skills written in Python.

use pyo3::prelude::*;
use regrasp::api::{HandUse, Reason, Resource, SkillSpec};
use serde::Deserialize;
use serde_json::Value;

use crate::effects::{Declared, operators};

/// Skill that is a Python object, called through `regrasp.bridge`.
pub(crate) struct OwnSkill {
    pub(crate) skill: Py<PyAny>,
    pub(crate) spec: SkillSpec,
}

#[derive(Deserialize)]
struct Said {
    name: String,
    description: String,
    args_schema: Value,
    remedies: Vec<Reason>,
    hand: HandUse,
    operators: Vec<Declared>,
}

impl OwnSkill {
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
            remedies: said.remedies,
            operators,
            looks_ahead: |_| false,
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
}
