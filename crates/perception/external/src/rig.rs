//! The file of cameras: their poses and the sources of their images.

use std::fs;
use std::path::{Path, PathBuf};

use regrasp_api::Intrinsics;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::calibrate::{Calibration, SightingsFile};
use crate::placement::{Mount, Placement};

/// A file of cameras, YAML or JSON. Paths are relative to the folder of the file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RigFile {
    /// The cameras.
    #[schemars(length(min = 1))]
    pub cameras: Vec<CameraEntry>,
    /// True if the pictures are a recording: each look takes the pictures with the next number,
    /// whatever their age. Otherwise a look takes the newest pictures, and waits for pictures that
    /// were taken after it began.
    #[serde(default)]
    pub recorded: bool,
    /// Maximum latency from the shutter to the file or the answer, s.
    #[serde(default = "latency")]
    pub latency_s: f64,
    /// Maximum time that a look waits for pictures that were taken after it began, s.
    #[serde(default = "patience")]
    pub wait_s: f64,
}

/// Default time to wait for an image, s: enough for a camera at 1 Hz.
fn patience() -> f64 {
    2.0
}

/// Default latency, s: enough for a camera at 30 Hz and a process that writes PNG.
fn latency() -> f64 {
    0.1
}

/// One camera. Depth must be registered to colour (the same pixel shows the same point), and both
/// rectified: there is no distortion.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CameraEntry {
    /// Name of the camera, unique in the file.
    #[schemars(length(min = 1))]
    pub name: String,
    /// Colour pictures, PNG or JPEG: a path with one `*` in place of the number, or an `http://`
    /// URL that returns the newest picture.
    pub color: String,
    /// Depth pictures, PNG with 16 bits of gray: as `color`, with the same numbers.
    pub depth: String,
    /// Metres per count of depth; default 0.001. A count of 0 means no measurement.
    #[serde(default = "millimetre")]
    pub depth_scale_m: f64,
    /// Intrinsics of the camera.
    #[serde(with = "IntrinsicsEntry")]
    pub intrinsics: Intrinsics,
    /// A file that `regrasp calibrate` wrote, in place of one of the poses below.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calibration: Option<PathBuf>,
    /// Pose in the frame of the first link of the arm.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_from_camera: Option<Placement>,
    /// Pose in World.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub world_from_camera: Option<Placement>,
    /// Pose in the tool frame, between the fingertips.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_from_camera: Option<Placement>,
}

fn millimetre() -> f64 {
    0.001
}

/// A pinhole camera: the centre of the upper left pixel is (0, 0).
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, remote = "Intrinsics")]
struct IntrinsicsEntry {
    /// Columns.
    width: u32,
    /// Rows.
    height: u32,
    /// Focal length along the rows, pixels.
    fx: f64,
    /// Focal length along the columns, pixels.
    fy: f64,
    /// Column of the principal point, pixels.
    cx: f64,
    /// Row of the principal point, pixels.
    cy: f64,
}

/// An unusable file of cameras or of sightings.
#[derive(Debug, thiserror::Error)]
pub enum RigError {
    /// The file cannot be read.
    #[error("read {path}: {1}", path = .0.display())]
    Read(PathBuf, #[source] std::io::Error),
    /// The content is not valid: a message with the field and the allowed values.
    #[error("use {path}: {1}", path = .0.display())]
    Wrong(PathBuf, String),
}

pub(crate) fn read<T: DeserializeOwned>(path: &Path) -> Result<T, RigError> {
    let text = fs::read_to_string(path);
    let text = text.map_err(|source| RigError::Read(path.to_owned(), source))?;
    serde_saphyr::from_str(&text).map_err(|error| wrong(path, error.to_string()))
}

/// Reads a file of arm poses and sightings, for [`crate::calibrate()`].
///
/// # Errors
///
/// [`RigError`] if the file cannot be read, or has unknown or missing fields.
pub fn read_seen(path: &Path) -> Result<SightingsFile, RigError> {
    read(path)
}

pub(crate) fn wrong(path: &Path, problem: String) -> RigError {
    RigError::Wrong(path.to_owned(), problem)
}

/// Reads a file of cameras, and the calibrations to which it refers. Returns the file, with the
/// paths of its pictures relative to the working directory, and the mount of each camera.
pub(crate) fn load(path: &Path) -> Result<(RigFile, Vec<Mount>), RigError> {
    let mut file: RigFile = read(path)?;
    let folder = path.parent().unwrap_or(Path::new(""));
    if file.cameras.is_empty() {
        let problem = "cameras: the list is empty; give at least one camera";
        return Err(wrong(path, problem.into()));
    }
    for (field, secs, most) in [
        ("latency_s", file.latency_s, 10.0),
        ("wait_s", file.wait_s, 600.0),
    ] {
        if !(0.0..=most).contains(&secs) {
            let problem = format!("{field}: {secs} is not from 0 to {most} s");
            return Err(wrong(path, problem));
        }
    }
    let mut mounted = Vec::new();
    for idx in 0..file.cameras.len() {
        let at = |problem: String| wrong(path, format!("cameras[{idx}].{problem}"));
        let (known, rest) = file.cameras.split_at_mut(idx);
        let entry = &mut rest[0];
        if known.iter().any(|known| known.name == entry.name) {
            return Err(at(format!("name: `{}` is used twice", entry.name)));
        }
        entry.color = place(folder, &entry.color).map_err(|p| at(format!("color: {p}")))?;
        entry.depth = place(folder, &entry.depth).map_err(|p| at(format!("depth: {p}")))?;
        check_scale(entry.depth_scale_m).map_err(at)?;
        check_intrinsics(&entry.intrinsics).map_err(at)?;
        mounted.push(mount(entry, folder, &at)?);
    }
    for camera in &file.cameras {
        let problem = match (is_url(&camera.color), is_url(&camera.depth)) {
            (true, true) if file.recorded => "a recording consists of files, not URLs",
            (color, depth) if color != depth => "colour and depth must both be files, or both URLs",
            _ => continue,
        };
        return Err(wrong(path, format!("camera `{}`: {problem}", camera.name)));
    }
    Ok((file, mounted))
}

pub(crate) fn is_url(place: &str) -> bool {
    place.starts_with("http://")
}

fn place(folder: &Path, place: &str) -> Result<String, String> {
    if is_url(place) {
        return Ok(place.to_owned());
    }
    if place.contains("://") {
        return Err(format!(
            "`{place}` is not supported; URLs must begin with http://"
        ));
    }
    let name = Path::new(place).file_name().and_then(|name| name.to_str());
    match name.map(|name| name.matches('*').count()) {
        Some(1) => Ok(folder.join(place).display().to_string()),
        _ => Err(format!(
            "`{place}` must have one `*` in its file name, which stands for the picture's number"
        )),
    }
}

fn check_scale(depth_scale_m: f64) -> Result<(), String> {
    match depth_scale_m.is_finite() && (1e-6..=0.1).contains(&depth_scale_m) {
        true => Ok(()),
        false => Err(format!(
            "depth_scale_m: {depth_scale_m} is not from 1e-6 to 0.1; it is metres for each count, \
             such as 0.001"
        )),
    }
}

fn check_intrinsics(of: &Intrinsics) -> Result<(), String> {
    for (field, size) in [("width", of.width), ("height", of.height)] {
        if !(1..=16_384).contains(&size) {
            return Err(format!("intrinsics.{field}: {size} is not from 1 to 16384"));
        }
    }
    for (field, f) in [("fx", of.fx), ("fy", of.fy)] {
        if !(f.is_finite() && f > 0.0) {
            return Err(format!(
                "intrinsics.{field}: {f} is not greater than 0; it is in pixels"
            ));
        }
    }
    for (field, c, size) in [("cx", of.cx, of.width), ("cy", of.cy, of.height)] {
        if !(-0.5..=f64::from(size) - 0.5).contains(&c) {
            return Err(format!(
                "intrinsics.{field}: {c} is outside of the picture's {size} pixels"
            ));
        }
    }
    Ok(())
}

fn mount(
    entry: &CameraEntry,
    folder: &Path,
    at: &dyn Fn(String) -> RigError,
) -> Result<Mount, RigError> {
    let mut found = Vec::new();
    if let Some(file) = &entry.calibration {
        let path = folder.join(file);
        let mount = read::<Calibration>(&path)?.mount();
        found.push(mount.map_err(|problem| wrong(&path, problem))?);
    }
    let base = ("base", &entry.base_from_camera, Mount::Base as fn(_) -> _);
    let world = ("world", &entry.world_from_camera, Mount::World as _);
    let tool = ("tool", &entry.tool_from_camera, Mount::Tool as _);
    for (frame, placement, mount) in [base, world, tool] {
        let pose = placement.as_ref().map(Placement::pose).transpose();
        let pose = pose.map_err(|problem| at(format!("{frame}_from_camera.{problem}")))?;
        found.extend(pose.map(mount));
    }
    match found.as_slice() {
        [one] => Ok(*one),
        several => Err(at(format!(
            "name: `{}` has {} of `calibration`, `base_from_camera`, `world_from_camera` and \
             `tool_from_camera`; exactly one must give its pose",
            entry.name,
            several.len()
        ))),
    }
}
