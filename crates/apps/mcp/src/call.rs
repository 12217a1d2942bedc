//! Handling of tool calls.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use regrasp_api::{SkillCall, SkillResult};
use regrasp_session::{Command, Outcome, Pending, Refusal, RunOrder};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ElicitRequest,
    InputRequest, InputRequests, InputRequiredResult, InputResponses, JsonObject,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::arguments::{
    AnswerArgs, MAX_CHECKED, NoArgs, ObserveArgs, PlanCheckArgs, ResetArgs, RunArgs,
};
use crate::job::{Begun, Job, JobEvent, Robot};
use crate::question::{AskChannel, Question, Unasked, answered, form, no, order_of};
use crate::server::McpServer;
use crate::tools::Own;

/// Result of a call. Failures that the model can act on are results, too.
type Called = Result<CallToolResponse, ErrorData>;

/// Name of the requested input in an `input_required` result.
const ANSWER: &str = "answer";
const NOBODY: &str = "this client declares no elicitation, so nobody can be asked; a person may \
                      start the server with `--approve never`, or with `--unasked wait`";

impl McpServer {
    pub(crate) async fn call(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Called {
        if let Some(state) = &request.request_state {
            return self.again(state, request.input_responses, &context).await;
        }
        let arguments = request.arguments.unwrap_or_default();
        let name = request.name.as_ref();
        let own = name.parse::<Own>().ok();
        let Some(own) = own.filter(|own| own.is_offered(self.unasked)) else {
            let call = self.skill_call(name, arguments)?;
            return self.job(call, context).await;
        };
        match self.own(own, arguments, context).await {
            Ok(called) => called,
            Err(result) => Ok((*result).into()),
        }
    }

    /// Calls a tool that is not a skill; an error means invalid arguments.
    async fn own(
        &self,
        own: Own,
        arguments: JsonObject,
        context: RequestContext<RoleServer>,
    ) -> Result<Called, Box<CallToolResult>> {
        let command = match own {
            Own::Observe => return Ok(self.observe(parse(arguments)?).await),
            Own::Status => {
                let NoArgs {} = parse(arguments)?;
                return Ok(Ok(structured(&self.robot.session.status(), false).into()));
            }
            Own::PlanCheck => {
                let PlanCheckArgs { calls } = parse(arguments)?;
                if calls.is_empty() || calls.len() > MAX_CHECKED {
                    let text = format!("expected 1 to {MAX_CHECKED} calls, got {}", calls.len());
                    return Err(Box::new(wrong(&text)));
                }
                let calls = calls.into_iter().map(SkillCall::from).collect();
                Command::Check { calls }
            }
            Own::Run => {
                let RunArgs { text, planner } = parse(arguments)?;
                let order = RunOrder {
                    text,
                    planner,
                    ..RunOrder::default()
                };
                Command::Run { order }
            }
            Own::Answer => {
                let AnswerArgs { id, approve, text } = parse(arguments)?;
                Command::Answer { id, approve, text }
            }
            Own::Stop => {
                let NoArgs {} = parse(arguments)?;
                Command::Stop
            }
            Own::Reset => {
                let ResetArgs { scene, seed } = parse(arguments)?;
                Command::Reset { scene, seed }
            }
        };
        Ok(match command.job() {
            Some(_) => self.job(command, context).await,
            None => Ok(self.order(command).into()),
        })
    }

    /// Converts a call to a skill order; an unknown name is a protocol error.
    fn skill_call(&self, name: &str, arguments: JsonObject) -> Result<Command, ErrorData> {
        let skills = &self.robot.session.catalogue().skills;
        if !skills.iter().any(|skill| skill.name == name) {
            let known: Vec<_> = skills.iter().map(|skill| skill.name.as_str()).collect();
            let text = format!("there is no tool `{name}` (skills: {})", known.join(", "));
            return Err(ErrorData::invalid_params(text, None));
        }
        Ok(Command::Skill {
            skill: name.to_owned(),
            args: Value::Object(arguments),
        })
    }

    /// Gives an order that ends immediately.
    fn order(&self, command: Command) -> CallToolResult {
        match self.robot.session.command(command) {
            Ok(_) => structured(&self.robot.session.status(), false),
            Err(refusal) => refused(&refusal),
        }
    }

    /// Gives an order that occupies the robot.
    async fn job(&self, command: Command, context: RequestContext<RoleServer>) -> Called {
        let begun = Job::begin(&self.robot, self.limits.waiting, command, &context).await?;
        match begun {
            Begun::Job(job) => self.see_through(job, &context).await,
            Begun::Cancelled => Ok(failure("cancelled", "it was cancelled before it began").into()),
            Begun::Refused(refusal) => Ok(refused(&refusal).into()),
        }
    }

    /// Waits for the end of a job, and passes its questions to the client.
    async fn see_through(&self, mut job: Box<Job>, context: &RequestContext<RoleServer>) -> Called {
        let mut question: Option<Question> = None;
        loop {
            let next = tokio::select! {
                next = job.go_on(context) => next,
                answer = answered(&mut question) => {
                    question = None;
                    self.answer(answer);
                    continue;
                }
            };
            if let Some(question) = question.take() {
                question.withdraw().await;
            }
            let pending = match next {
                JobEvent::Ended(outcome) => return Ok(of_outcome(outcome).into()),
                JobEvent::Answered => continue,
                JobEvent::Asks(pending) => pending,
            };
            match AskChannel::of(context) {
                AskChannel::Request => {
                    let put = Question::put(&context.peer, pending, self.limits.answer).await;
                    question = put.map_err(|order| self.answer(order)).ok();
                }
                AskChannel::Result => match input_required(&pending) {
                    Ok(requests) => {
                        let patience = self.limits.answer;
                        let state = self.parked.keep(&self.robot, job, pending, patience);
                        let asked = InputRequiredResult::new(Some(requests), Some(state));
                        return Ok(asked.into());
                    }
                    Err(why) => self.answer(no(&pending, why)),
                },
                AskChannel::Nobody if self.unasked == Unasked::Refuse => {
                    self.answer(no(&pending, NOBODY));
                }
                AskChannel::Nobody => {}
            }
        }
    }

    /// Continues a parked call with the client's answer.
    async fn again(
        &self,
        state: &str,
        answers: Option<InputResponses>,
        context: &RequestContext<RoleServer>,
    ) -> Called {
        let Some(job) = self.parked.claim(state).await else {
            let detail = "the call that asked is over: it was stopped, or nobody answered in time";
            return Ok(failure("cancelled", detail).into());
        };
        if let Some(pending) = &job.pending {
            let answer = answers.and_then(|mut answers| answers.remove(ANSWER));
            let answer = answer.and_then(|answer| serde_json::from_value(answer).ok());
            self.answer(match answer {
                Some(answer) => order_of(pending, answer),
                None => no(pending, "the client returned no answer"),
            });
        }
        self.see_through(job, context).await
    }

    fn answer(&self, order: Command) {
        // If the question was answered elsewhere in the meantime, the answer is rejected.
        drop(self.robot.session.command(order));
    }

    async fn observe(&self, args: ObserveArgs) -> Called {
        let robot = Arc::clone(&self.robot);
        // Rendering would block other clients.
        let seen = tokio::task::spawn_blocking(move || look(&robot, &args)).await;
        let seen = seen.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        Ok(seen.unwrap_or_else(|refusal| refused(&refusal)).into())
    }
}

fn input_required(pending: &Pending) -> Result<InputRequests, &'static str> {
    let request = InputRequest::Elicitation(ElicitRequest::new(form(pending)?));
    Ok([(ANSWER.to_owned(), request)].into())
}

fn look(robot: &Robot, args: &ObserveArgs) -> Result<CallToolResult, Refusal> {
    let picture = match &args.camera {
        None => None,
        Some(camera) => Some(robot.session.picture(camera, args.width, None)?),
    };
    let state = json!({
        "status": robot.session.status(),
        "cameras": robot.session.cameras(),
        "objects": robot.session.objects(),
    });
    let mut result = structured(&state, false);
    if let Some(picture) = picture {
        let size = picture.view.intrinsics;
        let png = regrasp_render::png_bytes(size.width, size.height, &picture.rgb);
        let png = png.map_err(|error| Refusal::internal(error.to_string()))?;
        let image = ContentBlock::image(STANDARD.encode(png), "image/png");
        result.content.push(image);
    }
    Ok(result)
}

fn parse<A: DeserializeOwned>(arguments: JsonObject) -> Result<A, Box<CallToolResult>> {
    serde_json::from_value(Value::Object(arguments))
        .map_err(|error| Box::new(wrong(&error.to_string())))
}

fn failure(reason: impl Serialize, detail: &str) -> CallToolResult {
    structured(&json!({ "reason": reason, "reason_detail": detail }), true)
}

/// Failure for invalid arguments, which the model can correct.
fn wrong(why: &str) -> CallToolResult {
    failure("bad_arguments", why)
}

fn refused(refusal: &Refusal) -> CallToolResult {
    failure(refusal.kind, &refusal.message)
}

fn of_outcome(outcome: Outcome) -> CallToolResult {
    match &outcome {
        Outcome::Skill { result } => structured(result, !result.success),
        Outcome::Episode { result, .. } => structured(result, !result.success),
        Outcome::Checked { results } => structured(
            &json!({ "feasible": results.iter().all(|r| r.success), "results": results }),
            !results.iter().all(|result: &SkillResult| result.success),
        ),
        Outcome::Done => structured(&json!({ "done": true }), false),
        Outcome::Trouble { message } => failure("trouble", message),
    }
}

/// Returns the value as structured content, and as text for clients that read only that.
fn structured(value: &impl Serialize, is_error: bool) -> CallToolResult {
    let value = serde_json::to_value(value).unwrap_or(Value::Null);
    match is_error {
        true => CallToolResult::structured_error(value),
        false => CallToolResult::structured(value),
    }
}
