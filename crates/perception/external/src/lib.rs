//! Perception of a real cell through external programs.
//!
//! **What it does.** [`LinePerception`] reads objects that another process reports, as JSON lines
//! in a growing file or behind a URL ([`PerceptLine`] is a line). [`FrameCameras`] are cameras
//! whose colour and depth images are in a folder or behind URLs ([`RigFile`] gives their sources
//! and the cameras' poses); `regrasp-rgbd-perception` uses them. [`calibrate()`] computes the pose
//! of a camera.
//!
//! **What it does not do.** It recognises nothing: that is up to the other process, or
//! `regrasp-rgbd-perception`. Neither it nor its dependencies have access to a simulator, a scene
//! file or ground truth.
//!
//! **Where to enter.** [`LinePerception::open`], [`FrameCameras::open`], [`calibrate()`]; inside,
//! `wire` (format of a line), `check` (its validation), `tail` and `http` (sources of lines), `rig`
//! and `frames` (files of cameras, and their images), `calibrate/closed_form` and
//! `calibrate/robust` (initial solution, and rejection of outliers).
//!
//! # Invariants
//!
//! - A look (one call of `perceive` or `look`) returns data taken after it began, or the next data
//!   of a recording. Older data is rejected with its age: the robot never acts on an image from
//!   before its last motion.
//! - A line is accepted or rejected as a whole. Errors give file, line, field and allowed values.
//! - A line or file that is only partly written counts as absent.
//! - The same poses give the same calibration, bit for bit.
//!
//! # Dependencies
//!
//! `ureq` sends requests (one GET needs no async runtime; `http://` only, since the server is on
//! the local network). `serde_path_to_error` names the field of a mistake. `image` decodes PNG and
//! JPEG; its other features are off.

mod calibrate;
mod check;
mod clock;
mod frames;
mod http;
mod numbered;
mod percepts;
mod picture;
mod placement;
mod rig;
mod schema;
mod source;
mod tail;
mod wire;

pub use calibrate::{
    CalibrateError, Calibration, Mounting, SightingEntry, SightingsFile, calibrate,
};
pub use clock::{Clock, SystemClock};
pub use frames::{FrameCameras, WorldFromTool};
pub use percepts::{LinePerception, PerceptOptions};
pub use placement::Placement;
pub use rig::{CameraEntry, RigError, RigFile, read_seen};
pub use schema::{schema, schema_names};
pub use source::SourceError;
pub use wire::{LineFrame, LineObject, LineShape, PerceptLine};
