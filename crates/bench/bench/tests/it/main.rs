//! Tests of the crate from outside, in one program.

mod common;
mod recovery;
mod runs;
mod suite;
