//! What a suite found, as data.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::{BenchError, Verdict, median, p95, wilson95};

/// What was measured, for the report's head.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SuiteInfo {
    /// Version of the program.
    pub version: String,
    /// The planner.
    pub planner: String,
    /// How often it may plan again.
    pub max_replans: usize,
}

/// One episode as the judge saw it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EpisodeRecord {
    /// The task.
    pub task: String,
    /// The seed.
    pub seed: u64,
    /// The judge's word.
    pub verdict: Verdict,
    /// Why it failed, as a slug; `plan_complete` on success.
    pub reason: String,
    /// The same in a sentence.
    pub detail: String,
    /// Pairs that touched though no grasp needs it (see
    /// [`stray_contacts`](regrasp_scene::stray_contacts)).
    pub stray_contacts: usize,
    /// Real seconds it took, building the world included.
    pub wall_s: f64,
}

/// An episode that did not succeed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FailureRecord {
    /// The seed to repeat it with.
    pub seed: u64,
    /// Why, as a slug; `false_success` if the agent claimed to have done it.
    pub reason: String,
    /// The same in a sentence.
    pub detail: String,
}

/// One task over all seeds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TaskReport {
    /// The task.
    pub task: String,
    /// Episodes run, those with trouble of the machinery included.
    pub episodes: usize,
    /// Episodes that the judge counts as done.
    pub successes: usize,
    /// Episodes that the agent claims to have done and the judge denies.
    pub false_successes: usize,
    /// Episodes that the machinery spoilt.
    pub infrastructure: usize,
    /// Contacts of the robot with its surroundings that no grasp needs, in all
    /// episodes.
    pub stray_contacts: usize,
    /// Median real time of an episode, s.
    pub median_wall_s: Option<f64>,
    /// 95th percentile of the same, s.
    pub p95_wall_s: Option<f64>,
    /// 95 % interval of the success rate among `episodes - infrastructure`.
    pub wilson95: [f64; 2],
    /// The robot's failures, in the order of seeds.
    pub failures: Vec<FailureRecord>,
    /// The machinery's failures, in the order of seeds.
    pub infrastructure_failures: Vec<FailureRecord>,
}

/// What a suite found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BenchReport {
    /// What was measured.
    #[serde(flatten)]
    pub info: SuiteInfo,
    /// One entry per task.
    pub tasks: Vec<TaskReport>,
}

impl TaskReport {
    /// Sums up the episodes of one task.
    pub fn new(task: &str, episodes: &[EpisodeRecord]) -> Self {
        let count =
            |is: &dyn Fn(&Verdict) -> bool| episodes.iter().filter(|e| is(&e.verdict)).count();
        let failures = |is: &dyn Fn(&Verdict) -> bool| {
            let failed = episodes.iter().filter(|e| is(&e.verdict));
            failed.map(FailureRecord::of).collect()
        };
        let is_infrastructure = |v: &Verdict| matches!(v, Verdict::Infrastructure);
        let walls: Vec<f64> = episodes
            .iter()
            .filter(|e| !is_infrastructure(&e.verdict))
            .map(|e| e.wall_s)
            .collect();
        let successes = count(&|v| matches!(v, Verdict::Success));
        let infrastructure = count(&is_infrastructure);
        Self {
            task: task.to_owned(),
            episodes: episodes.len(),
            successes,
            false_successes: count(&|v| {
                matches!(
                    v,
                    Verdict::Failure {
                        false_success: true,
                        ..
                    }
                )
            }),
            infrastructure,
            stray_contacts: episodes.iter().map(|e| e.stray_contacts).sum(),
            median_wall_s: median(&walls),
            p95_wall_s: p95(&walls),
            wilson95: wilson95(successes, episodes.len() - infrastructure),
            failures: failures(&|v| matches!(v, Verdict::Failure { .. })),
            infrastructure_failures: failures(&is_infrastructure),
        }
    }

    /// Episodes that say something about the robot.
    pub fn judged(&self) -> usize {
        self.episodes - self.infrastructure
    }

    /// The success rate; `None` if nothing could be judged.
    pub fn success_rate(&self) -> Option<f64> {
        let judged = self.judged();
        (judged > 0).then(|| self.successes as f64 / judged as f64)
    }
}

impl FailureRecord {
    fn of(episode: &EpisodeRecord) -> Self {
        Self {
            seed: episode.seed,
            reason: episode.reason.clone(),
            detail: episode.detail.clone(),
        }
    }
}

impl BenchReport {
    /// Whether every task reaches a success rate; a task of which nothing could be
    /// judged does not.
    pub fn reaches(&self, threshold: f64) -> bool {
        let rates = self.tasks.iter().map(TaskReport::success_rate);
        rates
            .into_iter()
            .all(|rate| rate.is_some_and(|r| r >= threshold))
    }

    /// The report as indented JSON.
    ///
    /// # Errors
    ///
    /// [`BenchError::Encode`] if a figure cannot be written.
    pub fn to_json(&self) -> Result<String, BenchError> {
        Ok(serde_json::to_string_pretty(self)?)
    }

    /// Writes the JSON to a file.
    ///
    /// # Errors
    ///
    /// [`BenchError`] with the path.
    pub fn write(&self, path: &Path) -> Result<(), BenchError> {
        let text = self.to_json()? + "\n";
        std::fs::write(path, text).map_err(|source| BenchError::Write {
            path: path.display().to_string(),
            source,
        })
    }
}
