//! Tools that are offered to clients.

use std::sync::Arc;

use regrasp_api::{Resource, SkillSpec};
use regrasp_chat::portable;
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use schemars::{JsonSchema, schema_for};
use serde_json::Value;

use crate::arguments::{AnswerArgs, NoArgs, ObserveArgs, PlanCheckArgs, ResetArgs, RunArgs};
use crate::question::Unasked;

/// Tool that is not a skill.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Own {
    Observe,
    Status,
    PlanCheck,
    Run,
    Answer,
    Stop,
    Reset,
}

impl Own {
    const ALL: [Self; 7] = [
        Self::Observe,
        Self::Status,
        Self::PlanCheck,
        Self::Run,
        Self::Answer,
        Self::Stop,
        Self::Reset,
    ];

    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|own| own.name() == name)
    }

    fn name(self) -> &'static str {
        match self {
            Self::Observe => "observe",
            Self::Status => "status",
            Self::PlanCheck => "plan_check",
            Self::Run => "run",
            Self::Answer => "answer",
            Self::Stop => "stop",
            Self::Reset => "reset",
        }
    }

    pub(crate) fn is_offered(self, unasked: Unasked) -> bool {
        self != Self::Answer || unasked == Unasked::Wait
    }

    /// Returns true if the tool needs the robot for itself.
    pub(crate) fn needs_robot(self) -> bool {
        matches!(self, Self::PlanCheck | Self::Run | Self::Reset)
    }

    fn description(self) -> &'static str {
        match self {
            Self::Observe => {
                "Returns the perceived objects with positions in metres (x forward, y left, \
                 z up), what is in the hand, and the picture of a camera if one is given. Moves \
                 nothing."
            }
            Self::Status => {
                "Returns the running call, an open question, and the object in the hand."
            }
            Self::PlanCheck => {
                "Rehearses skill calls in a copy of the world, in order, until one fails, and \
                 reports how each would end. Moves nothing."
            }
            Self::Run => {
                "Carries out a sentence with the robot's own planner, replanning when a step \
                 fails. Steps that are critical wait for a person's approval."
            }
            Self::Answer => "Answers what `status` shows as pending: approves or refuses a step.",
            Self::Stop => "Stops the running call; the arm holds its position.",
            Self::Reset => "Resets to a scene or a task's scene. Every moved object is put back.",
        }
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
        Tool::new(self.name(), self.description(), self.schema()).with_annotations(annotations)
    }
}

/// All tools, skills first.
pub(crate) fn tools(skills: &[SkillSpec], unasked: Unasked) -> Vec<Tool> {
    let skills = skills.iter().map(of_skill);
    let own = Own::ALL.into_iter().filter(|own| own.is_offered(unasked));
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

/// Schema without references and formats, on which strict clients drop the tool or all tools.
fn object(schema: &Value) -> JsonObject {
    match portable(schema) {
        Value::Object(map) => map,
        // An empty schema allows everything.
        _ => JsonObject::new(),
    }
}
