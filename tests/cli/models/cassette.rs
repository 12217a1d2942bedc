//! The cassette of `examples/vlm_planner.rs` equals a new recording.
//!
//! `RECORD_CASSETTE=1 cargo test -p regrasp-tests --test cli cassette` records it again from the
//! hand-written answers in `mod.rs`.

use std::fs;
use std::path::PathBuf;

use regrasp_chat::{Cassette, Recorder};

use crate::Shell;

use super::{COVERED, KEY, http, play, uncovering_server};

const NOTE: &str = "Answers written by hand, given by a local server of tests/cli/models and \
                    recorded from it. No model of any vendor said this.";

fn committed() -> PathBuf {
    regrasp_assets::workspace_root().join("examples/vlm_planner.cassette.json")
}

#[test]
fn the_cassette_of_the_example_is_what_is_recorded() {
    let shell = Shell::new();
    let path = shell.path().join("cassette.json");
    let server = uncovering_server();
    let recorder = Recorder::new(http(&server.url()), &path, NOTE);
    let (episode, _) = play(COVERED, recorder);
    assert!(episode.result.success);
    let recorded = shell.read(&path);
    assert!(!recorded.contains(KEY));
    if std::env::var_os("RECORD_CASSETTE").is_some() {
        fs::write(committed(), &recorded).unwrap();
    }
    let kept = fs::read_to_string(committed()).unwrap();
    let again = "record the cassette again: RECORD_CASSETTE=1 cargo test --test cli cassette";
    assert_eq!(kept, recorded, "{again}");
    let cassette = Cassette::load(&committed()).unwrap();
    let player = cassette.player(&committed(), None);
    let (played, _) = play(COVERED, player);
    assert_eq!(played.result.state_digest, episode.result.state_digest);
    assert_eq!(played.result.tokens, episode.result.tokens);
}
