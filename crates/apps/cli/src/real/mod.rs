//! A real arm on the command line.

pub(crate) mod arguments;
pub(crate) mod arm;
mod ros;
pub(crate) mod run;
