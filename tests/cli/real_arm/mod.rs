//! The command line with a real arm, represented by a fake of its protocol.

#![cfg(target_os = "linux")]
#![expect(clippy::print_stdout, reason = "its table is a result")]

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

use crate::listed;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::common;
use fake::{FakeArm, FakeHand};
use regrasp_testkit::{rows, says};
use serde_json::{Value, json};
use tempfile::TempDir;

/// Start joint positions, close to the home configuration.
const START: [f64; 7] = [0.1, -0.7, 0.05, -2.3, 0.0, 1.6, 0.7];

struct Bench {
    folder: TempDir,
    arm: FakeArm,
    hand: FakeHand,
}

impl Bench {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        // Longer than a delay on a busy machine.
        let settings = "stale_secs: 0.9\nlost_controller_secs: 0.9\n";
        fs::write(folder.path().join("safety.yaml"), settings).unwrap();
        Self {
            folder,
            arm: FakeArm::start(10, START),
            hand: FakeHand::start(),
        }
    }

    fn regrasp(&self, line: &str) -> Output {
        self.command(line).output().unwrap()
    }

    /// Command with this arm, not yet started.
    fn command(&self, line: &str) -> Command {
        let robot = format!("franka:{}", self.arm.host);
        let link = ["--robot", &robot, "--hand", &self.hand.host];
        let mut command = Command::new(crate::REGRASP);
        command
            .args(shlex::split(line).unwrap())
            .args(link)
            .args(["--safety", "safety.yaml"])
            .current_dir(self.folder.path())
            .stdin(Stdio::null());
        command
    }

    #[track_caller]
    fn check(&self, line: &str, code: i32, said: &[&str]) -> String {
        expect(&self.regrasp(line), code, said)
    }

    /// Runs a command in the same folder without the arm.
    fn alone(&self, line: &str) -> Output {
        let words = shlex::split(line).unwrap();
        let words: Vec<_> = words.iter().map(String::as_str).collect();
        crate::regrasp(self.folder.path(), &words)
    }
}

#[track_caller]
fn expect(output: &Output, code: i32, said: &[&str]) -> String {
    let all = String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{all}");
    says(&all, said);
    all
}

/// An external detector that sees a table with a cube.
struct Detector {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Detector {
    fn begin(path: PathBuf) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let thread = thread::spawn(move || {
            let file = OpenOptions::new().append(true).create(true).open(path);
            let mut file = file.unwrap();
            while !stopped.load(Ordering::SeqCst) {
                let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
                let line = json!({
                    "stamp_unix_s": now.as_secs_f64(),
                    "objects": [
                        {
                            "id": "table", "category": "table", "movable": false,
                            "shape": {"kind": "box", "size": [0.8, 1.2, 0.1]},
                            "position": [0.6, 0.0, -0.05], "position_std_m": 0.001
                        },
                        {
                            "id": "red_cube", "category": "cube", "color": "red",
                            "shape": {"kind": "box", "size": [0.04, 0.04, 0.04]},
                            "position": [0.5, -0.1, 0.02], "position_std_m": 0.001
                        }
                    ]
                });
                writeln!(file, "{line}").unwrap();
                thread::sleep(Duration::from_millis(10));
            }
        });
        Self {
            stop,
            thread: Some(thread),
        }
    }
}

impl Drop for Detector {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::SeqCst);
        let _ = self.thread.take().unwrap().join();
    }
}

fn only_run(folder: &Path) -> String {
    let runs = fs::read_dir(folder.join("runs")).unwrap();
    let mut paths = runs.map(|entry| entry.unwrap().path().display().to_string());
    paths.next().unwrap()
}

#[test]
fn status_says_how_the_arm_is_and_moves_nothing() {
    let bench = Bench::new();
    let output = bench.regrasp("arm status --json");
    expect(&output, 0, &["connected to the FR3"]);
    let status: Value = serde_json::from_slice(&output.stdout).unwrap();
    let joint = status["status"]["joints"][3].as_f64().unwrap();
    assert!((joint - START[3]).abs() < 1e-3, "{joint}");
    assert!(status["base_from_tool"]["position"][2].as_f64().unwrap() > 0.2);
    let words = ["mode:", "base_from_tool:  {position: ["];
    bench.check("arm status", 0, &words);
    assert_eq!(bench.arm.arm().n_motions, 0);
}

#[test]
fn the_first_motion_waits_for_somebody_who_approves_it() {
    let bench = Bench::new();
    let refused = listed("first motion; rad/s; nobody can approve it; --approve-motion");
    bench.check("arm home", 10, &refused);
    assert_eq!(bench.arm.arm().n_motions, 0);
    let said = ["approved by --approve-motion", "moved for", "cycles missed"];
    bench.check("arm home --approve-motion", 0, &said);
    let at = bench.arm.arm().q[1];
    assert!((at - START[1]).abs() > 0.02, "joint 2 is at {at}");
}

#[test]
fn a_jog_turns_one_joint_or_moves_the_tool_along_a_line() {
    let bench = Bench::new();
    let jog = "arm jog --joint 1 --by 0.2 --approve-motion";
    bench.check(jog, 0, &["moved for"]);
    let at = bench.arm.arm().q;
    assert!((at[0] - START[0] - 0.2).abs() < 1e-3, "{at:?}");
    assert!((at[3] - START[3]).abs() < 1e-3, "{at:?}");
    let lower = "arm jog --dz -0.05 --approve-motion";
    bench.check(lower, 0, &["moved for"]);
    bench.check("arm jog --approve-motion", 2, &["--joint"]);
    let low = format!("{lower} --workspace 0 1 -1 1 0.9 1");
    bench.check(&low, 10, &["workspace"]);
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
        assert!(ended.is_none(), "it ended before it moved");
        thread::sleep(Duration::from_millis(2));
    }
    let kill = format!("kill -INT {}", jog.id());
    let signal = Command::new("sh").args(["-c", &kill]).status();
    assert!(signal.unwrap().success());
    let output = jog.wait_with_output().unwrap();
    expect(&output, 10, &["stopped after", "the arm is at rest"]);
    let turned = bench.arm.arm().q[0] - START[0];
    assert!((0.02..0.4).contains(&turned), "it turned by {turned} rad");
}

#[test]
fn the_hand_opens_and_closes() {
    let bench = Bench::new();
    bench.check("arm home-hand", 0, &["m apart"]);
    bench.check("arm open", 0, &["m apart"]);
    bench.hand.hand().thing = Some(0.04);
    let words = ["something is between the fingers"];
    bench.check("arm close --force 15", 0, &words);
}

#[test]
fn a_command_is_carried_out_by_what_another_process_sees() {
    let bench = Bench::new();
    let _detector = Detector::begin(bench.folder.path().join("percepts.jsonl"));
    let run = "run 'go home' --percepts percepts.jsonl --percepts-wait 20";
    let words = ["nobody can approve it", "approval_denied"];
    bench.check(run, 10, &words);
    assert_eq!(bench.arm.arm().n_motions, 0);
    fs::remove_dir_all(bench.folder.path().join("runs")).unwrap();

    let run = format!("{run} --approve-motion --record");
    bench.check(&run, 0, &["success:      true", "run folder: "]);
    assert!(bench.arm.arm().n_motions > 0);
    let folder = only_run(bench.folder.path());
    let path = Path::new(&folder).join("recording.mcap");
    let mut recording = regrasp_record::Recording::open(&path).unwrap();
    assert!(recording.is_complete());
    let frames: Vec<_> = recording.frames().map(Result::unwrap).collect();
    let [first, .., last] = &frames[..] else {
        panic!("{} frames", frames.len());
    };
    assert!((first.joints.position[1] - START[1]).abs() < 1e-3);
    assert!((last.joints.position[1] - first.joints.position[1]).abs() > 0.01);
    assert!(last.objects.iter().any(|o| o.id.as_str() == "red_cube"));
    assert!(recording.events().unwrap().len() > 3);
    let alone = |line: &str, code: i32, words: &[&str]| {
        expect(&bench.alone(line), code, words);
    };
    alone(&format!("show {folder}"), 0, &["go home"]);
    if cfg!(feature = "video") {
        let film = format!("video {folder} --out film.mp4");
        alone(&film, 0, &["film.mp4"]);
    }
    exported(&bench, &folder, frames.len());
    let replay = format!("replay {folder}");
    alone(&replay, 12, &["is a real arm", "--against"]);
    let compare = |other: &str, code: i32, words: &[&str]| {
        alone(&format!("{replay} --against {other}"), code, words);
    };
    compare(&folder, 0, &["home", "the runs agree"]);
    let simulated = "run 'pick up the red cube' --runs-dir others --json";
    alone(simulated, 0, &[]);
    let others = fs::read_dir(bench.folder.path().join("others")).unwrap();
    let other = others.map(|entry| entry.unwrap().path()).next().unwrap();
    let words = ["the runs diverge at step 0", "pick"];
    compare(&other.display().to_string(), 10, &words);
}

/// Exports for others: a data set for learning, and a file for the Rerun viewer.
fn exported(bench: &Bench, run: &str, n_frames: usize) {
    let export = |line: &str| {
        let output = bench.alone(&format!("export {line}"));
        expect(&output, 0, &[]);
        output.stdout
    };
    if cfg!(feature = "dataset") {
        let small = "--size 64 48 --fps 10 --cameras scene";
        export(&format!("lerobot {run} -o set {small}"));
        let set = bench.folder.path().join("set");
        let info = fs::read(set.join("meta/info.json")).unwrap();
        let info: Value = serde_json::from_slice(&info).unwrap();
        assert_eq!(info["total_episodes"], 1);
        assert!(info["total_frames"].as_u64().unwrap() > 5, "{info}");
        let film = "videos/observation.images.scene/chunk-000/file-000.mp4";
        assert!(set.join(film).exists());
    }
    if cfg!(feature = "rerun") {
        let told = export(&format!("rerun {run} -o it.rrd --json"));
        let told: Value = serde_json::from_slice(&told).unwrap();
        assert_eq!(told["frames"], n_frames);
        let file = bench.folder.path().join("it.rrd");
        assert!(fs::metadata(file).unwrap().len() > 10_000);
    }
}

#[test]
fn a_reflex_is_cleared_by_hand_and_a_pressed_stop_button_is_not() {
    let bench = Bench::new();
    bench.arm.arm().mode = 4;
    bench.check("arm status", 0, &["Reflex"]);
    bench.check("arm home --approve-motion", 10, &["reflex"]);
    bench.check("arm recover", 0, &["the arm is ready (Idle)"]);
    {
        let arm = bench.arm.arm();
        assert_eq!((arm.n_recoveries, arm.n_motions), (1, 0), "nothing moved");
    }
    bench.check("arm recover", 0, &["the arm is ready"]);
    assert_eq!(bench.arm.arm().n_recoveries, 1, "there is nothing to clear");
    bench.arm.arm().mode = 5;
    bench.check("arm recover", 10, &["user stop is pressed"]);
    assert_eq!(bench.arm.arm().n_motions, 0);
}

#[test]
fn without_fresh_eyes_nothing_moves() {
    let bench = Bench::new();
    let run = "run 'go home' --approve-motion";
    bench.check(run, 2, &["--percepts FILE|URL or --rgbd"]);
    let line = json!({ "stamp_unix_s": 1.0, "objects": [] });
    fs::write(bench.folder.path().join("old.jsonl"), format!("{line}\n")).unwrap();
    let old = format!("{run} --percepts old.jsonl --percepts-wait 0.1");
    let stale = listed("perception_unavailable; stale; s old when the look began");
    bench.check(&old, 11, &stale);
    bench.check("run 'go home' --rgbd none.yaml", 12, &["none.yaml"]);
    assert_eq!(bench.arm.arm().n_motions, 0);
}

#[test]
fn options_that_would_say_nothing_are_refused() {
    let bench = Bench::new();
    let eyes = "run 'go home' --percepts p.jsonl";
    for option in ["--scene tabletop", "--fault x", "--perception rgbd"] {
        bench.check(&format!("{eyes} {option}"), 2, &[]);
    }
    let effect = ["--percepts: it has no effect", "--robot franka:HOST"];
    expect(&bench.alone(eyes), 2, &effect);
    for [line, code, words] in rows(
        "
        reach --out map.csv --robot franka:host | 2  | `franka:host`: it is a real arm
        arm status --robot panda.yaml           | 2  | expected franka:HOST
        arm status --robot franka:127.0.0.1:1   | 11 | connect to 127.0.0.1:1",
    ) {
        expect(&bench.alone(&line), code.parse().unwrap(), &[&words]);
    }
}
