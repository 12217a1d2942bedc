//! Options and lookup of recordings.

use std::path::{Path, PathBuf};

use clap::Args;
use regrasp_export::RecordOptions;
use regrasp_record::{RECORDING_FILE, Recording};
use tempfile::TempPath;

use crate::scope;
use crate::{CliError, Result, complain, number_in};

#[derive(Args, Clone, Debug)]
pub(super) struct RecordingArguments {
    /// Cameras whose pictures are recorded too, such as scene,wrist.
    #[arg(long, value_name = "NAME", value_delimiter = ',', group = scope::RECORDED_PICTURES)]
    record_cameras: Vec<String>,
    /// Recorded frames per second of simulated time.
    #[arg(long, value_name = "HZ", default_value_t = 60.0, value_parser = number_in(0.1..=1000.0), group = scope::RECORDED_FRAMES)]
    record_hz: f64,
    /// Recorded pictures of each camera per second of simulated time.
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

/// Recording of a run: its own, or one made by repeating the run.
pub(super) struct Footage {
    pub(super) recording: Recording,
    /// True if the run was repeated to record it.
    pub(super) is_again: bool,
    /// Deletes the file of a repeated run on drop.
    _scratch: Option<TempPath>,
}

impl Footage {
    /// Opens the recording of a repeated run, and deletes its file on drop.
    pub(super) fn again(scratch: TempPath) -> Result<Self> {
        Ok(Self {
            recording: Recording::open(&scratch)?,
            is_again: true,
            _scratch: Some(scratch),
        })
    }

    /// Opens the recording in a run folder, or a recording file.
    pub(super) fn recorded(run: &Path) -> Result<Self> {
        let path = recording_of(run);
        if !path.is_file() {
            return Err(CliError::file(format_args!(
                "find the recording of {}: the run was not recorded; use `regrasp run --record`",
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

/// Path of a temporary recording, deleted on drop.
pub(super) fn scratch() -> Result<TempPath> {
    let made = tempfile::Builder::new()
        .prefix("regrasp-")
        .suffix(".mcap")
        .tempfile()
        .map_err(CliError::writing(std::env::temp_dir()));
    Ok(made?.into_temp_path())
}

/// Path of a run's recording, which may not exist.
pub(super) fn recording_of(run: &Path) -> PathBuf {
    if run.is_dir() {
        run.join(RECORDING_FILE)
    } else {
        run.to_owned()
    }
}

pub(super) fn warn_if_truncated(recording: &Recording) {
    if !recording.is_complete() {
        complain(&format!(
            "the recording is truncated at {:.2} s",
            recording.end_secs()
        ));
    }
}
