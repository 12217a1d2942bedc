//! The approval policy of a robot file: the steps that need a person's consent.

use regrasp_api::{ApprovalMode, ApprovalPolicy, RiskRules};

use crate::SceneError;
use crate::fields::{Field, Fields, Sign};
use crate::formats::keys;
use crate::keys::bounds;

/// Reads `approval:`; its keys are those of the agent's settings.
pub(crate) fn policy(field: Field<'_>) -> Result<ApprovalPolicy, SceneError> {
    let policy = field.fields(keys("approval"))?;
    Ok(ApprovalPolicy {
        mode: policy.maybe("mode", mode)?.unwrap_or_default(),
        risks: policy.maybe("risks", risks)?.unwrap_or_default(),
        trust_after: policy.maybe("trust_after", times)?,
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
        speed_over: risks.maybe("speed_over", part_of_limits)?,
        person_zones_in_base_m: risks.each("person_zones_in_base_m", |zone| bounds(&zone))?,
        fragile: words(&risks, "fragile")?,
        irreversible: words(&risks, "irreversible")?,
    })
}

fn part_of_limits(field: Field<'_>) -> Result<f64, SceneError> {
    let allowed = "greater than 0 and at most 1, as a fraction of the arm's limits";
    field.number_if(Sign::Positive, |part| part <= 1.0, allowed)
}

fn times(field: Field<'_>) -> Result<u32, SceneError> {
    let is_count = |n: f64| n.fract() == 0.0 && n <= f64::from(u32::MAX);
    let times = field.number_if(Sign::Positive, is_count, "a whole number, 1 or greater")?;
    Ok(times as u32)
}

fn words<'a>(fields: &Fields<'a>, key: &'a str) -> Result<Vec<String>, SceneError> {
    let words = fields.maybe(key, |field| field.words())?;
    Ok(words.into_iter().flatten().map(|word| word.value).collect())
}
