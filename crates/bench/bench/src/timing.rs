//! Times of a run, which depend on the machine.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sysinfo::{CpuRefreshKind, RefreshKind, System};

/// Properties of the machine that affect times. Read with `sysinfo`, which is maintained and
/// supports more systems than reading `/proc`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// Processors available to this process.
    pub cores: usize,
    /// Model of the processor.
    pub cpu: String,
    /// Name and version of the operating system.
    pub os: String,
    /// Architecture of the processor, such as `x86_64`.
    pub arch: String,
    /// Set if the program was built with optimizations.
    pub optimised: bool,
}

impl Machine {
    /// Describes the machine on which this process runs.
    pub fn this() -> Self {
        let cpus = RefreshKind::nothing().with_cpu(CpuRefreshKind::nothing());
        // Unreadable properties must not prevent a report.
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
    /// Number of times the phase was entered.
    pub n: u64,
    /// Total real time, s.
    pub wall_s: f64,
    /// Real time per episode, s.
    pub mean_s: f64,
}

/// One of the slowest episodes of a task.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SlowEpisode {
    /// Seed of the episode.
    pub seed: u64,
    /// Real duration, s.
    pub wall_s: f64,
}

/// Real times of the judged episodes of one task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TaskTiming {
    /// Name of the task.
    pub task: String,
    /// Real time of preparing the task since the run was last resumed, s; not included in the times
    /// of its episodes. `None` if it was not prepared.
    pub preparation_s: Option<f64>,
    /// Median real time of an episode, s.
    pub median_wall_s: Option<f64>,
    /// 95th percentile of the real time of an episode, s.
    pub p95_wall_s: Option<f64>,
    /// Real time of each phase.
    pub phases: BTreeMap<String, PhaseWall>,
    /// Slowest episodes, slowest first.
    pub slowest: Vec<SlowEpisode>,
}

/// Times of a run: `timing.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Timing {
    /// Machine on which the times were measured.
    pub machine: Machine,
    /// Episodes run at the same time; `None` for merged shards.
    pub jobs: Option<usize>,
    /// Number of episodes run since the run was last resumed.
    pub session_episodes: usize,
    /// Real time of the episodes in `session_episodes`, including the preparation of tasks, s.
    pub session_s: f64,
    /// Real time before the first episode (finding tasks, reading existing records), s.
    #[serde(default)]
    pub startup_s: f64,
    /// Total real time of preparing tasks, s; tasks prepared in parallel count in full.
    #[serde(default)]
    pub preparation_s: f64,
    /// Times of each task.
    pub tasks: Vec<TaskTiming>,
}

impl Timing {
    /// Episodes per second since the run was last resumed; `None` if there were none.
    pub fn episodes_per_s(&self) -> Option<f64> {
        (self.session_episodes > 0).then(|| self.session_episodes as f64 / self.session_s)
    }
}
