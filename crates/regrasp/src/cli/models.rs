//! Models behind HTTP: their arguments, planners that ask them, and what they honour.

use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, ValueEnum};
use regrasp::ExitCode;
use regrasp::api::{CancelToken, Planner};
use regrasp::model::{
    AnswerMode, ApiKey, Cassette, ChatModel, Endpoint, HttpModel, Limits, ProbeReport, Provider,
    Recorder, WireLog, probe_blocking,
};
use regrasp::vlm::{PlanningStyle, VlmOptions, VlmPlanner};

use super::PlannerArgument;
use super::error::CliError;
use super::output::say;

#[derive(Args, Clone, Debug)]
pub(super) struct ModelArguments {
    /// Address of the model's server, such as http://localhost:8000/v1; the provider's own if
    /// left out.
    #[arg(long, value_name = "URL")]
    base_url: Option<String>,
    /// Name of the model.
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// Environment variable that holds the key; left out, the provider's usual one, or none
    /// with --base-url: a key goes to no other server unless that is asked for.
    #[arg(long, value_name = "VARIABLE")]
    api_key_env: Option<String>,
    /// Answer from this file of recorded exchanges, without a network; with
    /// --record-cassette, write it.
    #[arg(long, value_name = "FILE")]
    cassette: Option<PathBuf>,
    /// Ask the model and keep what it answers in the cassette.
    #[arg(long, requires = "cassette")]
    record_cassette: bool,
    /// Write every request and answer to this file, without keys and pictures.
    #[arg(long, value_name = "FILE")]
    wire_log: Option<PathBuf>,
    /// How the model answers; found out by asking if left out.
    #[arg(long, value_enum)]
    answer_mode: Option<ModeArgument>,
    /// Let the model plan the next calls only, and ask it again when they are done.
    #[arg(long)]
    rounds: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ModeArgument {
    /// By calling tools.
    Tools,
    /// By JSON that the server keeps to a schema.
    Schema,
    /// By JSON in a code fence.
    Text,
}

#[derive(Args, Debug)]
pub(super) struct ModelsArguments {
    /// Whose model it is.
    #[arg(long, value_enum)]
    planner: ProviderArgument,
    #[command(flatten)]
    model: ModelArguments,
    /// Print JSON, and nothing else, on standard output.
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum ProviderArgument {
    /// OpenAI.
    Openai,
    /// Ollama on this machine.
    Ollama,
    /// Anthropic.
    Anthropic,
    /// Any other that speaks chat completions.
    Custom,
}

impl From<ProviderArgument> for Provider {
    fn from(argument: ProviderArgument) -> Self {
        match argument {
            ProviderArgument::Openai => Self::OpenAi,
            ProviderArgument::Ollama => Self::Ollama,
            ProviderArgument::Anthropic => Self::Anthropic,
            ProviderArgument::Custom => Self::Custom,
        }
    }
}

/// Whose model a planner asks, if it asks one.
pub(super) fn provider(planner: PlannerArgument) -> Option<Provider> {
    match planner {
        PlannerArgument::Stub | PlannerArgument::Feedback => None,
        PlannerArgument::Openai => Some(Provider::OpenAi),
        PlannerArgument::Ollama => Some(Provider::Ollama),
        PlannerArgument::Anthropic => Some(Provider::Anthropic),
        PlannerArgument::Custom => Some(Provider::Custom),
    }
}

/// A model, and how it is asked for plans.
pub(super) struct ModelSource {
    model: Arc<dyn ChatModel>,
    options: VlmOptions,
    /// The server's address; `None` for a cassette.
    address: Option<String>,
}

impl ModelSource {
    pub(super) fn name(&self) -> String {
        format!("vlm:{}", self.model.model())
    }

    /// The model, and how it must answer, if that was said.
    pub(super) fn model(&self) -> (Arc<dyn ChatModel>, Option<AnswerMode>) {
        (Arc::clone(&self.model), self.options.mode)
    }

    pub(super) fn build(&self) -> Box<dyn Planner> {
        let model = Box::new(Arc::clone(&self.model));
        Box::new(VlmPlanner::new(model, self.options.clone()))
    }
}

impl ModelArguments {
    /// The first argument that makes sense only where a model is asked.
    pub(super) fn first_given(&self) -> Option<&'static str> {
        let given = [
            ("--base-url", self.base_url.is_some()),
            ("--model", self.model.is_some()),
            ("--api-key-env", self.api_key_env.is_some()),
            ("--cassette", self.cassette.is_some()),
            ("--wire-log", self.wire_log.is_some()),
            ("--answer-mode", self.answer_mode.is_some()),
            ("--rounds", self.rounds),
        ];
        let first = given.iter().find(|(_, is_given)| *is_given);
        first.map(|(argument, _)| *argument)
    }

    /// Asks the cassette and nobody else; `false` if there is none.
    pub(super) fn play_cassette(&mut self) -> bool {
        self.record_cassette = false;
        self.cassette.is_some()
    }

    pub(super) fn source(
        &self,
        provider: Provider,
        cancel: &CancelToken,
    ) -> Result<ModelSource, CliError> {
        let options = VlmOptions {
            style: if self.rounds {
                PlanningStyle::Rounds
            } else {
                PlanningStyle::Whole
            },
            mode: self.answer_mode.map(|mode| match mode {
                ModeArgument::Tools => AnswerMode::Tools,
                ModeArgument::Schema => AnswerMode::Schema,
                ModeArgument::Text => AnswerMode::Text,
            }),
            ..VlmOptions::default()
        };
        if let Some(path) = self.cassette.as_ref().filter(|_| !self.record_cassette) {
            let player = Cassette::load(path)?.player(path, self.model.as_deref());
            return Ok(ModelSource {
                model: Arc::new(player),
                options,
                address: None,
            });
        }
        let model = self.http(provider)?.with_cancel(cancel.clone());
        let address = Some(model.endpoint().base_url());
        let model: Arc<dyn ChatModel> = match &self.cassette {
            None => Arc::new(model),
            Some(path) => Arc::new(Recorder::new(
                model,
                path,
                "recorded by `regrasp --record-cassette`",
            )),
        };
        Ok(ModelSource {
            model,
            options,
            address,
        })
    }

    fn http(&self, provider: Provider) -> Result<HttpModel, CliError> {
        let name = self.model.clone().ok_or(CliError::WhichModel)?;
        let key = self.key(provider)?;
        let endpoint = Endpoint::new(provider, self.base_url.as_deref(), name, key)?;
        let model = HttpModel::new(endpoint, Limits::default())?;
        Ok(match &self.wire_log {
            None => model,
            Some(path) => model.with_log(Arc::new(WireLog::create(path)?)),
        })
    }

    /// The key. A variable that was named must be set; the usual one only at the usual
    /// address, for other servers may need none.
    fn key(&self, provider: Provider) -> Result<Option<ApiKey>, CliError> {
        let usual = provider.key_variable();
        let Some(variable) = self.api_key_env.as_deref().or(usual) else {
            return Ok(None);
        };
        let is_needed = self.api_key_env.is_some() || self.base_url.is_none();
        // A key is never sent to another server than its own unless that is asked for.
        if !is_needed {
            return Ok(None);
        }
        let missing = || CliError::NoKey {
            variable: variable.into(),
        };
        ApiKey::from_env(variable).map(Some).ok_or_else(missing)
    }
}

/// Asks a server what it honours.
pub(super) fn models(arguments: &ModelsArguments) -> Result<ExitCode, CliError> {
    let provider = Provider::from(arguments.planner);
    let source = arguments.model.source(provider, &CancelToken::new())?;
    let report = probe_blocking(source.model.as_ref()).map_err(CliError::Runtime)?;
    if arguments.json {
        say(&serde_json::to_string_pretty(&report)?);
    } else {
        say(&block(&report, source.address.as_deref()));
    }
    Ok(if report.mode.is_some() {
        ExitCode::Ok
    } else {
        ExitCode::PlannerUnavailable
    })
}

fn block(report: &ProbeReport, address: Option<&str>) -> String {
    let address = address.unwrap_or("a cassette");
    let head = format!("server:       {address}\nmodel:        {}", report.model);
    let (Some(mode), Some(latency_secs)) = (report.mode, report.latency_secs) else {
        let why = report.unreachable.as_deref().unwrap_or_default();
        return format!("{head}\nreachable:    no: failed to {why}");
    };
    format!(
        "{head}\nreachable:    yes, {latency_secs:.2} s for a short answer\ntools:        \
         {}\nimages:       {}\nJSON schema:  {}\nanswer mode:  {mode}",
        report.tools, report.images, report.json_schema
    )
}
