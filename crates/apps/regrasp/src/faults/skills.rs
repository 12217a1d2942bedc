//! Skills that fail now and then.

use std::sync::{Arc, Mutex};

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use regrasp_api::{Failure, Reason, SkillResult, SkillSpec};
use regrasp_robot::{AnySkill, Robot, SkillSet};
use serde_json::Value;

/// When and how skills fail.
#[derive(Clone, Debug)]
pub struct FlakySkills {
    /// Which; any if `None`.
    pub skill: Option<String>,
    /// How often, 0 to 1.
    pub probability: f64,
    /// Whether the work is done when the skill says that it failed.
    pub after_work: bool,
    /// What it says.
    pub reason: Reason,
}

/// A skill that fails now and then.
struct Flaky {
    inner: Box<dyn AnySkill>,
    fault: FlakySkills,
    /// Shared by all skills of a set, so that their failures are independent.
    dice: Arc<Mutex<ChaCha8Rng>>,
}

impl FlakySkills {
    /// The same skills with the fault in them.
    pub fn apply(self, skills: SkillSet, dice: ChaCha8Rng) -> SkillSet {
        let dice = Arc::new(Mutex::new(dice));
        skills.map(|inner| {
            let concerned = self.skill.as_ref();
            if concerned.is_some_and(|name| *name != inner.spec().name) {
                return inner;
            }
            let (fault, dice) = (self.clone(), Arc::clone(&dice));
            Box::new(Flaky { inner, fault, dice })
        })
    }
}

impl Flaky {
    fn fails_now(&self) -> bool {
        let throw = |mut dice: std::sync::MutexGuard<'_, ChaCha8Rng>| dice.random::<f64>();
        self.dice
            .lock()
            .is_ok_and(|d| throw(d) < self.fault.probability)
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
        if fails && !self.fault.after_work {
            let text = "it stopped before it did anything";
            let failure = Failure::new(self.fault.reason.clone(), text);
            return SkillSet::new().refuse(robot, failure);
        }
        let result = self.inner.call(robot, args);
        if !(fails && result.success) {
            return result;
        }
        SkillResult {
            success: false,
            reason: Some(self.fault.reason.clone()),
            reason_detail: format!("it could not tell whether {}", result.reason_detail),
            ..result
        }
    }
}
