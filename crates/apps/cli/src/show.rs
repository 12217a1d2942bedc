//! `regrasp show`: the course of a run, and its film strip.

use std::path::Path;

use regrasp::record::{Run, read_run};
use regrasp::render::png_bytes;
use regrasp_export::{StripOptions, film_strip};
use regrasp_record::Recording;

use crate::arguments::ShowArguments;
use crate::recording::warn_if_truncated;
use crate::replay::footage;
use crate::{CliError, ExitCode, Result, say};

/// Prints the course of an episode, and draws its film strip if requested.
pub(super) fn show(arguments: &ShowArguments) -> Result<ExitCode> {
    say(run_of(&arguments.run)?.story().trim_end());
    if let Some(png) = &arguments.png {
        draw(arguments, png)?;
    }
    Ok(ExitCode::Ok)
}

/// Reads a run folder, or a recording alone.
fn run_of(path: &Path) -> Result<Run> {
    if path.is_file() {
        return Ok(Recording::open(path)?.run()?);
    }
    Ok(read_run(path)?)
}

fn draw(arguments: &ShowArguments, png: &Path) -> Result<()> {
    let mut footage = footage(&arguments.run)?;
    warn_if_truncated(&footage.recording);
    let options = StripOptions {
        camera: arguments.camera.clone(),
        ..StripOptions::default()
    };
    let strip = film_strip(&mut footage.recording, &options)?;
    let bytes = png_bytes(strip.width, strip.height, &strip.rgb)?;
    std::fs::write(png, bytes).map_err(CliError::writing(&png))?;
    let from = match footage.is_again {
        true => "a repeated run",
        false => "the recording",
    };
    let left_out = match strip.n_left_out {
        0 => String::new(),
        n => format!(", {n} more left out"),
    };
    let n = strip.moments.len();
    say(&format!(
        "film strip: {} ({n} moments{left_out}, drawn from {from})",
        png.display()
    ));
    Ok(())
}
