//! The command line with a third-party simulator of a Franka, which `sh scripts/franka.sh` starts.
//! Ignored by default.

use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::json;

use super::pick::{check_not_picked, events_in, kill_at_place};
use crate::Shell;
use crate::common::detector::{lines, seen_box, seen_now, seen_table};
use crate::common::franka_sim::{CUBES, Objects, host, is_stacked};
use crate::shell::{expect, only_in};

const TASK: &str = "put the red cube on the green cube";

/// Line of a detector that sees the cubes of the third-party simulator.
fn line(objects: &mut Objects) -> String {
    let cubes =
        CUBES.map(|(name, half_m, _)| seen_box(name, [2.0 * half_m; 3], objects.pose(name)));
    seen_now(&[[seen_table()].as_slice(), &cubes].concat())
}

struct Bench {
    host: String,
    shell: Shell,
}

impl Bench {
    fn new() -> Self {
        let host = host();
        let shell = Shell::new();
        // The simulator runs in Python on the same machine, so that its states come in bursts.
        let settings = "stale_secs: 0.5\nlost_controller_secs: 0.5\n";
        shell.write("safety.yaml", settings);
        Objects::connect(&host).put_cubes();
        Self { host, shell }
    }

    /// Command that runs the task and stores it under a key.
    fn command(&self, runs: &str, key: &str) -> Command {
        let robot = format!("--approve-motion --robot franka:{}", self.host);
        let percepts = "--percepts percepts.jsonl --percepts-wait 20 --safety safety.yaml";
        let kept = format!("--store runs.sqlite --record --run-key {key} --runs-dir {runs}");
        self.shell
            .command(&format!("run '{TASK}' {robot} {percepts} {kept}"))
    }

    /// Runs `work` while a thread reports the objects as a detector would.
    fn watched<T>(&self, work: impl FnOnce() -> T) -> T {
        let path = self.shell.path().join("percepts.jsonl");
        let mut objects = Objects::connect(&self.host);
        let _detector = lines(&path, Duration::from_millis(30), move || {
            Some(line(&mut objects))
        });
        work()
    }

    fn run_of(&self, runs: &str) -> String {
        only_in(&self.shell.path().join(runs)).display().to_string()
    }

    fn check_stacked(&self) {
        let (beside_m, above_m) = Objects::connect(&self.host).red_over_green();
        let (beside, above) = (1e3 * beside_m, 1e3 * above_m);
        println!("the cubes' centres: {beside:.1} mm apart horizontally, {above:.1} mm vertically");
        let is_on = is_stacked((beside_m, above_m));
        assert!(is_on, "the red cube is not on the green one");
    }
}

/// Runs the task in Regrasp's simulator, in a scene with the same cubes.
fn simulate(bench: &Bench) {
    let mut objects = vec![json!({
        "id": "table", "kind": "table", "size": [0.8, 1.2], "top_z": 0.0, "xy": [0.6, 0.0],
    })];
    objects.extend(CUBES.map(|(name, half_m, xy)| {
        json!({
            "id": name, "kind": "cube", "half_extents": half_m, "mass_kg": 0.05,
            "color": name.split('_').next(), "on": "table", "xy": xy,
        })
    }));
    let arm = json!({ "position": [0.0, 0.0, 0.0] });
    let scene = json!({ "name": "theirs", "arm": arm, "objects": objects });
    bench.shell.write("scene.yaml", scene.to_string());
    let run = format!("run '{TASK}' --scene scene.yaml --runs-dir simulated");
    let output = bench.shell.command(&run).output().unwrap();
    expect(&output, 0, "success:      true");
}

#[test]
#[ignore = "needs a third-party simulator of a Franka: scripts/franka.sh"]
fn a_killed_run_goes_on_in_a_simulator_that_somebody_else_wrote() {
    let bench = Bench::new();
    let folder = bench.shell.path();
    let output = bench.watched(|| {
        let mut command = bench.command("killed", "stack");
        let child = command.stdout(Stdio::null()).spawn().unwrap();
        let after = Duration::from_millis(700);
        kill_at_place(child, &folder.join("killed"), after);
        let mut again = bench.command("runs", "stack");
        again.arg("--resume").output().unwrap()
    });
    let said = expect(&output, 0, "success:      true");
    println!("{said}");
    bench.check_stacked();
    let events = events_in(&folder.join("runs"));
    assert!(!events.is_empty());
    check_not_picked(&events);
}

#[test]
#[ignore = "needs a third-party simulator of a Franka: scripts/franka.sh"]
fn a_run_there_is_compared_with_the_same_in_our_simulator() {
    let bench = Bench::new();
    let there = bench.watched(|| bench.command("there", "compared").output().unwrap());
    expect(&there, 0, "success:      true");
    bench.check_stacked();
    simulate(&bench);
    let [simulated, there] = ["simulated", "there"].map(|runs| bench.run_of(runs));
    let mut compared = bench
        .shell
        .command(&format!("replay {simulated} --against {there}"));
    let says = "| | transport |; the runs agree over 2 steps";
    let said = expect(&compared.output().unwrap(), 0, says);
    println!("{said}");
}
