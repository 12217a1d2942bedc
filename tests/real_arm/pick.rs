//! A whole task through the command line, the arm's protocol and somebody else's eyes.

use std::fs::OpenOptions;
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use nalgebra::{Isometry3, Vector3};
use serde_json::json;

use crate::fake::chain;
use crate::{Bench, expect};

/// Half of the cube's edge, m.
const HALF_M: f64 = 0.02;
const BOWL_AT: [f64; 2] = [0.45, 0.2];
const BOWL_RADIUS_M: f64 = 0.07;
/// The bowl's floor over the table, m.
const FLOOR_M: f64 = 0.004;

/// Where things are, moved by the hand alone.
struct Table {
    base_from_cube: Isometry3<f64>,
    /// While it is held.
    tool_from_cube: Option<Isometry3<f64>>,
}

impl Table {
    /// What the hand did since the last look.
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
        let floor = if off.norm() < BOWL_RADIUS_M {
            FLOOR_M
        } else {
            0.0
        };
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

#[test]
fn a_cube_gets_into_a_bowl_through_the_protocol_and_lines_of_another_process() {
    let bench = Bench::new();
    let path = bench.folder.path().join("percepts.jsonl");
    let is_over = AtomicBool::new(false);
    let (output, table) = thread::scope(|scope| {
        let detector = scope.spawn(|| {
            let chain = chain();
            let mut table = Table {
                base_from_cube: Isometry3::translation(0.45, -0.1, HALF_M),
                tool_from_cube: None,
            };
            let mut file = OpenOptions::new().append(true).create(true).open(&path);
            let file = file.as_mut().unwrap();
            while !is_over.load(Ordering::SeqCst) {
                let joints = bench.arm.arm().q;
                table.follow(&bench, &chain.forward(&joints));
                writeln!(file, "{}", table.line()).unwrap();
                thread::sleep(Duration::from_millis(4));
            }
            table
        });
        let eyes = ["--percepts", "percepts.jsonl", "--percepts-wait", "20"];
        let words = ["run", "put the red cube in the bowl", "--approve-motion"];
        let output = bench.regrasp(&[&words[..], &eyes[..]].concat());
        is_over.store(true, Ordering::SeqCst);
        (output, detector.join().unwrap())
    });
    expect(&output, 0, &["success:      true"]);
    let at = table.base_from_cube.translation.vector;
    let off = (at.x - BOWL_AT[0]).hypot(at.y - BOWL_AT[1]);
    assert!(
        off < BOWL_RADIUS_M && at.z < 0.03,
        "the cube lies at {at:?}"
    );
    assert_eq!(table.tool_from_cube, None, "the hand let go of it");
    let arm = bench.arm.arm();
    assert!(
        arm.n_motions > 3 && arm.n_lost == 0,
        "{} motions",
        arm.n_motions
    );
}
