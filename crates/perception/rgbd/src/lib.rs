//! Objects from colour and depth images.
//!
//! **What it does.** [`RgbdPerception`] is a [`regrasp_api::Perception`] that uses
//! [`regrasp_api::Cameras`]. In one look (one call of `perceive`) depth becomes points, and the
//! robot's own pixels are removed. The table is the highest level plane with many points. The
//! points above it are segmented by distance and colour, segments of several cameras that meet in
//! space are merged, and each object becomes a box, a cylinder, a ball, a plate, a bowl, a mug or a
//! tray with a colour and a pose. Objects keep their names from look to look.
//!
//! With a [`Catalogue`] of models ([`RgbdPerception::knowing`]) it recognises the catalogue objects
//! first, with their pose, their joints' openings and all that the catalogue says about them.
//! Connected points (`group`) vote for places of each model (`vote`); at each place the model is
//! compared with depth and colour (`scan`), turned and refined (`settle`, `refine`, `joints`). The
//! best explanations of all pictures are chosen one after the other (`search`), each checked by
//! rendering the object (`verify`). An object whose pixels are all explained by others is dropped.
//! Everything else is found as described above.
//!
//! [`LastLook`] identifies the object at a pixel of a past look. `CameraPictures` (feature
//! `pictures`) provides images for a planner with vision, with numbers on known objects
//! ([`spots`]).
//!
//! **What it does not do.** It has no access to ground truth: its inputs are pixels, the robot's
//! own state (joints, gripper, touch) and its own model. It depends on no simulator and on no scene
//! file. Without a catalogue it recognises shapes and colours, not products: a banana is a yellow
//! box.
//!
//! **Where to enter.** [`RgbdPerception::new`]; inside, `rgbd` (one look from pixels to objects),
//! `fit` (points to a shape), `memory` (persistent names).
//!
//! # Assumptions
//!
//! - Up is World's z, and objects stand on a level table or on each other.
//! - An object in the hand moves with it while the fingers feel it, unless the image refutes this.
//! - A hidden object is assumed to stay at its last place, until the image shows what is behind
//!   that place.
//! - Two objects of one colour that touch are one object, unless they are in the catalogue.
//! - Furniture of the catalogue stands upright, at most 2 cm above or below its support.
//!
//! # Invariants
//!
//! - The same images in the same order give the same reports, bit for bit.
//! - `save` returns everything on which later looks depend.

mod align;
mod catalogue;
mod cloud;
mod colour;
mod detection;
mod extent;
mod fit;
mod group;
mod hollow;
mod joints;
mod known;
mod look;
mod marks;
mod memory;
mod merge;
mod model;
mod outline;
mod own_body;
mod owner;
#[cfg(feature = "pictures")]
mod pictures;
mod plane;
mod refine;
mod rgbd;
mod scan;
mod search;
mod segment;
mod settle;
mod solid;
mod template;
mod verify;
mod vote;

pub use catalogue::Catalogue;
pub use look::{Hit, LastLook, Region, What};
pub use marks::spots;
pub use model::{Model, ModelJoint, ModelSurface};
pub use own_body::{OwnBody, OwnBodyError};
#[cfg(feature = "pictures")]
pub use pictures::CameraPictures;
pub use rgbd::{RgbdOptions, RgbdPerception};
