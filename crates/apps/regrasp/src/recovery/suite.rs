//! The recovery suite: for each class of faults, the agent should recover or report the correct
//! reason.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use regrasp_agent::AgentOptions;
use regrasp_api::CancelToken;
use regrasp_bench::recovery::{
    Class, Draw, RecoveryRecord, RecoveryReport, Story, SuiteInfo, judge_recovery,
};
use regrasp_bench::{BenchError, Group, Key, Record, Seeds, run_pool};
use regrasp_faults::{Fault, MemoryStore, PlannerTrouble};
use regrasp_robot::SkillSet;
use regrasp_scene::{SceneError, find_task};
use serde_json::json;

use super::strategy::{Measured, Strategy};
use crate::{EpisodeError, EpisodeOptions, KeepRun, LoadedRobot};

/// Planning timeout of episodes with a fault that delays the planner beyond any timeout, s of real
/// time. Built-in planners answer within a millisecond, so a longer timeout would only cost time.
/// Other episodes keep the agent's own limit, so that a busy machine changes nothing.
const MAX_PLANNING_SECS: f64 = 0.2;
/// Pause after an external failure, s: injected failures need no time to recover from.
const MIN_INTERVAL_SECS: f64 = 0.001;

/// Reason why an episode of the suite could not be run.
#[derive(Debug, thiserror::Error)]
pub enum SuiteError {
    /// The task cannot be loaded or drawn.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// The episode cannot be run.
    #[error(transparent)]
    Episode(#[from] EpisodeError),
    /// The recorded events are lost because a thread panicked.
    #[error("run the suite: the events of an episode are lost because its thread panicked")]
    Story,
    /// The record cannot be stored.
    #[error(transparent)]
    Bench(#[from] BenchError),
}

/// The recovery suite: every class of faults with every strategy and seed.
pub struct RecoverySuite<'a> {
    /// The robot.
    pub loaded: &'a LoadedRobot,
    /// Planner under test.
    pub measured: &'a Measured<'a>,
    /// Makes the skills that planners can call.
    pub skills: &'a (dyn Fn() -> SkillSet + Sync),
    /// Options of the agent, before a strategy changes them.
    pub agent: AgentOptions,
    /// Classes of faults.
    pub classes: &'a [Class],
    /// Strategies to compare.
    pub strategies: &'a [Strategy],
    /// Seeds of each class.
    pub seeds: Seeds,
    /// Number of episodes run at the same time; the results do not depend on it.
    pub jobs: usize,
}

impl RecoverySuite<'_> {
    /// Runs every episode and aggregates the records.
    ///
    /// # Errors
    ///
    /// [`SuiteError`] for the first episode that could not be run at all.
    pub fn run(&self, version: &str) -> Result<RecoveryReport, SuiteError> {
        let mut records = vec![];
        let mut each = |record| {
            records.push(record);
            Ok(())
        };
        let groups = self.described().into_iter().map(|group| group.name);
        let keys: Vec<Key> = Key::all(groups, &self.seeds).collect();
        self.run_keys(&keys, &CancelToken::new(), &mut each)?;
        Ok(self.report(version, records))
    }

    /// Groups of the suite, for the configuration of a run.
    pub fn described(&self) -> Vec<Group> {
        let described = |(class, strategy): &(&Class, Strategy)| {
            let whole = json!([class.info, class.tasks, class.keeps]);
            Group::described(&self.group(class, *strategy), &whole)
        };
        self.groups().iter().map(described).collect()
    }

    /// Runs some of the episodes and hands each record to `each` as it ends, in any order. No
    /// episode begins after `stop` is cancelled.
    ///
    /// # Errors
    ///
    /// [`SuiteError`] for the first episode that could not be run at all, or the first error of
    /// `each`.
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

    /// Aggregates the records.
    pub fn report(&self, version: &str, mut records: Vec<RecoveryRecord>) -> RecoveryReport {
        let strategies = self.strategies.iter().map(|s| s.name(self.measured));
        let strategies: Vec<_> = strategies.collect();
        let classes: Vec<_> = self.classes.iter().map(|c| c.info.clone()).collect();
        // Records arrive in any order, but the report must not depend on it.
        records.sort_by_key(Record::key);
        let n_seeds = self.seeds.as_slice().len() as u64;
        let info = SuiteInfo {
            version: version.to_owned(),
            planner: self.measured.name.clone(),
            max_replans: self.agent.budgets.max_replans,
        };
        RecoveryReport::new(info, n_seeds, &strategies, &classes, &records)
    }

    fn group(&self, class: &Class, strategy: Strategy) -> String {
        RecoveryRecord::group(&class.info.name, &strategy.name(self.measured))
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
        let instance = find_task(task, self.loaded.file())?.instantiate(seed)?;
        let story = Arc::new(Mutex::new(Story::default()));
        let faults = class.faults(&mut Draw::new(&class.info.name, seed, object));
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
            sink: Box::new(Arc::clone(&story)),
            keep: class.keeps.then(|| KeepRun {
                store: Box::new(MemoryStore::default()),
                key: "run".into(),
                resume: false,
            }),
            faults,
            ..EpisodeOptions::default()
        };
        let (scene, prompt) = (&instance.scene, &instance.prompt);
        let outcome = self.loaded.episode(scene, prompt, options)?;
        let story = story.lock().map_err(|_| SuiteError::Story)?.clone();
        let (name, human) = (strategy.name(self.measured), self.agent.budgets.human_after);
        let record = judge_recovery(&class.info, &name, &instance, &outcome, &story, human);
        Ok(record)
    }
}

fn comes_too_late(fault: &Fault) -> bool {
    matches!(
        fault,
        Fault::Planner {
            trouble: PlannerTrouble::TooLate,
            ..
        }
    )
}
