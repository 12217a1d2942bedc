//! `regrasp export rerun`.

use std::path::PathBuf;

use clap::Args;

use crate::{ExitCode, Result};

#[derive(Args, Debug)]
pub(super) struct RerunArguments {
    /// A run folder with a recording, or a recording.
    run: PathBuf,
    /// File to write, an .rrd.
    #[arg(short, long, value_parser = crate::values::path_to(&["rrd"]))]
    out: PathBuf,
    /// Print the numbers of the file (frames, events, pictures, bytes) as JSON, and nothing else,
    /// on standard output.
    #[arg(long)]
    json: bool,
}

#[cfg(feature = "rerun")]
pub(super) fn rerun(arguments: &RerunArguments) -> Result<ExitCode> {
    use regrasp_export::{Exported, export_rrd};

    use crate::output::say;
    use crate::recording::{Footage, warn_if_truncated};

    let mut footage = Footage::recorded(&arguments.run)?;
    warn_if_truncated(&footage.recording);
    let exported = export_rrd(&mut footage.recording, &arguments.out, &|| true)?;
    if arguments.json {
        say(&serde_json::to_string_pretty(&exported)?);
        return Ok(ExitCode::Ok);
    }
    let Exported {
        frames,
        events,
        pictures,
        duration_s,
        bytes,
        ..
    } = exported;
    say(&format!(
        "viewer file: {} ({frames} frames, {events} events, {pictures} pictures, \
         {duration_s:.2} s, {:.1} MB); `rerun FILE` opens it",
        arguments.out.display(),
        bytes as f64 / 1e6
    ));
    Ok(ExitCode::Ok)
}

#[cfg(not(feature = "rerun"))]
pub(super) fn rerun(_: &RerunArguments) -> Result<ExitCode> {
    let what = "files for the Rerun viewer";
    Err(crate::CliError::not_built(what, "rerun"))
}
