//! `regrasp ros` and `run --robot ros2:FILE`, connected to each other on loopback.

#![cfg(target_os = "linux")]

use std::time::Duration;

use regrasp_testkit::rows;

use crate::Shell;
use crate::common::detector::{lines, seen_box, seen_now};
use crate::started::Started;

/// `regrasp ros` with the robot of the task `pick_cube`, killed at the end of the test.
struct Node {
    _started: Started,
    shell: Shell,
    domain: u32,
}

impl Node {
    fn start() -> Self {
        let (shell, domain) = (Shell::new(), std::process::id() % 200);
        let mut command = shell.command(&format!("ros pick_cube --domain {domain}"));
        let mut started = Started::new(&mut command);
        let line = started.line();
        assert!(line.contains(&format!("ROS domain {domain}")), "{line}");
        Self {
            _started: started,
            shell,
            domain,
        }
    }

    /// Runs a pick with an arm file, while a detector reports a table and a cube.
    fn check(&self, arm: &str, code: i32, words: &str) {
        let arm = arm.replace("DOMAIN", &self.domain.to_string());
        self.shell.write("arm.yaml", arm);
        let path = self.shell.path().join("seen.jsonl");
        let _seer = lines(&path, Duration::from_millis(50), || {
            let table = seen_box("table", [1.3, 1.2, 0.04], [1.05, 0.0, 0.02]);
            let cube = seen_box("red_cube", [0.024; 3], [0.7, 0.0, 0.052]);
            Some(seen_now(&[table, cube]))
        });
        let run = "run 'pick up the red cube' --robot ros2:arm.yaml --percepts seen.jsonl";
        self.shell.check(run, code, words);
    }
}

/// Settings of the arm, exit code, and words of the output. `stale_secs` and `answer_secs` are long
/// enough for a busy machine.
const ARMS: &str = "
node: {domain: DOMAIN}; stale_secs: 2.0; answer_secs: 20 | 10 | approval_denied; nobody approved the first motion
node: {domain: 231}; connect_secs: 0.5 | 12 | no message on /joint_states
node: {domain: DOMAIN}; joint_state: /js | 12 | joint_state
robot: nowhere.yaml | 12 | nowhere.yaml
";

#[test]
fn an_arm_behind_ros_is_found_and_does_not_move_without_approval() {
    let node = Node::start();
    for [arm, code, words] in rows(ARMS) {
        let arm = arm.replace("; ", "\n");
        node.check(&arm, code.parse().unwrap(), &words);
    }
}
