//! The JSON schema of `success`, made from the conditions' types.

use regrasp_ground_truth::Success;
use schemars::Schema;
use schemars::generate::SchemaSettings;
use schemars::transform::transform_subschemas;
use serde_json::{Value as Json, json};

/// Returns the schema with the additions of [`relax`].
pub(crate) fn schema() -> Json {
    let settings = SchemaSettings::draft2020_12().with(|s| s.inline_subschemas = true);
    let mut schema = settings.into_generator().subschema_for::<Success>();
    relax(&mut schema);
    let mut schema = schema.to_value();
    let conditions = schema["anyOf"][1]["properties"].as_object_mut();
    for condition in conditions.into_iter().flat_map(|all| all.values_mut()) {
        let all_optional = condition["type"] == "object" && condition.get("required").is_none();
        if all_optional {
            *condition = json!({ "anyOf": [{ "type": "null" }, condition.take()] });
        }
    }
    schema
}

/// Adds forms that files may use beyond serde: a formula for a number, a word for a list of words,
/// a choice by a drawn word for any other list. Removes `null`: files leave such keys out.
fn relax(schema: &mut Schema) {
    transform_subschemas(&mut relax, schema);
    schema.remove("format");
    if let Some(Json::Array(types)) = schema.get_mut("type") {
        types.retain(|kind| kind != "null");
        let only = types.first().cloned();
        schema.insert("type".to_owned(), only.unwrap_or_default());
    }
    let any_of = schema.get("anyOf").and_then(Json::as_array).cloned();
    if let Some([one, null]) = any_of.as_deref()
        && *null == json!({ "type": "null" })
    {
        schema.remove("anyOf");
        let inner = one.as_object().cloned().unwrap_or_default();
        let schema = schema.ensure_object();
        inner.into_iter().for_each(|(key, value)| {
            schema.entry(key).or_insert(value);
        });
    }
    let formula = json!({
        "type": "string",
        "pattern": "^=",
        "description": "A formula over the values that `draw` lists."
    });
    let is = |kind: &str| schema.get("type").is_some_and(|is| is == kind);
    if is("number") {
        or(schema, formula);
    } else if is("array")
        && schema
            .get("items")
            .is_some_and(|item| item["type"] == "string")
    {
        or(schema, json!({ "type": "string", "minLength": 1 }));
    } else if is("array") {
        or(schema, json!({ "type": "object", "required": ["by"] }));
    }
}

fn or(schema: &mut Schema, other: Json) {
    let description = schema.remove("description");
    let one = schema.clone();
    *schema = schemars::json_schema!({ "anyOf": [one, other] });
    if let Some(description) = description {
        schema.insert("description".to_owned(), description);
    }
}
