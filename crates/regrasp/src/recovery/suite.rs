//! Running the suite.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use regrasp_agent::AgentOptions;
use regrasp_api::{EventSink, Fault, PlannerTrouble};
use regrasp_bench::recovery::{RecoveryRecord, RecoveryReport, Story, judge_recovery};
use regrasp_bench::{EpisodeOutcome, SuiteInfo};
use regrasp_scene::{SceneError, Task, find_task};

use super::{Class, Draw, Strategy};
use crate::faults::MemoryStore;
use crate::{EpisodeError, EpisodeOptions, KeepRun, Kit};

/// Real time that an answer of the planner may take where it comes too late on purpose, s:
/// ours answer within a millisecond, and one that never comes should not take minutes to
/// miss. Elsewhere the agent's own limit holds, so that a busy machine changes nothing.
const MAX_PLANNING_SECS: f64 = 0.2;
/// Pause after trouble outside, s: there is nobody who needs it here.
const MIN_INTERVAL_SECS: f64 = 0.001;

/// An episode that could not be run.
#[derive(Debug, thiserror::Error)]
pub enum SuiteError {
    /// Its task cannot be loaded or drawn.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// It cannot be run.
    #[error(transparent)]
    Episode(#[from] EpisodeError),
    /// A worker is gone.
    #[error("run the suite: a worker ended early")]
    Worker,
}

/// Classes, strategies and seeds.
pub struct RecoverySuite<'a> {
    /// The robot.
    pub kit: &'a Kit,
    /// What goes wrong.
    pub classes: &'a [Class],
    /// Who is in charge.
    pub strategies: &'a [Strategy],
    /// Seeds of each class.
    pub seeds: Range<u64>,
    /// Options of the agent, before strategies change them.
    pub agent: AgentOptions,
    /// Episodes that run at the same time; the results do not depend on it.
    pub jobs: usize,
}

/// One episode to run.
struct Job<'a> {
    class: &'a Class,
    strategy: Strategy,
    seed: u64,
}

impl RecoverySuite<'_> {
    /// Runs every episode and sums up. `progress` hears of each as it ends, in any order.
    ///
    /// # Errors
    ///
    /// [`SuiteError`] for the first episode that could not be run at all.
    pub fn run(
        &self,
        version: &str,
        progress: &(dyn Fn(&RecoveryRecord) + Sync),
    ) -> Result<RecoveryReport, SuiteError> {
        let jobs = self.all_jobs();
        let records = self.run_jobs(&jobs, progress)?;
        let strategies: Vec<_> = self.strategies.iter().map(ToString::to_string).collect();
        let classes: Vec<_> = self.classes.iter().map(Class::info).collect();
        let info = SuiteInfo {
            version: version.to_owned(),
            planner: strategies.first().cloned().unwrap_or_default(),
            max_replans: self.agent.budgets.max_replans,
        };
        let n_seeds = self.seeds.end.saturating_sub(self.seeds.start);
        Ok(RecoveryReport::new(
            info,
            n_seeds,
            &strategies,
            &classes,
            &records,
        ))
    }

    fn all_jobs(&self) -> Vec<Job<'_>> {
        let mut jobs = vec![];
        for class in self.classes {
            for &strategy in self.strategies {
                let with = |seed| Job {
                    class,
                    strategy,
                    seed,
                };
                jobs.extend(self.seeds.clone().map(with));
            }
        }
        jobs
    }

    /// Records in the order of the jobs, whoever ran them when.
    fn run_jobs(
        &self,
        jobs: &[Job<'_>],
        progress: &(dyn Fn(&RecoveryRecord) + Sync),
    ) -> Result<Vec<RecoveryRecord>, SuiteError> {
        let next = AtomicUsize::new(0);
        let work = || {
            let mut done = vec![];
            loop {
                let idx = next.fetch_add(1, Ordering::Relaxed);
                let Some(job) = jobs.get(idx) else {
                    return Ok::<_, SuiteError>(done);
                };
                let record = self.episode(job)?;
                progress(&record);
                done.push((idx, record));
            }
        };
        let outcomes: Vec<_> = thread::scope(|scope| {
            let workers: Vec<_> = (0..self.jobs.max(1)).map(|_| scope.spawn(work)).collect();
            workers
                .into_iter()
                .map(thread::ScopedJoinHandle::join)
                .collect()
        });
        let mut records = vec![];
        for outcome in outcomes {
            records.extend(outcome.map_err(|_| SuiteError::Worker)??);
        }
        records.sort_by_key(|(idx, _)| *idx);
        Ok(records.into_iter().map(|(_, record)| record).collect())
    }

    fn episode(&self, job: &Job<'_>) -> Result<RecoveryRecord, SuiteError> {
        let Job {
            class,
            strategy,
            seed,
        } = job;
        let (task, object) = class.task(*seed);
        let task: Task = find_task(task, self.kit.file())?;
        let instance = task.instantiate(*seed)?;
        let faults = (class.faults)(&mut Draw::new(class.name, *seed, object));
        let story = Arc::new(Mutex::new(Story::default()));
        let mut agent = strategy.options(self.agent.clone());
        if faults.iter().any(comes_too_late) {
            agent.budgets.max_planning_secs = MAX_PLANNING_SECS;
        }
        agent.budgets.min_interval_secs = MIN_INTERVAL_SECS;
        let options = EpisodeOptions {
            planner: strategy.planner(),
            agent,
            seed: *seed,
            sink: Box::new(Arc::clone(&story)) as Box<dyn EventSink>,
            keep: class.keeps.then(|| KeepRun {
                store: Box::new(MemoryStore::default()),
                key: "run".into(),
                resume: false,
            }),
            faults,
            ..EpisodeOptions::default()
        };
        let episode = self
            .kit
            .episode(&instance.scene, &instance.prompt, options)?;
        let story = story.lock().map_err(|_| SuiteError::Worker)?.clone();
        let outcome = EpisodeOutcome::from(&episode);
        Ok(judge_recovery(
            &class.info(),
            &strategy.to_string(),
            &instance,
            &outcome,
            &story,
            self.agent.budgets.human_after,
        ))
    }
}

fn comes_too_late(fault: &Fault) -> bool {
    let trouble = match fault {
        Fault::Planner { trouble, .. } => *trouble,
        _ => return false,
    };
    trouble == PlannerTrouble::TooLate
}
