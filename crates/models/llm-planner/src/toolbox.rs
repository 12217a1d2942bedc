//! The tools of a model: the skills, and calls that end a plan.

use std::collections::BTreeMap;

use regrasp_api::SkillSpec;
use regrasp_chat::{AnswerFormat, Tool};
use serde_json::{Value, json};

use crate::json_line;
use crate::schema::{compact, lean, with_names};

/// Names of the calls that are not skills.
pub(crate) const DONE: &str = "done";
pub(crate) const ACHIEVE: &str = "achieve";
pub(crate) const INFEASIBLE: &str = "infeasible";
pub(crate) const ASK_USER: &str = "ask_user";

/// Largest number of calls in an answer with an enforced schema. A weak model fills the answer up
/// to this limit; longer plans continue in the next round.
const MOST_CALLS: usize = 12;

pub(crate) struct Toolbox {
    /// Tools as they are described to the model.
    pub(crate) tools: Vec<Tool>,
    /// Schemas against which calls are checked, by name.
    schemas: BTreeMap<String, Value>,
}

impl Toolbox {
    pub(crate) fn new(skills: &[SkillSpec], needed: &[String]) -> Self {
        let ends = ends();
        // A skill with the name of such a call would be ambiguous, so it is not offered.
        let is_end = |skill: &&SkillSpec| ends.iter().any(|end| end.name == skill.name);
        let skills: Vec<&SkillSpec> = skills.iter().filter(|skill| !is_end(skill)).collect();
        let full = skills.iter();
        let full = full.map(|skill| (skill.name.clone(), skill.args_schema.clone()));
        let full_ends = ends.iter();
        let full_ends = full_ends.map(|end| (end.name.clone(), end.schema.clone()));
        let schemas = full.chain(full_ends).collect();
        let told = skills.iter().filter(|skill| needed.contains(&skill.name));
        let told = told.map(|skill| Tool {
            name: skill.name.clone(),
            description: first_sentence(&skill.description).to_owned(),
            schema: compact(&skill.args_schema),
        });
        let ends = ends.iter().map(|end| Tool {
            schema: lean(&end.schema),
            ..end.clone()
        });
        Self {
            tools: told.chain(ends).collect(),
            schemas,
        }
    }

    /// Returns the full schema of a tool, or of a skill that was not offered to the model.
    pub(crate) fn schema(&self, name: &str) -> Option<&Value> {
        self.schemas.get(name)
    }

    pub(crate) fn names(&self) -> String {
        let names: Vec<_> = self.tools.iter().map(|tool| tool.name.as_str()).collect();
        names.join(", ")
    }

    /// Returns the schema of an answer in text. A server that enforces it restricts the model to
    /// known objects.
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

/// Returns the calls that are not skills, with their full schemas.
fn ends() -> [Tool; 4] {
    let text = |words: &str| json!({ "type": "string", "description": words });
    let goal = "Goal that then holds, as for `achieve`";
    let goal = json!({ "type": ["string", "null"], "description": goal });
    [
        tool(
            DONE,
            "Call this last, when nothing is left to do after that.",
            json!({ "answer": text("Answer to the person."), "goal": goal }),
        ),
        tool(
            ACHIEVE,
            "Alone: the robot finds the calls for a goal itself.",
            json!({ "goal": text("Such as on(cube, plate) and not in(apple, bowl)") }),
        ),
        tool(
            INFEASIBLE,
            "Alone: nothing brings the task about.",
            json!({ "explanation": text("Why not, with figures.") }),
        ),
        tool(
            ASK_USER,
            "Alone: only the person can say what is meant.",
            json!({ "question": text("The question.") }),
        ),
    ]
}

/// Creates a tool with these arguments. An argument that may be null may also be missing.
pub(crate) fn tool(name: &str, description: &str, arguments: Value) -> Tool {
    let all = arguments.as_object().into_iter().flatten();
    let required = all.filter(|(_, part)| !part["type"].is_array());
    let required: Vec<_> = required.map(|(name, _)| name.clone()).collect();
    Tool {
        name: name.into(),
        description: description.into(),
        schema: json!({ "type": "object", "additionalProperties": false,
                        "required": required, "properties": arguments }),
    }
}

fn first_sentence(description: &str) -> &str {
    let end = description.find(". ");
    end.map_or(description, |end| &description[..=end])
}

/// Returns the schema of an answer in text: a list of calls of these tools.
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
