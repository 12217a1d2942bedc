//! Arguments of the tools that are not skills.

use regrasp_api::SkillCall;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

/// Maximum number of calls in a rehearsed plan.
pub(crate) const MAX_CHECKED: usize = 32;

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ObserveArgs {
    /// A camera whose picture is returned too, such as `scene`, `top` or `wrist`.
    #[serde(default)]
    pub(crate) camera: Option<String>,
    /// Width of the picture, pixels, from 16 to 1920; the camera's own if left out.
    #[serde(default)]
    pub(crate) width: Option<u32>,
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NoArgs {}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ResetArgs {
    /// A built-in scene or task by name.
    pub(crate) scene: String,
    /// Seed of all random values.
    #[serde(default)]
    pub(crate) seed: u64,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PlanCheckArgs {
    /// The calls, in order; at most 32.
    #[schemars(length(min = 1, max = 32))]
    pub(crate) calls: Vec<CheckedCall>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CheckedCall {
    /// The skill's name.
    skill: String,
    /// Its arguments, an object.
    #[serde(default)]
    #[schemars(with = "serde_json::Map<String, Value>")]
    args: Value,
}

impl From<CheckedCall> for SkillCall {
    fn from(call: CheckedCall) -> Self {
        let args = match call.args {
            Value::Null => Value::Object(serde_json::Map::new()),
            args => args,
        };
        Self::new(call.skill, args)
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RunArgs {
    /// The command, such as "put the red cube on the plate".
    pub(crate) text: String,
    /// The planner. Default: the usual one.
    #[serde(default)]
    pub(crate) planner: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AnswerArgs {
    /// The number of the question, as `status` shows it under `pending`.
    pub(crate) id: u64,
    /// True if the step may be made.
    #[serde(default)]
    pub(crate) approve: bool,
    /// The answer, or the reason of a refusal.
    #[serde(default)]
    pub(crate) text: Option<String>,
}
