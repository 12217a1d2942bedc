//! The command line with a real arm, represented by a fake of its protocol.

#![cfg(target_os = "linux")]
#![expect(clippy::print_stdout, reason = "a failed test shows its command")]

#[path = "../../../crates/hardware/franka/tests/arm/fake/mod.rs"]
#[allow(
    dead_code,
    unused_imports,
    clippy::allow_attributes,
    reason = "these tests use a part of it"
)]
mod fake;
#[cfg(feature = "serve")]
mod live;
#[cfg(feature = "serve")]
mod page;
mod pick;
mod pictures;
mod theirs;
#[cfg(feature = "mcp")]
mod tools;

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use crate::Shell;
use crate::common;
use crate::common::detector::{Repeated, lines, seen_box, seen_now, seen_table};
use crate::common::within;
use crate::shell::{expect, interrupt, only_in};
use fake::{FakeArm, FakeHand};
use serde_json::{Value, json};

/// Start joint positions, close to the home configuration.
const START: [f64; 7] = [0.1, -0.7, 0.05, -2.3, 0.0, 1.6, 0.7];

struct Bench {
    /// Shell that runs commands without the arm, in the same folder.
    alone: Shell,
    arm: FakeArm,
    hand: FakeHand,
}

impl Bench {
    fn new() -> Self {
        let alone = Shell::new();
        // The limits exceed delays on a busy machine.
        let settings = "stale_secs: 0.9\nlost_controller_secs: 0.9\n";
        alone.write("safety.yaml", settings);
        Self {
            alone,
            arm: FakeArm::start(10, START),
            hand: FakeHand::start(),
        }
    }

    fn path(&self) -> &Path {
        self.alone.path()
    }

    /// Creates a command with the options for this arm.
    fn command(&self, line: &str) -> Command {
        let robot = format!("franka:{}", self.arm.host);
        let mut command = self.alone.command(line);
        command.args(["--robot", &robot, "--hand", &self.hand.host]);
        command.args(["--safety", "safety.yaml"]);
        command
    }

    #[track_caller]
    fn check(&self, line: &str, code: i32, words: &str) -> String {
        println!("{line}");
        expect(&self.command(line).output().unwrap(), code, words)
    }

    /// Starts an external detector that sees a table with a cube.
    fn detector(&self) -> Repeated {
        let path = self.path().join("percepts.jsonl");
        lines(&path, Duration::from_millis(10), || {
            let cube = seen_box("red_cube", [0.04; 3], [0.5, -0.1, 0.02]);
            Some(seen_now(&[seen_table(), cube]))
        })
    }
}

#[test]
fn status_says_how_the_arm_is_and_moves_nothing() {
    let bench = Bench::new();
    let output = bench.command("arm status --json").output().unwrap();
    expect(&output, 0, "connected to the FR3");
    let status: Value = serde_json::from_slice(&output.stdout).unwrap();
    let joint = status["status"]["joints"][3].as_f64().unwrap();
    assert!((joint - START[3]).abs() < 1e-3, "{joint}");
    assert!(status["base_from_tool"]["position"][2].as_f64().unwrap() > 0.2);
    bench.check("arm status", 0, "mode:; base_from_tool:  {position: [");
    assert_eq!(bench.arm.arm().n_motions, 0);
}

#[test]
fn the_first_motion_waits_for_somebody_who_approves_it() {
    let bench = Bench::new();
    let words = "first motion; rad/s; nobody can approve it; --approve-motion";
    bench.check("arm home", 10, words);
    assert_eq!(bench.arm.arm().n_motions, 0);
    let said = "approved by --approve-motion; moved for; cycles missed";
    bench.check("arm home --approve-motion", 0, said);
    let at = bench.arm.arm().q[1];
    assert!((at - START[1]).abs() > 0.02, "joint 2 is at {at}");
}

#[test]
fn a_jog_turns_one_joint_or_moves_the_tool_along_a_line() {
    let bench = Bench::new();
    let jog = "arm jog --joint 1 --by 0.2 --approve-motion";
    bench.check(jog, 0, "moved for");
    let at = bench.arm.arm().q;
    assert!((at[0] - START[0] - 0.2).abs() < 1e-3, "{at:?}");
    assert!((at[3] - START[3]).abs() < 1e-3, "{at:?}");
    let lower = "arm jog --dz -0.05 --approve-motion";
    bench.check(lower, 0, "moved for");
    bench.check("arm jog --approve-motion", 2, "--joint");
    let low = format!("{lower} --workspace 0 1 -1 1 0.9 1");
    bench.check(&low, 10, "workspace");
}

#[test]
fn ctrl_c_stops_the_arm_on_its_way() {
    let bench = Bench::new();
    let mut jog = bench
        .command("arm jog --joint 1 --by 0.5 --speed 0.02 --approve-motion")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    while (bench.arm.arm().q[0] - START[0]).abs() < 0.02 {
        let ended = jog.try_wait().unwrap();
        assert!(ended.is_none(), "the command ended before the arm moved");
        thread::sleep(Duration::from_millis(2));
    }
    interrupt(&jog);
    let output = jog.wait_with_output().unwrap();
    expect(&output, 10, "stopped after; the arm is at rest");
    let turned = bench.arm.arm().q[0] - START[0];
    within("turn of joint 1, rad", turned, 0.02..0.4);
}

#[test]
fn the_hand_opens_and_closes() {
    let bench = Bench::new();
    bench.check("arm home-hand", 0, "m apart");
    bench.check("arm open", 0, "m apart");
    bench.hand.hand().thing = Some(0.04);
    let words = "something is between the fingers";
    bench.check("arm close --force 15", 0, words);
}

#[test]
fn a_command_is_carried_out_by_what_another_process_sees() {
    let bench = Bench::new();
    let _detector = bench.detector();
    let run = "run 'go home' --percepts percepts.jsonl --percepts-wait 20";
    let words = "nobody can approve it; approval_denied";
    bench.check(run, 10, words);
    assert_eq!(bench.arm.arm().n_motions, 0);
    fs::remove_dir_all(bench.path().join("runs")).unwrap();

    let run = format!("{run} --approve-motion --record");
    bench.check(&run, 0, "success:      true; run folder: ");
    assert!(bench.arm.arm().n_motions > 0);
    let folder = bench.alone.only_run();
    let path = folder.join("recording.mcap");
    let folder = folder.display().to_string();
    let mut recording = regrasp_record::Recording::open(&path).unwrap();
    assert!(recording.is_complete());
    let frames: Vec<_> = recording.frames().map(Result::unwrap).collect();
    let [first, .., last] = &frames[..] else {
        panic!("the recording has only {} frames", frames.len());
    };
    assert!((first.joints.position[1] - START[1]).abs() < 1e-3);
    assert!((last.joints.position[1] - first.joints.position[1]).abs() > 0.01);
    assert!(last.objects.iter().any(|o| o.id.as_str() == "red_cube"));
    assert!(recording.events().unwrap().len() > 3);
    let alone = &bench.alone;
    alone.check(&format!("show {folder}"), 0, "go home");
    if cfg!(feature = "video") {
        let film = format!("video {folder} --out film.mp4");
        alone.check(&film, 0, "film.mp4");
    }
    exported(alone, &folder, frames.len());
    let replay = format!("replay {folder}");
    alone.check(&replay, 12, "is a real arm; --against");
    let compare = |other: &str, code: i32, words: &str| {
        alone.check(&format!("{replay} --against {other}"), code, words)
    };
    compare(&folder, 0, "home; the runs agree");
    let simulated = "run 'pick up the red cube' --runs-dir others --json";
    alone.check(simulated, 0, "");
    let other = only_in(&bench.path().join("others"));
    let words = "the runs diverge at step 0; pick";
    compare(&other.display().to_string(), 10, words);
}

/// Exports the run as a data set and as a file for the Rerun viewer, if the build has the features.
fn exported(alone: &Shell, run: &str, n_frames: usize) {
    if cfg!(feature = "dataset") {
        let small = "--size 64 48 --fps 10 --cameras scene";
        alone.check(&format!("export lerobot {run} -o set {small}"), 0, "");
        let info = alone.json("set/meta/info.json");
        assert_eq!(info["total_episodes"], 1);
        assert!(info["total_frames"].as_u64().unwrap() > 5, "{info}");
        assert!(alone.has("set/videos/observation.images.scene/chunk-000/file-000.mp4"));
    }
    if cfg!(feature = "rerun") {
        let told = alone.asked(&format!("export rerun {run} -o it.rrd --json"));
        assert_eq!(told["frames"], n_frames);
        assert!(alone.bytes("it.rrd").len() > 10_000);
    }
}

#[test]
fn a_reflex_is_cleared_by_hand_and_a_pressed_stop_button_is_not() {
    let bench = Bench::new();
    bench.arm.arm().mode = 4;
    bench.check("arm status", 0, "Reflex");
    bench.check("arm home --approve-motion", 10, "reflex");
    bench.check("arm recover", 0, "the arm is ready (idle)");
    let counts = || {
        let arm = bench.arm.arm();
        (arm.n_recoveries, arm.n_motions)
    };
    assert_eq!(counts(), (1, 0), "recoveries and motions");
    bench.check("arm recover", 0, "the arm is ready");
    assert_eq!(counts(), (1, 0), "counts of an arm that was ready");
    bench.arm.arm().mode = 5;
    bench.check("arm recover", 10, "user stop is pressed");
    assert_eq!(bench.arm.arm().n_motions, 0);
}

#[test]
fn without_fresh_eyes_nothing_moves() {
    let bench = Bench::new();
    let run = "run 'go home' --approve-motion";
    bench.check(run, 2, "--percepts FILE|URL or --rgbd");
    let line = json!({ "stamp_unix_s": 1.0, "objects": [] });
    bench.alone.write("old.jsonl", format!("{line}\n"));
    let old = format!("{run} --percepts old.jsonl --percepts-wait 0.1");
    let words = "perception_unavailable; stale; s old when the look began";
    bench.check(&old, 11, words);
    bench.check("run 'go home' --rgbd none.yaml", 12, "none.yaml");
    assert_eq!(bench.arm.arm().n_motions, 0);
}

#[test]
fn options_that_would_say_nothing_are_refused() {
    let bench = Bench::new();
    let eyes = "run 'go home' --percepts p.jsonl";
    for option in ["--scene tabletop", "--fault x", "--perception rgbd"] {
        bench.check(&format!("{eyes} {option}"), 2, "");
    }
    let words = "--percepts: it has no effect; --robot franka:HOST";
    bench.alone.check(eyes, 2, words);
    let cases = "
        reach --out map.csv --robot franka:host | 2  | `franka:host`: it is a real arm
        arm status --robot panda.yaml           | 2  | expected franka:HOST
        arm status --robot franka:127.0.0.1:1   | 11 | connect to 127.0.0.1:1";
    bench.alone.check_all("", cases);
}
