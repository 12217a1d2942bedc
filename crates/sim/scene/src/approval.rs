//! The approval policy in a robot file: which steps wait for a person.

use regrasp_api::{ApprovalMode, ApprovalPolicy, RiskRules};

use crate::SceneError;
use crate::fields::{Field, Fields, Sign};
use crate::formats::keys;
use crate::keys::bounds;

/// Reads `approval:`; its keys are those of the agent's settings.
pub(crate) fn policy(field: &Field<'_>) -> Result<ApprovalPolicy, SceneError> {
    let policy = field.fields(keys("approval"))?;
    Ok(ApprovalPolicy {
        mode: policy
            .get("mode")
            .map_or(Ok(ApprovalMode::default()), mode)?,
        risks: policy
            .get("risks")
            .map_or(Ok(RiskRules::default()), risks)?,
        trust_after: policy.get("trust_after").map(times).transpose()?,
    })
}

fn mode(field: Field<'_>) -> Result<ApprovalMode, SceneError> {
    let modes = [
        ("always", ApprovalMode::Always),
        ("never", ApprovalMode::Never),
        ("critical", ApprovalMode::Critical),
    ];
    field.choice("approval mode", &modes)
}

fn risks(field: Field<'_>) -> Result<RiskRules, SceneError> {
    let risks = field.fields(keys("risks"))?;
    Ok(RiskRules {
        speed_over: risks.get("speed_over").map(part_of_limits).transpose()?,
        person_zones_in_base_m: match risks.get("person_zones_in_base_m") {
            None => vec![],
            Some(zones) => zones
                .items()?
                .map(|z| bounds(&z))
                .collect::<Result<_, _>>()?,
        },
        fragile: words(&risks, "fragile")?,
        irreversible: words(&risks, "irreversible")?,
    })
}

fn part_of_limits(field: Field<'_>) -> Result<f64, SceneError> {
    let part = field.number(Sign::Positive)?;
    if part <= 1.0 {
        return Ok(part);
    }
    Err(field.not_allowed(
        part,
        "a part of the arm's limits, greater than 0 and at most 1",
    ))
}

fn times(field: Field<'_>) -> Result<u32, SceneError> {
    let times = field.number(Sign::Positive)?;
    if times.fract() == 0.0 && times <= f64::from(u32::MAX) {
        return Ok(times as u32);
    }
    Err(field.not_allowed(times, "a whole number, 1 or greater"))
}

fn words<'a>(fields: &Fields<'a>, key: &'a str) -> Result<Vec<String>, SceneError> {
    let words = fields.get(key).map(|f| f.words()).transpose()?;
    Ok(words.into_iter().flatten().map(|word| word.value).collect())
}
