//! Reduces JSON schemas to the keywords that servers understand.
//!
//! Schemas of Rust types use references, `oneOf`, formats and custom keywords. Servers that convert
//! schemas to grammars support only some of these. Constraints that are dropped here are checked by
//! the caller on the answer, against the full schema.

use serde_json::{Map, Value, json};

/// Depth from which a reference, as in a recursive schema, becomes a schema of any object.
const MAX_DEPTH: usize = 16;

/// Returns JSON with sorted object keys, so that its text is the same in any key order.
pub fn sorted(mut value: Value) -> Value {
    value.sort_all_objects();
    value
}

/// Returns a schema without references, titles, formats and custom keywords.
pub fn portable(schema: &Value) -> Value {
    let defs = ["$defs", "definitions"]
        .iter()
        .find_map(|key| schema.get(*key));
    let defs = defs.cloned().unwrap_or(Value::Null);
    inlined(schema, &defs, 0)
}

fn inlined(schema: &Value, defs: &Value, depth: usize) -> Value {
    let Value::Object(fields) = schema else {
        return schema.clone();
    };
    let target = fields.get("$ref").and_then(Value::as_str);
    let target = target.map(|reference| {
        let name = reference.rsplit('/').next().unwrap_or_default();
        defs.get(name).unwrap_or(&Value::Null)
    });
    if target.is_some_and(Value::is_null) || (target.is_some() && depth >= MAX_DEPTH) {
        // The caller checks this part on the answer.
        return json!({ "type": "object" });
    }
    if let Some(target) = target {
        let mut inner = inlined(target, defs, depth + 1);
        // A description beside a reference is more specific than that of the target.
        if let (Some(inner), Some(words)) = (inner.as_object_mut(), fields.get("description")) {
            inner.insert("description".into(), words.clone());
        }
        return inner;
    }
    let kept = fields.iter().filter(|(name, _)| {
        const LEFT_OUT: &str = "$schema $defs $id $comment definitions title format";
        !LEFT_OUT.split(' ').any(|left_out| left_out == *name) && !name.starts_with("x-")
    });
    let kept = kept.map(|(name, value)| {
        let inner = |part: &Value| inlined(part, defs, depth + 1);
        let value = match (name.as_str(), value) {
            ("properties", Value::Object(fields)) => {
                fields.iter().map(|(k, v)| (k.clone(), inner(v))).collect()
            }
            ("anyOf" | "oneOf" | "allOf", Value::Array(items)) => items.iter().map(inner).collect(),
            ("items" | "additionalProperties", part) => inner(part),
            (_, other) => other.clone(),
        };
        (name.clone(), value)
    });
    let mut kept: Map<_, _> = kept.collect();
    let constants = kept.get("enum").and_then(Value::as_array);
    let first = kept.get("const").or(constants.and_then(|all| all.first()));
    if let Some(kind) = first
        .and_then(kind_of)
        .filter(|_| !kept.contains_key("type"))
    {
        kept.insert("type".into(), kind.into());
    }
    Value::Object(kept)
}

fn kind_of(value: &Value) -> Option<&'static str> {
    match value {
        Value::String(_) => Some("string"),
        Value::Number(_) => Some("number"),
        Value::Bool(_) => Some("boolean"),
        _ => None,
    }
}

/// Converts a schema to OpenAI's strict form: every property is required, optional ones are
/// nullable, and no other is allowed. `None` if that is impossible.
pub(crate) fn strict(schema: &Value) -> Option<Value> {
    strict_part(&portable(schema))
}

fn strict_part(schema: &Value) -> Option<Value> {
    let fields = schema.as_object()?;
    let mut out = Map::new();
    for (name, value) in fields {
        match name.as_str() {
            "type" | "enum" | "description" => {
                out.insert(name.clone(), value.clone());
            }
            "const" => {
                out.insert("enum".into(), json!([value]));
            }
            "anyOf" | "oneOf" => {
                let parts = value.as_array()?.iter().map(strict_part);
                out.insert("anyOf".into(), parts.collect::<Option<Vec<_>>>()?.into());
            }
            "items" => {
                out.insert(name.clone(), strict_part(value)?);
            }
            "properties" => {
                let required = |name: &String| is_required(schema, name);
                let properties = value.as_object()?.iter().map(|(name, part)| {
                    let part = strict_part(part)?;
                    let part = if required(name) { part } else { nullable(part) };
                    Some((name.clone(), part))
                });
                let properties = properties.collect::<Option<Map<_, _>>>()?;
                let names: Vec<_> = properties.keys().cloned().collect();
                out.insert("required".into(), names.into());
                out.insert("properties".into(), properties.into());
            }
            // Limits and defaults are handled by the caller.
            "required" | "default" | "minimum" | "maximum" | "exclusiveMinimum"
            | "exclusiveMaximum" | "minLength" | "maxLength" | "pattern" | "minItems"
            | "maxItems" | "multipleOf" => {}
            "additionalProperties" if *value == Value::Bool(false) => {}
            _ => return None,
        }
    }
    if out.get("type") == Some(&json!("object")) {
        out.insert("additionalProperties".into(), false.into());
        out.entry("properties").or_insert_with(|| json!({}));
        out.entry("required").or_insert_with(|| json!([]));
    }
    let says_something = ["type", "enum", "anyOf"]
        .iter()
        .any(|k| out.contains_key(*k));
    says_something.then_some(Value::Object(out))
}

fn is_required(schema: &Value, name: &str) -> bool {
    let required = schema.get("required").and_then(Value::as_array);
    required.is_some_and(|names| names.iter().any(|n| n == name))
}

fn nullable(schema: Value) -> Value {
    let is_null = |part: &Value| part.get("type") == Some(&json!("null"));
    let is_nullable = match &schema["type"] {
        Value::Array(types) => types.iter().any(|t| t == "null"),
        _ => {
            let parts = schema.get("anyOf").and_then(Value::as_array);
            parts.is_some_and(|parts| parts.iter().any(is_null))
        }
    };
    if is_nullable {
        schema
    } else {
        json!({ "anyOf": [schema, { "type": "null" }] })
    }
}

/// Undoes the strict form in an answer that was requested with [`strict`]: removes the nulls of
/// optional properties.
pub(crate) fn without_strict_nulls(value: Value, schema: &Value) -> Value {
    drop_nulls(value, &portable(schema))
}

fn drop_nulls(value: Value, schema: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let schema = variant_for(&fields, schema);
            let kept = fields.into_iter().filter_map(|(name, value)| {
                let part = &schema["properties"][&name];
                let is_left_out = value.is_null() && !is_required(schema, &name);
                (!is_left_out).then(|| {
                    let value = drop_nulls(value, part);
                    (name, value)
                })
            });
            Value::Object(kept.collect())
        }
        Value::Array(items) => {
            let plain = |item| drop_nulls(item, &schema["items"]);
            items.into_iter().map(plain).collect()
        }
        other => other,
    }
}

/// Returns the first alternative whose constants match the object, or else the schema itself.
fn variant_for<'a>(fields: &Map<String, Value>, schema: &'a Value) -> &'a Value {
    let alternatives = ["anyOf", "oneOf"]
        .iter()
        .find_map(|k| schema[*k].as_array());
    let fits = |variant: &&Value| {
        let properties = variant.get("properties").and_then(Value::as_object);
        properties.is_some_and(|properties| {
            properties.iter().all(|(name, part)| {
                let constant = part.get("const");
                constant.is_none_or(|constant| fields.get(name) == Some(constant))
            })
        })
    };
    let inner = |variant: &'a Value| match variant.get("oneOf") {
        Some(_) => variant_for(fields, variant),
        None => variant,
    };
    let mut all = alternatives.into_iter().flatten().map(inner);
    all.find(fits).unwrap_or(schema)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The form that schemars writes: an optional choice behind a reference.
    fn schema() -> Value {
        serde_json::from_str(include_str!("../tests/data/pick.schema.json")).expect("a schema")
    }

    #[test]
    fn references_are_resolved_and_private_words_left_out() {
        let text = portable(&schema()).to_string();
        for word in "$ref $defs $schema title format x-names-object".split(' ') {
            assert!(!text.contains(word), "{word} in {text}");
        }
        assert!(text.contains("place_on") && text.contains("minimum"));
    }

    #[test]
    fn a_schema_that_holds_itself_ends_and_constants_have_a_type() {
        let schema = json!({
            "type": "object",
            "properties": {
                "all": { "type": "array", "items": { "$ref": "#/definitions/Part" } },
                "gone": { "$ref": "#/definitions/Gone" },
                "kind": { "const": "pick" },
            },
            "definitions": { "Part": { "type": "object", "properties": {
                "not": { "$ref": "#/definitions/Part" },
            } } },
        });
        let portable = portable(&schema);
        let text = portable.to_string();
        for word in ["$ref", "definitions"] {
            assert!(!text.contains(word), "{text}");
        }
        assert_eq!(portable["properties"]["kind"]["type"], "string");
        assert_eq!(portable["properties"]["gone"], json!({ "type": "object" }));
    }

    #[test]
    fn in_the_strict_form_everything_is_required_and_may_be_null() {
        let strict = strict(&schema()).expect("a strict form");
        let required = strict["required"].as_array().expect("names");
        assert_eq!(required.len(), 4);
        assert_eq!(strict["additionalProperties"], false);
        let times = &strict["properties"]["times"]["anyOf"];
        assert_eq!(times[1]["type"], "null", "{strict}");
        let text = strict.to_string();
        for word in ["oneOf", "const", "minimum", "default"] {
            assert!(!text.contains(word), "{word} in {text}");
        }
    }

    #[test]
    fn what_cannot_be_strict_is_not() {
        let free = json!({ "type": "object", "additionalProperties": { "type": "number" } });
        assert_eq!(strict(&free), None);
        let anything = json!({ "type": "object", "properties": { "x": true } });
        assert_eq!(strict(&anything), None);
    }

    #[test]
    fn nulls_of_the_strict_form_mean_left_out() {
        let answer = json!({
            "object": "cube", "force_n": null, "times": null,
            "then": { "skill": "place_on", "target": "plate", "side": null },
        });
        let expected = json!({
            "object": "cube", "then": { "skill": "place_on", "target": "plate" },
        });
        assert_eq!(without_strict_nulls(answer, &schema()), expected);
        let wrong = json!({ "object": null });
        assert_eq!(without_strict_nulls(wrong.clone(), &schema()), wrong);
    }
}
