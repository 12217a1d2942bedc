//! Tests of the crate from outside, in one program.

mod common;
mod libero;
mod own;
