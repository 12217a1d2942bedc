//! Parsers accept or reject untrusted input without a panic, and with at most 64 MB of memory for
//! 1 MB of input. The longest time of each parser is printed.
//!
//! Each target mutates valid samples. `OUTSIDE_INPUTS` is the number of inputs per target (default
//! 500); `scripts/outside.sh` runs ten million. Inputs that once caused a failure are stored in
//! `found/`, in a folder with the target's name, and run first.
#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod cases;
#[path = "../common/mod.rs"]
mod common;
mod harness;
mod recording;
mod targets;

#[test]
fn what_comes_from_outside_is_read_or_refused() {
    harness::try_all(targets::all());
}
