//! Rules for the sources and the documentation.

mod architecture;
mod docs;
mod files;
mod names;
mod reached;
mod sources;
