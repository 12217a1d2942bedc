//! Three steps that a model has to put in order, to find out whether it can plan by calls.

use std::sync::Arc;

use async_trait::async_trait;
use parking_lot::Mutex;
use regrasp::api::{Plan, PlanRequest, Planner, PlannerError, SkillCall};
use regrasp::scene::builtin_scene;
use regrasp::{EpisodeOptions, LoadedRobot, PlannerKind};
use serde::Serialize;

use crate::Result;

const SCENE: &str = "kitchen";
/// Command with only one order: open the drawer with an empty hand, pick the cube, put it in.
const COMMAND: &str = "open the middle drawer and put the red cube in it";

type Calls = Result<Vec<SkillCall>, String>;

/// A planner's calls for three steps, compared with those of the task planner.
#[derive(Serialize)]
pub(crate) struct Ordering {
    /// `calls` if the skills and their order are those of the task planner, else `goal`.
    plan_by: &'static str,
    /// The calls, or why there are none.
    three_steps: String,
}

impl Ordering {
    pub(crate) fn of(planner: Box<dyn Planner>, loaded: &LoadedRobot) -> Result<Self> {
        let planned = first_calls(planner, loaded)?;
        let expected = first_calls(PlannerKind::Feedback.build(), loaded)?;
        let skills = |calls: &Calls| {
            let calls = calls.as_ref().ok()?.iter();
            Some(calls.map(|call| call.skill.clone()).collect::<Vec<_>>())
        };
        let is_ordered = skills(&planned).is_some_and(|it| Some(it) == skills(&expected));
        let told = |calls: Vec<SkillCall>| {
            let calls: Vec<_> = calls.iter().map(SkillCall::to_string).collect();
            calls.join(", ")
        };
        Ok(Self {
            plan_by: if is_ordered { "calls" } else { "goal" },
            three_steps: planned.map_or_else(|why| format!("failed to {why}"), told),
        })
    }

    pub(crate) fn line(&self) -> String {
        let (plan_by, three_steps) = (&self.plan_by, &self.three_steps);
        format!("plan by:      {plan_by} (--plan-by {plan_by}); three steps: {three_steps}")
    }
}

fn first_calls(planner: Box<dyn Planner>, loaded: &LoadedRobot) -> Result<Calls> {
    let calls = Arc::new(Mutex::new(None));
    let planner = FirstPlan {
        planner,
        calls: Arc::clone(&calls),
    };
    let options = EpisodeOptions {
        planner: Box::new(planner),
        skills: crate::skills::skills(),
        ..EpisodeOptions::default()
    };
    loaded.episode(&builtin_scene(SCENE)?, COMMAND, options)?;
    let calls = calls.lock().take();
    Ok(calls.unwrap_or_else(|| Err("ask for a plan: the episode ended first".into())))
}

/// Planner that stores its first plan, and ends the episode before the plan is executed.
struct FirstPlan {
    planner: Box<dyn Planner>,
    calls: Arc<Mutex<Option<Calls>>>,
}

#[async_trait]
impl Planner for FirstPlan {
    fn name(&self) -> &str {
        self.planner.name()
    }

    async fn plan(&mut self, request: &PlanRequest<'_>) -> Result<Plan, PlannerError> {
        let plan = self.planner.plan(request).await;
        let calls = plan.map(|plan| plan.steps.into_iter().map(|step| step.call).collect());
        let calls = calls.map_err(|error| error.to_string());
        self.calls.lock().get_or_insert(calls);
        Ok(Plan::infeasible("only the plan was asked for"))
    }
}
