//! The agent's settings: defaults, a file, the environment and flags, in that order.

use config::{Config, Environment, File};
use regrasp::ExitCode;
use regrasp::agent::AgentOptions;

use super::error::CliError;
use super::output::say;
use super::{AgentArguments, ApproveArgument};

impl AgentArguments {
    /// What file, environment and flags make of the defaults.
    pub(super) fn options(&self) -> Result<AgentOptions, CliError> {
        let mut settings =
            Config::builder().add_source(Config::try_from(&AgentOptions::default())?);
        if let Some(path) = &self.config {
            settings = settings.add_source(File::from(path.as_path()));
        }
        let environment = Environment::with_prefix("REGRASP")
            .prefix_separator("_")
            .separator("__")
            .try_parsing(true);
        settings = settings.add_source(environment);
        if let Some(max_replans) = self.max_replans {
            settings = settings.set_override("budgets.max_replans", max_replans as u64)?;
        }
        if let Some(approve) = self.approve {
            let mode = match approve {
                ApproveArgument::Always => "always",
                ApproveArgument::Never => "never",
                ApproveArgument::Critical => "critical",
            };
            settings = settings.set_override("approval.mode", mode)?;
        }
        if self.repeat_calls {
            settings = settings.set_override("refuse_repeats", false)?;
        }
        Ok(settings.build()?.try_deserialize()?)
    }
}

/// Prints every setting with its present value.
pub(super) fn show(arguments: &AgentArguments) -> Result<ExitCode, CliError> {
    let options = arguments.options()?;
    say("# Put these into a YAML file for --config, or into the environment:");
    say("# REGRASP_BUDGETS__MAX_REPLANS=5 sets budgets.max_replans. Flags go first.");
    say(&serde_saphyr::to_string(&options).map_err(|e| CliError::Yaml(e.to_string()))?);
    Ok(ExitCode::Ok)
}
