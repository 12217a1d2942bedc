//! Whatever comes from outside, it is read or refused: no panic, no memory beyond 64 MB for 1 MB
//! of it. How long each reader takes at most is printed.
//!
//! Each target mutates samples that are right, with pieces that mean something there. How many
//! inputs a target gets says `OUTSIDE_INPUTS` (500 if it is not set); `scripts/outside.sh` runs ten
//! million. What was found once is kept in `found/`, a file an input under the target's name, and
//! is tried first.
#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod cases;
mod harness;
mod mcap;
mod targets;

#[test]
fn what_comes_from_outside_is_read_or_refused() {
    harness::try_all(targets::all());
}
