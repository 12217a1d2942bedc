//! Asks a model for a plan, and once more if the answer cannot be used.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use regrasp_api::{ImageSource, Plan, PlanRequest, Planner, PlannerError, SceneImage, Trigger};
use regrasp_chat::{
    AnswerMode, ChatAnswer, ChatError, ChatModel, ChatRequest, Feature, ModelError,
};
use regrasp_planner::{needed_skills, read_task};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::time::{Instant, timeout_at};

use crate::answer::{Reader, Reading};
use crate::prompt::Question;
use crate::{MAX_LABEL, MAX_SENTENCE, Names, Objection, Toolbox, VlmOptions, clean};

/// Shortest answer that can contain a plan, tokens.
const LEAST_ANSWER: u64 = 64;
/// Extra time after the deadline of a plan, in which a model call that reaches its own deadline can
/// report details.
pub(crate) const GRACE: Duration = Duration::from_secs(1);
/// Divisor of the context window that gives the largest answer. Usable plans are shorter.
const OF_WINDOW: u64 = 4;
/// Answer length that is allowed in any window with room for it, tokens.
const USUAL_ANSWER: u64 = 512;

/// Planner that asks a vision-language model.
///
/// An answer with errors is sent back to the model once, with the errors. An answer without calls
/// is sent back once, with the request to make calls. After that the plan fails, and the agent
/// decides. Must be polled on a Tokio runtime, as the agent does.
pub struct VlmPlanner {
    name: String,
    model: Arc<dyn ChatModel>,
    options: VlmOptions,
    images: Option<Box<dyn ImageSource>>,
    state: State,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct State {
    mode: AnswerMode,
    /// Set if the model has rejected pictures.
    is_blind: bool,
    /// The task as the grammar reads it. The person is shown its interpretation and can notice a
    /// misreading. If the grammar cannot read the task: only the goals of the first plan with any.
    #[serde(default)]
    read: Plan,
    /// Number of answers by hash of the question.
    asked: BTreeMap<u64, u32>,
    /// Tokens that are not yet reported with a plan.
    unbilled: u64,
    is_estimate: bool,
}

/// Corrections that were already requested for one plan.
#[derive(Default)]
struct Patience {
    corrected: bool,
    nudged: bool,
    objection: Option<Objection>,
}

impl VlmPlanner {
    /// Creates a planner for a model.
    pub fn new(model: Arc<dyn ChatModel>, options: VlmOptions) -> Self {
        let state = State {
            mode: options.mode.unwrap_or_default(),
            ..State::default()
        };
        Self {
            name: format!("vlm:{}", clean(model.model(), MAX_SENTENCE)),
            model,
            options,
            images: None,
            state,
        }
    }

    /// Sets the source of pictures for the model.
    pub fn with_images(mut self, images: Box<dyn ImageSource>) -> Self {
        self.images = Some(images);
        self
    }

    fn pictures(&mut self, request: &PlanRequest<'_>) -> Result<Vec<SceneImage>, PlannerError> {
        let Some(source) = self.images.as_mut().filter(|_| !self.state.is_blind) else {
            return Ok(vec![]);
        };
        let images = source.images(request.observation, request.percept);
        images.map_err(|error| PlannerError::Unusable {
            detail: format!("there are no pictures for the model: failed to {error}"),
        })
    }

    /// Leaves out pictures or switches the answer mode if the server does not support them. Returns
    /// true if something changed. Changes are permanent, so that there are at most a few.
    fn adapt(&mut self, error: &ChatError) -> bool {
        let ChatError::Unsupported { feature, .. } = error else {
            return false;
        };
        match (feature, self.state.mode) {
            (Feature::Images, _) if !self.options.needs_images && !self.state.is_blind => {
                self.state.is_blind = true;
            }
            (_, mode) => match weaker(error, mode, self.options.mode) {
                Some(other) => self.state.mode = other,
                None => return false,
            },
        }
        tracing::warn!(%error, mode = %self.state.mode, "asking the model in another way");
        true
    }

    /// Switches from tools to a schema after an answer without calls. Some weak models cannot use
    /// tools, and their servers do not report that.
    fn insist(&mut self, reading: &Reading) {
        let may_change = self.options.mode.is_none() && self.state.mode == AnswerMode::Tools;
        if matches!(reading, Reading::Prose) && may_change {
            self.state.mode = AnswerMode::Schema;
            tracing::warn!(mode = %self.state.mode, "text instead of calls: asking in another way");
        }
    }

    fn bill(&mut self, answer: &ChatAnswer) {
        self.state.unbilled = self.state.unbilled.saturating_add(answer.usage.total());
        self.state.is_estimate |= answer.usage.is_estimate;
    }

    fn begin(&mut self, request: &PlanRequest<'_>) {
        self.state.asked.clear();
        self.state.read = read_task(request).unwrap_or_default();
    }

    /// Rewords a question that was already answered, and returns its hash. An answer that did not
    /// help before would not help now, and the same words give the same answer. The last lines of
    /// the prompt stay last.
    fn reworded(&self, chat: &mut ChatRequest) -> u64 {
        let mut hasher = DefaultHasher::new();
        (&chat.system, &chat.user).hash(&mut hasher);
        let question = hasher.finish();
        if let Some(n) = self.state.asked.get(&question) {
            chat.user = format!(
                "You answered this {n} times, and it did not help: choose another answer.\n\n{}",
                chat.user
            );
        }
        question
    }

    /// Completes a plan with its token cost and with the goals as the grammar reads them.
    fn finished(&mut self, mut plan: Plan) -> Plan {
        let read = &mut self.state.read;
        if !read.interpretation.is_empty() {
            if !plan.goals.is_empty() && plan.goals != read.goals {
                let (grammar, model) = (&read.goals, &plan.goals);
                tracing::warn!(
                    ?grammar,
                    ?model,
                    "the model's goals differ from those that the grammar reads"
                );
            }
            plan.goals.clone_from(&read.goals);
            plan.on_the_way.clone_from(&read.on_the_way);
            plan.never.clone_from(&read.never);
            plan.interpretation.clone_from(&read.interpretation);
        }
        if read.goals.is_empty() {
            read.goals.clone_from(&plan.goals);
        }
        plan.tokens = std::mem::take(&mut self.state.unbilled);
        plan.tokens_are_estimated = std::mem::take(&mut self.state.is_estimate);
        plan
    }
}

/// Returns the next simpler answer mode if the server does not support this one and the user did
/// not choose it.
pub(crate) fn weaker(
    error: &ChatError,
    mode: AnswerMode,
    chosen: Option<AnswerMode>,
) -> Option<AnswerMode> {
    let ChatError::Unsupported { feature, .. } = error else {
        return None;
    };
    match (feature, mode, chosen) {
        (Feature::Tools, AnswerMode::Tools, None) => Some(AnswerMode::Schema),
        (Feature::JsonSchema, AnswerMode::Schema, None) => Some(AnswerMode::Text),
        _ => None,
    }
}

/// Fails if the model refuses to answer.
pub(crate) fn refused(answer: &ChatAnswer) -> Result<(), PlannerError> {
    let refusal = answer.refusal.as_ref().filter(|_| answer.calls.is_empty());
    refusal.map_or(Ok(()), |refusal| {
        let detail = format!("the model refuses: {}", clean(refusal, MAX_SENTENCE));
        Err(PlannerError::Unusable { detail })
    })
}

/// Limits the answer to the rest of the token budget, less the used tokens not yet reported.
pub(crate) fn afford(
    chat: &mut ChatRequest,
    request: &PlanRequest<'_>,
    unbilled: u64,
) -> Result<(), PlannerError> {
    let Some(left) = request.tokens_left else {
        return Ok(());
    };
    let left = left.saturating_sub(unbilled);
    let prompt = chat.estimated_tokens();
    let for_answer = left.saturating_sub(prompt);
    if for_answer < LEAST_ANSWER {
        return Err(PlannerError::OverBudget {
            detail: format!(
                "the request takes about {prompt} tokens, so its answer exceeds the budget, \
                 of which {left} tokens are left"
            ),
        });
    }
    let for_answer = u32::try_from(for_answer).unwrap_or(u32::MAX);
    chat.max_tokens = chat.max_tokens.min(for_answer);
    Ok(())
}

/// Returns the number of tokens that the server's context window leaves for an answer.
fn room(chat: &ChatRequest, window: Option<u64>) -> u64 {
    window.map_or(u64::MAX, |n| n.saturating_sub(chat.estimated_tokens()))
}

/// Limits the answer to the room, and to a part, of the server's context window.
pub(crate) fn fit(chat: &mut ChatRequest, window: Option<u64>) -> Result<(), PlannerError> {
    let room = room(chat, window);
    if let Some(window) = window.filter(|_| room < LEAST_ANSWER) {
        let prompt = chat.estimated_tokens();
        return Err(PlannerError::Refused {
            detail: format!(
                "the request takes about {prompt} tokens, but the server's context window has \
                 {window} tokens, which leaves no room for an answer; use a larger window, or \
                 offer fewer skills with --skills"
            ),
        });
    }
    let part = window.map_or(u64::MAX, |n| (n / OF_WINDOW).max(USUAL_ANSWER));
    let longest = u32::try_from(room.min(part)).unwrap_or(u32::MAX);
    chat.max_tokens = chat.max_tokens.min(longest);
    Ok(())
}

/// Returns the error of a plan that exceeds its deadline. It is not retried, because a retry would
/// have a new deadline.
pub(crate) fn too_late(patience: Duration) -> PlannerError {
    let secs = patience.as_secs_f64();
    PlannerError::Refused {
        detail: format!("the model made no plan within {secs} s"),
    }
}

/// Converts a model's error. Only temporary failures are worth a retry.
pub(crate) fn planner_error(error: &ModelError) -> PlannerError {
    let detail = error.to_string();
    if error.cause.may_pass() && !error.is_final {
        PlannerError::Transport { detail }
    } else {
        PlannerError::Refused { detail }
    }
}

impl Patience {
    /// Stores the correction for the model, or fails if one of its kind was already made.
    fn object(&mut self, answer: &ChatAnswer, reading: Reading) -> Result<(), PlannerError> {
        let makes_no_call = matches!(reading, Reading::Prose);
        const NUDGE: &str = "it makes no call. Words alone move nothing: make the calls that the \
                             task needs, or call `infeasible` or `ask_user`.";
        let (asked_before, wrong) = match reading {
            Reading::Wrong(wrong) => (&mut self.corrected, wrong.join("\n")),
            _ => (&mut self.nudged, NUDGE.to_owned()),
        };
        let objection = Objection::to(answer, &wrong);
        let Objection { answer, wrong } = &objection;
        if std::mem::replace(asked_before, true) {
            let came: String = answer.chars().take(MAX_SENTENCE).collect();
            let detail = format!(
                "asked again, the model's answer is still wrong: {wrong}; it begins: {came}"
            );
            let before = self.objection.as_ref();
            let is_same = before.is_some_and(|before| before.answer == *answer);
            // The same answer twice, or twice no call, would repeat with every further question.
            return Err(if is_same || makes_no_call {
                PlannerError::Unreadable { detail }
            } else {
                PlannerError::Unusable { detail }
            });
        }
        self.objection = Some(objection);
        Ok(())
    }
}

#[async_trait]
impl Planner for VlmPlanner {
    fn name(&self) -> &str {
        &self.name
    }

    fn timeout_error(&self, detail: String) -> PlannerError {
        PlannerError::Transport { detail }
    }

    async fn plan(&mut self, request: &PlanRequest<'_>) -> Result<Plan, PlannerError> {
        if *request.trigger == Trigger::Start {
            self.begin(request);
        }
        let needed = match &self.options.skills {
            Some(skills) => skills.clone(),
            None => needed_skills(request),
        };
        // Calls that repair a failure must be available to the model.
        let mends = request.repair.iter().flat_map(|repair| &repair.calls);
        let mends = mends.map(|call| call.skill.clone());
        let needed: Vec<String> = needed.into_iter().chain(mends).collect();
        let toolbox = Toolbox::new(request.skills, &needed);
        let names = Names::new(request);
        let mut patience = Patience::default();
        let deadline = Instant::now() + self.options.patience + GRACE;
        // The robot stands still meanwhile, so all attempts use the same pictures.
        let mut images = self.pictures(request)?;
        loop {
            if self.state.is_blind {
                images.clear();
            }
            let question = Question {
                request,
                options: &self.options,
                mode: self.state.mode,
                toolbox: &toolbox,
                names: &names,
                goals: &self.state.read.goals,
                images: &images,
                objection: patience.objection.as_ref(),
            };
            let mut chat = question.chat();
            let window = self.model.window().await;
            // The percept is in the text as well, so pictures are dropped if the window is too
            // small for them.
            let is_narrow = room(&chat, window) < LEAST_ANSWER && !self.options.needs_images;
            if let Some(left_out) = is_narrow.then(|| images.pop()).flatten() {
                let camera = clean(&left_out.view.name, MAX_LABEL);
                tracing::warn!(
                    camera,
                    window,
                    "no room for a picture in the context window"
                );
                continue;
            }
            let question = self.reworded(&mut chat);
            afford(&mut chat, request, self.state.unbilled)?;
            fit(&mut chat, window)?;
            let answer = match timeout_at(deadline, self.model.chat(&chat)).await {
                Err(_) => return Err(too_late(self.options.patience)),
                Ok(answer) => answer,
            };
            let answer = match answer {
                Ok(answer) => answer,
                Err(error) if self.adapt(&error.cause) => continue,
                Err(error) => return Err(planner_error(&error)),
            };
            *self.state.asked.entry(question).or_default() += 1;
            self.bill(&answer);
            refused(&answer)?;
            let reader = Reader {
                request,
                toolbox: &toolbox,
                names: &names,
                max_calls: self.options.max_calls,
            };
            match reader.read(&answer) {
                Reading::Plan(plan) => return Ok(self.finished(*plan)),
                reading => {
                    self.insist(&reading);
                    patience.object(&answer, reading)?;
                }
            }
        }
    }

    fn show(&mut self, images: Box<dyn ImageSource>) {
        self.images = Some(images);
    }

    fn save(&self) -> Value {
        serde_json::to_value(&self.state).unwrap_or_default()
    }

    fn restore(&mut self, state: &Value) {
        if let Ok(state) = State::deserialize(state) {
            self.state = state;
        }
    }
}
