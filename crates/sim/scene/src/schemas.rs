//! JSON schemas of files for editors, made from the tables that the readers use.

use std::ops::RangeInclusive;

use regrasp_faults::KINDS;
use regrasp_ground_truth::Success;
use schemars::Schema;
use schemars::generate::SchemaSettings;
use schemars::transform::transform_subschemas;
use serde_json::{Map, Value as Json, json};

use crate::formats::{self, Format, Key, Kind};

const SCHEMAS: [(&str, &str); 4] = [
    ("task", "A task of regrasp"),
    ("scene", "A scene of regrasp"),
    ("models", "Models of regrasp"),
    ("robot", "A robot of regrasp"),
];
const RESULT: (&str, &str) = ("result", regrasp_assets::text("schemas/result.schema.json"));

/// Names of the schemas: task, scene, models and robot files, and the result of an episode.
pub fn schema_names() -> impl Iterator<Item = &'static str> {
    SCHEMAS.iter().map(|(name, _)| *name).chain([RESULT.0])
}

/// Returns the JSON schema of one of [`schema_names`].
pub fn schema(name: &str) -> Option<String> {
    if name == RESULT.0 {
        return Some(RESULT.1.to_owned());
    }
    let (name, title) = SCHEMAS.iter().find(|(known, _)| *known == name)?;
    let mut definitions = Definitions {
        all: Map::new(),
        formulas: *name != "robot",
    };
    let root = definitions.refer(name);
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": title,
        "$ref": root["$ref"],
        "$defs": definitions.all,
    });
    Some(format!("{schema:#}"))
}

struct Definitions {
    all: Map<String, Json>,
    /// Set if a formula is allowed in place of a number.
    formulas: bool,
}

impl Definitions {
    /// Returns a reference to a definition, and adds the definition if it is missing.
    fn refer(&mut self, name: &str) -> Json {
        if !self.all.contains_key(name) {
            // Inserted first, since a definition may refer to itself.
            self.all.insert(name.to_owned(), Json::Null);
            let definition = self.define(name);
            self.all.insert(name.to_owned(), definition);
        }
        json!({ "$ref": format!("#/$defs/{name}") })
    }

    fn define(&mut self, name: &str) -> Json {
        let number = |limits: Json| match self.formulas {
            true => json!({ "anyOf": [limits, formula()] }),
            false => limits,
        };
        match name {
            "text" => json!({ "type": "string", "minLength": 1 }),
            "name" => json!({ "type": "string", "pattern": "^[\\p{L}\\p{N}_-]+$" }),
            "flag" => json!({ "type": "boolean" }),
            "number" => number(json!({ "type": "number" })),
            "positive" => number(json!({ "type": "number", "exclusiveMinimum": 0 })),
            "not_negative" => number(json!({ "type": "number", "minimum": 0 })),
            "fraction" => number(json!({ "type": "number", "minimum": 0, "maximum": 1 })),
            "object_kind" => {
                let kinds = formats::kinds().iter().map(|kind| kind.name);
                json!({ "enum": kinds.collect::<Vec<_>>() })
            }
            "part_kind" => json!({ "enum": formats::part_kinds() }),
            "fault" => fault(),
            "condition" => condition(),
            "object" => self.object(),
            "part" => self.part(),
            _ if formats::format(name).is_none() => json!(false),
            _ => self.mapping(&[name]),
        }
    }

    fn mapping(&mut self, names: &[&str]) -> Json {
        let of = names.iter().filter_map(|name| formats::format(name));
        let of: Vec<&Format> = of.collect();
        let (mut properties, mut needed) = (Map::new(), vec![]);
        for key in of.iter().flat_map(|format| &format.keys) {
            properties.insert(key.name.to_owned(), self.value(key));
            needed.extend(key.needed.then_some(key.name));
        }
        let mut schema = json!({
            "type": "object",
            "properties": properties,
            "required": needed,
            "additionalProperties": false,
        });
        let one_of = of.iter().flat_map(|format| &format.one_of);
        let one_of: Vec<Json> = one_of.map(|key| json!({ "required": [key] })).collect();
        if !one_of.is_empty() {
            schema["oneOf"] = Json::Array(one_of);
        }
        schema
    }

    fn object(&mut self) -> Json {
        let mut schema = self.mapping(&["object", "shape"]);
        let rule = |kind: &Kind| {
            let allowed = formats::keys("object").iter().chain(&kind.keys);
            let allowed: Vec<_> = allowed.collect();
            json!({
                "if": { "properties": { "kind": { "const": kind.name } }, "required": ["kind"] },
                "then": { "propertyNames": { "enum": allowed } },
            })
        };
        schema["allOf"] = formats::kinds().iter().map(rule).collect();
        schema
    }

    fn part(&mut self) -> Json {
        let mut schema = self.mapping(&["part", "shape"]);
        let is_part = |kind: &&Kind| formats::part_kinds().contains(&kind.name);
        let kinds = formats::kinds().iter().filter(is_part);
        let own = kinds.flat_map(|kind| &kind.keys);
        let allowed = formats::keys("part").iter().chain(own);
        schema["propertyNames"] = json!({ "enum": allowed.collect::<Vec<_>>() });
        schema
    }

    fn value(&mut self, key: &Key) -> Json {
        let mut schema = self.typed(key.is);
        if !key.says.is_empty() {
            schema["description"] = json!(key.says);
        }
        schema
    }

    /// Returns the schema of a type in the notation of `formats.yaml`.
    fn typed(&mut self, is: &'static str) -> Json {
        if let Some((list, of)) = is.strip_prefix("list ").and_then(|is| is.split_once("of ")) {
            return list_of(self.typed(of), range(list.trim().trim_start_matches('x')));
        }
        if let Some(of) = is.strip_prefix("map of ") {
            return json!({ "type": "object", "additionalProperties": self.typed(of) });
        }
        if let Some(of) = is.strip_prefix("choice of ") {
            let (of, by) = (self.typed(of), self.refer("text"));
            return json!({
                "if": { "type": "object", "required": ["by"] },
                "then": { "properties": { "by": by }, "additionalProperties": of },
                "else": of,
            });
        }
        if let Some((one, other)) = is.split_once(" or ") {
            return json!({ "anyOf": [self.typed(one), self.typed(other)] });
        }
        if let Some(list) = is.strip_prefix("one of ") {
            return json!({ "enum": formats::words(list) });
        }
        if let Some(limits) = is.strip_prefix("whole ") {
            let limits = range(limits);
            let mut schema = json!({ "type": "integer", "minimum": limits.start() });
            if *limits.end() < u32::MAX {
                schema["maximum"] = json!(limits.end());
            }
            return schema;
        }
        match is.split_once(" x") {
            Some((item, n)) => list_of(self.refer(item), range(n)),
            None => self.refer(is),
        }
    }
}

/// Parses `3`, `3..6` or `3..`; an empty text allows any number.
fn range(text: &str) -> RangeInclusive<u32> {
    let (low, high) = text.split_once("..").unwrap_or((text, text));
    low.parse().unwrap_or(0)..=high.parse().unwrap_or(u32::MAX)
}

fn list_of(item: Json, n: RangeInclusive<u32>) -> Json {
    let mut schema = json!({ "type": "array", "items": item, "minItems": n.start() });
    if *n.end() < u32::MAX {
        schema["maxItems"] = json!(n.end());
    }
    schema
}

fn formula() -> Json {
    json!({
        "type": "string",
        "pattern": "^=",
        "description": "A formula over the values that `draw` lists."
    })
}

fn fault() -> Json {
    let kinds: Vec<&str> = KINDS.iter().map(|(kind, _)| *kind).collect();
    let with_fields = KINDS.iter().map(|(kind, fields)| {
        let fields: Vec<&str> = fields.iter().map(|field| field.name).collect();
        let names = json!({ "enum": fields });
        let schema = json!({ "type": ["object", "null"], "propertyNames": names });
        ((*kind).to_owned(), schema)
    });
    json!({
        "anyOf": [{ "enum": kinds }, {
            "type": "object",
            "properties": with_fields.collect::<Map<_, _>>(),
            "additionalProperties": false,
            "minProperties": 1,
            "maxProperties": 1,
        }]
    })
}

/// Returns the schema of a success condition, with the additions of [`relax`].
fn condition() -> Json {
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

/// Adds forms that files may use beyond serde: a formula in place of a number, a word in place of a
/// list of words, a choice by a drawn word in place of any other list. Removes `null`, since files
/// leave such keys out.
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
    let is = |kind: &str| schema.get("type").is_some_and(|is| is == kind);
    if is("number") {
        or(schema, formula());
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
