//! Running the suite.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use regrasp_agent::AgentOptions;
use regrasp_api::{CancelToken, EventSink};
use regrasp_bench::recovery::{
    Class, Draw, RecoveryRecord, RecoveryReport, Story, SuiteInfo, judge_recovery,
};
use regrasp_bench::{BenchError, EpisodeOutcome, Group, Key, Record, Seeds, run_pool};
use regrasp_ground_truth::{Fault, PlannerTrouble};
use regrasp_robot::SkillSet;
use regrasp_scene::{SceneError, Task, find_task};
use serde_json::json;

use super::{Measured, Strategy};
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
    /// What happened in it was not heard.
    #[error("run the suite: an episode's story is lost")]
    Story,
    /// It cannot be kept.
    #[error(transparent)]
    Bench(#[from] BenchError),
}

/// Classes, strategies and seeds.
pub struct RecoverySuite<'a> {
    /// The robot.
    pub kit: &'a Kit,
    /// What goes wrong.
    pub classes: &'a [Class],
    /// The planner that is measured.
    pub measured: &'a Measured<'a>,
    /// Who is in charge.
    pub strategies: &'a [Strategy],
    /// What planners can call.
    pub skills: &'a (dyn Fn() -> SkillSet + Sync),
    /// Seeds of each class.
    pub seeds: Seeds,
    /// Options of the agent, before strategies change them.
    pub agent: AgentOptions,
    /// Episodes that run at the same time; the results do not depend on it.
    pub jobs: usize,
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
        progress: &mut dyn FnMut(&RecoveryRecord),
    ) -> Result<RecoveryReport, SuiteError> {
        let mut records = vec![];
        let mut each = |record| {
            progress(&record);
            records.push(record);
            Ok(())
        };
        self.run_keys(&self.keys(), &CancelToken::new(), &mut each)?;
        Ok(self.report(version, records))
    }

    /// All its episodes, in order.
    pub fn keys(&self) -> Vec<Key> {
        let groups = self.groups();
        let groups = groups
            .iter()
            .map(|(class, strategy)| self.group(class, *strategy));
        let seeds = self.seeds.as_slice();
        let key = |group: String| {
            let with = move |&seed| Key {
                group: group.clone(),
                seed,
            };
            seeds.iter().map(with)
        };
        groups.flat_map(key).collect()
    }

    /// What its groups are, for the configuration of a run.
    pub fn described(&self) -> Vec<Group> {
        let described = |(class, strategy): &(&Class, Strategy)| {
            let whole = json!([class.info(), class.tasks, class.keeps]);
            Group::described(&self.group(class, *strategy), &whole)
        };
        self.groups().iter().map(described).collect()
    }

    /// Runs some of its episodes and hands each record to `each` as it ends, in any order.
    /// None begins after `stop` is cancelled.
    ///
    /// # Errors
    ///
    /// [`SuiteError`] for the first episode that could not be run at all, and the first
    /// error of `each`.
    pub fn run_keys(
        &self,
        keys: &[Key],
        stop: &CancelToken,
        each: &mut dyn FnMut(RecoveryRecord) -> Result<(), SuiteError>,
    ) -> Result<(), SuiteError> {
        let groups = self.groups();
        let named = groups.into_iter().map(|g| (self.group(g.0, g.1), g));
        let by_name: BTreeMap<_, _> = named.collect();
        let work = |key: &Key| {
            let (class, strategy) = *by_name.get(&key.group)?;
            Some(self.episode(class, strategy, key.seed))
        };
        run_pool(keys, self.jobs, stop, &work, &mut |record| each(record?))
    }

    /// Sums up.
    pub fn report(&self, version: &str, mut records: Vec<RecoveryRecord>) -> RecoveryReport {
        let strategies = self.strategies.iter().map(|s| s.name(self.measured));
        let strategies: Vec<_> = strategies.collect();
        let classes: Vec<_> = self.classes.iter().map(Class::info).collect();
        let info = SuiteInfo {
            version: version.to_owned(),
            planner: self.measured.name.clone(),
            max_replans: self.agent.budgets.max_replans,
        };
        // Whoever ran them when.
        records.sort_by_key(Record::key);
        let n_seeds = self.seeds.as_slice().len() as u64;
        RecoveryReport::new(info, n_seeds, &strategies, &classes, &records)
    }

    fn group(&self, class: &Class, strategy: Strategy) -> String {
        RecoveryRecord::group(class.name, &strategy.name(self.measured))
    }

    fn groups(&self) -> Vec<(&Class, Strategy)> {
        let strategies = self.strategies;
        let of = |class| strategies.iter().map(move |strategy| (class, *strategy));
        self.classes.iter().flat_map(of).collect()
    }

    fn episode(
        &self,
        class: &Class,
        strategy: Strategy,
        seed: u64,
    ) -> Result<RecoveryRecord, SuiteError> {
        let (task, object) = class.task(seed);
        let task: Task = find_task(task, self.kit.file())?;
        let instance = task.instantiate(seed)?;
        let faults = (class.faults)(&mut Draw::new(class.name, seed, object));
        let story = Arc::new(Mutex::new(Story::default()));
        let mut agent = strategy.options(self.agent.clone());
        if self.measured.is_quick && faults.iter().any(comes_too_late) {
            agent.budgets.max_planning_secs = MAX_PLANNING_SECS;
        }
        agent.budgets.min_interval_secs = MIN_INTERVAL_SECS;
        let options = EpisodeOptions {
            planner: strategy.planner(self.measured),
            skills: (self.skills)(),
            agent,
            seed,
            watch_secs: instance.success.watch_secs(),
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
        let story = story.lock().map_err(|_| SuiteError::Story)?.clone();
        let outcome = EpisodeOutcome::from(&episode);
        Ok(judge_recovery(
            &class.info(),
            &strategy.name(self.measured),
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
