//! A real arm on the command line.

pub(crate) mod arguments;
pub(crate) mod arm;
pub(crate) mod run;
