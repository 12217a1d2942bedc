//! The house itself: crates, files and documentation say the same.

mod architecture;
mod docs;
mod files;
mod names;
mod reached;
