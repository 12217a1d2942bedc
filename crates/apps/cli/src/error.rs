//! Errors of the command line and their exit codes.

use std::io;
use std::path::{Path, PathBuf};

use regrasp::agent::RunError;
use regrasp::api::{PerceptionError, PolicyError, StoreError};
use regrasp::bench::{BenchError, SeedsError};
use regrasp::record::RecordError;
use regrasp::recovery::SuiteError;
use regrasp::render::PictureError;
use regrasp::scene::{PresetError, SceneError};
use regrasp::{EpisodeError, NoSuchCamera, SetupError};
use regrasp_export::{ExportError, RecordSetupError, RecordedSceneError};
use regrasp_external_perception::{CalibrateError, RigError};
use regrasp_libero::LiberoError;
use regrasp_mjcf::MjcfError;
use regrasp_record::RecordingError;

use crate::exit::ExitCode;
use crate::exit::ExitCode::{BadFile, Bug, Usage};

/// An error that says how the program ends.
pub(crate) trait HasExitCode: std::error::Error {
    /// Exit code of the program.
    fn exit_code(&self) -> ExitCode;
}

/// The error of a command.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct CliError(Box<dyn HasExitCode>);

impl CliError {
    pub(crate) fn exit_code(&self) -> ExitCode {
        self.0.exit_code()
    }

    /// Says which file cannot be read.
    pub(crate) fn reading(path: impl AsRef<Path>) -> impl Fn(io::Error) -> Self {
        let path = path.as_ref().to_owned();
        move |source| {
            let path = path.clone();
            FileError::Read { path, source }.into()
        }
    }

    /// Says which file cannot be written.
    pub(crate) fn writing(path: impl AsRef<Path>) -> impl Fn(io::Error) -> Self {
        let path = path.as_ref().to_owned();
        move |source| {
            let path = path.clone();
            FileError::Write { path, source }.into()
        }
    }
}

impl<E: HasExitCode + 'static> From<E> for CliError {
    fn from(error: E) -> Self {
        Self(Box::new(error))
    }
}

/// Gives errors their exit codes, each by the arms of a `match` over it.
macro_rules! exit_codes {
    ($($(#[$meta:meta])* $error:ty { $($arms:tt)* })*) => {$(
        $(#[$meta])*
        impl HasExitCode for $error {
            fn exit_code(&self) -> ExitCode {
                match self { $($arms)* }
            }
        }
    )*};
}

exit_codes! {
    UsageError { _ => Usage }
    FileError { _ => BadFile }
    InternalError { _ => Bug }
    BenchError { _ => BadFile }
    ExportError {
        Self::Setup(error) => error.exit_code(),
        Self::Scene(error) => error.exit_code(),
        Self::Camera(_) => Usage,
        Self::Unwanted { .. } => Bug,
        _ => BadFile,
    }
    EpisodeError { Self::Setup(error) => error.exit_code(), Self::Run(_) => BadFile }
    LiberoError { _ => BadFile }
    MjcfError { _ => BadFile }
    NoSuchCamera { _ => Usage }
    PerceptionError { _ => BadFile }
    PictureError { _ => BadFile }
    PolicyError { _ => Usage }
    PresetError { _ => Usage }
    RecordError { _ => BadFile }
    RecordSetupError { Self::Setup(error) => error.exit_code(), Self::Recording(_) => BadFile }
    RecordedSceneError { Self::Setup(error) => error.exit_code(), Self::Decode(_) => BadFile }
    RecordingError { _ => BadFile }
    RigError { _ => BadFile }
    RunError { _ => BadFile }
    SceneError { _ => BadFile }
    SetupError { Self::Fault(_) | Self::Camera(_) => Usage, _ => BadFile }
    StoreError { _ => BadFile }
    SuiteError { _ => BadFile }
    #[cfg(feature = "dataset")]
    regrasp_lerobot::DatasetError { _ => BadFile }
    #[cfg(feature = "dataset")]
    FewDemonstrations { _ => ExitCode::TaskFailed }
    #[cfg(feature = "models")]
    regrasp_chat::ChatError { Self::Setup { .. } => Usage, _ => BadFile }
    #[cfg(feature = "openpi")]
    regrasp_openpi::OpenpiError { Self::Mapping { .. } => BadFile, _ => Usage }
    #[cfg(feature = "mcp")]
    regrasp_mcp::McpError { Self::NoToken { .. } => Usage, _ => BadFile }
    #[cfg(any(feature = "serve", feature = "mcp"))]
    regrasp_session::SessionError { _ => BadFile }
    #[cfg(feature = "serve")]
    regrasp_web::ServeError { Self::NoToken { .. } | Self::WeakToken { .. } => Usage, _ => BadFile }
    #[cfg(all(feature = "franka", target_os = "linux"))]
    regrasp_station::real::RealArmError {
        Self::Connect(_) => ExitCode::PlannerUnavailable,
        Self::Source(_) => Usage,
        Self::Setup(error) => error.exit_code(),
        _ => BadFile,
    }
}

/// A command line that asks for what cannot be.
#[derive(Debug, thiserror::Error)]
pub(crate) enum UsageError {
    #[error(
        "use the robot `{name}`: it is a real arm, which `regrasp run` and `regrasp arm` drive{}",
        if cfg!(all(feature = "franka", target_os = "linux")) { "" } else { "; this build cannot: add --features franka" }
    )]
    RealArm { name: String },
    #[cfg(all(feature = "franka", target_os = "linux"))]
    #[error("use the robot `{name}`: {expected}")]
    NoTarget { name: String, expected: String },
    #[cfg(all(feature = "franka", target_os = "linux"))]
    #[error("see: a real arm needs --percepts FILE|URL or --rgbd FILE")]
    NoEyes,
    #[error("draw the recovery suite: its classes of faults have no tasks of their own")]
    NoTasksOfItsOwn,
    #[cfg(not(all(feature = "video", feature = "dataset", feature = "rerun")))]
    #[error("make {what}: this build has none; add --features {feature} (or full)")]
    NotBuilt {
        what: &'static str,
        feature: &'static str,
    },
    #[error("use --record: there is no folder for recordings; add --out")]
    NowhereToRecord,
    #[error("find a task of the suite `{name}`: this build has none; `regrasp tasks` lists all")]
    EmptySuite { name: &'static str },
    #[error("use `{name}` here: it has several tasks; name one `.bddl` file")]
    ManyTasks { name: String },
    #[error("run the task `{name}` twice with the same seeds: it is given twice")]
    TwoTasks { name: String },
    #[error("use {argument}: it has no effect with {mode}")]
    NoEffect {
        argument: String,
        mode: &'static str,
    },
    #[error("find a class of faults called `{name}` (classes: {})", known.join(", "))]
    UnknownClass { name: String, known: Vec<String> },
    #[cfg(feature = "models")]
    #[error("tell the model of the skill `{name}`: there is none of that name (skills: {})", known.join(", "))]
    NoSkill { name: String, known: Vec<String> },
    #[cfg(feature = "models")]
    #[error("use the environment variable {name}, which is `{value}`: {detail}")]
    Variable {
        name: String,
        value: String,
        detail: String,
    },
    #[error("make a skill called `{name}`: {detail}")]
    SkillName { name: String, detail: String },
    #[error(
        "find Regrasp's sources{}; --regrasp names the folder that has crates/apps/regrasp in it",
        path.as_ref().map(|path| format!(" in {}", path.display())).unwrap_or_default()
    )]
    NoSources { path: Option<PathBuf> },
    #[error("know what to do: give a text, or a --task that has one")]
    NothingToDo,
    #[cfg(feature = "models")]
    #[error("know which model to ask: give its name with --model")]
    WhichModel,
    #[cfg(feature = "models")]
    #[error(
        "find a key: the environment variable {variable} is not set; --api-key-env names another"
    )]
    NoKey { variable: String },
    #[cfg(feature = "models")]
    #[error(
        "use {argument} with --planner {planner}, which asks no model; choose --planner openai, \
         ollama, anthropic or custom"
    )]
    NoModelAsked {
        argument: &'static str,
        planner: String,
    },
    #[cfg(feature = "models")]
    #[error(
        "know whose model points, with --perception pointer: say so with --pointer, or let a \
         model plan"
    )]
    WhoPoints,
    #[cfg(feature = "models")]
    #[error("use {argument}: it needs --perception pointer")]
    NothingPoints { argument: &'static str },
    #[cfg(feature = "models")]
    #[error("compare a perception that asks a model: `perceive` asks none; choose rgbd")]
    NothingAsked,
    #[error("use --depth-noise: it needs a --perception that looks through cameras")]
    NoDepth,
    #[cfg(feature = "openpi")]
    #[error("find the key of the policy server: the environment variable {variable} is not set")]
    NoPolicyKey { variable: String },
}

/// A file, or something in one, that is missing or wrong.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FileError {
    #[error("calibrate the camera by {}: {source}", path.display())]
    Calibrate {
        path: PathBuf,
        source: CalibrateError,
    },
    #[error("find a model below {}: there is no file that ends in .xml", path.display())]
    NoModels { path: PathBuf },
    #[error("read the agent's settings: {0}")]
    Settings(#[from] config::ConfigError),
    #[error("find the recording of {}: it has none; `regrasp run --record` makes one", path.display())]
    NoRecording { path: PathBuf },
    #[cfg(feature = "dataset")]
    #[error("make a data set: none of the runs can be part of it")]
    NoDemonstration,
    #[error("replay the run in {}: {why}", path.display())]
    Replay { path: PathBuf, why: String },
    #[error("use the list of seeds in {}: {source}", path.display())]
    Seeds { path: PathBuf, source: SeedsError },
    #[error("{message}")]
    NoInstance { message: String },
    #[error(
        "use the approval policy: `irreversible` names the skill `{name}`, and there is none of \
         that name (skills: {})",
        known.join(", ")
    )]
    UnknownSkill { name: String, known: Vec<String> },
    #[error("read {}: {source}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("write {}: {source}", path.display())]
    Write { path: PathBuf, source: io::Error },
    #[error("read problems from {}: {detail}", path.display())]
    Problems { path: PathBuf, detail: String },
}

/// Something that should not happen, whatever is asked for.
#[derive(Debug, thiserror::Error)]
pub(crate) enum InternalError {
    #[cfg(feature = "models")]
    #[error("start a runtime: {0}")]
    Runtime(io::Error),
    #[error("write JSON: {0}")]
    Json(#[from] serde_json::Error),
    #[error("write YAML: {0}")]
    Yaml(String),
    #[cfg(feature = "mcp")]
    #[error("start the threads of the server: {0}")]
    McpRuntime(std::io::Error),
    #[error("catch Ctrl-C: {0}")]
    Signal(#[from] ctrlc::Error),
}

/// Fewer successes than a data set was to have.
#[cfg(feature = "dataset")]
#[derive(Debug, thiserror::Error)]
#[error("make a data set: only {n_there} of {n_wanted} episodes of `{task}` were successes")]
pub(crate) struct FewDemonstrations {
    pub(crate) task: String,
    pub(crate) n_there: u64,
    pub(crate) n_wanted: u64,
}

impl From<config::ConfigError> for CliError {
    fn from(error: config::ConfigError) -> Self {
        FileError::from(error).into()
    }
}

impl From<serde_json::Error> for CliError {
    fn from(error: serde_json::Error) -> Self {
        InternalError::from(error).into()
    }
}

impl From<ctrlc::Error> for CliError {
    fn from(error: ctrlc::Error) -> Self {
        InternalError::from(error).into()
    }
}
