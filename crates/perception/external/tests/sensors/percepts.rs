//! Tests of objects from lines.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

use nalgebra::Point3;
use regrasp_api::{Percept, Perception, PerceptionError, Shape};
use regrasp_external_perception::{Clock, LinePerception, PerceptOptions, SourceError};
use regrasp_testkit::{rows, says, within};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::server::server;
use crate::stage::{BEGIN_SECS, Stage, observation};

fn cube(x: f64) -> Value {
    json!({
        "id": "red_cube", "category": "cube", "color": "red",
        "shape": {"kind": "box", "size": [0.04, 0.04, 0.04]},
        "position": [x, -0.1, 0.02], "position_std_m": 0.002
    })
}

/// A line with an image taken `secs` after the beginning.
fn stamped(secs: f64, objects: &[Value]) -> String {
    json!({ "stamp_unix_s": BEGIN_SECS + secs, "objects": objects }).to_string()
}

fn append(path: &Path, text: &str) {
    let file = OpenOptions::new().append(true).create(true).open(path);
    file.unwrap().write_all(text.as_bytes()).unwrap();
}

struct Bench {
    _folder: TempDir,
    path: PathBuf,
    stage: Stage,
    eyes: LinePerception,
}

impl Bench {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("percepts.jsonl");
        let stage = Stage::new();
        let clock = Box::new(stage.clone());
        let place = path.display().to_string();
        let eyes = LinePerception::with_clock(&place, PerceptOptions::default(), clock).unwrap();
        Self {
            _folder: folder,
            path,
            stage,
            eyes,
        }
    }

    fn line_at(&self, secs: f64, line: String) {
        let path = self.path.clone();
        let write = move || append(&path, &format!("{line}\n"));
        self.stage.at(secs, write);
    }

    fn look(&mut self) -> Result<Percept, PerceptionError> {
        self.eyes.perceive(&observation())
    }

    #[track_caller]
    fn refusal(&mut self, expected: &[&str]) {
        let error = self.look().unwrap_err();
        assert!(matches!(error, PerceptionError::Unavailable { .. }));
        says(&error.to_string(), expected);
    }
}

#[test]
fn a_look_waits_for_a_picture_that_was_taken_after_it_began() {
    let mut bench = Bench::new();
    append(&bench.path, &format!("{}\n", stamped(-0.01, &[cube(0.3)])));
    // This line is written after the look began, but its image was taken before.
    bench.line_at(0.2, stamped(-0.001, &[cube(0.4)]));
    bench.line_at(0.5, stamped(0.3, &[cube(0.5)]));
    let percept = bench.look().unwrap();
    within("waited, s", bench.stage.unix_secs() - BEGIN_SECS, 0.5..0.6);
    let seen = &percept.objects[0];
    let in_base = Point3::new(0.5, -0.1, 0.02);
    let in_world = observation().world_from_base * in_base;
    assert!((seen.position() - in_world.coords).norm() < 1e-12);
    let half_extents = [0.02; 3];
    assert_eq!(seen.shape, Shape::Box { half_extents });
    assert_eq!(seen.color.as_deref(), Some("red"));
    assert!(seen.category == "cube" && seen.movable);
    assert_eq!(percept.time_secs, 12.5);
}

#[test]
fn stale_pictures_are_refused_with_their_age() {
    let mut bench = Bench::new();
    append(&bench.path, &format!("{}\n", stamped(-3.25, &[cube(0.3)])));
    bench.refusal(&["percepts.jsonl", "stale", "3.25 s old", "for 2.0 s"]);
    // A failed look does not affect the next one with the same file.
    bench.line_at(2.5, stamped(2.4, &[]));
    assert_eq!(bench.look().unwrap().objects, []);
}

#[test]
fn a_silent_source_is_distinguished_from_a_stale_one() {
    let mut bench = Bench::new();
    bench.refusal(&["no complete line for 2.0 s", "running?"]);
    append(&bench.path, &stamped(2.5, &[cube(0.3)]));
    bench.refusal(&["no complete line"]);
    append(&bench.path, "\n");
    bench.line_at(4.3, stamped(4.2, &[cube(0.3)]));
    assert_eq!(bench.look().unwrap().objects.len(), 1);
}

#[test]
fn a_count_of_pictures_has_to_advance_twice() {
    let counted = |n: u64| json!({ "sequence": n, "objects": [cube(0.3)] }).to_string();
    let mut bench = Bench::new();
    append(&bench.path, &format!("{}\n", counted(7)));
    // This image may have been taken before the look began.
    bench.line_at(0.3, counted(8));
    bench.line_at(0.4, counted(8));
    bench.line_at(0.9, counted(9));
    bench.look().unwrap();
    within("waited, s", bench.stage.unix_secs() - BEGIN_SECS, 0.9..);
    bench.refusal(&["sequence (9) advanced 0 times"]);
}

#[test]
fn a_clock_that_is_ahead_is_no_proof_of_freshness() {
    let mut bench = Bench::new();
    append(&bench.path, &format!("{}\n", stamped(3600.0, &[cube(0.3)])));
    bench.refusal(&["3600.00 s in the future", "limit 0.1 s", "clocks"]);
}

#[test]
fn what_is_wrong_in_a_line_is_said_with_its_place() {
    let refused = |line: &str, expected: &str| {
        let mut bench = Bench::new();
        append(&bench.path, &format!("{}\n{line}\n", stamped(-1.0, &[])));
        let (at, help) = ("percepts.jsonl, line 2: ", "regrasp schema percepts");
        bench.refusal(&[at, expected, help]);
    };
    refused("{\"stamp", "EOF");
    refused("{\"objects\": []}", "neither `stamp_unix_s`");
    let cases = r#"
        id             | "red_cube"     | objects[1].id: `red_cube` is used twice
        position       | [0.3, 0.1]     | objects[1].position:
        position       | [300, 0, 20]   | positions are in metres
        positon        | 1              | unknown field `positon`
        quat_xyzw      | [0, 0, 0, 2]   | its length is 2.0000
        position_std_m | -1             | position_std_m: -1
        shape          | {"kind": "box", "size": [0.04, 0, 0.04]} | shape.size: 0 is not greater than 0
        shape          | {"kind": "blob"} | objects[1].shape.kind: unknown variant `blob`, expected one of `box`
        shape          | {"kind": "bowl", "radius": 0.05, "height": 0.04, "wall": 0.02} | shape.wall: 0.02 m is more than 0.01 m
        shape          | {"kind": "tray", "size": [0.2, 0.2], "height": 0.02, "wall": 0.02} | shape.wall: 0.02 m is more than 0.01 m"#;
    for [field, value, expected] in rows(cases) {
        let mut object = cube(0.3);
        object["id"] = json!("blue_cube");
        object[&field] = serde_json::from_str(&value).unwrap();
        refused(&stamped(0.0, &[cube(0.1), object]), &expected);
    }
}

#[test]
fn a_url_gives_its_newest_line() {
    let stage = Stage::new();
    let clock = stage.clone();
    let mut n = 0;
    let address = server(move |path| {
        n += 1;
        match (path, n) {
            ("/percepts", 1) => (200, stamped(-0.5, &[cube(0.3)]).into()),
            ("/percepts", _) => (200, stamped(0.0, &[cube(0.4)]).into()),
            _ => (404, vec![]),
        }
    });
    let open = |place: &str| {
        let clock = Box::new(clock.clone());
        LinePerception::with_clock(place, PerceptOptions::default(), clock)
    };
    let mut eyes = open(&format!("{address}/percepts")).unwrap();
    let percept = eyes.perceive(&observation()).unwrap();
    assert_eq!(percept.objects.len(), 1);
    assert!(
        stage.unix_secs() > BEGIN_SECS,
        "a line from before the look was accepted"
    );

    let mut eyes = open(&format!("{address}/elsewhere")).unwrap();
    let error = eyes.perceive(&observation()).unwrap_err().to_string();
    says(&error, &["404", "/elsewhere"]);

    let refused = open("https://camera.example/percepts").err().unwrap();
    assert!(matches!(refused, SourceError::Scheme(_)), "{refused}");
}
