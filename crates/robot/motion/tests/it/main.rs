//! Integration tests of the crate, in one binary.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod common;
mod goals;
mod own_contact;
mod search;
mod surroundings;
mod timing;
