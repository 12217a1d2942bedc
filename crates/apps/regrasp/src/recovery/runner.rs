//! Runner of the suite's episodes with a robot.

use regrasp_agent::AgentOptions;
use regrasp_bench::recovery::{RecoveryEpisode, RunRecovery, SuiteInfo};
use regrasp_faults::{Fault, MemoryStore, PlannerTrouble};
use regrasp_ground_truth::Episode;
use regrasp_robot::SkillSet;
use regrasp_scene::RobotFile;

use super::strategy::{Measured, Strategy};
use crate::{EpisodeError, EpisodeOptions, KeepRun, LoadedRobot};

/// Planning timeout of episodes with a fault that delays the planner beyond any timeout, s of real
/// time. Built-in planners answer within a millisecond, so a longer timeout would only cost time.
/// Other episodes keep the agent's own limit, so that a busy machine changes nothing.
const MAX_PLANNING_SECS: f64 = 0.2;
/// Pause after an external failure, s: injected failures need no time to recover from.
const MIN_INTERVAL_SECS: f64 = 0.001;

/// Runs the suite's episodes with a robot.
pub struct RecoveryRunner<'a> {
    /// The robot.
    pub loaded: &'a LoadedRobot,
    /// Planner under test.
    pub measured: &'a Measured<'a>,
    /// Makes the skills that planners can call.
    pub skills: &'a (dyn Fn() -> SkillSet + Sync),
    /// Options of the agent, before the strategy changes them.
    pub agent: AgentOptions,
}

impl RunRecovery for RecoveryRunner<'_> {
    type Strategy = Strategy;
    type Error = EpisodeError;

    fn robot(&self) -> &RobotFile {
        self.loaded.file()
    }

    fn name(&self, strategy: Strategy) -> String {
        strategy.name(self.measured)
    }

    fn info(&self, version: &str) -> SuiteInfo {
        SuiteInfo {
            version: version.to_owned(),
            planner: self.measured.name.clone(),
            max_replans: self.agent.budgets.max_replans,
        }
    }

    fn human_after(&self) -> usize {
        self.agent.budgets.human_after
    }

    fn episode(
        &self,
        strategy: Strategy,
        episode: RecoveryEpisode<'_>,
    ) -> Result<Episode, EpisodeError> {
        let instance = episode.instance;
        let mut agent = strategy.options(self.agent.clone());
        if self.measured.is_quick && episode.faults.iter().any(comes_too_late) {
            agent.budgets.max_planning_secs = MAX_PLANNING_SECS;
        }
        agent.budgets.min_interval_secs = MIN_INTERVAL_SECS;
        let options = EpisodeOptions {
            planner: strategy.planner(self.measured),
            skills: (self.skills)(),
            agent,
            seed: episode.seed,
            watch_secs: instance.success.watch_secs(),
            sink: episode.sink,
            keep: episode.keeps.then(|| KeepRun {
                store: Box::new(MemoryStore::default()),
                key: "run".into(),
                resume: false,
            }),
            faults: episode.faults,
            ..EpisodeOptions::default()
        };
        let scene = &instance.scene;
        let episode = self.loaded.episode(scene, &instance.prompt, options)?;
        Ok(episode)
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
