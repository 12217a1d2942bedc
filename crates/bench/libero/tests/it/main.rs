//! Tests of the crate from outside, in one program.

mod common;
mod small;
mod starts;
mod words;
