//! Restricts or extends what a planner learns about failures: less, to measure the value of
//! reasons, or more, for a planner that cannot find the remedy itself.

use async_trait::async_trait;
use regrasp_api::{
    ImageSource, Plan, PlanRequest, Planner, PlannerError, PriorAttempt, Reason, Reflection,
    RepairPlan, SkillCall, Trigger,
};
use serde_json::{Value, json};

use crate::FeedbackPlanner;
use crate::calls::aim_of;

/// Largest number of repair calls that the planner is shown. Later calls are planned again after
/// these.
const MAX_CALLS: usize = 6;

/// Feedback about failures that a planner receives. Each level includes the ones before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, derive_more::Display)]
pub enum FeedbackLevel {
    /// Only the fact that a call failed.
    #[display("reasons withheld")]
    Withheld,
    /// The reason's slug.
    #[display("slug")]
    Slug,
    /// The reason's message, the objects involved, and the figures.
    #[display("slug + detail")]
    Detail,
    /// The remedy: the skill's hints, the agent's reflection, past cases, and the repair calls of
    /// the task planner.
    #[display("slug + detail + remedies")]
    Remedies,
}

impl FeedbackLevel {
    /// All levels, the least feedback first.
    pub const ALL: [Self; 4] = [Self::Withheld, Self::Slug, Self::Detail, Self::Remedies];

    fn of(self, attempt: &PriorAttempt) -> PriorAttempt {
        let reported = PriorAttempt {
            hints: vec![],
            reflection: Reflection::default(),
            varied: None,
            ..attempt.clone()
        };
        let slug = || PriorAttempt {
            reason_detail: "it failed".into(),
            entities: vec![],
            measured: vec![],
            ..reported.clone()
        };
        match self {
            Self::Withheld => PriorAttempt {
                reason: Reason::from_slug("failed"),
                ..slug()
            },
            Self::Slug => slug(),
            Self::Detail => reported,
            Self::Remedies => attempt.clone(),
        }
    }

    fn of_trigger(self, trigger: &Trigger) -> Trigger {
        match (self, trigger) {
            (Self::Withheld, Trigger::StepFailed { step_idx, .. }) => Trigger::StepFailed {
                step_idx: *step_idx,
                reason: Reason::from_slug("failed"),
            },
            (_, trigger) => trigger.clone(),
        }
    }
}

/// A planner with a given level of feedback about failures.
///
/// At [`FeedbackLevel::Remedies`], a [`FeedbackPlanner`] follows all requests as an adviser. After
/// a failure, its next calls are given to the planner as the repair. If the adviser does not
/// understand the task, it plans for the effect of the failed call instead.
pub struct AblatedPlanner {
    inner: Box<dyn Planner>,
    feedback: FeedbackLevel,
    adviser: FeedbackPlanner,
    hands_over: bool,
    is_handed_over: bool,
}

impl AblatedPlanner {
    /// Gives `inner` this level of feedback.
    pub fn new(inner: Box<dyn Planner>, feedback: FeedbackLevel) -> Self {
        Self {
            inner,
            feedback,
            adviser: FeedbackPlanner::new(),
            hands_over: false,
            is_handed_over: false,
        }
    }

    /// Sets whether the adviser takes over from a planner that makes no progress.
    pub fn handing_over(mut self, hands_over: bool) -> Self {
        self.hands_over = hands_over;
        self
    }

    fn repair_plan(&mut self, request: &PlanRequest<'_>) -> Option<RepairPlan> {
        // The adviser needs the first request, too, because it grounds names there.
        let plan = self.adviser.plan_at_once(request);
        let failed = match request.trigger {
            Trigger::StepFailed { .. } | Trigger::Refused { .. } | Trigger::GoalNotMet => {
                Some(request.attempts.last()?)
            }
            Trigger::NoProgress { .. } => None,
            _ => return None,
        };
        match plan {
            Ok(plan) if plan.question.is_none() => Some(repair_plan(&plan, failed)),
            Ok(_) => None,
            Err(_) => {
                let task = format!("goal: {}", aim_of_attempt(failed?, request)?);
                let request = PlanRequest {
                    task: &task,
                    answers: &[],
                    ..request.clone()
                };
                let plan = FeedbackPlanner::new().plan_at_once(&request).ok()?;
                plan.question.is_none().then(|| repair_plan(&plan, failed))
            }
        }
    }
}

/// Goal of the failed call in the goal notation.
fn aim_of_attempt(failed: &PriorAttempt, request: &PlanRequest<'_>) -> Option<String> {
    let call = failed.call()?;
    // If nothing is held because the object was dropped, it was the object of the last pick.
    let taken = |call: &SkillCall| call.args.get("object")?.as_str().map(str::to_owned);
    let picked = request.completed.iter().rev().find_map(|s| taken(&s.call));
    let held = request.held.map(|held| held.id.to_string()).or(picked);
    aim_of(call, held.as_deref(), request.skills)
}

/// Calls of a plan up to the failed call, or its first calls.
fn repair_plan(plan: &Plan, failed: Option<&PriorAttempt>) -> RepairPlan {
    if !plan.achievable {
        return RepairPlan {
            calls: vec![],
            because: plan.explanation.clone().unwrap_or_default(),
        };
    }
    let calls = plan.steps.iter().map(|step| step.call.clone());
    let mut calls: Vec<SkillCall> = calls.take(MAX_CALLS).collect();
    let failed = failed.and_then(PriorAttempt::call);
    let is_failed = |call: &SkillCall| Some(call) == failed;
    if let Some(idx) = calls.iter().position(is_failed) {
        calls.truncate(idx + 1);
    }
    RepairPlan {
        calls,
        because: plan.reasoning.clone(),
    }
}

#[async_trait]
impl Planner for AblatedPlanner {
    delegate::delegate! {
        to self.inner {
            fn name(&self) -> &str;
            fn timeout_error(&self, detail: String) -> PlannerError;
            fn show(&mut self, images: Box<dyn ImageSource>);
        }
    }

    fn hand_over(&mut self) -> bool {
        let takes_over = self.hands_over && !self.is_handed_over;
        self.is_handed_over |= takes_over;
        takes_over
    }

    async fn plan(&mut self, request: &PlanRequest<'_>) -> Result<Plan, PlannerError> {
        if self.is_handed_over {
            return self.adviser.plan_at_once(request);
        }
        if self.feedback == FeedbackLevel::Remedies {
            let repair = self.repair_plan(request);
            let request = PlanRequest {
                repair: repair.as_ref(),
                ..request.clone()
            };
            return self.inner.plan(&request).await;
        }
        let attempts = request.attempts.iter().map(|a| self.feedback.of(a));
        let attempts: Vec<_> = attempts.collect();
        let trigger = self.feedback.of_trigger(request.trigger);
        let request = PlanRequest {
            trigger: &trigger,
            attempts: &attempts,
            past_cases: &[],
            repair: None,
            ..request.clone()
        };
        self.inner.plan(&request).await
    }

    fn save(&self) -> Value {
        json!([self.inner.save(), self.adviser.save(), self.is_handed_over])
    }

    fn restore(&mut self, state: &Value) {
        self.inner.restore(&state[0]);
        self.adviser.restore(&state[1]);
        self.is_handed_over = state[2] == true;
    }
}
