//! Tests of the crate from outside, in one program.

mod common;
mod places;
mod planners;
mod pouring;
mod pushing;
mod puzzles;
mod recipes;
mod search;
mod shifts;
