//! Running the suite: each class of faults, whether the agent recovers or says rightly why it cannot.

use std::collections::BTreeMap;
use std::error::Error;
use std::sync::{Arc, Mutex};

use regrasp_api::{CancelToken, EventSink};
use regrasp_faults::Fault;
use regrasp_scene::{RobotFile, SceneError, TaskInstance, find_task};
use serde_json::json;

use super::{Class, Draw, RecoveryRecord, RecoveryReport, Story, SuiteInfo, judge_recovery};
use crate::{BenchError, EpisodeOutcome, Group, Key, Record, Seeds, run_pool};

/// Runs episodes of the suite with one robot, planner and set of skills.
pub trait RunRecovery: Sync {
    /// A planner, and how the agent may use it.
    type Strategy: Copy + Sync;
    /// An episode that cannot be run.
    type Error: Error + Send + 'static;

    /// The robot.
    fn robot(&self) -> &RobotFile;

    /// The name of a strategy in reports.
    fn name(&self, strategy: Self::Strategy) -> String;

    /// The head of the report.
    fn info(&self, version: &str) -> SuiteInfo;

    /// Failed steps in a row after which the agent asks a person.
    fn human_after(&self) -> usize;

    /// Runs an episode.
    ///
    /// # Errors
    ///
    /// If it cannot be run at all.
    fn episode(
        &self,
        strategy: Self::Strategy,
        episode: RecoveryEpisode<'_>,
    ) -> Result<EpisodeOutcome, Self::Error>;
}

/// An episode that the suite wants to be run.
pub struct RecoveryEpisode<'a> {
    /// The task.
    pub instance: &'a TaskInstance,
    /// Seed of everything random.
    pub seed: u64,
    /// Faults of the episode.
    pub faults: Vec<Fault>,
    /// Set if the run is kept in a store.
    pub keeps: bool,
    /// Listens to the episode.
    pub sink: Box<dyn EventSink>,
}

/// An episode of the suite that could not be run.
#[derive(Debug, thiserror::Error)]
pub enum SuiteError<E: Error + 'static> {
    /// Its task cannot be loaded or drawn.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// It cannot be run.
    #[error(transparent)]
    Episode(E),
    /// What happened in it was not heard.
    #[error("run the suite: an episode's story is lost")]
    Story,
    /// It cannot be kept.
    #[error(transparent)]
    Bench(#[from] BenchError),
}

/// Classes, strategies and seeds.
pub struct RecoverySuite<'a, R: RunRecovery> {
    /// The one that runs the episodes.
    pub runner: R,
    /// What goes wrong.
    pub classes: &'a [Class],
    /// Who is in charge.
    pub strategies: &'a [R::Strategy],
    /// Seeds of each class.
    pub seeds: Seeds,
    /// Episodes that run at the same time; the results do not depend on it.
    pub jobs: usize,
}

impl<R: RunRecovery> RecoverySuite<'_, R> {
    /// Runs every episode and sums up. `progress` hears of each as it ends, in any order.
    ///
    /// # Errors
    ///
    /// [`SuiteError`] for the first episode that could not be run at all.
    pub fn run(
        &self,
        version: &str,
        progress: &mut dyn FnMut(&RecoveryRecord),
    ) -> Result<RecoveryReport, SuiteError<R::Error>> {
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
        let groups = groups.iter();
        let groups = groups.map(|(class, strategy)| self.group(class, *strategy));
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
        let described = |(class, strategy): &(&Class, R::Strategy)| {
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

    /// Sums up.
    pub fn report(&self, version: &str, mut records: Vec<RecoveryRecord>) -> RecoveryReport {
        let strategies = self.strategies.iter().map(|s| self.runner.name(*s));
        let strategies: Vec<_> = strategies.collect();
        let classes: Vec<_> = self.classes.iter().map(Class::info).collect();
        // Whoever ran them when.
        records.sort_by_key(Record::key);
        let n_seeds = self.seeds.as_slice().len() as u64;
        RecoveryReport::new(
            self.runner.info(version),
            n_seeds,
            &strategies,
            &classes,
            &records,
        )
    }

    fn group(&self, class: &Class, strategy: R::Strategy) -> String {
        RecoveryRecord::group(&class.name, &self.runner.name(strategy))
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
            faults: class.faults(&mut Draw::new(&class.name, seed, object)),
            keeps: class.keeps,
            sink: Box::new(Arc::clone(&story)),
        };
        let outcome = self.runner.episode(strategy, episode);
        let outcome = outcome.map_err(SuiteError::Episode)?;
        let story = story.lock().map_err(|_| SuiteError::Story)?.clone();
        Ok(judge_recovery(
            &class.info(),
            &self.runner.name(strategy),
            &instance,
            &outcome,
            &story,
            self.runner.human_after(),
        ))
    }
}
