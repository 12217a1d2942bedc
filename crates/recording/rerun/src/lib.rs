//! Recorded runs for the Rerun viewer: `.rrd` files.
//!
//! **Purpose.** A [`Logbook`] converts frames, events and pictures of a run to plain data: rows of
//! entities. An `RrdFile` (feature `write`) writes the rows to a file for the viewer, with static
//! values ([`Fixture`]) and a [`layout()`].
//!
//! **Out of scope.** The crate does not read recordings or scenes and does not open a viewer: the
//! caller provides meshes and link poses.
//!
//! **Entry points.** [`Logbook`], `RrdFile::create`. Internally: `marks` (grasps, contacts,
//! failures), `trail` (tool paths), `documents` (texts), `signals`.
//!
//! # The file
//!
//! | entity | content |
//! |---|---|
//! | `/world/robot/LINK` | pose over time; its children are the static meshes of the link |
//! | `/world/objects/ID` | pose over time, and its static mesh |
//! | `/world/cameras/NAME` | pose and intrinsics; its child `picture`, if pictures were recorded |
//! | `/world/paths/planned`, `…/executed` | tool paths of the current step |
//! | `/world/grasps/ID/VERDICT` | grasps of an object, one colour per verdict |
//! | `/world/failure/no_motion`, `…/touching` | tool poses without a motion; contacts that prevent or stop one |
//! | `/world/contacts` | contacts of the robot; the size grows with the force |
//! | `/signals/GROUP/NAME` | tracking error, gripper, forces, joints |
//! | `/plan`, `/failures` | documents that change during the run |
//! | `/story` | events in words, line by line |
//!
//! All rows have two timelines: `sim_time`, the simulated time, and `step`, the simulation step.
//!
//! # Invariants
//!
//! - A run always gives the same messages, including ids. Only the order of the index at the end of
//!   the file, which the library writes, is undefined.
//! - A pose is logged only if it has changed. Marks of a step remain visible until a step starts at
//!   a later simulated time.
//! - The file gets its final name when it is complete; before that, and after an error, there is at
//!   most a file that ends in `.part`.
//!
//! # Dependencies
//!
//! `rerun` is the official crate, here without default features (`sdk` only). It is behind the
//! feature `write` because it has about 400 dependencies. Its recording stream is not used, because
//! it derives ids from the clock and writes in a separate thread that hides errors. Instead, this
//! crate builds and encodes chunks one by one, with consecutive ids.

mod colours;
mod documents;
mod entity_path;
mod layout;
mod logbook;
mod marks;
mod row;
mod signals;
mod stamp;
mod trail;

#[cfg(feature = "write")]
mod blueprint;
#[cfg(feature = "write")]
mod columns;
#[cfg(feature = "write")]
mod contents;
#[cfg(feature = "write")]
mod error;
#[cfg(feature = "write")]
mod file;

pub use colours::verdict_colour;
#[cfg(feature = "write")]
pub use contents::{Contents, contents};
pub use entity_path::EntityPath;
#[cfg(feature = "write")]
pub use error::RrdError;
#[cfg(feature = "write")]
pub use file::{RrdFile, Written};
pub use layout::{Eye, Pane, View, ViewKind, layout};
pub use logbook::Logbook;
pub use row::{Column, Fixture, Line, Point, Rgb, Row, Surface};
pub use signals::signal_fixtures;
pub use stamp::{Clock, Stamp};
