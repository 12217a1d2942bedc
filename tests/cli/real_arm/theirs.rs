//! The command line with the third-party simulator: `sh scripts/franka.sh`. Ignored by default.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::expect;
use super::pick::{events_in, started};

const POSE_PORT: u16 = 1339;
const TASK: &str = "put the red cube on the green cube";
/// Name, edge and position of the cubes.
const CUBES: [(&str, f64, [f64; 2]); 2] = [
    ("red_cube", 0.04, [0.45, -0.12]),
    ("green_cube", 0.05, [0.45, 0.15]),
];

/// Client for object poses in that simulator.
struct Truth(BufReader<TcpStream>);

impl Truth {
    fn connect(host: &str) -> Self {
        let stream = TcpStream::connect((host, POSE_PORT)).unwrap();
        Self(BufReader::new(stream))
    }

    fn order(&mut self, order: &Value) -> Value {
        writeln!(self.0.get_mut(), "{order}").unwrap();
        let mut line = String::new();
        self.0.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap()
    }

    fn put_all(&mut self) {
        for (name, edge, [x, y]) in CUBES {
            self.order(&json!({ "put": { name: [x, y, 0.5 * edge, 0.0] } }));
        }
        thread::sleep(Duration::from_millis(500));
    }

    /// Position of the red cube relative to the green cube, m.
    fn red_over_green(&mut self) -> [f64; 3] {
        let said = self.order(&json!({}));
        [0, 1, 2].map(|i| {
            let at = |name: &str| said["objects"][name]["position"][i].as_f64().unwrap();
            at("red_cube") - at("green_cube")
        })
    }

    fn line(&mut self) -> Value {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        let said = self.order(&json!({}));
        let mut objects = vec![json!({
            "id": "table", "category": "table", "movable": false,
            "shape": {"kind": "box", "size": [0.8, 1.2, 0.1]},
            "position": [0.6, 0.0, -0.05], "position_std_m": 0.001
        })];
        for (name, edge, _) in CUBES {
            let (at, edges) = (&said["objects"][name], [edge; 3]);
            objects.push(json!({
                "id": name, "category": "cube", "color": name.split('_').next(),
                "shape": {"kind": "box", "size": edges},
                "position": at["position"], "quat_xyzw": at["quat_xyzw"],
                "position_std_m": 0.001
            }));
        }
        json!({ "stamp_unix_s": now.as_secs_f64(), "objects": objects })
    }
}

struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

struct Bench {
    host: String,
    folder: TempDir,
}

impl Bench {
    fn new() -> Self {
        let host = std::env::var("REGRASP_FRANKA").expect("REGRASP_FRANKA names a host");
        let folder = tempfile::tempdir().unwrap();
        // The simulator runs in Python on the same machine: its states come in bursts.
        let settings = "stale_secs: 0.5\nlost_controller_secs: 0.5\n";
        fs::write(folder.path().join("safety.yaml"), settings).unwrap();
        Self { host, folder }
    }

    /// Command that runs the task and stores it under a key.
    fn command(&self, runs: &str, key: &str) -> Command {
        let robot = format!("franka:{}", self.host);
        let mut command = Command::new(crate::REGRASP);
        command
            .args(["run", TASK, "--approve-motion", "--robot", &robot])
            .args(["--percepts", "percepts.jsonl", "--percepts-wait", "20"])
            .args("--safety safety.yaml --store runs.sqlite --record".split(' '))
            .args(["--run-key", key, "--runs-dir", runs])
            .current_dir(self.folder.path())
            // It would be read as a setting.
            .env_remove("REGRASP_FRANKA")
            .stdin(Stdio::null());
        command
    }

    /// Runs `work` while another process reports the objects.
    fn watched<T>(&self, work: impl FnOnce() -> T) -> T {
        let path = self.folder.path().join("percepts.jsonl");
        let mut truth = Truth::connect(&self.host);
        let is_over = AtomicBool::new(false);
        thread::scope(|scope| {
            scope.spawn(|| {
                let mut file = File::create(&path).unwrap();
                while !is_over.load(Ordering::SeqCst) {
                    writeln!(file, "{}", truth.line()).unwrap();
                    thread::sleep(Duration::from_millis(30));
                }
            });
            // Set the flag also after a panic.
            let _over = Over(&is_over);
            work()
        })
    }

    fn run_of(&self, runs: &str) -> String {
        let mut found = fs::read_dir(self.folder.path().join(runs)).unwrap();
        found.next().unwrap().unwrap().path().display().to_string()
    }
}

fn check_stacked(bench: &Bench) {
    let [x, y, z] = Truth::connect(&bench.host).red_over_green();
    let (beside, above) = (1e3 * x.hypot(y), 1e3 * z);
    println!("the red cube is {beside:.1} mm beside and {above:.1} mm above");
    let is_on = x.hypot(y) < 0.02 && (z - 0.045).abs() < 0.005;
    assert!(is_on, "{x} {y} {z}");
}

fn simulated(folder: &Path) -> Output {
    let mut objects = vec![json!({
        "id": "table", "kind": "table", "size": [0.8, 1.2], "top_z": 0.0, "xy": [0.6, 0.0],
    })];
    objects.extend(CUBES.map(|(name, edge, xy)| {
        json!({
            "id": name, "kind": "cube", "half_extents": 0.5 * edge, "mass_kg": 0.05,
            "color": name.split('_').next(), "on": "table", "xy": xy,
        })
    }));
    let arm = json!({ "position": [0.0, 0.0, 0.0] });
    let scene = json!({ "name": "theirs", "arm": arm, "objects": objects });
    fs::write(folder.join("scene.yaml"), scene.to_string()).unwrap();
    Command::new(crate::REGRASP)
        .args(["run", TASK, "--scene", "scene.yaml"])
        .args(["--runs-dir", "simulated"])
        .current_dir(folder)
        .env_remove("REGRASP_FRANKA")
        .output()
        .unwrap()
}

#[test]
#[ignore = "needs another's simulator of a Franka: scripts/franka.sh"]
fn a_killed_run_goes_on_in_a_simulator_that_somebody_else_wrote() {
    let bench = Bench::new();
    Truth::connect(&bench.host).put_all();
    let output = bench.watched(|| {
        let mut command = bench.command("killed", "stack");
        let mut child = command.stdout(Stdio::null()).spawn().unwrap();
        let begun = Instant::now();
        let killed = bench.folder.path().join("killed");
        let place = r#""skill":"place_on","args""#;
        while !started(&events_in(&killed)).any(|line| line.contains(place)) {
            assert!(begun.elapsed().as_secs() < 180, "no place begins");
            assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
            thread::sleep(Duration::from_millis(5));
        }
        thread::sleep(Duration::from_millis(700));
        child.kill().unwrap();
        child.wait().unwrap();
        let mut again = bench.command("runs", "stack");
        again.arg("--resume").output().unwrap()
    });
    let said = expect(&output, 0, &["success:      true"]);
    println!("{said}");
    check_stacked(&bench);
    let events = events_in(&bench.folder.path().join("runs"));
    assert!(!events.is_empty());
    let picked = started(&events).any(|line| line.contains(r#""skill":"pick","args""#));
    assert!(!picked, "what was done is not done again");
}

#[test]
#[ignore = "needs another's simulator of a Franka: scripts/franka.sh"]
fn a_run_there_is_compared_with_the_same_in_our_simulator() {
    let bench = Bench::new();
    Truth::connect(&bench.host).put_all();
    let there = bench.watched(|| bench.command("there", "compared").output().unwrap());
    expect(&there, 0, &["success:      true"]);
    check_stacked(&bench);
    expect(&simulated(bench.folder.path()), 0, &["success:      true"]);
    let compared = Command::new(crate::REGRASP)
        .args(["replay", &bench.run_of("simulated"), "--against"])
        .arg(bench.run_of("there"))
        .current_dir(bench.folder.path())
        .env_remove("REGRASP_FRANKA")
        .output()
        .unwrap();
    let says = ["| | transport |", "the runs agree over 2 steps"];
    let said = expect(&compared, 0, &says);
    println!("{said}");
}
