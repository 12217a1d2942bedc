//! Integration tests of the crate, in one binary.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod common;
mod constructs;
mod figures;
mod libero;
mod own;
