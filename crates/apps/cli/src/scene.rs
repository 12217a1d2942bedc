//! `regrasp scene PRESET`: scene files to start from.

use std::fs;
use std::path::PathBuf;

use clap::Args;
use clap::builder::PossibleValuesParser;
use regrasp::scene::{preset, preset_names};

use crate::{CliError, ExitCode, Result, path_to, say};

#[derive(Args, Debug)]
pub(super) struct SceneArguments {
    /// clutter: objects that stand close together on a table; shelf: objects in a shelf, to be
    /// taken out from the front; wall: a cube in front of a wall and a plate behind it; bin: cans
    /// in one bin, with an empty bin beside it.
    #[arg(value_parser = PossibleValuesParser::new(preset_names().map(|(name, _)| name)))]
    preset: String,
    /// Number of objects.
    #[arg(long)]
    n: Option<usize>,
    /// Seed of the objects' positions and orientations; 0 is a regular pattern.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// File to write. Default: standard output.
    #[arg(short, long, value_parser = path_to(&["yaml", "yml"]))]
    out: Option<PathBuf>,
}

pub(super) fn scene(arguments: &SceneArguments) -> Result<ExitCode> {
    let text = preset(&arguments.preset, arguments.n, arguments.seed)?;
    let Some(path) = &arguments.out else {
        say(text.trim_end());
        return Ok(ExitCode::Ok);
    };
    fs::write(path, text).map_err(CliError::writing(&path))?;
    let path = path.display();
    say(&format!(
        "scene: {path}\n  regrasp render {path}\n  regrasp run \"…\" --scene {path}"
    ));
    Ok(ExitCode::Ok)
}
