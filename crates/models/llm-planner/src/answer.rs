//! Reads model answers: converts calls to a plan, or lists their errors.

use regrasp_api::{Plan, PlanRequest, PlanStep, SkillCall};
use regrasp_chat::{ChatAnswer, ToolCall, calls_in_text, known_name};
use regrasp_planner::plan_for;
use serde_json::{Value, json};

use crate::schema::{GOAL_EXAMPLE, errors, goals_as_text, visit_names};
use crate::toolbox::{ACHIEVE, ASK_USER, DONE, INFEASIBLE};
use crate::{MAX_SENTENCE, Names, Toolbox, clean};

/// Longest answer that is quoted back to the model, characters.
const MAX_SHOWN: usize = 2_000;

#[derive(Debug)]
pub(crate) enum Reading {
    Plan(Box<Plan>),
    /// Text without any call.
    Prose,
    /// All errors of calls that cannot be executed.
    Wrong(Vec<String>),
}

pub(crate) struct Reader<'a> {
    pub(crate) request: &'a PlanRequest<'a>,
    pub(crate) toolbox: &'a Toolbox,
    pub(crate) names: &'a Names,
    pub(crate) max_calls: usize,
}

struct Checked {
    name: String,
    arguments: Value,
}

impl Reader<'_> {
    pub(crate) fn read(&self, answer: &ChatAnswer) -> Reading {
        let calls = match calls_of(answer, |name| self.toolbox.schema(name).is_some()) {
            Ok(calls) if calls.is_empty() => return Reading::Prose,
            Ok(calls) => calls,
            Err(wrong) => return Reading::Wrong(vec![wrong]),
        };
        if calls.len() > self.max_calls {
            let (n, most) = (calls.len(), self.max_calls);
            let wrong = format!("it has {n} calls, at most {most} are allowed");
            return Reading::Wrong(vec![wrong]);
        }
        let n = calls.len();
        let mut wrong = vec![];
        let mut checked = vec![];
        for (idx, call) in calls.into_iter().enumerate() {
            match self.check(call) {
                Ok(call) => checked.push(call),
                Err(why) => wrong.push(format!("call {} of {n}: {why}", idx + 1)),
            }
        }
        if wrong.is_empty() {
            match self.plan(checked, answer) {
                Ok(plan) => return Reading::Plan(Box::new(plan)),
                Err(why) => wrong.push(why),
            }
        }
        Reading::Wrong(wrong)
    }

    fn check(&self, call: ToolCall) -> Result<Checked, String> {
        let (name, schema) = (call.name.clone(), self.toolbox.schema(&call.name));
        let (schema, mut arguments) = opened(call, schema, &self.toolbox.names())?;
        if arguments.is_null() || arguments == json!([]) {
            return Err(format!(
                "the arguments of `{name}` are not a JSON object: `{arguments}`"
            ));
        }
        let mut wrong = self.with_goals(schema, &mut arguments);
        wrong.extend(errors(schema, &arguments));
        if wrong.is_empty() {
            visit_names(schema, &mut arguments, &mut |path, said| match self
                .names
                .meant(said, self.request)
            {
                Ok(meant) => *said = meant,
                Err(why) => {
                    let said = clean(said, 80);
                    wrong.push(format!("`{path}`: `{said}` {why}"));
                }
            });
        }
        if wrong.is_empty() {
            return Ok(Checked { name, arguments });
        }
        let wrong: Vec<_> = wrong.iter().map(|w| clean(w, 2 * MAX_SENTENCE)).collect();
        Err(format!("{name}: {}", wrong.join("; ")))
    }

    /// Plans for a goal in the goal notation with the task planner.
    fn planned_for(&self, call: &str, goal: &str) -> Result<Plan, String> {
        let goal = self.names.ids_in(goal);
        plan_for(&goal, self.request).map_err(|why| {
            let (goal, why) = (clean(&goal, 80), clean(&why, MAX_SENTENCE));
            format!("{call}: the goal `{goal}` is not understood: {why}")
        })
    }

    /// Replaces goals in text notation by structured goals. Returns all parse errors.
    fn with_goals(&self, schema: &Value, arguments: &mut Value) -> Vec<String> {
        let mut wrong = vec![];
        for name in goals_as_text(schema, arguments) {
            let text = arguments[name].as_str().unwrap_or_default().to_owned();
            match self.planned_for(name, &text).map(|plan| plan.goals) {
                Ok(goals) => match goals.as_slice() {
                    [one] => arguments[name] = json!(one),
                    _ => wrong.push(format!(
                        "`/{name}`: one goal such as {GOAL_EXAMPLE} is needed"
                    )),
                },
                Err(why) => wrong.push(why),
            }
        }
        wrong
    }

    fn plan(&self, calls: Vec<Checked>, answer: &ChatAnswer) -> Result<Plan, String> {
        let n = calls.len();
        let mut plan = Plan::default();
        if !answer.calls.is_empty() {
            plan.reasoning = clean(answer.text.trim(), MAX_SHOWN);
        }
        for (idx, Checked { name, arguments }) in calls.into_iter().enumerate() {
            let is_alone = n == 1;
            match name.as_str() {
                DONE if idx + 1 < n => return Err("`done` must be the last call".into()),
                ACHIEVE | INFEASIBLE | ASK_USER if !is_alone => {
                    return Err(format!("`{name}` must be the only call"));
                }
                DONE => {
                    plan.done = true;
                    plan.final_answer = Some(said(&arguments, "answer")?);
                    let goal = text_of(&arguments, "goal");
                    if !goal.trim().is_empty() {
                        plan.goals = self.planned_for(&name, goal)?.goals;
                    }
                }
                ACHIEVE => {
                    let reasoning = std::mem::take(&mut plan.reasoning);
                    plan = self.planned_for(&name, text_of(&arguments, "goal"))?;
                    plan.reasoning = format!("{reasoning} {}", plan.reasoning).trim().to_owned();
                }
                INFEASIBLE => {
                    plan.achievable = false;
                    plan.explanation = Some(said(&arguments, "explanation")?);
                }
                ASK_USER => plan.question = Some(said(&arguments, "question")?),
                _ => {
                    let call = SkillCall::new(name, arguments);
                    plan.steps.push(PlanStep::from(call));
                }
            }
        }
        Ok(plan)
    }
}

/// Returns the tool calls of an answer, or else those in its text, by known names if possible.
pub(crate) fn calls_of(
    answer: &ChatAnswer,
    is_known: impl Fn(&str) -> bool,
) -> Result<Vec<ToolCall>, String> {
    let mut calls = answer.calls.clone();
    if calls.is_empty() {
        calls = calls_in_text(&answer.text)?;
    }
    for call in &mut calls {
        call.name = known_name(&call.name, &is_known).to_owned();
    }
    Ok(calls)
}

/// Returns the schema and the arguments of a call, or the error if it is unknown or not JSON.
pub(crate) fn opened<'s>(
    call: ToolCall,
    schema: Option<&'s Value>,
    known: &str,
) -> Result<(&'s Value, Value), String> {
    let name = clean(&call.name, 80);
    let unknown = || format!("there is nothing called `{name}` (what can be called: {known})");
    let schema = schema.ok_or_else(unknown)?;
    let arguments = call.arguments.map_err(|broken| {
        let error = clean(&broken.error, MAX_SENTENCE);
        format!("the arguments of `{name}` are not JSON: {error}")
    })?;
    Ok((schema, arguments))
}

/// Returns a text in arguments that fit their schema; empty if it is missing.
pub(crate) fn text_of<'a>(arguments: &'a Value, what: &str) -> &'a str {
    arguments[what].as_str().unwrap_or_default()
}

/// Returns a text for a person, or an error if it is empty.
fn said(arguments: &Value, what: &str) -> Result<String, String> {
    let text = clean(text_of(arguments, what).trim(), MAX_SHOWN);
    if text.is_empty() {
        return Err(format!("the `{what}` is empty"));
    }
    Ok(text)
}

/// Formats an answer as it is quoted back to the model: its text and calls, as data.
pub(crate) fn shown(answer: &ChatAnswer) -> String {
    let calls = answer.calls.iter().map(|call| {
        let arguments = match &call.arguments {
            Ok(value) => regrasp_chat::sorted(value.clone()).to_string(),
            Err(broken) => broken.text.clone(),
        };
        format!("{}({arguments})", call.name)
    });
    let text = Some(answer.text.clone()).filter(|text| !text.is_empty());
    // Servers that enforce a schema may spread JSON over many lines.
    let text = text.map(|text| match serde_json::from_str::<Value>(&text) {
        Ok(value) => regrasp_chat::sorted(value).to_string(),
        Err(_) => text,
    });
    let only_thoughts = text.is_none() && answer.calls.is_empty();
    let thoughts = Some(&answer.thoughts).filter(|it| only_thoughts && !it.is_empty());
    let thoughts = thoughts.map(|it| format!("(it only thought: {it})"));
    let parts: Vec<_> = text.into_iter().chain(calls).chain(thoughts).collect();
    crate::text::json_line(&Value::String(clean(&parts.join("; "), MAX_SHOWN)))
}
