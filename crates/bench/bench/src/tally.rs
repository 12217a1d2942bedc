//! Incremental aggregation of episodes.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::config::digest;
use crate::statistics::{median, p95};
use crate::summary::{Counts, FailureRecord, SimTime, Summary, TaskSummary};
use crate::timing::{PhaseWall, SlowEpisode, TaskTiming};
use crate::{BenchConfig, EpisodeRecord, PhaseTime, Verdict};

const N_SLOWEST: usize = 5;

/// Aggregates episodes in any order; keeps a few numbers of each, and the texts of failed ones.
#[derive(Clone, Debug)]
pub struct Tally {
    config: BenchConfig,
    expected: usize,
    tasks: Vec<TaskTally>,
    by_name: BTreeMap<String, usize>,
    pooled: Counts,
}

#[derive(Clone, Debug, Default)]
struct TaskTally {
    counts: Counts,
    sims_s: Vec<f64>,
    walls_s: Vec<f64>,
    digests: Vec<(u64, String)>,
    phases: BTreeMap<String, PhaseTime>,
    failures: Vec<FailureRecord>,
    unclaimed: Vec<FailureRecord>,
    spoilt: Vec<FailureRecord>,
    slowest: Vec<SlowEpisode>,
}

impl Tally {
    /// Creates an empty tally.
    pub fn new(config: &BenchConfig) -> Self {
        let names = config.groups.iter().map(|group| group.name.clone());
        Self {
            config: config.for_summary(),
            expected: config.keys().len(),
            tasks: vec![TaskTally::default(); config.groups.len()],
            by_name: names.zip(0..).collect(),
            pooled: Counts::default(),
        }
    }

    /// Adds an episode; ignores episodes of other runs.
    pub fn add(&mut self, record: &EpisodeRecord) {
        let idx = self.by_name.get(&record.task);
        if let Some(task) = idx.and_then(|&idx| self.tasks.get_mut(idx)) {
            self.pooled.add(record);
            task.add(record);
        }
    }

    /// Results that do not depend on the machine.
    pub fn summary(&self) -> Summary {
        let groups = self.config.groups.iter();
        let tasks = groups.zip(&self.tasks).map(|(g, t)| t.summary(&g.name));
        Summary {
            config: self.config.clone(),
            missing: self.expected - self.pooled.episodes,
            tasks: tasks.collect(),
            pooled: self.pooled.clone().with_interval(),
        }
    }

    /// Times of each task; `prepared` is the time that preparing took, by task name.
    pub fn timings(&self, prepared: &BTreeMap<String, Duration>) -> Vec<TaskTiming> {
        let groups = self.config.groups.iter();
        let tasks = groups.zip(&self.tasks).map(|(group, task)| TaskTiming {
            preparation_s: prepared.get(&group.name).map(Duration::as_secs_f64),
            ..task.timing(&group.name)
        });
        tasks.collect()
    }
}

impl TaskTally {
    fn add(&mut self, record: &EpisodeRecord) {
        self.counts.add(record);
        let entry = |reason: &str, detail: &str| FailureRecord {
            seed: record.seed,
            reason: reason.to_owned(),
            detail: detail.to_owned(),
            phase: record.phase.clone(),
        };
        if let Some(why) = &record.unclaimed {
            self.unclaimed.push(entry("unclaimed", why));
        }
        match record.verdict {
            Verdict::Success => {}
            Verdict::Failure { .. } => self.failures.push(entry(&record.reason, &record.detail)),
            Verdict::Infrastructure => {
                self.spoilt.push(entry(&record.reason, &record.detail));
                return;
            }
        }
        self.sims_s.push(record.sim_s);
        self.walls_s.push(record.wall_s);
        let digest = record.state_digest.clone().unwrap_or_default();
        self.digests.push((record.seed, digest));
        for (name, time) in &record.phases {
            self.phases.entry(name.clone()).or_default().add(time);
        }
        self.slowest.push(SlowEpisode {
            seed: record.seed,
            wall_s: record.wall_s,
        });
        self.slowest.sort_by(|a, b| b.wall_s.total_cmp(&a.wall_s));
        self.slowest.truncate(N_SLOWEST);
    }

    fn summary(&self, task: &str) -> TaskSummary {
        let mut digests = self.digests.clone();
        digests.sort_unstable();
        let mut states = String::new();
        for (seed, state) in digests {
            states += &format!("{seed} {state}\n");
        }
        let sim = |time: &PhaseTime| SimTime {
            n: time.n,
            sim_s: seconds(time.sim_us),
        };
        let phases = self.phases.iter();
        let phases = phases.map(|(name, time)| (name.clone(), sim(time)));
        TaskSummary {
            task: task.to_owned(),
            counts: self.counts.clone().with_interval(),
            median_sim_s: median(&self.sims_s),
            p95_sim_s: p95(&self.sims_s),
            state_digest: digest(&states),
            reasons: counted(self.failures.iter().map(|f| Some(&f.reason))),
            failed_in: counted(self.failures.iter().map(|f| f.phase.as_ref())),
            phases: phases.collect(),
            failures: in_order(&self.failures),
            unclaimed_successes: in_order(&self.unclaimed),
            infrastructure_failures: in_order(&self.spoilt),
        }
    }

    fn timing(&self, task: &str) -> TaskTiming {
        let n_episodes = self.walls_s.len().max(1) as f64;
        let wall = |time: &PhaseTime| PhaseWall {
            n: time.n,
            wall_s: seconds(time.wall_us),
            mean_s: seconds(time.wall_us) / n_episodes,
        };
        let phases = self.phases.iter();
        let phases = phases.map(|(name, time)| (name.clone(), wall(time)));
        TaskTiming {
            task: task.to_owned(),
            preparation_s: None,
            median_wall_s: median(&self.walls_s),
            p95_wall_s: p95(&self.walls_s),
            phases: phases.collect(),
            slowest: self.slowest.clone(),
        }
    }
}

fn seconds(us: u64) -> f64 {
    us as f64 / 1e6
}

fn counted<'a>(names: impl Iterator<Item = Option<&'a String>>) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for name in names.flatten() {
        *counts.entry(name.clone()).or_default() += 1;
    }
    counts
}

fn in_order(failures: &[FailureRecord]) -> Vec<FailureRecord> {
    let mut failures = failures.to_vec();
    failures.sort_by_key(|failure| failure.seed);
    failures
}
