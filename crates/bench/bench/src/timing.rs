//! What a run found out about the machine.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sysinfo::{CpuRefreshKind, RefreshKind, System};

/// The machine, as far as times depend on it. Read by `sysinfo`, which is maintained and
/// knows more systems than a look into `/proc` does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// Processors that this process may use.
    pub cores: usize,
    /// Their model.
    pub cpu: String,
    /// The operating system.
    pub os: String,
    /// Kind of processor, such as `x86_64`.
    pub arch: String,
    /// Whether the program was built to be fast.
    pub optimised: bool,
}

impl Machine {
    /// This one.
    pub fn this() -> Self {
        let cpus = RefreshKind::nothing().with_cpu(CpuRefreshKind::nothing());
        // What cannot be read is no reason to have no report.
        let system = System::new_with_specifics(cpus).ok();
        let cpu = system.as_ref().and_then(|system| system.cpus().first());
        let cpu = cpu.map(|cpu| cpu.brand().trim());
        let cpu = cpu.filter(|brand| !brand.is_empty());
        Self {
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            cpu: cpu.unwrap_or("unknown").to_owned(),
            os: System::long_os_version().unwrap_or_else(|_| std::env::consts::OS.to_owned()),
            arch: std::env::consts::ARCH.to_owned(),
            optimised: !cfg!(debug_assertions),
        }
    }
}

/// Real time of a phase.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PhaseWall {
    /// How often it was entered.
    pub n: u64,
    /// Real seconds, all together.
    pub wall_s: f64,
    /// Real seconds an episode.
    pub mean_s: f64,
}

/// An episode that took long.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SlowEpisode {
    /// Its seed.
    pub seed: u64,
    /// Real seconds that it took.
    pub wall_s: f64,
}

/// Real times of one task, of the episodes that could be judged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TaskTiming {
    /// The task.
    pub task: String,
    /// Real time that preparing it took since the run was last taken up, s: its files were read, its
    /// models shared out. No part of the times of its episodes. `None` if it was not prepared.
    #[serde(default)]
    pub preparation_s: Option<f64>,
    /// Median real time of an episode, s.
    pub median_wall_s: Option<f64>,
    /// 95th percentile of the same, s.
    pub p95_wall_s: Option<f64>,
    /// Where it goes.
    pub phases: BTreeMap<String, PhaseWall>,
    /// The slowest episodes, the slowest first.
    pub slowest: Vec<SlowEpisode>,
}

/// What a run found out about the machine: `timing.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Timing {
    /// The machine on which this was written.
    pub machine: Machine,
    /// Episodes at the same time; absent for shards put together.
    pub jobs: Option<usize>,
    /// Episodes since the run was last taken up.
    pub session_episodes: usize,
    /// Real seconds that they took together, with the preparation of tasks between them.
    pub session_s: f64,
    /// Real seconds before that: tasks were looked up, and those that are done already read.
    #[serde(default)]
    pub startup_s: f64,
    /// Real seconds of preparing tasks, all together; tasks of several jobs at the same time.
    #[serde(default)]
    pub preparation_s: f64,
    /// Times of each task.
    pub tasks: Vec<TaskTiming>,
}

impl Timing {
    /// Episodes a second since the run was last taken up; `None` if there was none.
    pub fn episodes_per_s(&self) -> Option<f64> {
        (self.session_episodes > 0).then(|| self.session_episodes as f64 / self.session_s)
    }
}
