//! Errors of the command line and their exit codes.

use std::fmt::Display;
use std::io;
use std::path::Path;

use regrasp::agent::RunError;
use regrasp::api::{PerceptionError, PolicyError, StoreError};
use regrasp::bench::BenchError;
use regrasp::record::RecordError;
use regrasp::recovery::SuiteError;
use regrasp::render::PictureError;
use regrasp::scene::{PresetError, SceneError};
use regrasp::{EpisodeError, NoSuchCamera, SetupError};
use regrasp_export::{ExportError, RecordSetupError, RecordedSceneError};
use regrasp_external_perception::RigError;
use regrasp_libero::LiberoError;

use crate::ExitCode;
use crate::exit::ExitCode::{BadFile, Bug, Usage};

pub(crate) type Result<T, E = CliError> = std::result::Result<T, E>;

/// Error with an exit code.
pub(crate) trait HasExitCode: std::error::Error {
    fn exit_code(&self) -> ExitCode;
}

/// Error of a command, in words that fit after "failed to …".
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub(crate) struct CliError {
    message: String,
    code: ExitCode,
}

impl CliError {
    pub(crate) fn exit_code(&self) -> ExitCode {
        self.code
    }

    fn new(message: impl Display, code: ExitCode) -> Self {
        let message = message.to_string();
        Self { message, code }
    }

    pub(crate) fn usage(message: impl Display) -> Self {
        Self::new(message, Usage)
    }

    pub(crate) fn file(message: impl Display) -> Self {
        Self::new(message, BadFile)
    }

    pub(crate) fn bug(message: impl Display) -> Self {
        Self::new(message, Bug)
    }

    /// Error of a data set with too few successful episodes.
    #[cfg(feature = "dataset")]
    pub(crate) fn task_failed(message: impl Display) -> Self {
        Self::new(message, ExitCode::TaskFailed)
    }

    pub(crate) fn reading(path: impl AsRef<Path>) -> impl Fn(io::Error) -> Self {
        let path = path.as_ref().display().to_string();
        move |source| Self::file(format_args!("read {path}: {source}"))
    }

    pub(crate) fn writing(path: impl AsRef<Path>) -> impl Fn(io::Error) -> Self {
        let path = path.as_ref().display().to_string();
        move |source| Self::file(format_args!("write {path}: {source}"))
    }

    pub(crate) fn not_built(what: &str, feature: &str) -> Self {
        Self::usage(format_args!(
            "use {what}: not in this build; build with --features {feature} (or full)"
        ))
    }

    pub(crate) fn no_effect(argument: &str, mode: &str) -> Self {
        Self::usage(format_args!("use {argument}: it has no effect with {mode}"))
    }

    pub(crate) fn nothing_to_do() -> Self {
        Self::usage("choose a task: give a text, or a --task that has one")
    }
}

impl<E: HasExitCode> From<E> for CliError {
    fn from(error: E) -> Self {
        Self::new(&error, error.exit_code())
    }
}

/// Implements [`HasExitCode`] for errors by the arms of a `match`.
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
    NoSuchCamera { _ => Usage }
    PerceptionError { _ => BadFile }
    PictureError { _ => BadFile }
    PolicyError { _ => Usage }
    PresetError { _ => Usage }
    RecordError { _ => BadFile }
    RecordSetupError { Self::Setup(error) => error.exit_code(), Self::Recording(_) => BadFile }
    RecordedSceneError { Self::Setup(error) => error.exit_code(), Self::Decode(_) => BadFile }
    RigError { _ => BadFile }
    RunError { _ => BadFile }
    SceneError { _ => BadFile }
    SetupError { Self::Fault(_) | Self::Camera(_) => Usage, _ => BadFile }
    StoreError { _ => BadFile }
    SuiteError { _ => BadFile }
    #[cfg(feature = "dataset")]
    regrasp_gym::EnvError { _ => BadFile }
    #[cfg(feature = "dataset")]
    regrasp_lerobot::DatasetError { _ => BadFile }
    regrasp_chat::ChatError { Self::Setup { .. } => Usage, _ => BadFile }
    #[cfg(feature = "openpi")]
    regrasp_openpi::OpenpiError { Self::Mapping { .. } => BadFile, _ => Usage }
    #[cfg(feature = "mcp")]
    regrasp_mcp::McpError { Self::NoToken { .. } => Usage, _ => BadFile }
    #[cfg(feature = "ros2")]
    regrasp_ros2::NodeError { _ => BadFile }
    #[cfg(any(feature = "serve", feature = "mcp", feature = "ros2"))]
    regrasp_session::SetupFailure { _ => BadFile }
    #[cfg(feature = "serve")]
    regrasp_web::ServeError { Self::NoToken { .. } | Self::WeakToken { .. } => Usage, _ => BadFile }
    #[cfg(feature = "foxglove")]
    regrasp_foxglove::LiveError { _ => BadFile }
    #[cfg(all(feature = "franka", target_os = "linux"))]
    regrasp_session::real::RealArmError {
        Self::Connect(_) => ExitCode::PlannerUnavailable,
        Self::Source(_) => Usage,
        Self::Setup(error) => error.exit_code(),
        _ => BadFile,
    }
}

impl From<config::ConfigError> for CliError {
    fn from(error: config::ConfigError) -> Self {
        Self::file(format_args!("read the agent's settings: {error}"))
    }
}

impl From<serde_json::Error> for CliError {
    fn from(error: serde_json::Error) -> Self {
        Self::bug(format_args!("write JSON: {error}"))
    }
}

impl From<ctrlc::Error> for CliError {
    fn from(error: ctrlc::Error) -> Self {
        Self::bug(format_args!("catch Ctrl-C: {error}"))
    }
}
