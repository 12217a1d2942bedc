//! Which steps wait for somebody's approval.

use regrasp_api::{Aabb, FREE_SPEED, Percept, Resource, SkillCall, SkillSpec};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Which steps wait for approval.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ApprovalPolicy {
    /// Which steps. Default: critical ones.
    pub mode: ApprovalMode,
    /// What makes a step critical. Default: nothing does.
    pub risks: RiskRules,
    /// After so many approvals in a row without an incident, a kind of step (skill and
    /// risks) is approved by itself. Default: never.
    pub trust_after: Option<u32>,
}

/// Which steps wait for approval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ApprovalMode {
    /// Every step.
    Always,
    /// None.
    Never,
    /// Those with a risk.
    #[default]
    Critical,
}

/// What makes a step critical.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RiskRules {
    /// The arm moves faster than this part of its limits. A step's own `speed_scale`
    /// counts; one that does not say moves at the usual speed.
    pub speed_over: Option<f64>,
    /// The step's object or destination is where people may be; boxes in World, m.
    pub person_zones: Vec<Aabb>,
    /// The step is about an object of this id or category.
    pub fragile: Vec<String>,
    /// The step cannot be undone: names of skills.
    pub irreversible: Vec<String>,
}

impl RiskRules {
    /// Why a step is critical, one sentence each; empty if it is not.
    pub(crate) fn risks(
        &self,
        call: &SkillCall,
        spec: Option<&SkillSpec>,
        percept: &Percept,
    ) -> Vec<String> {
        let mut risks = vec![];
        let moves = spec.is_none_or(|spec| spec.claims.contains(&Resource::Arm));
        let number = |key: &str| call.args.get(key).and_then(Value::as_f64);
        let speed = number("speed_scale").unwrap_or(FREE_SPEED);
        if let Some(limit) = self.speed_over.filter(|limit| moves && speed > *limit) {
            risks.push(format!(
                "it moves at {speed} of the arm's limits (over {limit})"
            ));
        }
        let named = names_in(&call.args);
        let involved: Vec<_> = percept
            .objects
            .iter()
            .filter(|o| named.contains(&o.id.as_str()))
            .collect();
        let in_zone = |p: [f64; 3]| {
            self.person_zones
                .iter()
                .any(|zone| zone.contains(&p.into()))
        };
        for object in &involved {
            if object.movable && in_zone(object.position().into()) {
                risks.push(format!("{} is where people may be", object.id));
            }
            let is_named = |word: &String| *word == object.category || word == object.id.as_str();
            if self.fragile.iter().any(is_named) {
                risks.push(format!("{} is fragile", object.id));
            }
        }
        if let (Some(x), Some(y)) = (number("x"), number("y")) {
            let at_height = |zone: &Aabb| number("z").unwrap_or_else(|| zone.center().z);
            if self
                .person_zones
                .iter()
                .any(|z| z.contains(&[x, y, at_height(z)].into()))
            {
                risks.push(format!("x={x:.3} y={y:.3} is where people may be"));
            }
        }
        if self.irreversible.contains(&call.skill) {
            risks.push(format!("{} cannot be undone", call.skill));
        }
        risks
    }
}

/// The kind of a step, as far as trust goes: the skill, and what is risky about it
/// without its figures.
pub(crate) fn kind(call: &SkillCall, risks: &[String]) -> String {
    let words = risks.iter().map(|risk| {
        let plain = risk
            .split_whitespace()
            .filter(|w| !w.contains(|c: char| c.is_ascii_digit()));
        plain.collect::<Vec<_>>().join(" ")
    });
    format!("{}: {}", call.skill, words.collect::<Vec<_>>().join(", "))
}

/// Every text among the arguments of a call.
pub(crate) fn names_in(args: &Value) -> Vec<&str> {
    match args {
        Value::String(text) => vec![text],
        Value::Array(items) => items.iter().flat_map(names_in).collect(),
        Value::Object(fields) => fields.values().flat_map(names_in).collect(),
        _ => vec![],
    }
}

/// Remembers how approved steps went for as long as the agent lives.
#[derive(Clone, Debug, Default)]
pub(crate) struct ShortMemory(std::collections::BTreeMap<String, u32>);

impl regrasp_api::ApprovalLog for ShortMemory {
    fn record(&mut self, kind: &str, incident: bool) -> Result<(), regrasp_api::StoreError> {
        let streak = self.0.entry(kind.to_owned()).or_default();
        *streak = if incident { 0 } else { *streak + 1 };
        Ok(())
    }

    fn clean_streak(&mut self, kind: &str) -> Result<u32, regrasp_api::StoreError> {
        Ok(self.0.get(kind).copied().unwrap_or(0))
    }
}
