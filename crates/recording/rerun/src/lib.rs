//! Recorded runs for the Rerun viewer: `.rrd` files.
//!
//! **What it does.** A [`Logbook`] takes frames, events and pictures of a run and says what
//! is logged where, as plain data; an `RrdFile` (feature `write`) writes that, with what
//! never changes ([`Fixture`]) and a [`layout()`], into a file that the viewer opens.
//!
//! **What it does not do.** It reads no recording and no scene, and opens no viewer: meshes
//! and poses of links come from whoever has them.
//!
//! **Where to enter.** [`Logbook`], `RrdFile::create`; inside, `marks` (grasps, contacts,
//! failures), `trail` (ways of the tool), `documents` and `remarks` (texts), `signals`.
//!
//! # The file
//!
//! | entity | what |
//! |---|---|
//! | `/world/robot/LINK` | pose over time; below it the meshes of the link, once |
//! | `/world/objects/ID` | pose over time, and its mesh, once |
//! | `/world/cameras/NAME` | pose and intrinsics; below it `picture`, if it was recorded |
//! | `/world/paths/planned`, `…/executed` | ways of the tool in the present step |
//! | `/world/grasps/ID/VERDICT` | ways to take hold of an object, one colour a verdict |
//! | `/world/failure/no_motion`, `…/touching` | tool poses that cannot be reached, and who touches whom |
//! | `/world/contacts` | where the robot touches something; the harder, the larger |
//! | `/signals/GROUP/NAME` | tracking error, gripper, forces, joints |
//! | `/plan`, `/failures` | documents that change as the run goes |
//! | `/story` | everything that happens, line by line |
//!
//! Everything has two times: `sim_time`, and `step` of the world.
//!
//! # Invariants
//!
//! - A run gives the same messages each time, ids included; only the index at the end of the
//!   file, which the library writes, has no order of its own.
//! - What does not move is not told again; what is drawn for a step stays until the next
//!   that begins later.
//! - The file gets its name when it is whole; before, and after an error, there is at most a
//!   neighbour that ends in `.part`.
//!
//! # The libraries behind it
//!
//! `rerun`, the makers' own, without default features (`sdk` only): some 400 crates, which
//! is why it hides behind the feature `write`. Its recording stream is not used: that draws
//! ids from the clock, and writes in a thread of its own that keeps its errors; chunks are
//! made and encoded here one by one, with ids that count.

mod colours;
mod documents;
mod entity_path;
mod layout;
mod logbook;
mod marks;
mod remarks;
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
pub use row::{Column, Fixture, Level, Line, Point, Remark, Rgb, Row, Surface};
pub use stamp::{Clock, Stamp};

/// Names and colours of the figures that a [`Logbook`] logs, for an arm with these joints.
pub fn signal_fixtures(joint_names: &[String]) -> Vec<(EntityPath, Fixture)> {
    signals::fixtures(joint_names)
}
