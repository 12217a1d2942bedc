//! Steps that need approval, with their risks.

use nalgebra::{Point3, Vector3};
use regrasp_api::{
    Aabb, ApprovalMode, ApprovalPolicy, ApprovalRequest, Failure, Observation, Percept, Phase,
    Reason, Resource, RiskRules, SkillCall, SkillSpec,
};
use regrasp_robot::FREE_SPEED;
use serde_json::Value;

/// Returns the approval request for a step; `None` if it needs no approval. The record of earlier
/// steps of this kind is not considered.
pub fn approval_request(
    policy: &ApprovalPolicy,
    call: &SkillCall,
    specs: &[SkillSpec],
    percept: &Percept,
    observation: &Observation,
) -> Option<ApprovalRequest> {
    if !may_ask(policy) {
        return None;
    }
    let spec = specs.iter().find(|spec| spec.name == call.skill);
    let risks = risks_of(&policy.risks, call, spec, percept, observation);
    let is_asked = policy.mode == ApprovalMode::Always || !risks.is_empty();
    is_asked.then(|| ApprovalRequest {
        call: call.clone(),
        risks,
    })
}

/// Returns true if any step may need approval.
pub fn may_ask(policy: &ApprovalPolicy) -> bool {
    match policy.mode {
        ApprovalMode::Always => true,
        ApprovalMode::Never => false,
        ApprovalMode::Critical => policy.risks != RiskRules::default(),
    }
}

/// Creates the failure of a step that was not approved.
pub fn approval_denied(request: &ApprovalRequest, why: &str) -> Failure {
    let risks = match request.risks.as_slice() {
        [] => "every step has to be approved".to_owned(),
        risks => risks.join("; "),
    };
    let text = format!("{} was not approved: {why} ({risks})", request.call);
    Failure::new(Reason::ApprovalDenied, text).in_phase(Phase::Precondition)
}

/// Risks of a step, one sentence each; empty if it is not critical.
fn risks_of(
    rules: &RiskRules,
    call: &SkillCall,
    spec: Option<&SkillSpec>,
    percept: &Percept,
    observation: &Observation,
) -> Vec<String> {
    let mut risks = vec![];
    let moves = spec.is_none_or(|spec| spec.claims.contains(&Resource::Arm));
    let number = |key: &str| call.args.get(key).and_then(Value::as_f64);
    let speed = number("speed_scale").unwrap_or(FREE_SPEED);
    if let Some(limit) = rules.speed_over.filter(|limit| moves && speed > *limit) {
        risks.push(format!(
            "it moves at {speed} of the arm's limits (more than {limit})"
        ));
    }
    risks.extend(about_objects(rules, call, percept, observation));
    if let (Some(x), Some(y)) = (number("x"), number("y"))
        && in_zone(rules, observation, [x, y], number("z"))
    {
        risks.push(format!("people may be at x={x:.3} y={y:.3}"));
    }
    if rules.irreversible.contains(&call.skill) {
        risks.push(format!("{} cannot be undone", call.skill));
    }
    risks
}

fn about_objects(
    rules: &RiskRules,
    call: &SkillCall,
    percept: &Percept,
    observation: &Observation,
) -> Vec<String> {
    let mut risks = vec![];
    let named = names_in(&call.args);
    let involved = percept.objects.iter();
    for object in involved.filter(|o| named.contains(&o.id.as_str())) {
        let at = object.position();
        if object.movable && in_zone(rules, observation, [at.x, at.y], Some(at.z)) {
            risks.push(format!("people may be at {}", object.id));
        }
        let is_named = |word: &String| *word == object.category || word == object.id.as_str();
        if rules.fragile.iter().any(is_named) {
            risks.push(format!("{} is fragile", object.id));
        }
    }
    risks
}

/// Returns true if a point in World, m, is in a person zone. If the height is not known, a zone
/// counts if the vertical line through the point meets it; the base may be tilted.
fn in_zone(rules: &RiskRules, observation: &Observation, [x, y]: [f64; 2], z: Option<f64>) -> bool {
    let base_from_world = observation.world_from_base.inverse();
    let point_in_base = base_from_world * Point3::new(x, y, z.unwrap_or(0.0));
    let up_in_base = base_from_world * Vector3::z();
    let mut zones = rules.person_zones_in_base_m.iter();
    zones.any(|zone| match z {
        Some(_) => zone.contains(&point_in_base),
        None => meets(zone, point_in_base, up_in_base),
    })
}

/// Returns true if a line meets a box (slab method, Kay and Kajiya 1986).
fn meets(zone: &Aabb, from: Point3<f64>, along: Vector3<f64>) -> bool {
    let (mut first, mut last) = (f64::NEG_INFINITY, f64::INFINITY);
    for i in 0..3 {
        if along[i].abs() < 1e-12 {
            if !(zone.min[i]..=zone.max[i]).contains(&from[i]) {
                return false;
            }
            continue;
        }
        let a = (zone.min[i] - from[i]) / along[i];
        let b = (zone.max[i] - from[i]) / along[i];
        (first, last) = (first.max(a.min(b)), last.min(a.max(b)));
    }
    first <= last
}

/// Kind of a step for the approval log: the skill and its risks without numbers such as `0.4` and
/// `x=0.4`. Trust in a step with one object does not extend to another.
pub(crate) fn kind(call: &SkillCall, risks: &[String]) -> String {
    let is_number = |word: &str| {
        word.rsplit('=')
            .next()
            .is_some_and(|w| w.parse::<f64>().is_ok())
    };
    let words = risks.iter().map(|risk| {
        let plain = risk.split_whitespace().filter(|word| !is_number(word));
        plain.collect::<Vec<_>>().join(" ")
    });
    format!("{}: {}", call.skill, words.collect::<Vec<_>>().join(", "))
}

/// All strings in the arguments of a call.
pub(crate) fn names_in(args: &Value) -> Vec<&str> {
    match args {
        Value::String(text) => vec![text],
        Value::Array(items) => items.iter().flat_map(names_in).collect(),
        Value::Object(fields) => fields.values().flat_map(names_in).collect(),
        _ => vec![],
    }
}

/// Approval log that lives as long as the agent.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_of_step_keeps_names_and_leaves_out_numbers() {
        let call = SkillCall::new("pick", Value::Null);
        let risks = ["people may be at x=0.420 y=-0.1", "cube_1 is fragile"].map(str::to_owned);
        let expected = "pick: people may be at, cube_1 is fragile";
        assert_eq!(kind(&call, &risks), expected);
    }
}
