//! Reads a task with a model: text in, a goal in the goal notation out. The task planner finds the
//! calls.
//!
//! A text that the grammar understands never goes to the model. For any other text the model is
//! asked twice, the second time with the objects in reverse order. A goal is accepted only if both
//! answers agree, if it is well-formed for the perceived objects, and if no other object of the
//! same kind matches the text better than the chosen one. Otherwise a person is asked.

use async_trait::async_trait;
use regrasp_api::{ObjectId, Plan, PlanRequest, Planner, PlannerError, Reason, Trigger};
use regrasp_chat::{AnswerFormat, ChatModel, ChatRequest};
use regrasp_language::{Misunderstanding, ParseContext, understand};
use regrasp_planner::FeedbackPlanner;
use regrasp_relations::objects_on;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::names::Names;
use crate::options::VlmOptions;
use crate::planner::{planner_error, too_late};
use crate::text::{MAX_LABEL, MAX_SENTENCE, clean, json_line};

/// Longest answer, tokens: enough for a dozen facts.
const MAX_ANSWER: u32 = 400;
const MAX_FACTS: usize = 12;
/// Relations that a model may use, each with its number of arguments.
const RELATIONS: &[(&str, usize)] = &[
    ("on", 2),
    ("in", 2),
    ("beside", 2),
    ("left_of", 2),
    ("right_of", 2),
    ("in_front_of", 2),
    ("behind", 2),
    ("between", 3),
    ("holding", 1),
    ("open", 1),
    ("closed", 1),
    ("upright", 1),
    ("pressed", 1),
    ("poured", 2),
];
const SYSTEM: &str = "You read a command for a robot arm. Answer with JSON: `outcome` is `goal` \
and `facts` are what has to be so when the command is done, nothing else; or `outcome` is \
`unclear` or `impossible` and `why` says it in one sentence. A fact is a relation and the objects \
it is said of, the one that is moved first: {\"is\": \"on\", \"of\": [\"cup\", \"tray\"]}; for \
`between` the one that is moved and the two others. `open` also means switched on, `closed` \
switched off. Use only names that are listed. Left is towards larger y, behind towards larger x.";

/// Planner that plans with the task planner and lets a model read tasks that the grammar does not
/// understand.
pub struct GoalReader {
    name: String,
    model: Box<dyn ChatModel>,
    options: VlmOptions,
    planner: FeedbackPlanner,
    state: State,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct State {
    /// Goal in the goal notation, if a model read the task.
    goal: Option<String>,
    /// Tokens that are not yet reported with a plan.
    unbilled: u64,
    is_estimate: bool,
    planner: Value,
}

#[derive(Debug, Deserialize)]
struct Answer {
    outcome: Outcome,
    #[serde(default)]
    facts: Vec<Fact>,
    #[serde(default)]
    why: String,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
enum Outcome {
    Goal,
    Unclear,
    Impossible,
}

#[derive(Debug, Deserialize)]
struct Fact {
    is: String,
    of: Vec<String>,
}

/// A well-formed goal in the goal notation, or the reason why an answer contains none.
type Reading = Result<String, String>;

impl GoalReader {
    /// Creates a goal reader for a model. Of the options, only [`VlmOptions::patience`] counts.
    pub fn new(model: Box<dyn ChatModel>, options: VlmOptions) -> Self {
        Self {
            name: format!("goals:{}", clean(model.model(), MAX_SENTENCE)),
            model,
            options,
            planner: FeedbackPlanner::new(),
            state: State::default(),
        }
    }

    /// Reads the task with the model if the grammar fails. Returns a plan only if a person must be
    /// asked.
    async fn read(&mut self, request: &PlanRequest<'_>) -> Result<Option<Plan>, PlannerError> {
        let context = context(request);
        let misread = match understand(request.task, &context) {
            Ok(_) | Err(Misunderstanding::Ambiguous { .. }) => return Ok(None),
            Err(why) => why,
        };
        let names = Names::new(request);
        let first = self.ask(request, &names, false).await?;
        let second = self.ask(request, &names, true).await?;
        let unread = |why: String| PlannerError::Unrecognized {
            text: request.task.to_owned(),
            help: format!("{misread}; {} says: {why}", self.name),
        };
        let (goal, other) = first.and_then(|a| Ok((a, second?))).map_err(unread)?;
        if goal != other {
            let question = format!("is `{goal}` meant, or `{other}`?");
            return Ok(Some(ask_person(question)));
        }
        if let Some(question) = doubt(request, &goal) {
            return Ok(Some(ask_person(question)));
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
    ) -> Result<Reading, PlannerError> {
        let chat = question(request, names, reversed);
        let patience = self.options.patience;
        let answer = timeout(patience, self.model.chat(&chat)).await;
        let answer = answer.map_err(|_| too_late(patience))?;
        let answer = answer.map_err(|error| planner_error(&error))?;
        self.state.unbilled = self.state.unbilled.saturating_add(answer.usage.total());
        self.state.is_estimate |= answer.usage.is_estimate;
        Ok(read_answer(&answer.text, names, request))
    }
}

fn ask_person(question: String) -> Plan {
    Plan {
        question: Some(question),
        unclear: Some(Reason::AmbiguousCommand),
        ..Plan::default()
    }
}

fn context<'a>(request: &'a PlanRequest<'a>) -> ParseContext<'a> {
    let base = request.observation.world_from_base.translation.vector;
    ParseContext {
        percept: request.percept,
        held: request.held.map(|held| &held.id),
        base: base.xy().into(),
        viewpoint: request.viewpoint,
        answers: request.answers,
    }
}

/// Builds the request: objects with kind, colour, position and support, and the text.
fn question(request: &PlanRequest<'_>, names: &Names, reversed: bool) -> ChatRequest {
    let percept = request.percept;
    let mut objects: Vec<String> = percept
        .objects
        .iter()
        .map(|object| {
            let at = object.position();
            let on = percept.objects.iter().find(|below| {
                let above = objects_on(percept, below);
                above.iter().any(|o| o.id == object.id)
            });
            json_line(&json!({
                "name": names.name(&object.id),
                "kind": clean(&object.category, MAX_LABEL),
                "color": object.color.as_deref().map(|color| clean(color, MAX_LABEL)),
                "xy": [round(at.x), round(at.y)],
                "on": on.map(|below| names.name(&below.id)),
            }))
        })
        .collect();
    if reversed {
        objects.reverse();
    }
    let answers: Vec<String> = request
        .answers
        .iter()
        .map(|(_, a)| names.sentence(a))
        .collect();
    let said = match answers.is_empty() {
        true => String::new(),
        false => format!("\nThe person added: {}", answers.join("; ")),
    };
    ChatRequest {
        system: SYSTEM.into(),
        user: format!(
            "Objects:\n{}\nCommand: {}{said}",
            objects.join("\n"),
            names.sentence(request.task)
        ),
        format: Some(AnswerFormat {
            name: "goal".into(),
            schema: schema(&things(request, names)),
        }),
        max_tokens: MAX_ANSWER,
        ..ChatRequest::default()
    }
}

fn round(metres: f64) -> f64 {
    (metres * 100.0).round() / 100.0
}

/// Names of everything that a fact can refer to: objects and zones of objects.
fn things(request: &PlanRequest<'_>, names: &Names) -> Vec<String> {
    let places = request.percept.known.iter().flat_map(|known| {
        let whole = names.name(&known.object);
        let zones = known.zones.iter();
        zones.map(move |zone| format!("{whole}.{}", zone.name))
    });
    names.all().into_iter().chain(places).collect()
}

fn schema(things: &[String]) -> Value {
    let relations: Vec<_> = RELATIONS.iter().map(|(name, _)| *name).collect();
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["outcome", "facts", "why"],
        "properties": {
            "outcome": { "type": "string", "enum": ["goal", "unclear", "impossible"] },
            "facts": {
                "type": "array",
                "maxItems": MAX_FACTS,
                "items": {
                    "type": "object",
                    "additionalProperties": false,
                    "required": ["is", "of"],
                    "properties": {
                        "is": { "type": "string", "enum": relations },
                        "of": {
                            "type": "array",
                            "minItems": 1,
                            "maxItems": 3,
                            "items": { "type": "string", "enum": things }
                        }
                    }
                }
            },
            "why": { "type": "string" }
        }
    })
}

/// Reads an answer. It is validated in full, since some servers do not enforce schemas.
fn read_answer(text: &str, names: &Names, request: &PlanRequest<'_>) -> Reading {
    let object = text.find('{').zip(text.rfind('}'));
    let object = object
        .and_then(|(from, to)| text.get(from..=to))
        .unwrap_or(text);
    let answer: Answer = match serde_json::from_str(object) {
        Ok(answer) => answer,
        Err(error) => return Err(format!("an answer that is no goal ({error})")),
    };
    if answer.outcome != Outcome::Goal || answer.facts.is_empty() {
        let why = clean(answer.why.trim(), MAX_SENTENCE);
        return Err(match why.is_empty() {
            true => "no goal, and no reason".to_owned(),
            false => why,
        });
    }
    let facts = answer.facts.iter().take(MAX_FACTS);
    let facts: Vec<String> = facts
        .map(|fact| names.ids_in(&format!("{}({})", fact.is, fact.of.join(", "))))
        .collect();
    let known = |fact: &Fact| RELATIONS.contains(&(fact.is.as_str(), fact.of.len()));
    if let Some(fact) = answer.facts.iter().find(|fact| !known(fact)) {
        return Err(format!("`{}` of {} things", fact.is, fact.of.len()));
    }
    let goal = format!("goal: {}", facts.join(" and "));
    let understood = understand(&goal, &context(request));
    understood
        .map(|it| it.goal())
        .map_err(|why| why.to_string())
}

/// Returns a question for a person if the text matches another object of the same kind better than
/// the object in the goal, counted in words.
fn doubt(request: &PlanRequest<'_>, goal: &str) -> Option<String> {
    let text = request.task.to_lowercase();
    let said: Vec<&str> = text.split(|c: char| !c.is_alphanumeric()).collect();
    let named: Vec<&str> = goal
        .split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .collect();
    let objects = request.percept.objects.iter();
    let (of, others): (Vec<_>, Vec<_>) = objects.partition(|o| named.contains(&o.id.as_str()));
    let n_words = |o: &regrasp_api::PerceivedObject| {
        let id = o.id.as_str().to_lowercase();
        let color = o.color.as_deref().unwrap_or_default();
        let own = id.split('_').chain([color]).filter(|word| !word.is_empty());
        own.filter(|word| said.contains(word)).count()
    };
    let alike = |a: &ObjectId, b: &ObjectId| {
        let kind = |id: &ObjectId| request.percept.object(id).map(|o| o.category.clone());
        kind(a) == kind(b)
    };
    of.iter().find_map(|object| {
        let rivals = others.iter().filter(|other| alike(&object.id, &other.id));
        let rather = rivals.max_by_key(|other| n_words(other))?;
        let is_doubtful = n_words(rather) > n_words(object);
        is_doubtful.then(|| format!("is {} meant, or {}?", object.id, rather.id))
    })
}

#[async_trait]
impl Planner for GoalReader {
    fn name(&self) -> &str {
        &self.name
    }

    fn timed_out(&self, detail: String) -> PlannerError {
        PlannerError::Transport { detail }
    }

    async fn plan(&mut self, request: &PlanRequest<'_>) -> Result<Plan, PlannerError> {
        if *request.trigger == Trigger::Start {
            self.state.goal = None;
        }
        let mut answered = None;
        if self.state.goal.is_none() {
            answered = self.read(request).await?;
        }
        let mut plan = match (answered, &self.state.goal) {
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
