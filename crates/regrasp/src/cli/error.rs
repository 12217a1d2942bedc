use std::io;
use std::path::PathBuf;

use regrasp::agent::RunError;
use regrasp::api::{PerceptionError, StoreError};
use regrasp::bench::BenchError;
use regrasp::record::RecordError;
use regrasp::recovery::SuiteError;
use regrasp::render::PictureError;
use regrasp::scene::SceneError;
use regrasp::{EpisodeError, ExitCode, FaultError, NoSuchCamera, SetupError};

/// Why a command could not be carried out.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CliError {
    #[error(transparent)]
    Scene(#[from] SceneError),
    #[error(transparent)]
    Setup(#[from] SetupError),
    #[error(transparent)]
    Run(#[from] RunError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("read the agent's settings: {0}")]
    Settings(#[from] config::ConfigError),
    #[error(transparent)]
    Perception(#[from] PerceptionError),
    #[error(transparent)]
    Camera(#[from] NoSuchCamera),
    #[error(transparent)]
    Picture(#[from] PictureError),
    #[error(transparent)]
    Record(#[from] RecordError),
    #[error(transparent)]
    Bench(#[from] BenchError),
    #[error(transparent)]
    Fault(#[from] FaultError),
    #[error(transparent)]
    Suite(#[from] SuiteError),
    #[error("find a class of faults called `{name}` (classes: {})", known.join(", "))]
    UnknownClass { name: String, known: Vec<String> },
    #[error("know what to do: give a text, or a --task that has one")]
    NothingToDo,
    #[error("read {}: {source}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("write {}: {source}", path.display())]
    Write { path: PathBuf, source: io::Error },
    #[error("read problems from {}: {detail}", path.display())]
    Problems { path: PathBuf, detail: String },
    #[error("write JSON: {0}")]
    Json(#[from] serde_json::Error),
    #[error("write YAML: {0}")]
    Yaml(String),
    #[error("catch Ctrl-C: {0}")]
    Signal(#[from] ctrlc::Error),
}

impl From<EpisodeError> for CliError {
    fn from(error: EpisodeError) -> Self {
        match error {
            EpisodeError::Setup(error) => error.into(),
            EpisodeError::Run(error) => error.into(),
        }
    }
}

impl CliError {
    pub(crate) fn exit_code(&self) -> ExitCode {
        match self {
            Self::NothingToDo | Self::UnknownClass { .. } | Self::Fault(_) | Self::Camera(_) => {
                ExitCode::Usage
            }
            Self::Scene(_)
            | Self::Setup(_)
            | Self::Run(_)
            | Self::Store(_)
            | Self::Settings(_)
            | Self::Record(_)
            | Self::Picture(_)
            | Self::Perception(_)
            | Self::Bench(_)
            | Self::Suite(_)
            | Self::Read { .. }
            | Self::Problems { .. }
            | Self::Write { .. } => ExitCode::BadFile,
            Self::Json(_) | Self::Yaml(_) | Self::Signal(_) => ExitCode::Bug,
        }
    }
}
