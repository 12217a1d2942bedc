//! Tools that are offered to clients.

use std::sync::Arc;

use regrasp_api::{Resource, SkillSpec};
use regrasp_chat::portable;
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use schemars::{JsonSchema, schema_for};
use serde_json::Value;
use strum::{EnumIter, EnumMessage, EnumString, IntoEnumIterator, IntoStaticStr};

use crate::arguments::{AnswerArgs, NoArgs, ObserveArgs, PlanCheckArgs, ResetArgs, RunArgs};
use crate::question::Unasked;

/// Tool that is not a skill; the messages are the descriptions for clients.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumIter, EnumMessage, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub(crate) enum Own {
    #[strum(
        message = "Returns the perceived objects with positions in metres (x forward, y left, \
                       z up), what is in the hand, and the picture of a camera if one is given. \
                       Moves nothing."
    )]
    Observe,
    #[strum(message = "Returns the running call, an open question, and the object in the hand.")]
    Status,
    #[strum(
        message = "Rehearses skill calls in a copy of the world, in order, until one fails, \
                       and reports how each would end. Moves nothing."
    )]
    PlanCheck,
    #[strum(
        message = "Carries out a sentence with the robot's own planner, replanning when a \
                       step fails. Steps that are critical wait for a person's approval."
    )]
    Run,
    #[strum(message = "Answers what `status` shows as pending: approves or refuses a step.")]
    Answer,
    #[strum(message = "Stops the running call; the arm holds its position.")]
    Stop,
    #[strum(message = "Resets to a scene or a task's scene. Every moved object is put back.")]
    Reset,
}

impl Own {
    pub(crate) fn is_offered(self, unasked: Unasked) -> bool {
        self != Self::Answer || unasked == Unasked::Wait
    }

    fn schema(self) -> Arc<JsonObject> {
        match self {
            Self::Observe => schema_of::<ObserveArgs>(),
            Self::Status | Self::Stop => schema_of::<NoArgs>(),
            Self::PlanCheck => schema_of::<PlanCheckArgs>(),
            Self::Run => schema_of::<RunArgs>(),
            Self::Answer => schema_of::<AnswerArgs>(),
            Self::Reset => schema_of::<ResetArgs>(),
        }
    }

    fn tool(self) -> Tool {
        let reads = matches!(self, Self::Observe | Self::Status | Self::PlanCheck);
        let annotations = ToolAnnotations::new()
            .read_only(reads)
            .destructive(self == Self::Reset)
            .idempotent(reads || matches!(self, Self::Stop | Self::Reset))
            .open_world(false);
        let (name, description): (&str, _) = (self.into(), self.get_message());
        let description = description.unwrap_or_default();
        Tool::new(name, description, self.schema()).with_annotations(annotations)
    }
}

/// All tools, skills first.
pub(crate) fn tools(skills: &[SkillSpec], unasked: Unasked) -> Vec<Tool> {
    let skills = skills.iter().map(of_skill);
    let own = Own::iter().filter(|own| own.is_offered(unasked));
    skills.chain(own.map(Own::tool)).collect()
}

fn of_skill(spec: &SkillSpec) -> Tool {
    let moves = spec
        .claims
        .iter()
        .any(|claim| matches!(claim, Resource::Arm | Resource::Gripper));
    let annotations = ToolAnnotations::new()
        .read_only(!moves)
        .destructive(false)
        .idempotent(!moves)
        .open_world(false);
    let schema = Arc::new(object(&spec.args_schema));
    Tool::new(spec.name.clone(), spec.description.clone(), schema).with_annotations(annotations)
}

fn schema_of<A: JsonSchema>() -> Arc<JsonObject> {
    Arc::new(object(schema_for!(A).as_value()))
}

/// Schema without references and formats: strict clients drop tools whose schemas have them.
fn object(schema: &Value) -> JsonObject {
    match portable(schema) {
        Value::Object(map) => map,
        // An empty schema allows everything.
        _ => JsonObject::new(),
    }
}
