//! Walking through arguments along their schema.

use regrasp_api::NAMES_OBJECT;
use serde_json::Value;

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

/// Whether an alternative is the one that is meant, as far as its constants tell.
fn fits(part: &Value, value: &Value) -> bool {
    let properties = part["properties"].as_object();
    properties.into_iter().flatten().all(|(name, schema)| {
        let constant = schema.get("const");
        constant.is_none_or(|constant| value.get(name) == Some(constant))
    })
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
        let place = if path.is_empty() {
            "its arguments".into()
        } else {
            format!("`{path}`")
        };
        format!("{place}: {error}")
    });
    errors.collect()
}
