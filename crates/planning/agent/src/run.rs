//! Carrying out a task, from its words to its result.

use regrasp_api::{EpisodeResult, RunStore};

use crate::active_episode::ActiveEpisode;
use crate::agent::Agent;
use crate::kept::{self, Keep, RunError, Start};

impl Agent {
    /// Carries out one task and says how it ended. Blocks; never panics because of
    /// what a planner or a skill answers.
    ///
    /// Planners are polled on a Tokio runtime of its own, so this must not be called
    /// from async code except through `spawn_blocking`.
    pub fn run(&mut self, task: &str) -> EpisodeResult {
        // Without a store there is nothing that could fail.
        match ActiveEpisode::begin(self, task, None).run() {
            Ok(result) => result,
            Err(error) => unreachable!("nothing is kept, yet it failed to {error}"),
        }
    }

    /// As [`Agent::run`], with every round and every finished step durable in a store
    /// before the next begins.
    ///
    /// With `resume`, a run that another process began goes on after its last finished
    /// step, and one that ended is answered from the store. Robot, scene and seed must be
    /// those that it began with.
    ///
    /// # Errors
    ///
    /// [`RunError`]: the key belongs to somebody else, or what is kept under it is not of
    /// this task or this world.
    pub fn run_kept(
        &mut self,
        task: &str,
        store: &mut dyn RunStore,
        key: &str,
        resume: bool,
    ) -> Result<EpisodeResult, RunError> {
        match kept::start(self, task, store, key, resume)? {
            Start::Ended(result) => Ok(result),
            Start::New => ActiveEpisode::begin(self, task, Some(Keep::new(store, key))).run(),
            Start::Old(state, not_restored) => {
                ActiveEpisode::resume(self, *state, Keep::new(store, key), not_restored).run()
            }
        }
    }
}
