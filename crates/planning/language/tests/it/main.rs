//! Tests of the crate from outside, in one program.

mod common;
mod contradictions;
mod corpus;
mod german;
mod lists;
mod misreadings;
mod rings;
