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
use regrasp_mjcf::MjcfError;

use crate::exit::ExitCode;
use crate::exit::ExitCode::{BadFile, Bug, Usage};

/// An error that says how the program ends.
pub(crate) trait HasExitCode: std::error::Error {
    /// Exit code of the program.
    fn exit_code(&self) -> ExitCode;
}

/// The error of a command, in words that fit after "failed to …".
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

    /// A command line that asks for what cannot be.
    pub(crate) fn usage(message: impl Display) -> Self {
        Self::new(message, Usage)
    }

    /// A file, or something in one, that is missing or wrong.
    pub(crate) fn file(message: impl Display) -> Self {
        Self::new(message, BadFile)
    }

    /// Something that should not happen, whatever is asked for.
    pub(crate) fn bug(message: impl Display) -> Self {
        Self::new(message, Bug)
    }

    /// Fewer successes than were to be.
    #[cfg(feature = "dataset")]
    pub(crate) fn task_failed(message: impl Display) -> Self {
        Self::new(message, ExitCode::TaskFailed)
    }

    /// Says which file cannot be read.
    pub(crate) fn reading(path: impl AsRef<Path>) -> impl Fn(io::Error) -> Self {
        let path = path.as_ref().display().to_string();
        move |source| Self::file(format_args!("read {path}: {source}"))
    }

    /// Says which file cannot be written.
    pub(crate) fn writing(path: impl AsRef<Path>) -> impl Fn(io::Error) -> Self {
        let path = path.as_ref().display().to_string();
        move |source| Self::file(format_args!("write {path}: {source}"))
    }

    /// Says what this build was made without.
    #[cfg(not(all(feature = "video", feature = "dataset", feature = "rerun")))]
    pub(crate) fn not_built(what: &str, feature: &str) -> Self {
        Self::usage(format_args!(
            "make {what}: this build has none; add --features {feature} (or full)"
        ))
    }

    /// Says that an argument has no effect.
    pub(crate) fn no_effect(argument: &str, mode: &str) -> Self {
        Self::usage(format_args!("use {argument}: it has no effect with {mode}"))
    }

    /// Says that there is no text to carry out.
    pub(crate) fn nothing_to_do() -> Self {
        Self::usage("know what to do: give a text, or a --task that has one")
    }
}

impl<E: HasExitCode> From<E> for CliError {
    fn from(error: E) -> Self {
        Self::new(&error, error.exit_code())
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
    RigError { _ => BadFile }
    RunError { _ => BadFile }
    SceneError { _ => BadFile }
    SetupError { Self::Fault(_) | Self::Camera(_) => Usage, _ => BadFile }
    StoreError { _ => BadFile }
    SuiteError { _ => BadFile }
    #[cfg(feature = "dataset")]
    regrasp_lerobot::DatasetError { _ => BadFile }
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
