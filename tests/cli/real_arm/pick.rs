//! A complete task through the command line, the arm's protocol and an external detector.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use nalgebra::{Isometry3, Vector3};
use serde_json::json;

use super::fake::chain;
use super::{Bench, expect};
use regrasp_testkit::says;

pub(crate) const HALF_M: f64 = 0.02;
pub(crate) const BOWL_AT: [f64; 2] = [0.45, 0.2];
pub(crate) const BOWL_RADIUS_M: f64 = 0.07;
/// Height of the bowl's floor above the table, m.
pub(crate) const FLOOR_M: f64 = 0.004;

/// State of the cube, which only the hand moves.
pub(crate) struct Table {
    pub(crate) base_from_cube: Isometry3<f64>,
    /// `None` unless the cube is held.
    tool_from_cube: Option<Isometry3<f64>>,
}

impl Table {
    pub(crate) fn begin() -> Self {
        Self {
            base_from_cube: Isometry3::translation(0.45, -0.1, HALF_M),
            tool_from_cube: None,
        }
    }

    /// Updates the cube after motions of the hand.
    pub(crate) fn follow(&mut self, bench: &Bench, base_from_tool: &Isometry3<f64>) {
        let mut hand = bench.hand.hand();
        if let Some(tool_from_cube) = self.tool_from_cube {
            self.base_from_cube = base_from_tool * tool_from_cube;
            if hand.width > 2.0 * HALF_M + 0.003 {
                self.tool_from_cube = None;
                self.fall();
            }
            return;
        }
        let away = self.base_from_cube.translation.vector - base_from_tool.translation.vector;
        let is_between = away.norm() < HALF_M;
        hand.thing = is_between.then_some(2.0 * HALF_M);
        if is_between && hand.width < 2.0 * HALF_M + 0.001 {
            self.tool_from_cube = Some(base_from_tool.inverse() * self.base_from_cube);
        }
    }

    fn fall(&mut self) {
        let at = self.base_from_cube.translation.vector;
        let off = Vector3::new(at.x - BOWL_AT[0], at.y - BOWL_AT[1], 0.0);
        let is_in = off.norm() < BOWL_RADIUS_M;
        let floor = if is_in { FLOOR_M } else { 0.0 };
        let (_, _, yaw) = self.base_from_cube.rotation.euler_angles();
        let there = Vector3::new(at.x, at.y, floor + HALF_M);
        self.base_from_cube = Isometry3::new(there, Vector3::z() * yaw);
    }

    fn line(&self) -> String {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        let position: [f64; 3] = self.base_from_cube.translation.vector.into();
        let edges = [2.0 * HALF_M; 3];
        let quat_xyzw: [f64; 4] = self.base_from_cube.rotation.coords.into();
        json!({
            "stamp_unix_s": now.as_secs_f64(),
            "objects": [
                {
                    "id": "table", "category": "table", "movable": false,
                    "shape": {"kind": "box", "size": [0.8, 1.2, 0.1]},
                    "position": [0.6, 0.0, -0.05], "position_std_m": 0.001
                },
                {
                    "id": "red_cube", "category": "cube", "color": "red",
                    "shape": {"kind": "box", "size": edges},
                    "position": position, "quat_xyzw": quat_xyzw, "position_std_m": 0.001
                },
                {
                    "id": "bowl", "category": "bowl", "color": "blue",
                    "shape": {
                        "kind": "bowl", "radius": BOWL_RADIUS_M, "height": 0.05, "wall": FLOOR_M
                    },
                    "position": [BOWL_AT[0], BOWL_AT[1], 0.025], "position_std_m": 0.001
                }
            ]
        })
        .to_string()
    }
}

const COMMAND: &str = "run 'put the red cube in the bowl' --approve-motion \
                       --percepts percepts.jsonl --percepts-wait 20";

/// Runs `work` while a detector reports the table. Also returns the final table.
fn watched<T>(bench: &Bench, work: impl FnOnce() -> T) -> (T, Table) {
    let path = bench.folder.path().join("percepts.jsonl");
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        let detector = scope.spawn(|| {
            let chain = chain();
            let mut table = Table::begin();
            let mut file = OpenOptions::new().append(true).create(true).open(&path);
            let file = file.as_mut().unwrap();
            while !is_over.load(Ordering::SeqCst) {
                let joints = bench.arm.arm().q;
                table.follow(bench, &chain.forward(&joints));
                writeln!(file, "{}", table.line()).unwrap();
                thread::sleep(Duration::from_millis(4));
            }
            table
        });
        let done = work();
        is_over.store(true, Ordering::SeqCst);
        (done, detector.join().unwrap())
    })
}

#[track_caller]
pub(crate) fn check_in_bowl(table: &Table) {
    let at = table.base_from_cube.translation.vector;
    let off = (at.x - BOWL_AT[0]).hypot(at.y - BOWL_AT[1]);
    let is_in = off < BOWL_RADIUS_M && at.z < 0.03;
    assert!(is_in, "the cube lies at {at:?}");
    assert_eq!(table.tool_from_cube, None, "the hand let go of it");
}

#[test]
fn a_cube_gets_into_a_bowl_through_the_protocol_and_lines_of_another_process() {
    let bench = Bench::new();
    let (output, table) = watched(&bench, || bench.regrasp(COMMAND));
    expect(&output, 0, &["success:      true"]);
    check_in_bowl(&table);
    let arm = bench.arm.arm();
    let counts = (arm.n_motions, arm.n_lost);
    assert!(counts.0 > 3 && counts.1 == 0, "{counts:?}");
}

#[test]
fn a_killed_run_goes_on_with_the_cube_in_the_hand() {
    let bench = Bench::new();
    let kept = format!("{COMMAND} --store runs.sqlite --run-key bowl");
    let (output, table) = watched(&bench, || {
        let mut child = bench.command(&kept).stdout(Stdio::null()).spawn().unwrap();
        let begun = Instant::now();
        let place = r#""skill":"place_on","args""#;
        while !started(&events(&bench)).any(|line| line.contains(place)) {
            let waited_s = begun.elapsed().as_secs();
            assert!(waited_s < 120, "no place begins");
            assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
            thread::sleep(Duration::from_millis(5));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let folder = bench.folder.path();
        fs::rename(folder.join("runs"), folder.join("killed")).unwrap();
        bench.regrasp(&format!("{kept} --resume"))
    });
    expect(&output, 0, &["success:      true"]);
    check_in_bowl(&table);
    let events = events(&bench);
    let resumed = events.lines().find(|line| line.contains("\"resumed\""));
    // The report states what could not be restored in a real world.
    says(resumed.unwrap(), &["not_restored"]);
    let again: Vec<_> = started(&events).collect();
    let pick = r#""skill":"pick","args""#;
    let picked = again.iter().any(|line| line.contains(pick));
    assert!(!picked, "what was done is not done again: {again:?}");
}

pub(crate) fn started(events: &str) -> impl Iterator<Item = &str> {
    let lines = events.lines();
    lines.filter(|line| line.contains("\"step_started\""))
}

/// Events of the only run so far.
fn events(bench: &Bench) -> String {
    events_in(&bench.folder.path().join("runs"))
}

/// Events of the only run in a folder.
pub(crate) fn events_in(runs: &Path) -> String {
    let mut runs = fs::read_dir(runs).into_iter().flatten().flatten();
    let events = runs.next().map(|run| run.path().join("events.jsonl"));
    let events = events.and_then(|path| fs::read_to_string(path).ok());
    events.unwrap_or_default()
}
