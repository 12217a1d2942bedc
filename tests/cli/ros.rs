//! `regrasp ros` and `run --robot ros2:FILE`, connected to each other on loopback.

#![cfg(target_os = "linux")]

use std::fs::{self, OpenOptions};
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, Command, Output, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use regrasp_testkit::{rows, says};
use tempfile::TempDir;

use crate::{REGRASP, text};

/// The robot of `pick_cube` as a node, killed at the end of the test.
struct Node {
    child: Child,
    folder: TempDir,
    domain: u32,
}

impl Node {
    fn start() -> Self {
        let domain = std::process::id() % 200;
        let mut child = Command::new(REGRASP)
            .args(["ros", "pick_cube", "--domain", &domain.to_string()])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        stdout.read_line(&mut line).unwrap();
        assert!(line.contains(&format!("ROS domain {domain}")), "{line}");
        Self {
            child,
            folder: tempfile::tempdir().unwrap(),
            domain,
        }
    }

    /// Runs a command with an arm file, while somebody sees a table and a cube.
    fn run(&self, arm: &str) -> Output {
        let [lines, file] = ["seen.jsonl", "arm.yaml"].map(|name| self.folder.path().join(name));
        let arm = arm.replace("DOMAIN", &self.domain.to_string());
        fs::write(&file, arm).unwrap();
        let over = Arc::new(AtomicBool::new(false));
        let is_over = Arc::clone(&over);
        let seen = lines.clone();
        let seer = thread::spawn(move || {
            while !is_over.load(Ordering::Relaxed) {
                let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
                let line = format!(
                    "{{\"stamp_unix_s\": {}, \"objects\": [\
                     {{\"id\": \"table\", \"category\": \"table\", \"movable\": false, \
                     \"shape\": {{\"kind\": \"box\", \"size\": [1.3, 1.2, 0.04]}}, \
                     \"position\": [1.05, 0.0, 0.02], \"position_std_m\": 0.001}}, \
                     {{\"id\": \"red_cube\", \"category\": \"cube\", \"color\": \"red\", \
                     \"shape\": {{\"kind\": \"box\", \"size\": [0.024, 0.024, 0.024]}}, \
                     \"position\": [0.7, 0.0, 0.052], \"position_std_m\": 0.001}}]}}\n",
                    now.as_secs_f64()
                );
                let mut file = OpenOptions::new()
                    .create(true)
                    .append(true)
                    .open(&seen)
                    .unwrap();
                file.write_all(line.as_bytes()).unwrap();
                thread::sleep(Duration::from_millis(50));
            }
        });
        let output = Command::new(REGRASP)
            .args(["run", "pick up the red cube", "--robot", "ros2:arm.yaml"])
            .args(["--percepts", "seen.jsonl"])
            .current_dir(self.folder.path())
            .output()
            .unwrap();
        over.store(true, Ordering::Relaxed);
        seer.join().unwrap();
        output
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// Settings of the arm, exit code, and words of the output. The ages allow for a loaded machine.
const ARMS: &str = "
node: {domain: DOMAIN}; stale_secs: 2.0; answer_secs: 20 | 10 | approval_denied;nobody approved the first motion
node: {domain: 231}; connect_secs: 0.5 | 12 | no message on /joint_states
node: {domain: DOMAIN}; joint_state: /js | 12 | joint_state
robot: nowhere.yaml | 12 | nowhere.yaml
";

#[test]
fn an_arm_behind_ros_is_found_and_does_not_move_without_approval() {
    let node = Node::start();
    for [arm, code, words] in rows(ARMS) {
        let output = node.run(&arm.replace("; ", "\n"));
        let said = text(&output.stdout) + &text(&output.stderr);
        assert_eq!(output.status.code(), code.parse().ok(), "{arm}: {said}");
        says(&said, &words.split(';').collect::<Vec<_>>());
    }
}
