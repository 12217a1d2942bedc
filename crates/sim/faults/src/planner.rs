//! Planners with faulty answers, for tests of recovery.

use async_trait::async_trait;
use regrasp_api::{ImageSource, Plan, PlanRequest, PlanStep, Planner, PlannerError, SkillCall};
use serde_json::{Value, json};

use crate::fault::{Fault, PlannerTrouble};

/// A planner whose first answers (all if `first` is `None`) are faulty.
struct TroubledPlanner {
    inner: Box<dyn Planner>,
    trouble: PlannerTrouble,
    first: Option<usize>,
    n_asked: usize,
    first_answer: Option<Plan>,
}

/// Number of steps that exceeds the limit of any episode.
const TOO_MANY: usize = 10_000;

/// Makes the first answers of a planner, or all, faulty if the fault concerns planners. For
/// [`PlannerTrouble::Same`] the first answer is the planner's own, and the given number of answers
/// after it repeat it.
pub fn troubled_planner(fault: &Fault, inner: Box<dyn Planner>) -> Box<dyn Planner> {
    match *fault {
        Fault::Planner { trouble, first } => Box::new(TroubledPlanner {
            inner,
            trouble,
            first,
            n_asked: 0,
            first_answer: None,
        }),
        _ => inner,
    }
}

impl TroubledPlanner {
    async fn same(&mut self, request: &PlanRequest<'_>) -> Result<Plan, PlannerError> {
        if let Some(plan) = &self.first_answer {
            return Ok(plan.clone());
        }
        let plan = self.inner.plan(request).await?;
        self.first_answer = Some(plan.clone());
        Ok(plan)
    }
}

#[async_trait]
impl Planner for TroubledPlanner {
    delegate::delegate! {
        to self.inner {
            fn name(&self) -> &str;
            fn timeout_error(&self, detail: String) -> PlannerError;
            fn hand_over(&mut self) -> bool;
            fn show(&mut self, images: Box<dyn ImageSource>);
        }
    }

    async fn plan(&mut self, request: &PlanRequest<'_>) -> Result<Plan, PlannerError> {
        let n_before = self.n_asked;
        self.n_asked += 1;
        let own_first = usize::from(self.trouble == PlannerTrouble::Same);
        let is_over = |first| n_before >= first + own_first;
        if self.first.is_some_and(is_over) {
            return self.inner.plan(request).await;
        }
        let nonsense = || SkillCall::new("levitate", json!({ "object": 7, "height": "very" }));
        match self.trouble {
            PlannerTrouble::Same => self.same(request).await,
            PlannerTrouble::Garbage => Ok(Plan::complete([nonsense()], "done")),
            PlannerTrouble::Nothing => Ok(Plan::default()),
            PlannerTrouble::TooMuch => {
                let steps = vec![PlanStep::from(nonsense()); TOO_MANY];
                Ok(Plan::complete(steps, "done at last"))
            }
            PlannerTrouble::TooLate => std::future::pending().await,
            PlannerTrouble::Error => Err(PlannerError::Transport {
                detail: "the connection was refused".into(),
            }),
            PlannerTrouble::Done => {
                let goals = self.inner.plan(request).await?.goals;
                let no_steps: [SkillCall; 0] = [];
                Ok(Plan::complete(no_steps, "all is done").with_goals(goals))
            }
        }
    }

    fn save(&self) -> Value {
        json!([self.n_asked, self.first_answer, self.inner.save()])
    }

    fn restore(&mut self, state: &Value) {
        type Saved = (usize, Option<Plan>, Value);
        if let Ok((n_asked, first_answer, inner)) = serde_json::from_value::<Saved>(state.clone()) {
            self.n_asked = n_asked;
            self.first_answer = first_answer;
            self.inner.restore(&inner);
        }
    }
}
