//! Tests of the crate from outside, in one program.

mod recording;
mod run_folder;
