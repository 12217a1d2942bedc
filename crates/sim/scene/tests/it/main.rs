//! Integration tests of the crate, in one binary.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod approval;
mod builtin;
mod common;
mod condition_messages;
mod conditions;
mod drawn;
mod faults;
mod kinds;
mod loose;
mod meshes;
mod messages;
mod mount;
mod never_panics;
mod places;
mod scans;
mod words;
