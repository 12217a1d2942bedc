//! Tests of the crate from outside, in one program.

mod common;
mod goals;
mod own_contact;
mod panda;
mod search;
mod surroundings;
mod timing;
