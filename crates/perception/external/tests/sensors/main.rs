//! Perception of a cell that nobody simulates, from outside.

#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot set itself up has failed"
)]

mod calibrate;
mod frames;
mod percepts;
mod server;
mod stage;
