//! Output of the commands to the terminal.

use std::io::{self, ErrorKind, Write};
use std::path::Path;
use std::sync::OnceLock;

use regrasp::api::{EpisodeResult, visible};
use regrasp::verdict_block;
use serde::Serialize;
use serde_json::Value;

use crate::{CliError, Result};

/// Prints lines on standard output. Control characters are escaped, because much of the text comes
/// from models, files and servers. A closed pipe, such as that of `head`, is not an error; any other
/// failure, such as a full disk, is kept for [`lost`].
pub(crate) fn say(text: &str) {
    if let Err(error) = writeln!(io::stdout(), "{}", visible(text))
        && error.kind() != ErrorKind::BrokenPipe
    {
        LOST.get_or_init(|| error.to_string());
    }
}

static LOST: OnceLock<String> = OnceLock::new();

/// First failure to write to standard output.
pub(crate) fn lost() -> Option<CliError> {
    let why = LOST.get()?;
    Some(CliError::file(format_args!("write standard output: {why}")))
}

/// Prints a report as JSON. Negative zeros, which sums and quaternions produce, become 0.
pub(crate) fn say_json(mut report: Value) -> Result<(), serde_json::Error> {
    unsign_zeros(&mut report);
    say(&serde_json::to_string_pretty(&report)?);
    Ok(())
}

pub(crate) fn yaml(value: &impl Serialize) -> Result<String> {
    let text = serde_saphyr::to_string(value);
    text.map_err(|error| CliError::bug(format_args!("write YAML: {error}")))
}

fn unsign_zeros(value: &mut Value) {
    match value {
        Value::Array(values) => values.iter_mut().for_each(unsign_zeros),
        Value::Object(entries) => entries.values_mut().for_each(unsign_zeros),
        Value::Number(number) if number.is_f64() && number.as_f64() == Some(0.0) => {
            *value = Value::from(0.0);
        }
        _ => {}
    }
}

/// Prints the end of a run and the path of its folder, or the result alone as JSON.
pub(crate) fn say_result(
    result: &EpisodeResult,
    folder: Option<&Path>,
    judged: Option<Value>,
    json: bool,
) -> Result<(), serde_json::Error> {
    if json {
        let mut report = serde_json::to_value(result)?;
        if let Some(judged) = judged {
            report["judged"] = judged;
        }
        say(&serde_json::to_string_pretty(&report)?);
        return Ok(());
    }
    say(&verdict_block(result));
    if let Some(folder) = folder {
        say(&format!("run folder: {}", folder.display()));
    }
    Ok(())
}

pub(crate) fn complain(text: &str) {
    let _ = writeln!(io::stderr(), "{}", visible(text));
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::unsign_zeros;

    #[test]
    fn zeros_lose_their_sign_and_nothing_else_changes() {
        let mut report = json!({ "cost": -0.0, "pose": [-0.0, -1.5, 0.0, 2], "name": "-0.0" });
        unsign_zeros(&mut report);
        let expected = r#"{"cost":0.0,"name":"-0.0","pose":[0.0,-1.5,0.0,2]}"#;
        assert_eq!(report.to_string(), expected);
    }
}
