//! Interprets a task before anything moves.

use regrasp_api::{Plan, PlanRequest, PlannerError, SkillCall};
use regrasp_language::{Misunderstanding, ParseContext, Understood, understand};
use serde_json::json;

pub(crate) enum Interpretation {
    Goal(Understood),
    /// A question for a person, or a plan that looks for an object.
    Answer(Plan),
}

pub(crate) fn interpret(request: &PlanRequest<'_>) -> Result<Interpretation, PlannerError> {
    match understand(request.task, &ParseContext::from(request)) {
        Ok(understood) => Ok(Interpretation::Goal(understood)),
        Err(Misunderstanding::Ambiguous {
            reason, question, ..
        }) => Ok(Interpretation::Answer(Plan {
            question: Some(question),
            unclear: Some(reason),
            ..Plan::default()
        })),
        Err(
            ref unseen @ Misunderstanding::Unseen {
                ref name, moved, ..
            },
        ) => Ok(Interpretation::Answer(look_for(
            request, name, moved, unseen,
        ))),
        Err(why) => Err(PlannerError::Unrecognized {
            text: request.task.to_owned(),
            help: why.to_string(),
        }),
    }
}

/// Plans a search for an object that is not perceived. Perception misses objects at times; the
/// skill looks repeatedly and reports what it sees.
fn look_for(request: &PlanRequest<'_>, name: &str, moved: bool, unseen: &Misunderstanding) -> Plan {
    let can_look = request.skills.iter().any(|s| s.name == "look");
    if let Some(last) = request.attempts.last() {
        return Plan::infeasible(last.describe());
    }
    let object = json!({ "object": name.replace(' ', "_") });
    let call = match (moved, can_look) {
        (true, _) => SkillCall::new("pick", object),
        (false, true) => SkillCall::new("look", object),
        (false, false) => return Plan::infeasible(format!("object_not_found - {unseen}")),
    };
    Plan {
        steps: vec![call.into()],
        ..Plan::default()
    }
    .because(unseen.to_string())
}

/// Formats the goal, and the meaning of each phrase.
pub(crate) fn resolved(understood: &Understood, request: &PlanRequest<'_>) -> Vec<String> {
    let mut lines = vec![understood.goal()];
    if understood.sides_matter {
        let base = &request.observation.world_from_base;
        let viewpoint = request.viewpoint.or_of_robot(base);
        lines.push(format!("left and right as seen by {viewpoint}"));
    }
    lines.extend(understood.because());
    lines
}
