//! Integration tests of the crate, in one binary.

mod common;
mod places;
mod planners;
mod pouring;
mod pushing;
mod puzzles;
mod recipes;
mod search;
mod shifts;
