//! Tests of the crate from outside, in one program.

mod common;
mod constructs;
mod figures;
mod libero;
mod own;
