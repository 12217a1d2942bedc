//! Integration tests of the crate, in one binary.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod builtin;
mod common;
mod conditions;
mod kinds;
mod loose;
mod meshes;
mod messages;
mod mount;
mod never_panics;
mod places;
mod scans;
mod words;
