//! `regrasp reach`: map of the points where the tool can point straight down.

use std::path::Path;
use std::{fs, io};

use crate::arguments::ReachArguments;
use crate::ik::arm;
use crate::reach_map::{Point, points, to_csv};
use crate::{CliError, ExitCode, Result, reach_plot, say};

/// Maps the points of a level plane where the tool can point straight down.
pub(super) fn reach(arguments: &ReachArguments) -> Result<ExitCode> {
    let (file, chain) = arm(&arguments.robot)?;
    let map = points(&chain, arguments.z, &file.home);
    let out = &arguments.out;
    let title = format!("{}: tool straight down, z = {} m", file.name, arguments.z);
    write(&map, &title, out).map_err(CliError::writing(&out))?;
    let reachable: Vec<&Point> = map.iter().filter(|p| p.is_reachable()).collect();
    let away = |p: &&Point| p.x.hypot(p.y);
    let farthest = reachable.iter().map(away).fold(0.0, f64::max);
    say(&format!(
        "robot `{}`: tool straight down at z = {} m reaches {} of {} points, up to {farthest:.2} m \
         from the axis of the base; see {}",
        file.name,
        arguments.z,
        reachable.len(),
        map.len(),
        out.display()
    ));
    Ok(ExitCode::Ok)
}

/// Writes a picture or a table, by the file's extension.
fn write(map: &[Point], title: &str, out: &Path) -> io::Result<()> {
    match out.extension() {
        Some(png) if png.eq_ignore_ascii_case("png") => reach_plot::write(map, title, out),
        _ => fs::write(out, to_csv(map)),
    }
}
