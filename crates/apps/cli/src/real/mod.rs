//! A real arm on the command line.

pub(crate) mod arguments;
pub(crate) mod arm;
#[cfg(feature = "ros2")]
mod ros;
pub(crate) mod run;
