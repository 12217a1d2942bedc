//! Reading answers: calls in, a plan or what is wrong with them out.

use regrasp_api::{Plan, PlanRequest, PlanStep, SkillCall};
use regrasp_chat::{AnswerMode, ChatAnswer, ToolCall, strip_fence};
use regrasp_planner::plan_for;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::names::Names;
use crate::schema::{GOAL_EXAMPLE, errors, goals_as_text, visit_names};
use crate::text::{MAX_SENTENCE, clean};
use crate::toolbox::{
    ACHIEVE, ASK_USER, AchieveArgs, AskUserArgs, DONE, DoneArgs, INFEASIBLE, InfeasibleArgs,
    Toolbox,
};

/// Longest answer that is shown to the model again, characters.
const MAX_SHOWN: usize = 2_000;

/// What an answer turned out to be.
#[derive(Debug)]
pub(crate) enum Reading {
    /// A plan.
    Plan(Plan),
    /// Words without a call.
    Prose,
    /// Calls that cannot be made, with everything that is wrong.
    Wrong(Vec<String>),
}

/// What an answer is read against.
pub(crate) struct Reader<'a> {
    pub(crate) request: &'a PlanRequest<'a>,
    pub(crate) toolbox: &'a Toolbox,
    pub(crate) names: &'a Names,
    pub(crate) mode: AnswerMode,
    pub(crate) max_calls: usize,
}

/// A call whose arguments are right.
struct Checked {
    name: String,
    arguments: Value,
}

impl Reader<'_> {
    pub(crate) fn read(&self, answer: &ChatAnswer) -> Reading {
        let calls = match calls_of(self.mode, answer) {
            Ok(Some(calls)) if !calls.is_empty() => calls,
            Ok(_) => return Reading::Prose,
            Err(wrong) => return Reading::Wrong(vec![wrong]),
        };
        if calls.len() > self.max_calls {
            let wrong = format!(
                "it has {} calls, at most {} are allowed",
                calls.len(),
                self.max_calls
            );
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
            match self.plan(checked, &answer.text) {
                Ok(plan) => return Reading::Plan(plan),
                Err(why) => wrong.push(why),
            }
        }
        Reading::Wrong(wrong)
    }

    fn check(&self, call: ToolCall) -> Result<Checked, String> {
        let ToolCall {
            name, arguments, ..
        } = call;
        let Some(schema) = self.toolbox.schema(&name) else {
            let name = clean(&name, 80);
            return Err(format!(
                "there is nothing called `{name}` (what can be called: {})",
                self.toolbox.names()
            ));
        };
        let mut arguments = arguments.map_err(|broken| {
            format!(
                "the arguments of `{name}` are no JSON: {}",
                clean(&broken.error, MAX_SENTENCE)
            )
        })?;
        if arguments.is_null() || arguments == json!([]) {
            return Err(format!(
                "the arguments of `{name}` are no JSON object: `{arguments}`"
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

    /// What the task planner makes of a goal in its notation.
    fn planned_for(&self, call: &str, goal: &str) -> Result<Plan, String> {
        let goal = self.names.ids_in(goal);
        plan_for(&goal, self.request).map_err(|why| {
            format!(
                "{call}: the goal `{}` is not understood: {}",
                clean(&goal, 80),
                clean(&why, MAX_SENTENCE)
            )
        })
    }

    /// Replaces goals in words by what they stand for; what is wrong with them otherwise.
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

    fn plan(&self, calls: Vec<Checked>, text: &str) -> Result<Plan, String> {
        let n = calls.len();
        let mut plan = Plan::default();
        if self.mode == AnswerMode::Tools {
            plan.reasoning = clean(text.trim(), MAX_SHOWN);
        }
        for (idx, Checked { name, arguments }) in calls.into_iter().enumerate() {
            let is_alone = n == 1;
            match name.as_str() {
                DONE if idx + 1 < n => return Err("`done` must be the last call".into()),
                ACHIEVE | INFEASIBLE | ASK_USER if !is_alone => {
                    return Err(format!("`{name}` must be the only call"));
                }
                DONE => {
                    let args: DoneArgs = parsed(&name, arguments)?;
                    plan.done = true;
                    plan.final_answer = Some(said(&args.answer, "answer")?);
                    if let Some(goal) = args.goal.filter(|goal| !goal.trim().is_empty()) {
                        plan.goals = self.planned_for(&name, &goal)?.goals;
                    }
                }
                ACHIEVE => {
                    let args: AchieveArgs = parsed(&name, arguments)?;
                    let reasoning = std::mem::take(&mut plan.reasoning);
                    plan = self.planned_for(&name, &args.goal)?;
                    plan.reasoning = format!("{reasoning} {}", plan.reasoning).trim().to_owned();
                }
                INFEASIBLE => {
                    let args: InfeasibleArgs = parsed(&name, arguments)?;
                    plan.achievable = false;
                    plan.explanation = Some(said(&args.explanation, "explanation")?);
                }
                ASK_USER => {
                    let args: AskUserArgs = parsed(&name, arguments)?;
                    plan.question = Some(said(&args.question, "question")?);
                }
                _ => plan
                    .steps
                    .push(PlanStep::from(SkillCall::new(name, arguments))),
            }
        }
        Ok(plan)
    }
}

/// The calls of an answer, or `None` if it makes none. Calls are calls, also where words were asked
/// for.
pub(crate) fn calls_of(
    mode: AnswerMode,
    answer: &ChatAnswer,
) -> Result<Option<Vec<ToolCall>>, String> {
    match mode {
        _ if !answer.calls.is_empty() => Ok(Some(answer.calls.clone())),
        AnswerMode::Tools => Ok(None),
        AnswerMode::Schema => Ok(calls_in(strip_fence(&answer.text))?),
        AnswerMode::Text => match fenced(&answer.text)? {
            Some(inner) => Ok(calls_in(inner)?),
            None => Ok(calls_in(answer.text.trim()).ok().flatten()),
        },
    }
}

/// Words for a person, which must be some.
fn said(text: &str, what: &str) -> Result<String, String> {
    let text = clean(text.trim(), MAX_SHOWN);
    if text.is_empty() {
        return Err(format!("the `{what}` is empty"));
    }
    Ok(text)
}

fn parsed<T: serde::de::DeserializeOwned>(name: &str, arguments: Value) -> Result<T, String> {
    serde_json::from_value(arguments).map_err(|error| format!("{name}: {error}"))
}

/// Calls in JSON, as models without tools are asked for them. `None` if the text is no
/// JSON object at all, and so no try at an answer.
fn calls_in(text: &str) -> Result<Option<Vec<ToolCall>>, String> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Answer {
        calls: Vec<Call>,
    }
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Call {
        name: String,
        arguments: Value,
    }
    if !text.starts_with('{') {
        return Ok(None);
    }
    let answer: Answer = serde_json::from_str(text)
        .map_err(|error| format!("it is not the JSON that was asked for: {error}"))?;
    let calls = answer.calls.into_iter().enumerate();
    let calls = calls.map(|(idx, call)| ToolCall {
        id: format!("call_{idx}"),
        name: call.name,
        arguments: Ok(call.arguments),
    });
    Ok(Some(calls.collect()))
}

/// What is in the one code fence of a text. Words around it are no harm; two fences leave
/// open which is meant.
fn fenced(text: &str) -> Result<Option<&str>, String> {
    let parts: Vec<_> = text.split("```").collect();
    match parts.as_slice() {
        [_] => Ok(None),
        [_, inner, _] => {
            let inner = inner.trim();
            Ok(Some(inner.strip_prefix("json").unwrap_or(inner).trim()))
        }
        [_, _] => Err("its code fence does not end".into()),
        _ => Err("it has more than one code fence".into()),
    }
}

/// An answer as the model is shown it again: its words and calls, as data.
pub(crate) fn shown(answer: &ChatAnswer) -> String {
    let calls = answer.calls.iter().map(|call| {
        let arguments = match &call.arguments {
            Ok(value) => regrasp_chat::sorted(value).to_string(),
            Err(broken) => broken.text.clone(),
        };
        format!("{}({arguments})", call.name)
    });
    let text = Some(answer.text.clone()).filter(|text| !text.is_empty());
    // Servers that keep to a schema spread JSON over many lines.
    let text = text.map(|text| match serde_json::from_str::<Value>(&text) {
        Ok(value) => regrasp_chat::sorted(&value).to_string(),
        Err(_) => text,
    });
    let parts: Vec<_> = text.into_iter().chain(calls).collect();
    crate::text::json_line(&Value::String(clean(&parts.join("; "), MAX_SHOWN)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_fence_is_an_answer_and_two_are_none() {
        assert_eq!(fenced("no fence"), Ok(None));
        let inner = Ok(Some("{\"calls\": []}"));
        assert_eq!(
            fenced("So:\n```json\n{\"calls\": []}\n```\nThat is it."),
            inner
        );
        assert_eq!(fenced("```{\"calls\": []}```"), inner);
        assert!(fenced("```json\n{}").is_err());
        assert!(fenced("```json\n{}\n``` or ```json\n{}\n```").is_err());
    }

    #[test]
    fn json_that_was_not_asked_for_is_wrong_and_words_are_words() {
        assert!(matches!(calls_in("I would pick it up."), Ok(None)));
        assert!(calls_in("{\"calls\": [{\"name\": \"pick\"}]}").is_err());
        assert!(calls_in("{\"plan\": []}").is_err());
        let calls = calls_in("{\"calls\": [{\"name\": \"home\", \"arguments\": {}}]}");
        assert_eq!(calls.ok().flatten().map(|calls| calls.len()), Some(1));
    }
}
