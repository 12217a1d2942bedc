//! A real arm on the command line.

mod arguments;
mod arm;
mod eyes;
#[cfg(any(feature = "serve", feature = "mcp"))]
mod hardware;
mod recording;
mod run;
#[cfg(any(feature = "serve", feature = "mcp"))]
mod show;
#[cfg(any(feature = "serve", feature = "mcp"))]
mod workshop;

#[cfg(any(feature = "serve", feature = "mcp"))]
pub(crate) use arguments::BoundArguments;
pub(crate) use arguments::{ConnectionArguments, EyeArguments, MotionArguments, Target};
pub(crate) use arm::{ArmCommand, arm};
pub(crate) use run::run;
#[cfg(any(feature = "serve", feature = "mcp"))]
pub(crate) use workshop::{CELL, RealArguments, RealWorkshop};
