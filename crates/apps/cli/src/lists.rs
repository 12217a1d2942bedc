//! `regrasp tasks`, `skills` and `schema`.

use regrasp::scene::{builtin_task, builtin_task_names};
use serde_json::Value;

use crate::{ExitCode, Result, say};

pub(super) fn tasks() -> Result<ExitCode> {
    for name in builtin_task_names() {
        let task = builtin_task(name)?;
        say(&format!("{name:<24} \"{}\"", task.prompt_template()));
        if let Some(description) = task.description() {
            say(&format!("{:<24} {description}", ""));
        }
    }
    Ok(ExitCode::Ok)
}

pub(super) fn skills(json: bool) -> Result<ExitCode> {
    let specs = crate::skills::skills().specs();
    if json {
        say(&serde_json::to_string_pretty(&specs)?);
        return Ok(ExitCode::Ok);
    }
    for spec in specs {
        say(&format!("{}({})", spec.name, arguments(&spec.args_schema)));
        say(&format!("    {}", spec.description));
    }
    Ok(ExitCode::Ok)
}

pub(super) fn schemas() -> impl Iterator<Item = &'static str> {
    let names = regrasp::scene::schema_names().chain(regrasp_external_perception::schema_names());
    #[cfg(feature = "openpi")]
    let names = names.chain([regrasp_openpi::SCHEMA_NAME]);
    names
}

pub(super) fn schema(of: &str) -> Result<ExitCode> {
    // The argument parser only admits known names.
    let schema = regrasp::scene::schema(of)
        .or_else(|| regrasp_external_perception::schema(of).map(str::to_owned));
    #[cfg(feature = "openpi")]
    let schema = schema
        .or_else(|| (of == regrasp_openpi::SCHEMA_NAME).then(|| regrasp_openpi::SCHEMA.to_owned()));
    say(schema.unwrap_or_default().trim_end());
    Ok(ExitCode::Ok)
}

/// Names of arguments, optional ones last and in brackets.
fn arguments(schema: &Value) -> String {
    let names = |key: &str| match &schema[key] {
        Value::Object(fields) => fields.keys().cloned().collect(),
        Value::Array(items) => items
            .iter()
            .filter_map(|i| Some(i.as_str()?.into()))
            .collect(),
        _ => Vec::<String>::new(),
    };
    let required = names("required");
    let optional = names("properties").into_iter();
    let optional = optional.filter(|name| !required.contains(name));
    let optional = optional.map(|name| format!("[{name}]"));
    let all: Vec<_> = required.iter().cloned().chain(optional).collect();
    all.join(", ")
}
