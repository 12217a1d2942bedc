//! Skills written in Python.

use pyo3::prelude::*;
use regrasp::api::{HandUse, Reason, Resource, SkillSpec};
use serde::Deserialize;
use serde_json::Value;

use crate::effects::{Declared, operators};

/// Skill that is a Python object, called through `regrasp.bridge`.
pub(crate) struct PythonSkill {
    pub(crate) skill: Py<PyAny>,
    pub(crate) spec: SkillSpec,
}

#[derive(Deserialize)]
struct Declaration {
    name: String,
    description: String,
    args_schema: Value,
    remedies: Vec<Reason>,
    hand: HandUse,
    operators: Vec<Declared>,
}

impl PythonSkill {
    pub(crate) fn new(py: Python<'_>, skill: Py<PyAny>) -> PyResult<Self> {
        let bridge = py.import("regrasp.bridge")?;
        let text: String = bridge.call_method1("skill_spec", (&skill,))?.extract()?;
        let declaration: Result<Declaration, _> = serde_json::from_str(&text);
        let declaration = declaration.map_err(crate::errors::setup)?;
        let operators = operators(&declaration.operators).map_err(|why| {
            crate::errors::setup(format!("use the skill `{}`: {why}", declaration.name))
        })?;
        let spec = SkillSpec {
            name: declaration.name,
            description: declaration.description,
            args_schema: declaration.args_schema,
            claims: vec![Resource::Arm, Resource::Gripper],
            hand: declaration.hand,
            remedies: declaration.remedies,
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
}
