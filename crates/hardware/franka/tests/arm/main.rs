//! Tests of the arm as a world, against a fake of its protocol: motions, rejections, errors, stops,
//! the hand.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod bench;
mod fake;
mod hand;
mod motions;
mod refusals;
mod robot_errors;
mod stops;
mod table;
