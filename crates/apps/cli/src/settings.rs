//! The agent's settings: defaults, robot file, settings file, environment and flags, in this order.

use std::path::Path;

use clap::ValueEnum;
use clap::builder::PossibleValue;
use config::{Config, Environment, File, FileFormat};
use regrasp::agent::AgentOptions;
use regrasp::api::ApprovalPolicy;
use regrasp::mesh::read_text;
use regrasp::scene::RobotFile;

use crate::output::yaml;
use crate::{AgentArguments, CliError, ExitCode, Result, RobotArguments, say};

/// Number of wrong letters up to which an environment variable counts as a misspelt setting.
const MOST_TYPOS: usize = 2;

impl AgentArguments {
    /// Merges robot file, settings file, environment and flags into the defaults.
    pub(super) fn options(&self, robot: &RobotFile) -> Result<AgentOptions> {
        let defaults = AgentOptions {
            approval: Some(robot.approval.clone()),
            ..AgentOptions::default()
        };
        let mut settings = Config::builder().add_source(Config::try_from(&defaults)?);
        if let Some(path) = &self.config {
            let text = read_text(path).map_err(CliError::reading(path))?;
            settings = settings.add_source(File::from_str(&text, FileFormat::Yaml));
        }
        let in_environment = settings_in_environment(&defaults)?;
        let environment = Environment::with_prefix("REGRASP")
            .prefix_separator("_")
            .separator("__")
            .try_parsing(true)
            .source(Some(in_environment.clone()));
        settings = settings.add_source(environment);
        let max_replans = self.max_replans.map(|n| n as u64);
        settings = settings.set_override_option("budgets.max_replans", max_replans)?;
        let mode = self.approve.and_then(|mode| mode.to_possible_value());
        let mode = mode.as_ref().map(PossibleValue::get_name);
        settings = settings.set_override_option("approval.mode", mode)?;
        if self.repeat_calls {
            settings = settings.set_override("refuse_repeats", false)?;
        }
        let file = self.config.as_deref();
        let failed = |path: &str, why: &str| {
            let file = file.map(|file| match line_of(file, path) {
                Some(line) => format!("{}:{line}", file.display()),
                None => file.display().to_string(),
            });
            let names: Vec<String> = file
                .into_iter()
                .chain(in_environment.keys().cloned())
                .collect();
            let from = match names.as_slice() {
                [] => String::new(),
                names => format!(" ({})", names.join(", ")),
            };
            CliError::file(format_args!("read the agent's settings{from}: {why}"))
        };
        // Deserialized from JSON, because `config` itself converts 1.5 to 2 and `yes` to 1.
        let tree = settings
            .build()
            .and_then(Config::try_deserialize::<serde_json::Value>);
        let tree = tree.map_err(|error| failed("", &error.to_string()))?;
        let mut options: AgentOptions =
            serde_path_to_error::deserialize(tree).map_err(|error| {
                let path = error.path().to_string();
                let mut why = error.inner().to_string();
                let whole = "expected a whole number, 0 or greater";
                for kind in ["usize", "u64", "u32"] {
                    why = why.replace(&format!("expected {kind}"), whole);
                }
                if let Some((got, _)) = why.split_once("struct ") {
                    why = format!("{got}a mapping of settings");
                }
                failed(&path, &format!("`{path}`: {why}"))
            })?;
        options
            .check()
            .map_err(|(path, why)| failed(path, &format!("`{path}`: {why}")))?;
        options.viewpoint = self.viewpoint.unwrap_or(options.viewpoint);
        // The agent waits for a model at least as long as its timeout.
        if crate::models::provider(self.planner).is_some() {
            let longest = &mut options.budgets.max_planning_secs;
            *longest = longest.max(self.model.patience_secs());
        }
        if let Some(policy) = &options.approval {
            knows_skills(policy)?;
        }
        Ok(options)
    }
}

/// Returns the line of a setting in a YAML file, or of its innermost group there.
fn line_of(file: &Path, path: &str) -> Option<usize> {
    let text = std::fs::read_to_string(file).ok()?;
    let mut lines = text.lines().zip(1..).peekable();
    let mut found = None;
    for key in path.split('.') {
        while lines
            .peek()
            .is_some_and(|(line, _)| !line.contains(&format!("{key}:")))
        {
            lines.next();
        }
        found = lines.peek().map(|(_, line)| *line).or(found);
    }
    found
}

/// Environment variables that are settings: `REGRASP_` and the name of a setting or group. Other
/// variables with this prefix, such as that of the cache folder, are left out, unless they seem to
/// be a misspelt setting.
fn settings_in_environment(defaults: &AgentOptions) -> Result<config::Map<String, String>> {
    let known = serde_json::to_value(defaults)?;
    let keys = known.as_object().into_iter().flat_map(|known| known.keys());
    let keys: Vec<&String> = keys.collect();
    let all = std::env::vars_os().filter_map(|(name, value)| {
        let (name, value) = (name.into_string().ok()?, value.into_string().ok()?);
        let path = name.strip_prefix("REGRASP_")?.to_ascii_lowercase();
        if path.contains("__") || known.get(&path).is_some() {
            return Some(Ok((name, value)));
        }
        let is_near = |key: &&&String| strsim::damerau_levenshtein(key, &path) <= MOST_TYPOS;
        let meant = keys.iter().find(is_near)?.to_uppercase();
        Some(Err(CliError::usage(format_args!(
            "read the agent's settings: unknown environment variable `{name}`; did you mean \
             `REGRASP_{meant}`?"
        ))))
    });
    all.collect()
}

/// Rejects unknown skills in an approval policy: a misspelt name would let steps pass without
/// approval.
pub(super) fn knows_skills(policy: &ApprovalPolicy) -> Result<()> {
    let specs = crate::skills::skills().specs();
    let known: Vec<_> = specs.into_iter().map(|spec| spec.name).collect();
    let mut named = policy.risks.irreversible.iter();
    match named.find(|name| !known.contains(name)) {
        Some(name) => Err(CliError::file(format_args!(
            "use the approval policy: `irreversible` names the skill `{name}`, which does not \
             exist (skills: {})",
            known.join(", ")
        ))),
        None => Ok(()),
    }
}

/// Prints every setting with its effective value.
pub(super) fn show(arguments: &AgentArguments, robot: &RobotArguments) -> Result<ExitCode> {
    let options = arguments.options(&robot.load()?)?;
    say("# Put these into a YAML file for --config, or into the environment:");
    say("# REGRASP_BUDGETS__MAX_REPLANS=5 sets budgets.max_replans. Flags take precedence.");
    say(&yaml(&options)?);
    Ok(ExitCode::Ok)
}
