//! Runs a task from its text to its result.

use regrasp_api::{EpisodeResult, RunStore};

use crate::active_episode::ActiveEpisode;
use crate::agent::Agent;
use crate::kept::{self, Keep, RunError, Start};

impl Agent {
    /// Executes one task and returns how it ended. Blocks, and never panics because of an answer of
    /// a planner or a skill.
    ///
    /// Planners are polled on the agent's own Tokio runtime, so async code must call this only
    /// through `spawn_blocking`.
    pub fn run(&mut self, task: &str) -> EpisodeResult {
        // Without a store nothing can fail.
        match ActiveEpisode::begin(self, task, None).run() {
            Ok(result) => result,
            Err(error) => unreachable!("nothing is stored, yet it failed to {error}"),
        }
    }

    /// Executes a task like [`Agent::run`], and saves every round and every finished step in a
    /// store before the next begins.
    ///
    /// With `resume`, a run of another process continues after its last finished step, and a
    /// finished run returns its stored result. Robot, scene and seed must be those of its start.
    ///
    /// # Errors
    ///
    /// [`RunError`]: another process owns the key, its stored run has another task, world or
    /// format, or the store fails.
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
