//! Run folders after a kill, on a full disk, and with damaged files.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use regrasp_api::{
    EpisodeResult, Event, EventSink, Failure, FinalReason, MotionEnd, Reason, SkillCall,
    StampedEvent,
};
use regrasp_record::{ConsoleSink, EpisodeInfo, RecordError, RunFolder, read_run};
use serde_json::json;
use tempfile::TempDir;

fn info() -> EpisodeInfo {
    EpisodeInfo {
        task: "put the red cube on the plate".into(),
        scene: Some("tasks/replan demo".into()),
        seed: 4,
        planner: "feedback".into(),
        version: "0.1.0".into(),
        args: vec!["run".into(), "--seed=4".into()],
        settings: Some(json!({"max_replans": 3})),
    }
}

fn result() -> EpisodeResult {
    EpisodeResult {
        final_detail: "pick failed: unreachable - too far".into(),
        sim_s: 7.5,
        seed: 4,
        state_digest: "00ff00ff00ff00ff".into(),
        ..regrasp_testkit::episode_result(FinalReason::ReplanExhausted)
    }
}

fn stamped(events: Vec<Event>) -> Vec<StampedEvent> {
    let stamp = |(seq, event)| StampedEvent::new(seq as u64, 0.5 * seq as f64, event);
    events.into_iter().enumerate().map(stamp).collect()
}

fn some_events() -> Vec<StampedEvent> {
    let pick = SkillCall::new("pick", json!({"object": "red_cube"}));
    let failure = Failure::new(Reason::ObjectCovered, "blue_cube rests on red_cube")
        .about(["blue_cube".into()])
        .measured("gap", 0.0004, Some(0.006), "m");
    stamped(vec![
        Event::EpisodeStarted {
            task: "put the red cube on the plate".into(),
            seed: 4,
            planner: "feedback".into(),
            perception: "ground_truth".into(),
        },
        Event::PlanRequested {
            task: "put the red cube on the plate".into(),
            replan: 0,
        },
        Event::step_started(0, &pick),
        Event::step_finished(0, failure),
        Event::EpisodeFinished { result: result() },
    ])
}

fn new_folder() -> (TempDir, RunFolder) {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let folder = RunFolder::create(dir.path(), &info()).expect("the run folder cannot be created");
    (dir, folder)
}

fn as_json(events: &[StampedEvent]) -> serde_json::Value {
    serde_json::to_value(events).expect("the events cannot be encoded")
}

#[test]
fn a_finished_run_reads_back_as_it_was_written() {
    let (_dir, folder) = new_folder();
    let mut sink = folder.sink();
    some_events().iter().for_each(|event| sink.emit(event));
    assert!(folder.take_error().is_none());
    let run = read_run(folder.path()).expect("the run folder cannot be read");
    assert_eq!(run.info, info());
    assert_eq!(as_json(&run.events), as_json(&some_events()));
    assert_eq!(run.result, Some(result()));
    assert!(run.skipped.is_empty());
    let n_files = fs::read_dir(folder.path()).expect("a folder").count();
    assert_eq!(n_files, 3, "number of files, without temporary ones");
}

#[test]
fn a_run_killed_after_any_event_is_readable_so_far() {
    let events = some_events();
    for n_before_kill in 0..events.len() {
        let (_dir, folder) = new_folder();
        let mut sink = folder.sink();
        events[..n_before_kill].iter().for_each(|e| sink.emit(e));
        let path = folder.path().to_owned();
        // A killed process runs no destructors.
        std::mem::forget((folder, sink));
        let run = read_run(&path).expect("the run folder cannot be read");
        assert_eq!(as_json(&run.events), as_json(&events[..n_before_kill]));
        assert_eq!(run.result, None);
    }
}

#[test]
fn a_line_torn_anywhere_costs_only_itself() {
    let line = serde_json::to_vec(&some_events()[1]).expect("the events cannot be encoded");
    // The task contains a multi-byte character, so that some truncations fall within the character.
    let line = String::from_utf8(line).expect("JSON is text");
    let line = line.replace("cube", "cübe").into_bytes();
    for cut in 1..line.len() {
        let (_dir, folder) = new_folder();
        let mut sink = folder.sink();
        sink.emit(&some_events()[0]);
        append(&folder.path().join("events.jsonl"), &line[..cut]);
        let run = read_run(folder.path()).expect("the run folder cannot be read");
        assert_eq!(run.events.len(), 1);
        assert_eq!(
            run.skipped.len(),
            1,
            "skipped lines after a cut at byte {cut}"
        );
        assert!(run.skipped[0].torn && run.skipped[0].line_number == 2);
    }
}

/// A diverged simulation reports NaN, which JSON can only represent as null.
#[test]
fn a_damaged_line_in_the_middle_is_listed_and_the_rest_is_read() {
    let (_dir, folder) = new_folder();
    let mut sink = folder.sink();
    sink.emit(&some_events()[0]);
    let diverged = Event::MotionFinished {
        end: MotionEnd::Completed,
        duration_secs: f64::NAN,
        peak_tracking_error: 0.0,
    };
    sink.emit(&stamped(vec![diverged])[0]);
    sink.emit(&some_events()[1]);
    let run = read_run(folder.path()).expect("the run folder cannot be read");
    assert_eq!(run.events.len(), 2);
    assert_eq!(run.skipped.len(), 1);
    assert!(!run.skipped[0].torn && run.skipped[0].line_number == 2);
}

#[test]
fn runs_of_the_same_task_never_share_a_folder() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let create =
        || RunFolder::create(dir.path(), &info()).expect("the run folder cannot be created");
    let paths: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(create)).collect();
        let paths = threads.into_iter().map(|t| t.join().expect("no panic"));
        paths.map(|folder| folder.path().to_owned()).collect()
    });
    let mut unique = paths.clone();
    unique.sort();
    unique.dedup();
    assert_eq!(unique.len(), 8);
    for path in unique {
        let name = path.file_name().expect("a name").to_string_lossy();
        assert!(name.starts_with("tasks_replan_demo-seed4-"), "{name}");
    }
}

#[track_caller]
fn is_about(error: &RecordError, step: &str, path: &Path) {
    let words = format!("{step} `{}`: ", path.display());
    assert!(error.to_string().starts_with(&words), "{error}");
}

#[test]
fn a_folder_that_cannot_be_made_is_an_error_with_its_path() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let file = dir.path().join("taken");
    fs::write(&file, "not a folder").expect("a file");
    for runs_dir in [file.clone(), file.join("below")] {
        let error = RunFolder::create(&runs_dir, &info())
            .expect_err("a run folder was created below a file");
        is_about(&error, "create the run folder", &runs_dir);
    }
}

#[test]
fn a_result_that_cannot_be_written_is_kept_for_the_owner() {
    let (_dir, folder) = new_folder();
    let result_path = folder.path().join("result.json");
    // A folder with the name of the result file prevents the rename.
    fs::create_dir(&result_path).expect("a folder");
    let mut sink = folder.sink();
    some_events().iter().for_each(|event| sink.emit(event));
    let error = sink.take_error().expect("the write error was not kept");
    is_about(&error, "write", &result_path);
    assert!(folder.take_error().is_none(), "an error was reported twice");
}

#[test]
fn a_folder_that_is_no_run_is_an_error_with_its_path() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let file = dir.path().join("episode.json");
    let missing = read_run(dir.path()).expect_err("a folder without episode.json was accepted");
    is_about(&missing, "read", &file);
    fs::write(&file, "{\"task\": 1}").expect("a file");
    let wrong = read_run(dir.path()).expect_err("an invalid episode.json was accepted");
    is_about(&wrong, "parse", &file);
}

#[test]
fn the_console_shows_plans_calls_and_failures() {
    let mut sink = ConsoleSink::new(Vec::new());
    some_events().iter().for_each(|event| sink.emit(event));
    let text = String::from_utf8(sink.into_inner()).expect("text");
    assert_eq!(
        text,
        "PLAN: task='put the red cube on the plate' replan=0\n\
         EXECUTE: pick({\"object\":\"red_cube\"})\n\
         FAILED: object_covered - blue_cube rests on red_cube\n"
    );
}

#[test]
fn a_closed_console_does_not_stop_the_run() {
    struct Closed;
    impl Write for Closed {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::BrokenPipe.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut sink = ConsoleSink::new(Closed);
    some_events().iter().for_each(|event| sink.emit(event));
    let error = sink.take_error().map(|e| e.kind());
    assert_eq!(error, Some(io::ErrorKind::BrokenPipe));
}

fn append(path: &Path, bytes: &[u8]) {
    let file = OpenOptions::new().append(true).open(path);
    let written = file.and_then(|mut f| f.write_all(bytes));
    written.expect("the file cannot be appended to");
}
