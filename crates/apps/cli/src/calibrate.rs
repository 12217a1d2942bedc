//! `regrasp calibrate`: pose of a camera.

use std::fs;
use std::path::PathBuf;

use clap::Args;
use regrasp_external_perception::{Calibration, Mounting, calibrate, read_seen};

use crate::output::yaml;
use crate::{CliError, ExitCode, Result, say, say_json};

#[derive(Args, Debug)]
pub(super) struct CalibrateArguments {
    /// A file of the arm's poses and the camera's sightings, YAML or JSON; `regrasp schema seen`
    /// describes it.
    seen: PathBuf,
    /// File to write; the field `calibration` in a file of cameras refers to it.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Print the calibration as JSON, and nothing else, on standard output.
    #[arg(long)]
    json: bool,
}

/// Computes the camera's pose, writes it and reports its uncertainty.
pub(super) fn run(arguments: &CalibrateArguments) -> Result<ExitCode> {
    let seen = read_seen(&arguments.seen)?;
    let found = calibrate(&seen).map_err(|error| {
        let path = arguments.seen.display();
        CliError::file(format_args!("calibrate the camera from {path}: {error}"))
    })?;
    let text = yaml(&found)?;
    fs::write(&arguments.out, text).map_err(CliError::writing(&arguments.out))?;
    if arguments.json {
        say_json(serde_json::to_value(&found)?)?;
        return Ok(ExitCode::Ok);
    }
    print_calibration(&found, seen.mounting);
    say(&format!("calibration: {}", arguments.out.display()));
    Ok(ExitCode::Ok)
}

fn print_calibration(found: &Calibration, mounting: Mounting) {
    let (from, placement) = match mounting {
        Mounting::EyeToHand => ("base_from_camera", found.base_from_camera),
        Mounting::EyeInHand => ("tool_from_camera", found.tool_from_camera),
    };
    if let Some(at) = placement {
        say(&format!(
            "{from}: position {:.4?} m, quat_xyzw {:.5?}",
            at.position, at.quat_xyzw
        ));
    }
    let n_used = found.n_seen - found.dropped.len();
    let turned = found
        .rms_rotation_rad
        .map_or_else(String::new, |rad| format!(", {:.3} deg", rad.to_degrees()));
    say(&format!(
        "residuals: {:.2} mm{turned} root mean square, {:.2} mm maximum, over {n_used} of {} poses",
        1e3 * found.rms_position_m,
        1e3 * found.max_position_m,
        found.n_seen
    ));
    if !found.dropped.is_empty() {
        say(&format!(
            "rejected as outliers (counted from 0): {:?}",
            found.dropped
        ));
    }
    say(&format!(
        "standard deviation of the camera's pose: {:.2} mm, {:.3} deg",
        1e3 * found.std_position_m,
        found.std_rotation_rad.to_degrees()
    ));
}
