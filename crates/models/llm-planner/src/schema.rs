//! Walking through arguments along their schema.

use regrasp_api::{NAMES_OBJECT, NEXT_CALL, RARELY};
use serde_json::{Map, Value, json};

/// Schemas that nest deeper, or hold themselves, are not followed further.
const MAX_DEPTH: usize = 16;

/// Hands every string that names an object, with its path, to `visit`.
pub(crate) fn visit_names(
    schema: &Value,
    arguments: &mut Value,
    visit: &mut dyn FnMut(&str, &mut String),
) {
    Walk {
        root: schema,
        visit,
    }
    .part(schema, arguments, "", 0);
}

struct Walk<'a> {
    root: &'a Value,
    visit: &'a mut dyn FnMut(&str, &mut String),
}

impl Walk<'_> {
    fn part(&mut self, schema: &Value, value: &mut Value, path: &str, depth: usize) {
        if depth > MAX_DEPTH {
            return;
        }
        if let Some(target) = schema["$ref"].as_str() {
            let name = target.strip_prefix("#/$defs/").unwrap_or_default();
            let target = self.root["$defs"][name].clone();
            self.part(&target, value, path, depth + 1);
        }
        for choice in ["anyOf", "oneOf", "allOf"] {
            let parts = schema[choice].as_array();
            for part in parts.into_iter().flatten() {
                if fits(part, value) {
                    self.part(part, value, path, depth + 1);
                }
            }
        }
        match value {
            Value::String(text) if schema[NAMES_OBJECT] == true => (self.visit)(path, text),
            Value::Object(fields) => {
                for (name, field) in fields {
                    let path = format!("{path}/{name}");
                    self.part(&schema["properties"][name], field, &path, depth + 1);
                }
            }
            Value::Array(items) => {
                for (idx, item) in items.iter_mut().enumerate() {
                    self.part(&schema["items"], item, &format!("{path}/{idx}"), depth + 1);
                }
            }
            _ => {}
        }
    }
}

/// Returns true if an alternative is the one that is meant, as far as its constants tell.
fn fits(part: &Value, value: &Value) -> bool {
    let properties = part["properties"].as_object();
    properties.into_iter().flatten().all(|(name, schema)| {
        let constant = schema.get("const");
        constant.is_none_or(|constant| value.get(name) == Some(constant))
    })
}

/// Descriptions longer than this are told up to their first comma, bytes.
const MAX_TOLD: usize = 56;

/// The same arguments in as few words as a model needs. What is left out (limits, defaults, what
/// the engine fills in) is checked against the full schema when the answer is read, or need not
/// be said at all. A goal becomes a text in the notation of goals.
pub(crate) fn compact(schema: &Value) -> Value {
    let mut schema = with_goals_as_text(schema);
    if let Some(properties) = schema["properties"].as_object_mut() {
        properties.retain(|name, part| name != NEXT_CALL && part[RARELY] != true);
        for part in properties.values_mut().filter(|part| says_itself(part)) {
            if let Some(fields) = part.as_object_mut() {
                fields.remove("description");
            }
        }
    }
    lean(&schema)
}

/// The compact form of a schema, with the names to choose from wherever the full one wants an
/// object.
pub(crate) fn with_names(compact: &Value, full: &Value, names: &[String]) -> Value {
    let mut compact = compact.clone();
    if let Some(fields) = compact.as_object_mut() {
        // Servers take an object of which nothing is said for one that may hold anything.
        fields.entry("properties").or_insert_with(|| json!({}));
        fields.insert("additionalProperties".into(), json!(false));
    }
    if names.is_empty() {
        return compact;
    }
    let properties = compact["properties"].as_object_mut();
    for (name, part) in properties.into_iter().flatten() {
        let full = &full["properties"][name];
        if full[NAMES_OBJECT] == true {
            *part = json!({ "type": "string", "enum": names });
        } else if full["items"][NAMES_OBJECT] == true {
            part["items"] = json!({ "type": "string", "enum": names });
        }
    }
    compact
}

/// Returns true if the name of an argument, its unit in it, and its type say all: a figure,
/// something that is seen, one of a few words.
fn says_itself(part: &Value) -> bool {
    let is_figure = |kind: &Value| kind == "number" || kind == "integer";
    let kinds = part["type"].as_array();
    let is_choice = part.get("anyOf").is_some() || part.get("enum").is_some();
    part[NAMES_OBJECT] == true
        || is_figure(&part["type"])
        || kinds.is_some_and(|kinds| kinds.iter().any(is_figure))
        || is_choice
}

/// The same for a schema of our own, whose words are short already.
pub(crate) fn lean(schema: &Value) -> Value {
    let mut schema = regrasp_chat::portable(schema);
    if let Some(fields) = schema.as_object_mut() {
        fields.remove("description");
    }
    lean_part(&schema)
}

fn lean_part(schema: &Value) -> Value {
    let Some(fields) = schema.as_object() else {
        return schema.clone();
    };
    for choice in ["anyOf", "oneOf"] {
        let Some(parts) = fields.get(choice).and_then(Value::as_array) else {
            continue;
        };
        let parts: Vec<&Value> = parts.iter().filter(|p| p["type"] != "null").collect();
        let words = fields.get("description");
        let mut one = match parts.as_slice() {
            [one] => lean_part(one),
            parts if parts.iter().all(|p| p.get("const").is_some()) => {
                let words: Vec<_> = parts.iter().map(|p| p["const"].clone()).collect();
                json!({ "enum": words })
            }
            parts => json!({ choice: parts.iter().map(|p| lean_part(p)).collect::<Vec<_>>() }),
        };
        if let Some(one) = one.as_object_mut() {
            // What a few words stand for they say, and what a reference says is about it.
            one.remove("description");
            if let Some(words) = words.and_then(Value::as_str) {
                one.insert("description".into(), json!(told(words)));
            }
        }
        return one;
    }
    let mut out = Map::new();
    for (name, value) in fields {
        let value = match (name.as_str(), value) {
            ("type", Value::Array(types)) => {
                let mut types = types.iter().filter(|t| **t != "null");
                types.next().cloned().unwrap_or(Value::Null)
            }
            ("description", Value::String(words)) => json!(told(words)),
            ("properties", Value::Object(parts)) => {
                let lean = |(name, part): (&String, &Value)| (name.clone(), lean_part(part));
                Value::Object(parts.iter().map(lean).collect())
            }
            ("items", part) => lean_part(part),
            ("type" | "required" | "enum" | "const", value) => value.clone(),
            _ => continue,
        };
        out.insert(name.clone(), value);
    }
    Value::Object(out)
}

/// The beginning of a description, as far as one needs it to know what is meant.
fn told(words: &str) -> String {
    let end = words.find([':', ';', '.', '\n']).unwrap_or(words.len());
    let words = &words[..end];
    match words.len() > MAX_TOLD {
        true => words.split(',').next().unwrap_or(words).to_owned(),
        false => words.to_owned(),
    }
}

/// Where a schema wants a goal as data, a text in the notation of goals does.
fn with_goals_as_text(schema: &Value) -> Value {
    match schema {
        Value::Object(fields) if is_goal(schema) => {
            let words = fields.get("description").and_then(Value::as_str);
            let words = told(words.unwrap_or("What must hold"));
            let words = words.split(',').next().unwrap_or_default();
            json!({ "type": "string", "description": format!("{words}, such as {GOAL_EXAMPLE}") })
        }
        Value::Object(fields) => {
            let is_kept = |name: &str| name != "$defs" || !has_goal(schema);
            let fields = fields.iter().filter(|(name, _)| is_kept(name));
            let fields = fields.map(|(name, part)| (name.clone(), with_goals_as_text(part)));
            Value::Object(fields.collect())
        }
        Value::Array(items) => items.iter().map(with_goals_as_text).collect(),
        other => other.clone(),
    }
}

/// A goal in the notation, for models that have never seen one.
pub(crate) const GOAL_EXAMPLE: &str = "on(cube, plate)";

fn is_goal(schema: &Value) -> bool {
    schema["$ref"] == "#/$defs/Goal"
}

fn has_goal(schema: &Value) -> bool {
    schema["$defs"].get("Goal").is_some()
}

/// The arguments that a text in the notation of goals stands for: their names, if it is one.
pub(crate) fn goals_as_text<'a>(schema: &'a Value, arguments: &Value) -> Vec<&'a str> {
    let properties = schema["properties"].as_object().into_iter().flatten();
    properties
        .filter(|(name, part)| is_goal(part) && arguments[name.as_str()].is_string())
        .map(|(name, _)| name.as_str())
        .collect()
}

/// What is wrong with arguments, each with where.
pub(crate) fn errors(schema: &Value, arguments: &Value) -> Vec<String> {
    // At most so many: one mistake often shows in several places.
    const MAX_ERRORS: usize = 5;
    let validator = match jsonschema::validator_for(schema) {
        Ok(validator) => validator,
        // A skill's author sees this at the first plan.
        Err(error) => return vec![format!("the skill's schema is wrong: {error}")],
    };
    let errors = validator.iter_errors(arguments).take(MAX_ERRORS);
    let errors = errors.map(|error| {
        let path = error.instance_path().to_string();
        let place = match path.as_str() {
            "" => "its arguments".into(),
            path => format!("`{path}`"),
        };
        format!("{place}: {error}")
    });
    errors.collect()
}
