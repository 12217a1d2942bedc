//! What becomes of a call.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use regrasp_api::{Event, SkillCall, SkillResult};
use regrasp_session::{Command, Entry, Outcome, Refusal, Reply, RunOrder, Subscription};
use rmcp::model::{
    CallToolRequestParams, CallToolResult, ContentBlock, JsonObject, ProgressNotificationParam,
    ProgressToken,
};
use rmcp::service::{Peer, RequestContext};
use rmcp::{ErrorData, RoleServer};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::own::{AnswerArgs, MAX_CHECKED, NoArgs, ObserveArgs, PlanCheckArgs, ResetArgs, RunArgs};
use crate::server::{McpServer, Robot};
use crate::tools::Own;

/// What a call comes to; trouble that the model can act on is a result too.
type Called = Result<CallToolResult, ErrorData>;

impl McpServer {
    pub(crate) async fn call(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Called {
        let arguments = request.arguments.unwrap_or_default();
        let name = request.name.as_ref();
        let Some(own) = Own::named(name) else {
            let call = self.skill_call(name, arguments)?;
            return self.job(call, context).await;
        };
        if own.needs_robot() {
            return match job_of(own, arguments) {
                Ok(command) => self.job(command, context).await,
                Err(result) => Ok(*result),
            };
        }
        match own {
            Own::Observe => match parse(arguments) {
                Ok(args) => self.observe(args).await,
                Err(result) => Ok(*result),
            },
            Own::Answer => Ok(match parse::<AnswerArgs>(arguments) {
                Ok(AnswerArgs { id, approve, text }) => {
                    self.order(Command::Answer { id, approve, text })
                }
                Err(result) => *result,
            }),
            Own::Stop => Ok(match parse::<NoArgs>(arguments) {
                Ok(NoArgs {}) => self.order(Command::Stop),
                Err(result) => *result,
            }),
            _ => Ok(match parse::<NoArgs>(arguments) {
                Ok(NoArgs {}) => structured(&self.robot.session.status(), false),
                Err(result) => *result,
            }),
        }
    }

    /// A call of a skill; what is no skill cannot be routed.
    fn skill_call(&self, name: &str, arguments: JsonObject) -> Result<Command, ErrorData> {
        let skills = &self.robot.session.catalogue().skills;
        if !skills.iter().any(|skill| skill.name == name) {
            let known: Vec<_> = skills.iter().map(|skill| skill.name.as_str()).collect();
            let text = format!("no tool is called `{name}` (skills: {})", known.join(", "));
            return Err(ErrorData::invalid_params(text, None));
        }
        Ok(Command::Skill {
            skill: name.to_owned(),
            args: Value::Object(arguments),
        })
    }

    /// Something at once.
    fn order(&self, command: Command) -> CallToolResult {
        match self.robot.session.command(command) {
            Ok(_) => structured(&self.robot.session.status(), false),
            Err(refusal) => refused(&refusal),
        }
    }

    /// Something that takes the robot: waits for its turn, tells of progress, and stops the
    /// robot if the client takes the call back.
    async fn job(&self, command: Command, context: RequestContext<RoleServer>) -> Called {
        let _place = Place::take(&self.robot, self.limits.waiting)?;
        let cancelled = context.ct.clone();
        let turn = tokio::select! {
            turn = self.robot.turn.lock() => turn,
            () = cancelled.cancelled() => return Ok(never_begun()),
        };
        let mut news = self.robot.session.subscribe();
        // What happened before is none of this call's.
        news.now();
        let ticket = match self.robot.session.command(command) {
            Ok(Reply::Later(ticket)) => ticket,
            Ok(Reply::Done) => return Ok(structured(&self.robot.session.status(), false)),
            Err(refusal) => return Ok(refused(&refusal)),
        };
        let token = context.meta.get_progress_token();
        let mut ended = Box::pin(ticket.outcome());
        let mut told = 0.0;
        let mut has_news = token.is_some();
        let outcome = loop {
            tokio::select! {
                outcome = &mut ended => break outcome,
                () = cancelled.cancelled() => {
                    // Nothing runs any more if it ended in this very moment.
                    drop(self.robot.session.command(Command::Stop));
                    break ended.await;
                }
                more = tell(&mut news, &context.peer, token.as_ref(), &mut told), if has_news => {
                    has_news = more;
                }
            }
        };
        drop(turn);
        Ok(of_outcome(outcome))
    }

    async fn observe(&self, args: ObserveArgs) -> Called {
        let robot = Arc::clone(&self.robot);
        // Pictures take a while.
        let seen = tokio::task::spawn_blocking(move || look(&robot, &args)).await;
        let seen = seen.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        Ok(seen.unwrap_or_else(|refusal| refused(&refusal)))
    }
}

/// A place among those who wait for the robot.
struct Place<'a>(&'a Robot);

impl<'a> Place<'a> {
    fn take(robot: &'a Robot, most: usize) -> Result<Self, ErrorData> {
        let n_before = robot.n_waiting.fetch_add(1, Ordering::AcqRel);
        let place = Self(robot);
        if n_before >= most {
            let text = format!("{n_before} calls wait for the robot already; at most {most} may");
            return Err(ErrorData::invalid_request(text, None));
        }
        Ok(place)
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.n_waiting.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Tells the client what is new; says whether there can be more.
async fn tell(
    news: &mut Subscription,
    peer: &Peer<RoleServer>,
    token: Option<&ProgressToken>,
    told: &mut f64,
) -> bool {
    let (Some(fresh), Some(token)) = (news.next().await, token) else {
        return false;
    };
    for entry in &fresh.entries {
        let Some(message) = sentence(&entry.entry) else {
            continue;
        };
        *told += 1.0;
        let progress = ProgressNotificationParam::new(token.clone(), *told).with_message(message);
        if peer.notify_progress(progress).await.is_err() {
            return false;
        }
    }
    true
}

/// What is worth telling while a call goes on.
fn sentence(entry: &Entry) -> Option<String> {
    let Entry::Event { event } = entry else {
        return None;
    };
    match &event.event {
        Event::StepStarted { skill, args, .. } => Some(format!("{skill}({args})")),
        Event::PhaseStarted { name } => Some(name.clone()),
        Event::StepFinished { result, .. } => Some(result.reason_detail.clone()),
        Event::PlanRevised { version } => {
            Some(format!("plan of {} steps", version.plan.steps.len()))
        }
        _ => None,
    }
}

fn job_of(own: Own, arguments: JsonObject) -> Result<Command, Box<CallToolResult>> {
    match own {
        Own::PlanCheck => {
            let PlanCheckArgs { calls } = parse(arguments)?;
            if calls.is_empty() || calls.len() > MAX_CHECKED {
                let text = format!("{} calls; 1 to {MAX_CHECKED} can be rehearsed", calls.len());
                return Err(Box::new(wrong(&text)));
            }
            let calls = calls.into_iter().map(SkillCall::from).collect();
            Ok(Command::Check { calls })
        }
        Own::Run => {
            let RunArgs { text, planner } = parse(arguments)?;
            Ok(Command::Run {
                order: RunOrder {
                    text,
                    planner,
                    perception: None,
                    approve: None,
                    step_by_step: false,
                },
            })
        }
        _ => {
            let ResetArgs { scene, seed } = parse(arguments)?;
            Ok(Command::Reset { scene, seed })
        }
    }
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
        let png = png.map_err(|error| Refusal::trouble(error.to_string()))?;
        let image = ContentBlock::image(STANDARD.encode(png), "image/png");
        result.content.push(image);
    }
    Ok(result)
}

fn parse<A: DeserializeOwned>(arguments: JsonObject) -> Result<A, Box<CallToolResult>> {
    serde_json::from_value(Value::Object(arguments))
        .map_err(|error| Box::new(wrong(&error.to_string())))
}

/// Arguments that do not fit: the model can correct them.
fn wrong(why: &str) -> CallToolResult {
    structured(
        &json!({ "reason": "bad_arguments", "reason_detail": why }),
        true,
    )
}

fn refused(refusal: &Refusal) -> CallToolResult {
    structured(
        &json!({ "reason": refusal.kind, "reason_detail": refusal.message }),
        true,
    )
}

fn never_begun() -> CallToolResult {
    let detail = "it was taken back before it began";
    structured(
        &json!({ "reason": "cancelled", "reason_detail": detail }),
        true,
    )
}

fn of_outcome(outcome: Outcome) -> CallToolResult {
    match &outcome {
        Outcome::Skill { result } => structured(result, !result.success),
        Outcome::Episode { result } => structured(result, !result.success),
        Outcome::Checked { results } => structured(
            &json!({ "feasible": results.iter().all(|r| r.success), "results": results }),
            !results.iter().all(|result: &SkillResult| result.success),
        ),
        Outcome::Done => structured(&json!({ "done": true }), false),
        Outcome::Trouble { message } => structured(
            &json!({ "reason": "trouble", "reason_detail": message }),
            true,
        ),
    }
}

/// The value as structured content, and as text for clients that read only that.
fn structured(value: &impl Serialize, is_error: bool) -> CallToolResult {
    let value = serde_json::to_value(value).unwrap_or(Value::Null);
    match is_error {
        true => CallToolResult::structured_error(value),
        false => CallToolResult::structured(value),
    }
}
