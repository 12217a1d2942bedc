//! The robot as spheres, eight configurations at a time.
//!
//! A configuration is free if its covering spheres are clear, and in collision if one of its
//! inscribed spheres is hit. Only the cases in between (for the Panda, up to 3 cm from touching)
//! need the exact shapes.

mod bound;
mod check;
mod check_self;
mod column;
mod corners;
mod cover;
mod economy;
mod frame;
mod kept;
mod lanes;
mod line;
mod many;
mod model;
mod obstacle;
mod ops;
mod reach;
mod scene;
#[cfg(test)]
mod tests;
mod tree;

pub(crate) use check::{Travel, Verdict};
pub(crate) use lanes::{LANES, Vectors};
pub(crate) use line::n_batches;
pub(crate) use model::{HeldCover, LinkCover, SphereModel};
pub(crate) use scene::{SceneOptions, SphereScene};
pub(crate) use tree::Tree;
