//! Skills that fail at random.

use std::sync::{Arc, Mutex};

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use regrasp_api::{Failure, Reason, SkillResult, SkillSpec};
use regrasp_robot::{AnySkill, Robot, SkillSet};
use serde_json::Value;

use crate::error::FaultError;
use crate::fault::Fault;

struct Flaky {
    inner: Box<dyn AnySkill>,
    probability: f64,
    after_work: bool,
    reason: Reason,
    /// Random generator that all skills of a set share, so that their failures are independent.
    dice: Arc<Mutex<ChaCha8Rng>>,
}

/// Makes skills of a set fail at random if the fault concerns skills; returns the set unchanged
/// otherwise.
///
/// # Errors
///
/// [`FaultError::UnknownSkill`] if the fault names a skill outside the set.
pub fn flaky_skills(fault: &Fault, skills: SkillSet, seed: u64) -> Result<SkillSet, FaultError> {
    let Fault::SkillFails {
        skill,
        probability,
        after_work,
        reason,
    } = fault
    else {
        return Ok(skills);
    };
    let known: Vec<_> = skills.specs().into_iter().map(|spec| spec.name).collect();
    if let Some(skill) = skill.clone().filter(|name| !known.contains(name)) {
        return Err(FaultError::UnknownSkill { skill, known });
    }
    let dice = Arc::new(Mutex::new(ChaCha8Rng::seed_from_u64(seed)));
    Ok(skills.map(|inner| {
        let is_other = |name: &String| *name != inner.spec().name;
        if skill.as_ref().is_some_and(is_other) {
            return inner;
        }
        Box::new(Flaky {
            inner,
            probability: *probability,
            after_work: *after_work,
            reason: reason.clone(),
            dice: Arc::clone(&dice),
        })
    }))
}

impl Flaky {
    fn fails_now(&self) -> bool {
        let throw = |mut dice: std::sync::MutexGuard<'_, ChaCha8Rng>| dice.random::<f64>();
        self.dice.lock().is_ok_and(|d| throw(d) < self.probability)
    }
}

impl AnySkill for Flaky {
    fn spec(&self) -> SkillSpec {
        self.inner.spec()
    }

    fn may_start(&self, robot: &mut Robot, args: &Value) -> Result<(), Failure> {
        self.inner.may_start(robot, args)
    }

    fn call(&self, robot: &mut Robot, args: &Value) -> SkillResult {
        let fails = self.fails_now();
        if fails && !self.after_work {
            let text = "it stopped before it did anything";
            let failure = Failure::new(self.reason.clone(), text);
            return SkillSet::new().refuse(robot, failure);
        }
        let result = self.inner.call(robot, args);
        if !(fails && result.success) {
            return result;
        }
        SkillResult {
            success: false,
            reason: Some(self.reason.clone()),
            reason_detail: format!("the outcome is unclear: {}", result.reason_detail),
            ..result
        }
    }
}
