//! Walks through arguments along their JSON schema, and shortens schemas for models.

use regrasp_api::{NAMES_OBJECT, NEXT_CALL, RARELY};
use serde_json::{Map, Value, json};

/// Deepest nesting that is followed, which also stops recursive schemas.
const MAX_DEPTH: usize = 16;

/// Passes every string that names an object, with its path, to `visit`.
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

/// Returns true if a value has all constants of an alternative.
fn fits(part: &Value, value: &Value) -> bool {
    let properties = part["properties"].as_object();
    properties.into_iter().flatten().all(|(name, schema)| {
        let constant = schema.get("const");
        constant.is_none_or(|constant| value.get(name) == Some(constant))
    })
}

/// Length of a description, bytes, above which it is cut at its first comma.
const MAX_TOLD: usize = 56;

/// Shortens a schema of arguments to the words that a model needs. Leaves out limits and defaults,
/// because the answer is checked against the full schema, and arguments that are rarely needed or
/// that the engine fills in. A goal becomes a text in the goal notation.
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

/// Adds the object names to a compact schema, as choices for arguments that name an object.
pub(crate) fn with_names(compact: &Value, full: &Value, names: &[String]) -> Value {
    let mut compact = compact.clone();
    if let Some(fields) = compact.as_object_mut() {
        // Servers accept any content for an object without `properties`.
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

/// Returns true if name and type explain an argument without a description: numbers (the name
/// contains the unit), objects and choices.
fn says_itself(part: &Value) -> bool {
    let is_figure = |kind: &Value| kind == "number" || kind == "integer";
    let kinds = part["type"].as_array();
    let is_choice = part.get("anyOf").is_some() || part.get("enum").is_some();
    part[NAMES_OBJECT] == true
        || is_figure(&part["type"])
        || kinds.is_some_and(|kinds| kinds.iter().any(is_figure))
        || is_choice
}

/// Shortens a schema, but leaves out no arguments.
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
            // Constants explain themselves. Of a reference, the description at its use counts.
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

/// Returns the beginning of a description, up to the first colon, semicolon, full stop or newline;
/// if that is too long, up to the first comma.
fn told(words: &str) -> String {
    let end = words.find([':', ';', '.', '\n']).unwrap_or(words.len());
    let words = &words[..end];
    match words.len() > MAX_TOLD {
        true => words.split(',').next().unwrap_or(words).to_owned(),
        false => words.to_owned(),
    }
}

/// Replaces structured goals in a schema by text in the goal notation.
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

/// Example of the goal notation for models that have never seen it.
pub(crate) const GOAL_EXAMPLE: &str = "on(cube, plate)";

fn is_goal(schema: &Value) -> bool {
    schema["$ref"] == "#/$defs/Goal"
}

fn has_goal(schema: &Value) -> bool {
    schema["$defs"].get("Goal").is_some()
}

/// Returns the names of the arguments that contain a goal as text.
pub(crate) fn goals_as_text<'a>(schema: &'a Value, arguments: &Value) -> Vec<&'a str> {
    let properties = schema["properties"].as_object().into_iter().flatten();
    properties
        .filter(|(name, part)| is_goal(part) && arguments[name.as_str()].is_string())
        .map(|(name, _)| name.as_str())
        .collect()
}

/// Returns the errors of arguments against their schema, each with its path.
pub(crate) fn errors(schema: &Value, arguments: &Value) -> Vec<String> {
    // One mistake often causes several errors.
    const MAX_ERRORS: usize = 5;
    let validator = match jsonschema::validator_for(schema) {
        Ok(validator) => validator,
        // The author of a skill sees this error at the first call.
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
