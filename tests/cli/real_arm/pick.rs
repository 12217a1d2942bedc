//! A complete task through the command line, the arm's protocol and an external detector.

use std::fs;
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use nalgebra::{Isometry3, Vector3};
use serde_json::json;

use super::Bench;
use super::fake::chain;
use crate::common::detector::{lines, seen, seen_box, seen_now, seen_table};
use regrasp_kinematics::Chain;
use regrasp_testkit::says;

pub(crate) const HALF_M: f64 = 0.02;
pub(crate) const BOWL_AT: [f64; 2] = [0.45, 0.2];
pub(crate) const BOWL_RADIUS_M: f64 = 0.07;
/// Height of the bowl's floor above the table, m.
pub(crate) const FLOOR_M: f64 = 0.004;

/// State of the table's cube, which only the hand moves.
#[derive(Clone)]
pub(crate) struct Table {
    pub(crate) base_from_cube: Isometry3<f64>,
    /// Pose of the cube in the hand; `None` if it is not held.
    tool_from_cube: Option<Isometry3<f64>>,
}

impl Table {
    pub(crate) fn begin() -> Self {
        Self {
            base_from_cube: Isometry3::translation(0.45, -0.1, HALF_M),
            tool_from_cube: None,
        }
    }

    /// Moves the cube with the hand if the fingers hold it. Returns the new state.
    pub(crate) fn followed(table: &Mutex<Self>, bench: &Bench, chain: &Chain) -> Self {
        let base_from_tool = chain.forward(&bench.arm.arm().q);
        let mut table = table.lock().unwrap();
        table.follow(bench, &base_from_tool);
        table.clone()
    }

    fn follow(&mut self, bench: &Bench, base_from_tool: &Isometry3<f64>) {
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
        let cube = seen_box("red_cube", [2.0 * HALF_M; 3], self.base_from_cube);
        let bowl = json!({
            "kind": "bowl", "radius": BOWL_RADIUS_M, "height": 0.05, "wall": FLOOR_M
        });
        let bowl = seen("blue_bowl", bowl, [BOWL_AT[0], BOWL_AT[1], 0.025]);
        seen_now(&[seen_table(), cube, bowl])
    }
}

const COMMAND: &str = "run 'put the red cube in the bowl' --approve-motion \
                       --percepts percepts.jsonl --percepts-wait 20";

/// Runs `work` while a detector reports the objects. Also returns the final state of the cube.
fn watched<T>(bench: &Arc<Bench>, work: impl FnOnce() -> T) -> (T, Table) {
    let path = bench.path().join("percepts.jsonl");
    let table = Arc::new(Mutex::new(Table::begin()));
    let (seen, chain, bench) = (Arc::clone(&table), chain(), Arc::clone(bench));
    let _detector = lines(&path, Duration::from_millis(4), move || {
        Some(Table::followed(&seen, &bench, &chain).line())
    });
    let done = work();
    (done, table.lock().unwrap().clone())
}

/// Kills a command a while after it starts to place an object.
pub(crate) fn kill_at_place(mut child: Child, runs: &Path, after: Duration) {
    let begun = Instant::now();
    let place = r#""skill":"place_on","args""#;
    while !started(&events_in(runs)).any(|line| line.contains(place)) {
        let waited_s = begun.elapsed().as_secs();
        assert!(waited_s < 180, "nothing is placed after {waited_s} s");
        let ended = child.try_wait().unwrap();
        assert!(ended.is_none(), "the command ended before it was killed");
        thread::sleep(Duration::from_millis(5));
    }
    thread::sleep(after);
    child.kill().unwrap();
    child.wait().unwrap();
}

/// Checks that a resumed run did not pick again.
pub(crate) fn check_not_picked(events: &str) {
    let again: Vec<_> = started(events).collect();
    let pick = r#""skill":"pick","args""#;
    let picked = again.iter().any(|line| line.contains(pick));
    assert!(!picked, "the resumed run repeated the pick: {again:?}");
}

#[track_caller]
pub(crate) fn check_in_bowl(table: &Table) {
    let at = table.base_from_cube.translation.vector;
    let off = (at.x - BOWL_AT[0]).hypot(at.y - BOWL_AT[1]);
    let is_in = off < BOWL_RADIUS_M && at.z < 0.03;
    assert!(is_in, "the cube is not in the bowl, but at {at:?}");
    assert_eq!(table.tool_from_cube, None, "the hand still holds the cube");
}

#[test]
fn a_cube_gets_into_a_bowl_through_the_protocol_and_lines_of_another_process() {
    let bench = Arc::new(Bench::new());
    let (_, table) = watched(&bench, || bench.check(COMMAND, 0, "success:      true"));
    check_in_bowl(&table);
    let arm = bench.arm.arm();
    let counts = (arm.n_motions, arm.n_lost);
    assert!(counts.0 > 3 && counts.1 == 0, "{counts:?}");
}

#[test]
fn a_killed_run_goes_on_with_the_cube_in_the_hand() {
    let bench = Arc::new(Bench::new());
    let kept = format!("{COMMAND} --store runs.sqlite --run-key bowl");
    let runs = bench.path().join("runs");
    let (_, table) = watched(&bench, || {
        let child = bench.command(&kept).stdout(Stdio::null()).spawn();
        kill_at_place(child.unwrap(), &runs, Duration::ZERO);
        fs::rename(&runs, bench.path().join("killed")).unwrap();
        bench.check(&format!("{kept} --resume"), 0, "success:      true")
    });
    check_in_bowl(&table);
    let events = events_in(&runs);
    let resumed = events.lines().find(|line| line.contains("\"resumed\""));
    // The report states what could not be restored in a real world.
    says(resumed.unwrap(), &["not_restored"]);
    check_not_picked(&events);
}

fn started(events: &str) -> impl Iterator<Item = &str> {
    let lines = events.lines();
    lines.filter(|line| line.contains("\"step_started\""))
}

/// Events of the only run in a folder.
pub(crate) fn events_in(runs: &Path) -> String {
    let mut runs = fs::read_dir(runs).into_iter().flatten().flatten();
    let events = runs.next().map(|run| run.path().join("events.jsonl"));
    let events = events.and_then(|path| fs::read_to_string(path).ok());
    events.unwrap_or_default()
}
