//! `regrasp gallery`: the starts of tasks in one picture.

use std::fs;
use std::path::PathBuf;

use clap::Args;
use regrasp::LoadedRobot;
use regrasp::bench::Suite;
use regrasp::render::png_bytes;
use regrasp::scene::{TaskInstance, builtin_task_names, find_task};
use regrasp_export::{GalleryOptions, gallery};

use crate::suite::task_suite;
use crate::{CliError, ExitCode, Result, RobotArguments, path_to, say};

#[derive(Args, Debug)]
pub(super) struct GalleryArguments {
    /// File to write, a PNG.
    #[arg(short, long, default_value = "gallery.png", value_parser = path_to(&["png"]))]
    out: PathBuf,
    /// Only the tasks of a suite (maniskill, robosuite, robosandbox, clutter, shapes, tamp, hinges,
    /// everyday, all).
    #[arg(long, value_parser = task_suite, conflicts_with = "tasks")]
    suite: Option<Suite>,
    /// Only these tasks, by name, or task files.
    #[arg(long, num_args = 1.., value_delimiter = ',')]
    tasks: Vec<String>,
    /// Seed of the tasks' instances.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Pictures per row.
    #[arg(long, default_value_t = 6, value_parser = clap::value_parser!(u32).range(1..=20))]
    columns: u32,
    /// Width and height of each picture, pixels.
    #[arg(long, num_args = 2, value_names = ["WIDTH", "HEIGHT"],
          value_parser = clap::value_parser!(u32).range(64..=2048))]
    size: Vec<u32>,
    /// A camera that every scene has (`scene`, `top`, `wrist`); default: one that shows the objects
    /// as large as possible.
    #[arg(long)]
    camera: Option<String>,
    #[command(flatten)]
    robot: RobotArguments,
}

/// Draws the initial scenes of the chosen tasks in one picture.
pub(super) fn draw(arguments: &GalleryArguments) -> Result<ExitCode> {
    let robot = arguments.robot.load()?;
    let instances: Vec<TaskInstance> = names(arguments)?
        .iter()
        .map(|name| Ok(find_task(name, &robot)?.instantiate(arguments.seed)?))
        .collect::<Result<_>>()?;
    let mut options = GalleryOptions {
        camera: arguments.camera.clone(),
        columns: arguments.columns as usize,
        ..GalleryOptions::default()
    };
    if let [width, height] = arguments.size[..] {
        options.size = [width, height];
    }
    let drawn = gallery(&LoadedRobot::new(robot)?, &instances, &options)?;
    let bytes = png_bytes(drawn.width, drawn.height, &drawn.rgb)?;
    fs::write(&arguments.out, bytes).map_err(CliError::writing(&arguments.out))?;
    say(&format!(
        "gallery of {} tasks: {} ({} x {})",
        instances.len(),
        arguments.out.display(),
        drawn.width,
        drawn.height
    ));
    Ok(ExitCode::Ok)
}

fn names(arguments: &GalleryArguments) -> Result<Vec<String>> {
    if !arguments.tasks.is_empty() {
        return Ok(arguments.tasks.clone());
    }
    let suite = arguments.suite.unwrap_or(Suite::All);
    let names = suite.tasks(&builtin_task_names());
    Ok(names.into_iter().map(str::to_owned).collect())
}
