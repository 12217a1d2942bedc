//! What a model may call: the skills, and three ways to end a plan.

use regrasp_api::{Goal, ObjectId, SkillSpec};
use regrasp_model::{AnswerFormat, Tool};
use schemars::{JsonSchema, schema_for};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::text::json_line;

/// The calls that are no skills.
pub(crate) const DONE: &str = "done";
pub(crate) const INFEASIBLE: &str = "infeasible";
pub(crate) const ASK_USER: &str = "ask_user";

/// How far from its place an object may be if the model does not say, m.
const AT_TOLERANCE_M: f64 = 0.02;

/// Nothing is left to do after the calls before this one.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DoneArgs {
    /// What to tell the person who gave the task, once it is done.
    pub(crate) answer: String,
    /// What must be true in the scene when the task is done. The robot checks it. Leave it
    /// out only if none of these can say it.
    #[serde(default)]
    pub(crate) goals: Vec<GoalArgs>,
}

/// Something that must be true.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(tag = "goal", rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum GoalArgs {
    /// The object is in the hand.
    Holding {
        /// Which.
        #[schemars(extend("x-names-object" = true))]
        object: String,
    },
    /// The object rests on another, and the hand has let go of it.
    On {
        /// Which.
        #[schemars(extend("x-names-object" = true))]
        object: String,
        /// What it rests on.
        #[schemars(extend("x-names-object" = true))]
        target: String,
    },
    /// The object's centre is at a point.
    At {
        /// Which.
        #[schemars(extend("x-names-object" = true))]
        object: String,
        /// Forward, m.
        x: f64,
        /// To the left, m.
        y: f64,
        /// Up, m.
        z: f64,
        /// How far off it may be, m; 0.02 if left out.
        #[serde(default)]
        #[schemars(range(min = 0.001, max = 0.2))]
        tolerance_m: Option<f64>,
        /// Whether the hand must have let go of it.
        released: bool,
    },
    /// The arm is in its home configuration.
    Home,
}

impl From<GoalArgs> for Goal {
    fn from(args: GoalArgs) -> Self {
        match args {
            GoalArgs::Holding { object } => Self::Holding {
                object: ObjectId::new(object),
            },
            GoalArgs::On { object, target } => Self::On {
                object: ObjectId::new(object),
                target: ObjectId::new(target),
            },
            GoalArgs::At {
                object,
                x,
                y,
                z,
                tolerance_m,
                released,
            } => Self::At {
                object: ObjectId::new(object),
                position: [x, y, z],
                tolerance_m: tolerance_m.unwrap_or(AT_TOLERANCE_M),
                released,
            },
            GoalArgs::Home => Self::Home,
        }
    }
}

/// Nothing that can be called brings the task about.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct InfeasibleArgs {
    /// Why not, in one sentence with the figures that show it.
    pub(crate) explanation: String,
}

/// The person has to say something before a plan can be made.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AskUserArgs {
    /// The question.
    pub(crate) question: String,
}

/// Everything that may be called, in order.
pub(crate) struct Toolbox {
    tools: Vec<Tool>,
}

impl Toolbox {
    pub(crate) fn new(skills: &[SkillSpec]) -> Self {
        let ends = [
            (
                DONE,
                "Call this last, after the calls that do what is left of the task; alone if \
                 nothing is left.",
                schema_for!(DoneArgs).to_value(),
            ),
            (
                INFEASIBLE,
                "Call this alone if nothing that can be called brings the task about.",
                schema_for!(InfeasibleArgs).to_value(),
            ),
            (
                ASK_USER,
                "Call this alone if only the person who gave the task can say what is meant.",
                schema_for!(AskUserArgs).to_value(),
            ),
        ];
        // A skill of one of these names could not be told apart from them.
        let is_end = |skill: &&SkillSpec| ends.iter().any(|(name, ..)| *name == skill.name);
        let skills_left = skills
            .iter()
            .filter(|skill| !is_end(skill))
            .map(|skill| Tool {
                name: skill.name.clone(),
                description: skill.description.clone(),
                schema: skill.args_schema.clone(),
            });
        let ends = ends.iter().map(|(name, description, schema)| Tool {
            name: (*name).into(),
            description: (*description).into(),
            schema: schema.clone(),
        });
        Self {
            tools: skills_left.chain(ends).collect(),
        }
    }

    pub(crate) fn tools(&self) -> &[Tool] {
        &self.tools
    }

    pub(crate) fn find(&self, name: &str) -> Option<&Tool> {
        self.tools.iter().find(|tool| tool.name == name)
    }

    pub(crate) fn names(&self) -> String {
        let names: Vec<_> = self.tools.iter().map(|tool| tool.name.as_str()).collect();
        names.join(", ")
    }

    /// The form of an answer in words: the calls that would have been made.
    pub(crate) fn format(&self) -> AnswerFormat {
        AnswerFormat {
            name: "plan".into(),
            schema: format_of(&self.tools),
        }
    }
}

/// The schema of an answer in words: a list of calls of these tools.
pub(crate) fn format_of(tools: &[Tool]) -> Value {
    let calls = tools.iter().map(|tool| {
        json!({
            "type": "object",
            "additionalProperties": false,
            "required": ["name", "arguments"],
            "properties": {
                "name": { "type": "string", "const": tool.name },
                "arguments": regrasp_model::portable(&tool.schema),
            },
        })
    });
    let calls: Vec<Value> = calls.collect();
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["calls"],
        "properties": {
            "calls": { "type": "array", "items": { "anyOf": calls } },
        },
    })
}

/// Tools in words, one a line, for models that cannot be given any.
pub(crate) fn described(tools: &[Tool]) -> String {
    let tools = tools.iter().map(|tool| {
        json_line(&json!({
            "name": tool.name,
            "description": tool.description,
            "arguments": regrasp_model::portable(&tool.schema),
        }))
    });
    tools.collect::<Vec<_>>().join("\n")
}
