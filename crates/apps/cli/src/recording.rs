//! What is recorded of a run, on the command line.

use std::path::{Path, PathBuf};

use crate::exit::ExitCode;
use crate::scope;
use clap::Args;
use regrasp_export::RecordOptions;
use regrasp_record::{RECORDING_FILE, Recording};
use tempfile::TempPath;

use crate::error::CliError;
use crate::output::complain;
use crate::values::number_in;

#[derive(Args, Clone, Debug)]
pub(super) struct RecordingArguments {
    /// Cameras whose pictures are recorded too, such as scene,wrist.
    #[arg(long, value_name = "NAME", value_delimiter = ',', group = scope::RECORDED_PICTURES)]
    record_cameras: Vec<String>,
    /// Recorded frames per second of simulated time.
    #[arg(long, value_name = "HZ", default_value_t = 60.0, value_parser = number_in(0.1..=1000.0), group = scope::RECORDED_FRAMES)]
    record_hz: f64,
    /// Recorded pictures per second of simulated time and camera.
    #[arg(long, value_name = "HZ", default_value_t = 5.0, value_parser = number_in(0.1..=1000.0), group = scope::RECORDED_PICTURES)]
    record_camera_hz: f64,
}

impl RecordingArguments {
    pub(super) fn options(&self) -> RecordOptions {
        RecordOptions {
            rate_hz: self.record_hz,
            cameras: self.record_cameras.clone(),
            camera_hz: self.record_camera_hz,
        }
    }
}

/// The recording of a run: its own, or that of the run done again.
pub(super) struct Footage {
    pub(super) recording: Recording,
    /// Whether it had none, so that the run was done again.
    pub(super) is_again: bool,
    /// A file that is gone with this.
    _scratch: Option<TempPath>,
}

impl Footage {
    /// The recording of a run that was done again, in a file that goes with it.
    pub(super) fn again(scratch: TempPath) -> Result<Self, CliError> {
        Ok(Self {
            recording: Recording::open(&scratch)?,
            is_again: true,
            _scratch: Some(scratch),
        })
    }

    /// Opens the recording in a run folder, or a recording by its own name.
    pub(super) fn recorded(run: &Path) -> Result<Self, CliError> {
        let path = recording_of(run);
        if !path.is_file() {
            return Err(CliError::file(format_args!(
                "find the recording of {}: it has none; `regrasp run --record` makes one",
                run.display()
            )));
        }
        Ok(Self {
            recording: Recording::open(&path)?,
            is_again: false,
            _scratch: None,
        })
    }
}

/// A name for a recording that nobody keeps: its file is gone when this is dropped.
pub(super) fn scratch() -> Result<TempPath, CliError> {
    let made = tempfile::Builder::new()
        .prefix("regrasp-")
        .suffix(".mcap")
        .tempfile()
        .map_err(CliError::writing(std::env::temp_dir()));
    Ok(made?.into_temp_path())
}

/// Where the recording of a run is, if it has one.
pub(super) fn recording_of(run: &Path) -> PathBuf {
    if run.is_dir() {
        run.join(RECORDING_FILE)
    } else {
        run.to_owned()
    }
}

/// Warns of a recording that breaks off.
pub(super) fn tell_if_cut(recording: &Recording) -> ExitCode {
    if !recording.is_complete() {
        complain(&format!(
            "the recording breaks off at {:.2} s: what came later is not in it",
            recording.end_secs()
        ));
    }
    ExitCode::Ok
}
