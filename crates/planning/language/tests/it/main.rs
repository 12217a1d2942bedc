//! Integration tests of the crate, in one binary.

mod common;
mod corpus;
mod lists;
mod misreadings;
