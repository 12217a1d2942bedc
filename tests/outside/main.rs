//! Parsers accept or reject untrusted input without a panic, and with at most 64 MiB of memory for
//! at most 1 MiB of input. The longest time of each parser is printed.
//!
//! Each target mutates valid samples. `OUTSIDE_INPUTS` is the number of inputs of the fastest
//! parsers (default 500); slower ones get a fraction. `scripts/outside.sh` runs about ten million.
//! Inputs that once caused a failure are stored in `found/` and run first.
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
