//! Errors of the command line and their exit codes.

use std::io;
use std::path::PathBuf;

use crate::ExitCode;
use regrasp::agent::RunError;
use regrasp::api::{PerceptionError, StoreError};
use regrasp::bench::{BenchError, SeedsError};
use regrasp::record::RecordError;
use regrasp::recovery::SuiteError;
use regrasp::render::PictureError;
use regrasp::scene::{PresetError, SceneError};
use regrasp::{EpisodeError, NoSuchCamera, SetupError};
use regrasp_export::{GalleryError, RecordSetupError, RecordedSceneError, StripError};
use regrasp_record::RecordingError;

/// Why a command could not be carried out.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CliError {
    #[error(transparent)]
    Scene(#[from] SceneError),
    #[error(
        "use the robot `{name}`: it is a real arm, which `regrasp run` and `regrasp arm` drive{}",
        if cfg!(all(feature = "franka", target_os = "linux")) { "" } else { "; this build cannot: add --features franka" }
    )]
    RealArm { name: String },
    #[error("calibrate the camera by {}: {source}", path.display())]
    Calibrate {
        path: PathBuf,
        source: regrasp_external_perception::CalibrateError,
    },
    #[error(transparent)]
    Rig(#[from] regrasp_external_perception::RigError),
    #[cfg(all(feature = "franka", target_os = "linux"))]
    #[error(transparent)]
    Source(#[from] regrasp_external_perception::SourceError),
    #[cfg(all(feature = "franka", target_os = "linux"))]
    #[error("use the robot `{name}`: {expected}")]
    NoTarget { name: String, expected: String },
    #[cfg(all(feature = "franka", target_os = "linux"))]
    #[error("see: a real arm needs --percepts FILE|URL or --rgbd FILE")]
    NoEyes,
    #[cfg(all(feature = "franka", target_os = "linux"))]
    #[error(transparent)]
    Connect(#[from] regrasp_franka::ConnectError),
    #[cfg(all(feature = "franka", target_os = "linux"))]
    #[error(transparent)]
    Safety(#[from] regrasp_franka::SafetyError),
    #[error(transparent)]
    Mjcf(#[from] regrasp_mjcf::MjcfError),
    #[error("find a model below {}: there is no file that ends in .xml", path.display())]
    NoModels { path: PathBuf },
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
    Recording(#[from] RecordingError),
    #[error(transparent)]
    RecordedScene(RecordedSceneError),
    #[error(transparent)]
    Strip(StripError),
    #[error(transparent)]
    Preset(#[from] PresetError),
    #[error("draw the recovery suite: its classes of faults have no tasks of their own")]
    NoTasksOfItsOwn,
    #[error("find the recording of {}: it has none; `regrasp run --record` makes one", path.display())]
    NoRecording { path: PathBuf },
    #[cfg(feature = "video")]
    #[error(transparent)]
    Video(regrasp_video::VideoError),
    #[cfg(feature = "dataset")]
    #[error(transparent)]
    Dataset(#[from] regrasp_lerobot::DatasetError),
    #[cfg(feature = "dataset")]
    #[error("make a data set: none of the runs can be part of it")]
    NoDemonstration,
    #[cfg(feature = "dataset")]
    #[error("make a data set: only {n_there} of {n_wanted} episodes of `{task}` were successes")]
    FewDemonstrations {
        task: String,
        n_there: u64,
        n_wanted: u64,
    },
    #[cfg(feature = "rerun")]
    #[error(transparent)]
    Rrd(regrasp_rerun::RrdError),
    #[cfg(any(feature = "video", feature = "rerun"))]
    #[error("go on with a file that nobody waits for")]
    Unwanted,
    #[cfg(not(all(feature = "video", feature = "dataset", feature = "rerun")))]
    #[error("make {what}: this build has none; add --features {feature} (or full)")]
    NotBuilt {
        what: &'static str,
        feature: &'static str,
    },
    #[error("use --record: there is no folder for recordings; add --out")]
    NowhereToRecord,
    #[error(transparent)]
    Bench(#[from] BenchError),
    #[error(transparent)]
    Suite(#[from] SuiteError),
    #[error("replay the run in {}: {why}", path.display())]
    Replay { path: PathBuf, why: String },
    #[error("use the list of seeds in {}: {source}", path.display())]
    Seeds { path: PathBuf, source: SeedsError },
    #[error("find a task of the suite `{name}`: this build has none; `regrasp tasks` lists all")]
    EmptySuite { name: &'static str },
    #[error("use `{name}` here: it has several tasks; name one `.bddl` file")]
    ManyTasks { name: String },
    #[error("{message}")]
    NoInstance { message: String },
    #[error(transparent)]
    Libero(#[from] regrasp_libero::LiberoError),
    #[error("run the task `{name}` twice with the same seeds: it is given twice")]
    TwoTasks { name: String },
    #[error("use {argument}: it has no effect with {mode}")]
    NoEffect {
        argument: String,
        mode: &'static str,
    },
    #[error("find a class of faults called `{name}` (classes: {})", known.join(", "))]
    UnknownClass { name: String, known: Vec<String> },
    #[error(
        "use the approval policy: `irreversible` names the skill `{name}`, and there is none of \
         that name (skills: {})",
        known.join(", ")
    )]
    UnknownSkill { name: String, known: Vec<String> },
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
    #[error(transparent)]
    Model(#[from] regrasp_chat::ChatError),
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
    #[cfg(feature = "models")]
    #[error("start a runtime: {0}")]
    Runtime(io::Error),
    #[error("use --depth-noise: it needs a --perception that looks through cameras")]
    NoDepth,
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
    #[error(transparent)]
    Policy(#[from] regrasp::api::PolicyError),
    #[cfg(feature = "openpi")]
    #[error(transparent)]
    Openpi(#[from] regrasp_openpi::OpenpiError),
    #[cfg(feature = "openpi")]
    #[error("find the key of the policy server: the environment variable {variable} is not set")]
    NoPolicyKey { variable: String },
    #[cfg(feature = "mcp")]
    #[error(transparent)]
    Mcp(#[from] regrasp_mcp::McpError),
    #[cfg(feature = "mcp")]
    #[error("start the threads of the server: {0}")]
    McpRuntime(std::io::Error),
    #[cfg(any(feature = "serve", feature = "mcp"))]
    #[error(transparent)]
    Session(#[from] regrasp_session::SessionError),
    #[cfg(feature = "serve")]
    #[error(transparent)]
    Serve(#[from] regrasp_web::ServeError),
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

impl From<RecordSetupError> for CliError {
    fn from(error: RecordSetupError) -> Self {
        match error {
            RecordSetupError::Recording(error) => error.into(),
            RecordSetupError::Setup(error) => error.into(),
        }
    }
}

#[cfg(feature = "video")]
impl From<regrasp_export::FilmError> for CliError {
    fn from(error: regrasp_export::FilmError) -> Self {
        use regrasp_export::FilmError;
        match error {
            FilmError::Recording(error) => error.into(),
            FilmError::Scene(error) => error.into(),
            FilmError::Camera(error) => error.into(),
            FilmError::Font(error) => Self::Strip(error.into()),
            FilmError::Video(error) => Self::Video(error),
            FilmError::Unwanted => Self::Unwanted,
        }
    }
}

#[cfg(feature = "dataset")]
impl From<regrasp_export::DemonstrationError> for CliError {
    fn from(error: regrasp_export::DemonstrationError) -> Self {
        use regrasp_export::DemonstrationError;
        match error {
            DemonstrationError::Recording(error) => error.into(),
            DemonstrationError::Scene(error) => error.into(),
            DemonstrationError::Camera(error) => error.into(),
            DemonstrationError::Dataset(error) => error.into(),
        }
    }
}

#[cfg(feature = "rerun")]
impl From<regrasp_export::ViewerError> for CliError {
    fn from(error: regrasp_export::ViewerError) -> Self {
        use regrasp_export::ViewerError;
        match error {
            ViewerError::Recording(error) => error.into(),
            ViewerError::Scene(error) => error.into(),
            ViewerError::File(error) => Self::Rrd(error),
            ViewerError::Unwanted => Self::Unwanted,
        }
    }
}

impl From<RecordedSceneError> for CliError {
    fn from(error: RecordedSceneError) -> Self {
        match error {
            RecordedSceneError::Setup(error) => error.into(),
            other => Self::RecordedScene(other),
        }
    }
}

impl From<StripError> for CliError {
    fn from(error: StripError) -> Self {
        match error {
            StripError::Recording(error) => error.into(),
            StripError::Scene(error) => error.into(),
            StripError::Camera(error) => error.into(),
            other => Self::Strip(other),
        }
    }
}

impl From<GalleryError> for CliError {
    fn from(error: GalleryError) -> Self {
        match error {
            GalleryError::Setup(error) => error.into(),
            GalleryError::Camera(error) => error.into(),
            GalleryError::Font(error) => Self::Strip(error.into()),
        }
    }
}

impl CliError {
    pub(crate) fn exit_code(&self) -> ExitCode {
        match self {
            #[cfg(not(all(feature = "video", feature = "dataset", feature = "rerun")))]
            Self::NotBuilt { .. } => ExitCode::Usage,
            #[cfg(any(feature = "video", feature = "rerun"))]
            Self::Unwanted => ExitCode::Bug,
            #[cfg(feature = "rerun")]
            Self::Rrd(_) => ExitCode::BadFile,
            #[cfg(feature = "video")]
            Self::Video(_) => ExitCode::BadFile,
            #[cfg(feature = "dataset")]
            Self::Dataset(_) | Self::NoDemonstration => ExitCode::BadFile,
            #[cfg(feature = "dataset")]
            Self::FewDemonstrations { .. } => ExitCode::TaskFailed,
            #[cfg(feature = "models")]
            Self::WhichModel
            | Self::NoKey { .. }
            | Self::NoSkill { .. }
            | Self::Variable { .. }
            | Self::NoModelAsked { .. }
            | Self::WhoPoints
            | Self::NothingPoints { .. }
            | Self::NothingAsked => ExitCode::Usage,
            #[cfg(feature = "models")]
            Self::Model(regrasp_chat::ChatError::Setup { .. }) => ExitCode::Usage,
            #[cfg(feature = "models")]
            Self::Model(_) => ExitCode::BadFile,
            #[cfg(feature = "models")]
            Self::Runtime(_) => ExitCode::Bug,
            #[cfg(feature = "serve")]
            Self::Serve(
                regrasp_web::ServeError::NoToken { .. } | regrasp_web::ServeError::WeakToken { .. },
            ) => ExitCode::Usage,
            #[cfg(feature = "serve")]
            Self::Serve(_) => ExitCode::BadFile,
            #[cfg(any(feature = "serve", feature = "mcp"))]
            Self::Session(_) => ExitCode::BadFile,
            #[cfg(feature = "openpi")]
            Self::Openpi(regrasp_openpi::OpenpiError::Mapping { .. }) => ExitCode::BadFile,
            #[cfg(feature = "openpi")]
            Self::Openpi(_) | Self::NoPolicyKey { .. } => ExitCode::Usage,
            #[cfg(feature = "mcp")]
            Self::Mcp(regrasp_mcp::McpError::NoToken { .. }) => ExitCode::Usage,
            #[cfg(feature = "mcp")]
            Self::Mcp(_) => ExitCode::BadFile,
            #[cfg(feature = "mcp")]
            Self::McpRuntime(_) => ExitCode::Bug,
            #[cfg(all(feature = "franka", target_os = "linux"))]
            Self::NoTarget { .. } | Self::NoEyes | Self::Source(_) => ExitCode::Usage,
            #[cfg(all(feature = "franka", target_os = "linux"))]
            Self::Connect(_) => ExitCode::PlannerUnavailable,
            #[cfg(all(feature = "franka", target_os = "linux"))]
            Self::Safety(_) => ExitCode::BadFile,
            Self::NothingToDo
            | Self::RealArm { .. }
            | Self::Preset(_)
            | Self::NoTasksOfItsOwn
            | Self::NowhereToRecord
            | Self::NoDepth
            | Self::UnknownClass { .. }
            | Self::SkillName { .. }
            | Self::NoSources { .. }
            | Self::EmptySuite { .. }
            | Self::TwoTasks { .. }
            | Self::ManyTasks { .. }
            | Self::NoEffect { .. }
            | Self::Policy(_)
            | Self::Camera(_)
            | Self::Setup(SetupError::Fault(_) | SetupError::Camera(_)) => ExitCode::Usage,
            Self::Scene(_)
            | Self::NoInstance { .. }
            | Self::Libero(_)
            | Self::Mjcf(_)
            | Self::NoModels { .. }
            | Self::Calibrate { .. }
            | Self::Rig(_)
            | Self::Setup(_)
            | Self::Run(_)
            | Self::Store(_)
            | Self::Settings(_)
            | Self::UnknownSkill { .. }
            | Self::Record(_)
            | Self::Recording(_)
            | Self::NoRecording { .. }
            | Self::RecordedScene(_)
            | Self::Strip(_)
            | Self::Picture(_)
            | Self::Perception(_)
            | Self::Bench(_)
            | Self::Seeds { .. }
            | Self::Replay { .. }
            | Self::Suite(_)
            | Self::Read { .. }
            | Self::Problems { .. }
            | Self::Write { .. } => ExitCode::BadFile,
            Self::Json(_) | Self::Yaml(_) | Self::Signal(_) => ExitCode::Bug,
        }
    }
}
