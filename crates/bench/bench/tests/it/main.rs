//! Tests of the crate from outside, in one program.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod common;
mod recovery;
mod runs;
mod suite;
