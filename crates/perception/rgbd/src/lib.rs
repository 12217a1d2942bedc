//! Objects from colour and depth pictures.
//!
//! **What it does.** [`RgbdPerception`] is a [`regrasp_api::Perception`] that looks through
//! [`regrasp_api::Cameras`]: depth becomes points, the robot's own pixels are taken out,
//! the table is the plane that most points lie on, what stands above it falls into
//! segments by distance and colour, segments of several cameras that meet in space are
//! one thing, and each thing becomes a box, a cylinder, a ball, a plate, a bowl or a tray
//! with a colour, a place and a turn. Things keep their names from look to look.
//!
//! [`LastLook`] tells what is seen at a pixel of a look that is over, and
//! `CameraPictures` (feature `pictures`) gives a planner that looks for itself pictures,
//! with numbers on what is known ([`spots`]).
//!
//! **What it does not do.** It never sees the world's truth: what goes in are pixels, the
//! robot's own state (joints, gripper, touch) and its own model. It depends on no
//! simulator and on no scene file. It recognises shapes and colours, not products: a
//! banana is a yellow box.
//!
//! **Where to enter.** [`RgbdPerception::new`]; inside, `rgbd` (one look from pixels to
//! objects), `fit` (points to a shape), `memory` (names that last).
//!
//! # What it takes for granted
//!
//! - Up is World's z, and things stand on a level table or on each other.
//! - What is in the hand moves with it while the fingers feel it, which the pixels may
//!   correct, and deny.
//! - What is hidden stays where it was last seen; what is seen through is gone.
//! - Two things of one colour that touch are one thing.
//!
//! # Invariants
//!
//! - The same pictures in the same order give the same reports, bit for bit.
//! - Everything that later looks depend on is in what `save` gives.

mod align;
mod cloud;
mod colour;
mod fit;
mod hollow;
mod look;
mod marks;
mod memory;
mod merge;
mod outline;
mod own_body;
mod owner;
#[cfg(feature = "pictures")]
mod pictures;
mod plane;
mod rgbd;
mod segment;
mod solid;

pub use look::{Hit, LastLook, Region, What};
pub use marks::spots;
pub use own_body::{OwnBody, OwnBodyError};
#[cfg(feature = "pictures")]
pub use pictures::CameraPictures;
pub use rgbd::{RgbdOptions, RgbdPerception};
