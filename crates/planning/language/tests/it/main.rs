//! Tests of the crate from outside, in one program.

mod common;
mod corpus;
mod lists;
mod misreadings;
mod names;
