//! A real arm on the command line.

mod arguments;
mod arm;
mod recording;
mod run;

pub(crate) use arguments::{ConnectionArguments, EyeArguments, MotionArguments, Target};
pub(crate) use arm::{ArmCommand, arm};
pub(crate) use run::run;
