//! Integration tests of the crate, in one binary.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod calibrate;
mod frames;
mod percepts;
mod server;
mod stage;
