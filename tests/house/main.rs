//! Consistency of crates, files and documentation.

mod architecture;
mod docs;
mod files;
mod names;
mod reached;
mod sources;
