//! Converts a task to a goal in the goal notation with a model. Another planner finds the calls.
//!
//! A text that the grammar understands never goes to the model. Any other is sent twice, the second
//! time with the objects in reverse order. An answer translates the text to plain steps about
//! perceived objects. The goal is used if both answers agree on it and the text fits its objects
//! (`doubt.rs`). Otherwise a person is asked.

mod answer;
mod described;
mod doubt;
mod facts;
mod question;
mod words;

use std::sync::Arc;

use async_trait::async_trait;
use regrasp_api::{ImageSource, Plan, PlanRequest, Planner, PlannerError, Reason, Trigger};
use regrasp_chat::{AnswerMode, ChatModel};
use regrasp_language::{Misunderstanding, ParseContext, understand};
use regrasp_planner::FeedbackPlanner;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::time::{Instant, timeout_at};

use self::answer::Reading;
use self::doubt::{agreement, doubt};
use self::question::question;
use crate::planner::{GRACE, afford, fit, planner_error, refused, too_late, weaker};
use crate::{MAX_SENTENCE, Names, VlmOptions, clean};

/// Planner that has a model interpret texts that the grammar does not understand. Another planner
/// finds the calls.
pub struct GoalReader {
    name: String,
    model: Arc<dyn ChatModel>,
    options: VlmOptions,
    planner: Box<dyn Planner>,
    state: State,
}

/// Interpretation of the episode's task.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct State {
    /// Goal in the notation, if a model interpreted the task.
    goal: Option<String>,
    /// True once the task is passed on to the planner unchanged.
    #[serde(default)]
    is_left: bool,
    /// True if the server refuses schemas.
    #[serde(default)]
    knows_no_schema: bool,
    /// Tokens that are used but not yet reported.
    unbilled: u64,
    is_estimate: bool,
    /// Saved state of the planner.
    planner: Value,
}

impl GoalReader {
    /// Interprets texts with this model and plans with the task planner. Only the patience and the
    /// answer mode of the options are used.
    pub fn new(model: Arc<dyn ChatModel>, options: VlmOptions) -> Self {
        Self {
            name: format!("goals:{}", clean(model.model(), MAX_SENTENCE)),
            model,
            options,
            planner: Box::new(FeedbackPlanner::new()),
            state: State::default(),
        }
    }

    /// Replaces the task planner by another planner, and takes its name.
    pub fn with_planner(self, planner: Box<dyn Planner>) -> Self {
        Self {
            name: planner.name().to_owned(),
            planner,
            ..self
        }
    }

    /// Interprets the task. Returns a plan if the answer is one, such as a question to the person.
    async fn read(&mut self, request: &PlanRequest<'_>) -> Result<Option<Plan>, PlannerError> {
        let misread = match understand(request.task, &ParseContext::from(request)) {
            Ok(_) | Err(Misunderstanding::Ambiguous { .. }) => {
                self.state.is_left = true;
                return Ok(None);
            }
            Err(why) => why,
        };
        let names = Names::new(request);
        let deadline = Instant::now() + self.options.patience + GRACE;
        let first = self.ask(request, &names, false, deadline).await?;
        let second = self.ask(request, &names, true, deadline).await?;
        tracing::info!(task = request.task, ?first, ?second, "the model's readings");
        let readings = [first, second];
        let asked = readings.iter().find_map(|reading| match reading {
            Reading::Question(question) => Some(question.clone()),
            Reading::Goal { .. } | Reading::None(_) => None,
        });
        if let Some(question) = asked {
            return ask_person(request, question);
        }
        let goal = match &readings {
            [
                Reading::Goal { goal, holds },
                Reading::Goal { goal: other, .. },
            ] if let Some(agreed) = agreement(request, goal, other, &names) => {
                if *holds {
                    return ask_person(request, format!("is `{goal}` meant? It holds already"));
                }
                agreed
            }
            // The planner may find an object that perception has not seen yet.
            [Reading::None(_), Reading::None(_)]
                if matches!(misread, Misunderstanding::Unseen { .. }) =>
            {
                self.state.is_left = true;
                return Ok(None);
            }
            [Reading::None(why), Reading::None(_)] => {
                return Err(PlannerError::Unrecognized {
                    text: request.task.to_owned(),
                    help: format!("{misread}; {} says: {why}", self.name),
                });
            }
            [first, second] => {
                let goals = [first.goal(), second.goal()].into_iter().flatten();
                let goals: Vec<_> = goals.map(|goal| format!("`{goal}`")).collect();
                let question = match goals.as_slice() {
                    [one, other] => format!("is {one} meant, or {other}?"),
                    goals => format!("is {} meant?", goals.concat()),
                };
                return ask_person(request, question);
            }
        };
        if let Some(question) = doubt(request, &goal, &names) {
            return ask_person(request, question);
        }
        tracing::info!(task = request.task, %goal, "read by the model");
        self.state.goal = Some(goal);
        Ok(None)
    }

    async fn ask(
        &mut self,
        request: &PlanRequest<'_>,
        names: &Names,
        reversed: bool,
        deadline: Instant,
    ) -> Result<Reading, PlannerError> {
        let mut chat = question(request, names, reversed);
        afford(&mut chat, request, self.state.unbilled)?;
        fit(&mut chat, self.model.window().await)?;
        // Goals need no tool calls, so a person who chose them has chosen no mode here.
        let chosen = self.options.mode.filter(|mode| *mode != AnswerMode::Tools);
        let answer = loop {
            if self.state.knows_no_schema || chosen == Some(AnswerMode::Text) {
                chat.format = None;
            }
            let answer = timeout_at(deadline, self.model.chat(&chat)).await;
            match answer.map_err(|_| too_late(self.options.patience))? {
                Ok(answer) => break answer,
                Err(error) if weaker(&error.cause, AnswerMode::Schema, chosen).is_some() => {
                    self.state.knows_no_schema = true;
                }
                Err(error) => return Err(planner_error(&error)),
            }
        };
        self.state.unbilled = self.state.unbilled.saturating_add(answer.usage.total());
        self.state.is_estimate |= answer.usage.is_estimate;
        refused(&answer)?;
        Ok(Reading::of(&answer.text, names, request))
    }
}

/// Returns the question as a plan. Fails if the same question was answered before, since the answer
/// did not help.
fn ask_person(request: &PlanRequest<'_>, question: String) -> Result<Option<Plan>, PlannerError> {
    let mut answers = request.answers.iter();
    if let Some((_, answer)) = answers.find(|(asked, _)| *asked == question) {
        return Err(PlannerError::Unrecognized {
            text: request.task.to_owned(),
            help: format!(
                "the answer `{answer}` to `{question}` did not help: say the command in plainer words"
            ),
        });
    }
    Ok(Some(Plan {
        question: Some(question),
        unclear: Some(Reason::AmbiguousCommand),
        ..Plan::default()
    }))
}

#[async_trait]
impl Planner for GoalReader {
    fn name(&self) -> &str {
        &self.name
    }

    fn timeout_error(&self, detail: String) -> PlannerError {
        PlannerError::Transport { detail }
    }

    async fn plan(&mut self, request: &PlanRequest<'_>) -> Result<Plan, PlannerError> {
        if *request.trigger == Trigger::Start {
            (self.state.goal, self.state.is_left) = (None, false);
        }
        let mut answer = None;
        if self.state.goal.is_none() && !self.state.is_left {
            answer = self.read(request).await?;
        }
        let mut plan = match (answer, &self.state.goal) {
            (Some(plan), _) => plan,
            (None, None) => self.planner.plan(request).await?,
            (None, Some(goal)) => {
                let task = format!("goal: {goal}");
                let request = PlanRequest {
                    task: &task,
                    answers: &[],
                    ..request.clone()
                };
                self.planner.plan(&request).await?
            }
        };
        plan.tokens = plan
            .tokens
            .saturating_add(std::mem::take(&mut self.state.unbilled));
        plan.tokens_are_estimated |= std::mem::take(&mut self.state.is_estimate);
        Ok(plan)
    }

    fn hand_over(&mut self) -> bool {
        self.planner.hand_over()
    }

    fn show(&mut self, images: Box<dyn ImageSource>) {
        self.planner.show(images);
    }

    fn save(&self) -> Value {
        let state = State {
            planner: self.planner.save(),
            ..self.state.clone()
        };
        serde_json::to_value(state).unwrap_or_default()
    }

    fn restore(&mut self, state: &Value) {
        if let Ok(state) = State::deserialize(state) {
            self.planner.restore(&state.planner);
            self.state = state;
        }
    }
}
