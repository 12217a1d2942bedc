//! Tests of the crate from outside, in one program.

mod panda_extents;
mod panda_golden;
