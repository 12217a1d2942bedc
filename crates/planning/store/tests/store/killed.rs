//! Steps that a writer reported as saved are there after it was killed.

use std::env;
use std::io::{BufRead, BufReader, Write, stdout};
use std::path::Path;
use std::process::{Command, Stdio};

use regrasp_api::{Claim, FailureMemory, Reason, RunStore};
use regrasp_store::SqliteStore;

use crate::hostile::assert_sound;
use crate::place::{Location, case, checkpoint};

/// Environment variable that makes the test binary the writer, with the path of the store.
const WRITER: &str = "REGRASP_TEST_WRITER";

/// Name of this test, by which the writer is started.
const THIS: &str = "killed::what_was_saved_before_a_kill_is_there_after_it";

/// Text that the writer prints before a step's number, once the step's checkpoint and case are
/// stored.
const MARK: &str = "kept step ";

/// Claims the run, then saves and prints step after step until it is killed.
fn write_for_ever(path: &Path) -> ! {
    let mut store = SqliteStore::open(path).expect("a store");
    let begin = match store.claim("run", true).expect("a run") {
        Claim::Adopted(last) => step_of(&last.state) + 1,
        Claim::Fresh => 0,
        Claim::Finished(result) => panic!("no writer finishes the run: {result}"),
    };
    for step in begin.. {
        store.save("run", &checkpoint(step)).expect("its own run");
        let fix = format!("fix {}", step % 7);
        let case = case(Reason::Unreachable, "pick", "the red cube", &fix, true);
        FailureMemory::record(&mut store, &case).expect("the write succeeds");
        writeln!(stdout(), "{MARK}{step}").expect("the parent reads the pipe");
    }
    unreachable!("the parent kills the writer long before");
}

fn step_of(state: &str) -> u32 {
    let digits = state.trim_start_matches("{\"step\":");
    let end = digits.find(',').expect("a state of these tests");
    digits[..end].parse().expect("a number")
}

/// Starts a writer, kills it after `n_steps`, and returns the last step that it reported.
fn kill_after(place: &Location, n_steps: usize) -> u32 {
    let mut writer = Command::new(env::current_exe().expect("this binary"))
        .args(["--exact", THIS, "--nocapture"])
        .env(WRITER, &place.path)
        .stdout(Stdio::piped())
        .spawn()
        .expect("a second process");
    let output = BufReader::new(writer.stdout.take().expect("a pipe"));
    let lines = output.lines().map_while(Result::ok);
    let mut kept = lines.filter_map(|line| line.split(MARK).nth(1)?.parse().ok());
    let last: Option<u32> = kept.nth(n_steps);
    let last = last.expect("the writer lives until we kill it");
    // A reader works beside the writer.
    let read = place.open().state("run");
    let read = read.expect("a reader waits for nobody");
    assert!(step_of(&read.expect("a state")) >= last);
    writer.kill().expect("a kill");
    writer.wait().expect("a dead process");
    kept.last().unwrap_or(last)
}

#[test]
fn what_was_saved_before_a_kill_is_there_after_it() {
    if let Some(path) = env::var_os(WRITER) {
        write_for_ever(Path::new(&path));
    }
    let place = Location::new();
    for round in 0..12 {
        // The long rounds fill the log, so that it is emptied in some of them.
        let last = kill_after(&place, 1 + 37 * (round % 6));
        let mut store = place.open();
        let Ok(Claim::Adopted(found)) = store.claim("run", true) else {
            panic!("the run of a killed process cannot be adopted");
        };
        let step = step_of(&found.state);
        let is_kept = [last, last + 1].contains(&step);
        assert!(
            is_kept,
            "step {step} is in the store, but the writer reported step {last}"
        );
        assert_eq!(found, checkpoint(step), "round {round}");
        let n_cases = store.cases().expect("a list").len();
        // A kill falls between a step and its case at most once per round.
        let missing = step as usize + 1 - n_cases;
        assert!(missing <= round + 1, "{missing} cases are missing");
        drop(store);
        assert_sound(&place);
    }
}
