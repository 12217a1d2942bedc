//! Whatever a file holds, reading it answers; it never brings the program down.

use std::path::Path;

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use regrasp_scene::{builtin_robot, load_robot, load_scene, load_task};

const KINDS: &str = "\
name: kinds
prompt: put the ball in the bowl
scene:
  arm: {position: [-0.3, 0.0, 0.0], start_joints_rad: ready, start_width_m: 0.08}
  objects:
    - {id: table, kind: table, size: [1.0, 1.0], top_z: 0.04, xy: [0.6, 0.0], thickness: 0.04}
    - {id: ball, kind: ball, radius: 0.02, mass_kg: 0.1, on: bowl}
    - {id: can, kind: cylinder, radius: 0.03, height: 0.1, density_kg_per_m3: 900, on: table, xy: [0.3, 0.2]}
    - {id: pill, kind: capsule, radius: 0.02, height: 0.1, mass_kg: 0.1, position: [0.6, -0.2, 0.1], quat_xyzw: [0, 0, 0, 1]}
    - {id: shard, kind: convex, points: [[0, 0, 0], [0.05, 0, 0], [0, 0.05, 0], [0, 0, 0.05]], mass_kg: 0.1, on: table, xy: [0.7, 0.2]}
    - {id: mug, kind: mug, height: 0.08, diameter: 0.06, wall: 0.003, handle: 0.03, mass_kg: 0.1, on: table, xy: [0.8, 0.0]}
    - {id: bowl, kind: bowl, radius: 0.08, height: 0.05, wall: 0.004, mass_kg: 0.1, on: table, xy: [0.45, 0.0]}
    - {id: tray, kind: tray, size: [0.2, 0.1], height: 0.04, wall: 0.004, mass_kg: 0.1, on: table, xy: [0.9, 0.3]}
    - {id: plate, kind: plate, radius: 0.08, thickness: 0.01, rim: 0.01, mass_kg: 0.1, on: table, xy: [0.9, -0.3]}
    - {id: drawer, kind: drawer, size: [0.15, 0.12, 0.05], travel: 0.12, wall: 0.005, handle: 0.05, open: 0.01, mass_kg: 0.1, position: [0.5, -0.35, 0.08], yaw_rad: 3.1}
placement:
  - {objects: [ball, can], ring: {center: [0.4, 0.0], radius: [0.05, 0.2], angle_rad: [0.5, 2.0]}, yaw_rad: [0.0, 1.0]}
  - {object: mug, xy_jitter_m: [0.01, 0.02], size_jitter: 0.1, mass_jitter: 0.1, color_jitter: 0.1}
goal: {x: [0.3, 0.5], y: 0.0, z: 0.3}
success:
  - any:
      - at: {object: ball, point: goal, tolerance_m: 0.02}
      - on: {object: ball, target: plate, xy_tolerance_m: 0.02, dz_tolerance_m: 0.005}
  - not: {static: {object: can, max_linear_m_per_s: 0.1, max_angular_rad_per_s: 0.1}}
";

const FILES: [&str; 7] = [
    KINDS,
    regrasp_assets::text("tasks/pick_cube.yaml"),
    regrasp_assets::text("tasks/pick_cube_scrambled.yaml"),
    regrasp_assets::text("tasks/stack_two.yaml"),
    regrasp_assets::text("tasks/maniskill/stack_cube.yaml"),
    regrasp_assets::text("scenes/covered.yaml"),
    regrasp_assets::text("robots/panda/panda.yaml"),
];

/// Pieces that mean something here, and numbers that are hard on geometry.
const PIECES: [&str; 36] = [
    "-",
    "{",
    "}",
    "[",
    "]",
    ": ",
    "\n",
    "\n  ",
    "&a",
    "*a",
    "!!str",
    "~",
    "null",
    "true",
    ".nan",
    ".inf",
    "-1",
    "0",
    "1e-4",
    "1e-9",
    "1e308",
    "9999999999999999999",
    "cube",
    "table",
    "red_cube",
    "kind: mug, height: 0.1, diameter: 0.0001",
    "kind: bowl, radius: 10, height: 1e-4",
    "kind: capsule",
    "kind: drawer, size: [0.03, 10, 0.03]",
    "kind: tray",
    "on: red_cube",
    "points: [[0,0,0],[0,0,0],[0,0,0],[1,1,1],[2,2,2]]",
    "kind: convex",
    "yaw_rad: any",
    "others",
    "goal",
];

fn read_all(text: &str, folder: &Path) {
    let robot = builtin_robot().unwrap();
    let path = folder.join("f.yaml");
    std::fs::write(&path, text).unwrap();
    if let Ok(task) = load_task(&path, &robot) {
        let _ = task.instantiate(1);
    }
    let _ = load_scene(&path, &robot);
    let _ = load_robot(&path);
}

/// One change: where (in thousandths of the text), how much to cut, what to put in.
fn edit() -> impl Strategy<Value = (usize, usize, &'static str)> {
    (0..1000usize, 0..12usize, prop::sample::select(&PIECES[..]))
}

fn apply(text: &str, edits: &[(usize, usize, &str)]) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    for &(at, cut, piece) in edits {
        let from = at * chars.len() / 1000;
        let to = (from + cut).min(chars.len());
        chars.splice(from..to, piece.chars());
    }
    chars.into_iter().collect()
}

/// Without this the others would test little.
#[test]
fn the_file_with_every_kind_is_a_good_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("f.yaml");
    std::fs::write(&path, KINDS).unwrap();
    load_task(&path, &builtin_robot().unwrap()).unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, rng_seed: RngSeed::Fixed(6), ..ProptestConfig::default() })]

    #[test]
    fn mangled_files_are_answered(file in 0..FILES.len(), edits in prop::collection::vec(edit(), 1..4)) {
        let folder = tempfile::tempdir().unwrap();
        read_all(&apply(FILES[file], &edits), folder.path());
    }

    #[test]
    fn any_text_is_answered(text in "[ -~\n]{0,200}") {
        let folder = tempfile::tempdir().unwrap();
        read_all(&text, folder.path());
    }

    /// Swaps one number for another: files that stay readable but hard to believe.
    #[test]
    fn odd_numbers_are_answered(
        file in 0..FILES.len(),
        which in 0..120usize,
        number in prop::sample::select(&["0", "-3", "1e-4", "0.0002", "9.9", "100", "1e9", "7.5e-5", "[1, 2]"][..]),
    ) {
        let text = FILES[file];
        let numbers: Vec<_> = text
            .match_indices(|c: char| c.is_ascii_digit())
            .map(|(i, _)| i)
            .filter(|&i| !text[..i].ends_with(|c: char| c.is_ascii_alphanumeric() || "._-".contains(c)))
            .collect();
        let at = numbers[which % numbers.len()];
        let end = at + text[at..].find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(0);
        let folder = tempfile::tempdir().unwrap();
        read_all(&format!("{}{number}{}", &text[..at], &text[end..]), folder.path());
    }
}
