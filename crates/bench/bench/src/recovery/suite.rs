//! Runs the recovery suite: for each class of faults, the agent should recover or report the
//! correct reason.

use std::collections::BTreeMap;
use std::error::Error;
use std::sync::{Arc, Mutex};

use regrasp_api::{CancelToken, EventSink};
use regrasp_faults::Fault;
use regrasp_ground_truth::Episode;
use regrasp_scene::{RobotFile, SceneError, TaskInstance, find_task};
use serde_json::json;

use super::{Class, Draw, RecoveryRecord, RecoveryReport, Story, SuiteInfo, judge_recovery};
use crate::{BenchError, Group, Key, Record, Seeds, run_pool};

/// Runs episodes of the suite with one robot, planner and set of skills.
pub trait RunRecovery: Sync {
    /// A planner with the agent's settings.
    type Strategy: Copy + Sync;
    /// Error of an episode that cannot be run.
    type Error: Error + Send + 'static;

    /// Robot of the episodes.
    fn robot(&self) -> &RobotFile;

    /// Name of a strategy in reports.
    fn name(&self, strategy: Self::Strategy) -> String;

    /// Returns the setup for the head of the report.
    fn info(&self, version: &str) -> SuiteInfo;

    /// Number of consecutive failed steps after which the agent asks a person.
    fn human_after(&self) -> usize;

    /// Runs an episode.
    ///
    /// # Errors
    ///
    /// The reason why the episode cannot be run at all.
    fn episode(
        &self,
        strategy: Self::Strategy,
        episode: RecoveryEpisode<'_>,
    ) -> Result<Episode, Self::Error>;
}

/// An episode to be run.
pub struct RecoveryEpisode<'a> {
    /// Instance of the task.
    pub instance: &'a TaskInstance,
    /// Seed of all random values.
    pub seed: u64,
    /// Injected faults.
    pub faults: Vec<Fault>,
    /// Set if the episode is saved in a store.
    pub keeps: bool,
    /// Receives the events of the episode.
    pub sink: Box<dyn EventSink>,
}

/// Reason why an episode of the suite could not be run.
#[derive(Debug, thiserror::Error)]
pub enum SuiteError<E: Error + 'static> {
    /// The task cannot be loaded or drawn.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// The episode cannot be run.
    #[error(transparent)]
    Episode(E),
    /// The recorded events are lost because a thread panicked.
    #[error("run the suite: the events of an episode are lost because its thread panicked")]
    Story,
    /// The record cannot be stored.
    #[error(transparent)]
    Bench(#[from] BenchError),
}

/// The recovery suite: every class of faults with every strategy and seed.
pub struct RecoverySuite<'a, R: RunRecovery> {
    /// Runs the episodes.
    pub runner: R,
    /// Classes of faults.
    pub classes: &'a [Class],
    /// Strategies to compare.
    pub strategies: &'a [R::Strategy],
    /// Seeds of each class.
    pub seeds: Seeds,
    /// Number of episodes run at the same time; the results do not depend on it.
    pub jobs: usize,
}

impl<R: RunRecovery> RecoverySuite<'_, R> {
    /// Runs every episode and aggregates the records.
    ///
    /// # Errors
    ///
    /// [`SuiteError`] for the first episode that could not be run at all.
    pub fn run(&self, version: &str) -> Result<RecoveryReport, SuiteError<R::Error>> {
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
        let described = |(class, strategy): &(&Class, R::Strategy)| {
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
        each: &mut dyn FnMut(RecoveryRecord) -> Result<(), SuiteError<R::Error>>,
    ) -> Result<(), SuiteError<R::Error>> {
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
        let strategies = self.strategies.iter().map(|s| self.runner.name(*s));
        let strategies: Vec<_> = strategies.collect();
        let classes: Vec<_> = self.classes.iter().map(|c| c.info.clone()).collect();
        // Records arrive in any order, but the report must not depend on it.
        records.sort_by_key(Record::key);
        let n_seeds = self.seeds.as_slice().len() as u64;
        let info = self.runner.info(version);
        RecoveryReport::new(info, n_seeds, &strategies, &classes, &records)
    }

    fn group(&self, class: &Class, strategy: R::Strategy) -> String {
        RecoveryRecord::group(&class.info.name, &self.runner.name(strategy))
    }

    fn groups(&self) -> Vec<(&Class, R::Strategy)> {
        let strategies = self.strategies;
        let of = |class| strategies.iter().map(move |strategy| (class, *strategy));
        self.classes.iter().flat_map(of).collect()
    }

    fn episode(
        &self,
        class: &Class,
        strategy: R::Strategy,
        seed: u64,
    ) -> Result<RecoveryRecord, SuiteError<R::Error>> {
        let (task, object) = class.task(seed);
        let instance = find_task(task, self.runner.robot())?.instantiate(seed)?;
        let story = Arc::new(Mutex::new(Story::default()));
        let episode = RecoveryEpisode {
            instance: &instance,
            seed,
            faults: class.faults(&mut Draw::new(&class.info.name, seed, object)),
            keeps: class.keeps,
            sink: Box::new(Arc::clone(&story)),
        };
        let outcome = self.runner.episode(strategy, episode);
        let outcome = outcome.map_err(SuiteError::Episode)?;
        let story = story.lock().map_err(|_| SuiteError::Story)?.clone();
        let (name, human) = (self.runner.name(strategy), self.runner.human_after());
        let record = judge_recovery(&class.info, &name, &instance, &outcome, &story, human);
        Ok(record)
    }
}
