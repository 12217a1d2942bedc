//! Models behind HTTP: arguments, planners that use them, and probing of their features.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use indicatif::{ProgressBar, ProgressStyle};
use regrasp::api::{CancelToken, Planner};
use regrasp::planner::FeedbackLevel;
use regrasp::scene::find_task;
use regrasp::{EpisodeOptions, LoadedRobot};
use regrasp_chat::{
    AnswerMode, ApiKey, Cassette, ChatModel, Endpoint, HttpModel, Limits, ProbeReport, Progress,
    Provider, Recorder, RetryPolicy, Scales, WireLog, block_on, chat_blocking, probe,
};
use regrasp_llm_planner::{GoalReader, PlanningStyle, VlmOptions, VlmPlanner};
use serde::Serialize;
use strum::VariantNames;

use crate::ordering::Ordering;
use crate::scope;
use crate::values::PlannerArgument;
use crate::{CliError, ExitCode, Result, RobotArguments, say, seconds};

/// Time that the agent waits for a plan beyond the model's timeout, s: the model's own error says
/// more than the agent's timeout.
const MARGIN_SECS: f64 = 5.0;

#[derive(Args, Clone, Debug)]
pub(super) struct ModelArguments {
    /// Address of the model's server, such as http://localhost:8000/v1. Default: the provider's
    /// address.
    #[arg(long, value_name = "URL", group = scope::MODEL)]
    base_url: Option<String>,
    /// Name of the model.
    #[arg(long, value_name = "NAME", group = scope::MODEL)]
    model: Option<String>,
    /// Environment variable that holds the API key. Default: the provider's usual one; none with
    /// --base-url, so that no key is sent to another server by accident.
    #[arg(long, value_name = "VARIABLE", group = scope::MODEL)]
    api_key_env: Option<String>,
    /// Replay recorded answers from this file instead of asking a model; with
    /// --record-cassette, write the file.
    #[arg(long, value_name = "FILE", group = scope::MODEL)]
    cassette: Option<PathBuf>,
    /// Ask the model and record its answers in the cassette.
    #[arg(long, requires = "cassette", group = scope::MODEL)]
    record_cassette: bool,
    /// Write every request and answer to this file, without keys and pictures.
    #[arg(long, value_name = "FILE", group = scope::MODEL)]
    wire_log: Option<PathBuf>,
    /// Time limit of a plan, seconds, retries and pauses included; then the run ends.
    #[arg(long, env = "REGRASP_MODEL_TIMEOUT", hide_env_values = true, value_name = "S",
          value_parser = seconds, group = scope::PATIENCE)]
    model_timeout: Option<Duration>,
    /// Seconds without a byte after which a request is repeated.
    #[arg(long, env = "REGRASP_MODEL_READ_TIMEOUT", hide_env_values = true, value_name = "S",
          value_parser = seconds, group = scope::MODEL)]
    model_read_timeout: Option<Duration>,
    /// Failed requests in a row after which a server is not asked again.
    #[arg(long, env = "REGRASP_MODEL_TRIES", hide_env_values = true, value_name = "N",
          value_parser = clap::value_parser!(u32).range(1..=100), group = scope::MODEL)]
    model_tries: Option<u32>,
    /// Offer only these skills to the model. Default: all that the task may need.
    #[arg(long, value_name = "SKILL", value_delimiter = ',', group = scope::MODEL)]
    skills: Vec<String>,
    /// Form of the model's answers. Default: the best that the server supports, found by a probe.
    #[arg(long, value_enum, group = scope::MODEL)]
    answer_mode: Option<ModeArgument>,
    /// Let the model plan only the next calls, and ask it again when they are done.
    #[arg(long, group = scope::MODEL)]
    rounds: bool,
    /// Form in which the model plans: calls of skills, or only a goal, for which the task planner
    /// finds the calls.
    #[arg(long, value_enum, default_value = "calls", conflicts_with_all = ["rounds", "no_remedies", "hand_over"],
          group = scope::MODEL)]
    plan_by: PlanByArgument,
    /// Reader of commands that the grammar cannot parse: `model` turns them into a goal before
    /// planning; `grammar` passes them on to the planning model unchanged. Default: `model`.
    #[arg(long, value_enum, group = scope::MODEL)]
    reader: Option<ReaderArgument>,
    /// True if a person watches one model at a time.
    #[arg(skip)]
    shows_thinking: bool,
    /// Do not send the model the calls that repair a failure, which the task planner finds.
    #[arg(long, group = scope::REMEDIES)]
    no_remedies: bool,
    /// Let the task planner take over when the model makes no progress, instead of ending the run
    /// with `no_progress`.
    #[arg(long, conflicts_with = "no_remedies", group = scope::REMEDIES)]
    hand_over: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum PlanByArgument {
    /// Calls of skills.
    #[default]
    Calls,
    /// A goal. The model is asked only if the grammar cannot parse the text.
    Goal,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ReaderArgument {
    /// Only the grammar.
    Grammar,
    /// The grammar, and the model for commands that the grammar cannot parse.
    Model,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ModeArgument {
    /// Tool calls.
    Tools,
    /// JSON whose schema the server enforces.
    Schema,
    /// JSON in a code fence.
    Text,
}

#[derive(Args, Debug)]
pub(super) struct ModelsArguments {
    /// Provider of the model.
    #[arg(long, value_parser = provider_name(), group = scope::ALWAYS)]
    planner: Provider,
    #[command(flatten)]
    model: ModelArguments,
    /// The task whose first request to the model is measured: a built-in one by name, or a file.
    #[arg(long, default_value = "unstack_to_plate", group = scope::ALWAYS)]
    task: String,
    #[command(flatten)]
    robot: RobotArguments,
    /// Print only JSON on standard output.
    #[arg(long, group = scope::ALWAYS)]
    json: bool,
}

/// Parser of a provider's name.
pub(super) fn provider_name() -> impl TypedValueParser<Value = Provider> {
    PossibleValuesParser::new(Provider::VARIANTS).try_map(|name| name.parse::<Provider>())
}

/// Provider of the planner's model, if it uses one.
pub(super) fn provider(planner: PlannerArgument) -> Option<Provider> {
    planner.to_possible_value()?.get_name().parse().ok()
}

/// Model, and the options of planning with it.
pub(super) struct ModelSource {
    model: Arc<dyn ChatModel>,
    options: VlmOptions,
    plan_by: PlanByArgument,
    reader: ReaderArgument,
    pub(super) feedback: FeedbackLevel,
    /// True if the task planner takes over when the model makes no progress.
    pub(super) hands_over: bool,
    /// Address of the server; `None` for a cassette.
    address: Option<String>,
}

impl ModelSource {
    pub(super) fn name(&self) -> String {
        match self.plan_by {
            PlanByArgument::Calls => format!("vlm:{}", self.model.model()),
            PlanByArgument::Goal => format!("goals:{}", self.model.model()),
        }
    }

    /// The model, and its answer mode if one was given.
    pub(super) fn model(&self) -> (Arc<dyn ChatModel>, Option<AnswerMode>) {
        (Arc::clone(&self.model), self.options.mode)
    }

    /// Planner that asks `model` in the given answer mode, else in the probed one.
    fn probed(&self, model: Arc<dyn ChatModel>, report: &ProbeReport) -> Box<VlmPlanner> {
        let options = VlmOptions {
            mode: self.options.mode.or(report.mode),
            ..self.options.clone()
        };
        Box::new(VlmPlanner::new(model, options))
    }

    /// Builds the planner alone, without the reader of commands.
    pub(super) fn build(&self) -> Box<dyn Planner> {
        match self.plan_by {
            PlanByArgument::Calls => {
                let model = Arc::clone(&self.model);
                Box::new(VlmPlanner::new(model, self.options.clone()))
            }
            PlanByArgument::Goal => Box::new(self.goal_reader()),
        }
    }

    /// Adds the model as the reader of commands to `planner`, unless the planner itself asks the
    /// model for a goal, or `--reader grammar` is given.
    pub(super) fn reading_for(&self, planner: Box<dyn Planner>) -> Box<dyn Planner> {
        match (self.reader, self.plan_by) {
            (ReaderArgument::Model, PlanByArgument::Calls) => {
                Box::new(self.goal_reader().with_planner(planner))
            }
            _ => planner,
        }
    }

    fn goal_reader(&self) -> GoalReader {
        GoalReader::new(Arc::clone(&self.model), self.options.clone())
    }
}

impl ModelArguments {
    /// Replays the cassette instead of recording it. Returns `false` if there is no cassette.
    pub(super) fn play_cassette(&mut self) -> bool {
        self.record_cassette = false;
        self.cassette.is_some()
    }

    pub(super) fn watched(&self) -> Self {
        Self {
            shows_thinking: true,
            ..self.clone()
        }
    }

    pub(super) fn source(&self, provider: Provider, cancel: &CancelToken) -> Result<ModelSource> {
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
            skills: self.chosen_skills()?,
            patience: self.limits().call,
            ..VlmOptions::default()
        };
        let reader = self.reader.unwrap_or(ReaderArgument::Model);
        if (reader, self.plan_by) == (ReaderArgument::Grammar, PlanByArgument::Goal) {
            return Err(CliError::usage(
                "plan by goal with --reader grammar: the model would never be asked; use \
                 --planner feedback",
            ));
        }
        // With goals from the model the task planner finds its own remedies.
        let feedback = match self.no_remedies || self.plan_by == PlanByArgument::Goal {
            true => FeedbackLevel::Detail,
            false => FeedbackLevel::Remedies,
        };
        let (model, address): (Arc<dyn ChatModel>, _) = match &self.cassette {
            Some(path) if !self.record_cassette => {
                let player = Cassette::load(path)?.player(path, self.model.as_deref());
                (Arc::new(player), None)
            }
            cassette => {
                let model = self.http(provider)?.with_cancel(cancel.clone());
                let address = Some(model.endpoint().base_url());
                let title = "recorded by `regrasp --record-cassette`";
                match cassette {
                    None => (Arc::new(model), address),
                    Some(path) => (Arc::new(Recorder::new(model, path, title)), address),
                }
            }
        };
        Ok(ModelSource {
            model,
            options,
            plan_by: self.plan_by,
            reader,
            feedback,
            hands_over: self.hand_over,
            address,
        })
    }

    fn http(&self, provider: Provider) -> Result<HttpModel> {
        let name = self
            .model
            .clone()
            .ok_or_else(|| CliError::usage("choose a model: give its name with --model"))?;
        let key = self.key(provider)?;
        let endpoint = Endpoint::new(provider, self.base_url.as_deref(), name, key)?;
        let model = HttpModel::new(endpoint, self.limits())?;
        let model = match self.shows_thinking {
            true => model.with_progress(thinking()),
            false => model,
        };
        Ok(match &self.wire_log {
            None => model,
            Some(path) => model.with_log(Arc::new(WireLog::create(path)?)),
        })
    }

    fn limits(&self) -> Limits {
        let usual = Limits::default();
        let call = self.model_timeout.unwrap_or(usual.call);
        let tries = self.model_tries.map(|n| n as usize);
        let retries = tries.map_or(usize::MAX, |n| n - 1);
        Limits {
            call,
            read: self.model_read_timeout.unwrap_or(call),
            connect: usual.connect.min(call),
            retry: RetryPolicy {
                max_retries: usual.retry.max_retries.min(retries),
                max_in_a_row: tries.unwrap_or(usual.retry.max_in_a_row),
                ..usual.retry
            },
            ..usual
        }
    }

    /// Time that the agent has to wait for a plan, s of real time.
    pub(super) fn patience_secs(&self) -> f64 {
        self.limits().call.as_secs_f64() + MARGIN_SECS
    }

    fn chosen_skills(&self) -> Result<Option<Vec<String>>> {
        let specs = crate::skills::skills().specs().into_iter();
        let known: Vec<String> = specs.map(|spec| spec.name).collect();
        match self.skills.iter().find(|name| !known.contains(name)) {
            Some(name) => Err(CliError::usage(format_args!(
                "offer the skill `{name}` to the model: it does not exist (skills: {})",
                known.join(", ")
            ))),
            None => Ok((!self.skills.is_empty()).then(|| self.skills.clone())),
        }
    }

    /// Reads the API key. A variable given by name must be set. The default one is only used for
    /// the default address, because other servers may need no key.
    fn key(&self, provider: Provider) -> Result<Option<ApiKey>> {
        let usual = provider.key_variable();
        let Some(variable) = self.api_key_env.as_deref().or(usual) else {
            return Ok(None);
        };
        let is_needed = self.api_key_env.is_some() || self.base_url.is_none();
        // A key is never sent to another server unless the user names its variable.
        if !is_needed {
            return Ok(None);
        }
        let key = ApiKey::from_env(variable).ok_or_else(|| {
            CliError::usage(format_args!(
                "find an API key: the environment variable {variable} is not set; --api-key-env \
                 selects another one"
            ))
        });
        key.map(Some)
    }
}

/// Status line on the terminal while the model thinks: number of tokens and elapsed time. Prints
/// nothing if standard error is not a terminal.
fn thinking() -> Arc<dyn Fn(Progress) + Send + Sync> {
    const TICK: Duration = Duration::from_millis(500);
    let bar: Mutex<Option<ProgressBar>> = Mutex::default();
    Arc::new(move |progress| {
        let Ok(mut bar) = bar.lock() else { return };
        if progress.is_over {
            if let Some(bar) = bar.take() {
                bar.finish_and_clear();
            }
            return;
        }
        let bar = bar.get_or_insert_with(|| {
            let style = ProgressStyle::with_template("  the model is thinking … {msg}, {elapsed}");
            let bar = ProgressBar::new_spinner();
            bar.enable_steady_tick(TICK);
            bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()))
        });
        bar.set_message(match progress.n_pieces {
            0 => "reading the request".to_owned(),
            n => format!("{n} tokens"),
        });
    })
}

fn no_runtime(error: std::io::Error) -> CliError {
    CliError::bug(format_args!("start a runtime: {error}"))
}

pub(super) fn models(arguments: &ModelsArguments) -> Result<ExitCode> {
    let provider = arguments.planner;
    let model = ModelArguments {
        shows_thinking: true,
        ..arguments.model.clone()
    };
    let source = model.source(provider, &CancelToken::new())?;
    let report = block_on(probe(source.model.as_ref())).map_err(no_runtime)?;
    let request = weighed(arguments, &source, &report)?;
    let fits = request.fits();
    let is_reachable = report.mode.is_some();
    let ordering = match is_reachable && fits {
        true => {
            let planner = source.probed(Arc::clone(&source.model), &report);
            let loaded = LoadedRobot::new(arguments.robot.load()?)?;
            Some(Ordering::of(planner, &loaded)?)
        }
        false => None,
    };
    if arguments.json {
        let all = Reported {
            report,
            ordering,
            request,
        };
        say(&serde_json::to_string_pretty(&all)?);
    } else {
        say(&block(&report, source.address.as_deref()));
        if let Some(ordering) = &ordering {
            say(&ordering.line());
        }
        say(&request.line(&arguments.task));
    }
    Ok(match is_reachable && fits {
        true => ExitCode::Ok,
        false => ExitCode::PlannerUnavailable,
    })
}

#[derive(Serialize)]
struct Reported {
    #[serde(flatten)]
    report: ProbeReport,
    /// Result of the ordering test; left out if no answer or no fitting request is possible.
    #[serde(flatten)]
    ordering: Option<Ordering>,
    request: Weight,
}

/// Size of the first request of a task.
#[derive(Serialize)]
struct Weight {
    /// Tokens, estimated from the length.
    estimated_tokens: u64,
    /// Part of the estimate that the tools' descriptions take.
    of_tools: u64,
    /// Tokens as the server counts them.
    counted_tokens: Option<u64>,
    /// Context window of the server, answer included, tokens.
    window_tokens: Option<u64>,
    /// Error of the server, if it rejects a request of this size.
    refused: Option<String>,
}

impl Weight {
    fn fits(&self) -> bool {
        let tokens = self.counted_tokens.unwrap_or(self.estimated_tokens);
        self.refused.is_none() && self.window_tokens.is_none_or(|window| tokens < window)
    }

    fn line(&self, task: &str) -> String {
        let known = |n: Option<u64>| n.map_or_else(|| "unknown".to_owned(), |n| n.to_string());
        let problem = match (&self.refused, self.fits()) {
            (Some(why), _) => format!("\n              the server refuses it: {why}"),
            (None, false) => "\n              it does not fit: start the server with a larger \
                              context window, or offer fewer skills with --skills"
                .to_owned(),
            (None, true) => String::new(),
        };
        format!(
            "request:      {task}: about {} tokens ({} of them tools), {} by the server's count; \
             context window: {}{problem}",
            self.estimated_tokens,
            self.of_tools,
            known(self.counted_tokens),
            known(self.window_tokens)
        )
    }
}

/// Measures the first request of a task, and lets the server count its tokens by asking for an
/// answer of one token.
fn weighed(
    arguments: &ModelsArguments,
    source: &ModelSource,
    report: &ProbeReport,
) -> Result<Weight> {
    let robot = arguments.robot.load()?;
    let instance = find_task(&arguments.task, &robot)?.instantiate(0)?;
    let scales = Scales::default();
    let episode = EpisodeOptions {
        planner: source.probed(Arc::new(scales.clone()), report),
        skills: crate::skills::skills(),
        ..EpisodeOptions::default()
    };
    let loaded = LoadedRobot::new(robot)?;
    loaded.episode(&instance.scene, &instance.prompt, episode)?;
    let mut request = scales.take().unwrap_or_default();
    let weight = Weight {
        estimated_tokens: request.estimated_tokens(),
        of_tools: request.estimated_tool_tokens(),
        counted_tokens: None,
        window_tokens: None,
        refused: None,
    };
    if report.mode.is_none() || source.address.is_none() {
        return Ok(weight);
    }
    (request.max_tokens, request.must_call) = (1, false);
    let answer = chat_blocking(source.model.as_ref(), &request);
    let counted = answer.as_ref().ok().filter(|a| !a.usage.is_estimate);
    Ok(Weight {
        counted_tokens: counted.map(|answer| answer.usage.prompt).filter(|n| *n > 0),
        window_tokens: block_on(source.model.window()).map_err(no_runtime)?,
        refused: answer.err().map(|error| format!("failed to {error}")),
        ..weight
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
