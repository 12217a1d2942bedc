use regrasp::ExitCode;
use regrasp::scene::{builtin_task, builtin_task_names};

use super::error::CliError;
use super::output::say;

/// Lists the built-in tasks.
pub(super) fn tasks() -> Result<ExitCode, CliError> {
    for name in builtin_task_names() {
        let task = builtin_task(name)?;
        say(&format!("{name:<24} \"{}\"", task.prompt_template()));
        if let Some(description) = task.description() {
            say(&format!("{:<24} {description}", ""));
        }
    }
    Ok(ExitCode::Ok)
}

/// Lists the skills.
pub(super) fn skills(json: bool) -> Result<ExitCode, CliError> {
    let specs = regrasp::skills::standard().specs();
    if json {
        say(&serde_json::to_string_pretty(&specs)?);
        return Ok(ExitCode::Ok);
    }
    for spec in specs {
        let arguments = spec.args_schema["properties"].as_object();
        let names: Vec<_> = arguments
            .into_iter()
            .flat_map(|a| a.keys().map(String::as_str))
            .collect();
        say(&format!("{}({})", spec.name, names.join(", ")));
        say(&format!("    {}", spec.description));
    }
    Ok(ExitCode::Ok)
}
