//! Perception of a cell that nobody simulates.
//!
//! **What it does.** [`LinePerception`] takes objects from any other process, as JSON lines in a
//! file that grows or behind a URL ([`PerceptLine`] is a line). [`FrameCameras`] are cameras whose
//! colour and depth pictures lie in a folder or behind URLs ([`RigFile`] says where, and where each
//! camera stands); `regrasp-rgbd-perception` looks through them. [`calibrate()`] finds where a camera stands.
//!
//! **What it does not do.** It recognises nothing: that is the other process's work, or that of
//! `regrasp-rgbd-perception`. It knows no simulator, no scene file and no truth, and neither does anything
//! that it depends on.
//!
//! **Where to enter.** [`LinePerception::open`], [`FrameCameras::open`], [`calibrate()`]; inside,
//! `wire` (what a line may say), `check` (what becomes of it), `tail` and `http` (where lines come
//! from), `rig` and `frames` (files of cameras, and their pictures), `calibrate/closed_form` and
//! `calibrate/robust` (the first answer, and what does not fit it).
//!
//! # Invariants
//!
//! - A look shows what was taken after it was asked for. What is older is refused with its age; the
//!   robot never acts on a picture from before its last motion.
//! - A line is taken as a whole or not at all. What is wrong is said with the file, the line, the
//!   field and what would be right.
//! - What is only half written is not there yet.
//! - The same poses give the same calibration, bit for bit.
//!
//! # The libraries behind it
//!
//! `ureq` fetches (no runtime is needed for one GET; `http://` only: what is asked stands in the
//! same laboratory). `serde_path_to_error` says in which field a line is wrong. `image` decodes PNG
//! and JPEG, nothing else of it is built.

mod calibrate;
mod check;
mod clock;
mod frames;
mod http;
mod lines;
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
pub use rig::{CameraEntry, IntrinsicsEntry, RigError, RigFile, read_seen};
pub use schema::{schema, schema_names};
pub use source::SourceError;
pub use wire::{LineFrame, LineObject, LineShape, PerceptLine};
