//! The tools of a model: the skills, and calls that end a plan.

use std::collections::BTreeMap;

use regrasp_api::SkillSpec;
use regrasp_chat::{AnswerFormat, Tool};
use schemars::{JsonSchema, schema_for};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::schema::{compact, lean, with_names};
use crate::text::json_line;

/// Names of the calls that are not skills.
pub(crate) const DONE: &str = "done";
pub(crate) const ACHIEVE: &str = "achieve";
pub(crate) const INFEASIBLE: &str = "infeasible";
pub(crate) const ASK_USER: &str = "ask_user";

/// Nothing is left to do after the calls before this one.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DoneArgs {
    /// Answer to the person.
    pub(crate) answer: String,
    /// Goal that then holds, as for `achieve`
    #[serde(default)]
    pub(crate) goal: Option<String>,
}

/// The robot finds the calls itself.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AchieveArgs {
    /// Such as on(cube, plate) and not in(apple, bowl)
    pub(crate) goal: String,
}

/// Nothing that can be called brings the task about.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct InfeasibleArgs {
    /// Why not, with figures.
    pub(crate) explanation: String,
}

/// The person has to say something before a plan can be made.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AskUserArgs {
    /// The question.
    pub(crate) question: String,
}

/// Most calls in an answer with an enforced schema. A weak model continues to the limit; longer
/// plans continue in the next round.
const MOST_CALLS: usize = 12;

pub(crate) struct Toolbox {
    /// Tools as they are described to the model.
    tools: Vec<Tool>,
    /// Schemas against which calls are checked, by name.
    schemas: BTreeMap<String, Value>,
}

impl Toolbox {
    pub(crate) fn new(skills: &[SkillSpec], needed: &[String]) -> Self {
        let last = "Call this last, when nothing is left to do after that.";
        let itself = "Alone: the robot finds the calls for a goal itself.";
        let nothing = "Alone: nothing brings the task about.";
        let person = "Alone: only the person can say what is meant.";
        let ends = [
            (DONE, last, schema_for!(DoneArgs)),
            (ACHIEVE, itself, schema_for!(AchieveArgs)),
            (INFEASIBLE, nothing, schema_for!(InfeasibleArgs)),
            (ASK_USER, person, schema_for!(AskUserArgs)),
        ];
        let ends = ends.map(|(name, said, schema)| (name, said, schema.to_value()));
        // A skill with one of these names would be ambiguous.
        let is_end = |skill: &&SkillSpec| ends.iter().any(|(name, ..)| *name == skill.name);
        let skills: Vec<&SkillSpec> = skills.iter().filter(|skill| !is_end(skill)).collect();
        let full = skills.iter();
        let full = full.map(|skill| (skill.name.clone(), skill.args_schema.clone()));
        let full_ends = ends.iter();
        let full_ends = full_ends.map(|(name, _, schema)| ((*name).to_owned(), schema.clone()));
        let schemas = full.chain(full_ends).collect();
        let told = skills.iter().filter(|skill| needed.contains(&skill.name));
        let told = told.map(|skill| Tool {
            name: skill.name.clone(),
            description: first_sentence(&skill.description).to_owned(),
            schema: compact(&skill.args_schema),
        });
        let ends = ends.iter().map(|(name, description, schema)| Tool {
            name: (*name).into(),
            description: (*description).into(),
            schema: lean(schema),
        });
        Self {
            tools: told.chain(ends).collect(),
            schemas,
        }
    }

    pub(crate) fn tools(&self) -> &[Tool] {
        &self.tools
    }

    /// Returns the full schema of a tool, or of a skill that was not offered to the model.
    pub(crate) fn schema(&self, name: &str) -> Option<&Value> {
        self.schemas.get(name)
    }

    pub(crate) fn names(&self) -> String {
        let names: Vec<_> = self.tools.iter().map(|tool| tool.name.as_str()).collect();
        names.join(", ")
    }

    /// Schema of an answer in text. A server that enforces it restricts the model to known objects.
    pub(crate) fn format(&self, names: &[String]) -> AnswerFormat {
        let chosen = self.tools.iter().map(|tool| Tool {
            schema: match self.schemas.get(&tool.name) {
                Some(full) => with_names(&tool.schema, full, names),
                None => tool.schema.clone(),
            },
            ..tool.clone()
        });
        let mut schema = format_of(&chosen.collect::<Vec<_>>());
        schema["properties"]["calls"]["minItems"] = json!(1);
        schema["properties"]["calls"]["maxItems"] = json!(MOST_CALLS);
        AnswerFormat {
            name: "plan".into(),
            schema,
        }
    }
}

fn first_sentence(description: &str) -> &str {
    let end = description.find(". ");
    end.map_or(description, |end| &description[..=end])
}

/// Schema of an answer in text: a list of calls of these tools.
pub(crate) fn format_of(tools: &[Tool]) -> Value {
    let calls = tools.iter().map(|tool| {
        json!({
            "type": "object",
            "additionalProperties": false,
            "required": ["name", "arguments"],
            "properties": {
                "name": { "type": "string", "const": tool.name },
                "arguments": regrasp_chat::portable(&tool.schema),
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

/// Describes tools in text, one per line, for models without tool support.
pub(crate) fn described(tools: &[Tool]) -> String {
    let tools = tools.iter().map(|tool| {
        json_line(&json!({
            "name": tool.name,
            "description": tool.description,
            "arguments": regrasp_chat::portable(&tool.schema),
        }))
    });
    tools.collect::<Vec<_>>().join("\n")
}
