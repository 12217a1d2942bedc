//! Runs that outlive their process.

use regrasp_api::{
    Checkpoint, Claim, EpisodeResult, RunStore, Snapshot, SnapshotError, StoreError,
};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Agent;
use crate::state::State;

/// Reason why a stored run cannot begin or continue.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// Error of the store.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The run with this key has another task.
    #[error("resume the run `{key}`: its task is `{kept}`, not `{asked}`")]
    OtherTask {
        /// Key of the run.
        key: String,
        /// Task of the stored run.
        kept: String,
        /// Requested task.
        asked: String,
    },
    /// Another version stored the run in another format.
    #[error(
        "resume the run `{key}`: another version of this program stored it (format {kept}, \
         expected {FORM}); finish it with that version, or start again with another key"
    )]
    OtherForm {
        /// Key of the run.
        key: String,
        /// Version of the stored format.
        kept: u32,
    },
    /// The stored state cannot be parsed.
    #[error("resume the run `{key}`: its stored state cannot be read ({source})")]
    Unreadable {
        /// Key of the run.
        key: String,
        /// Parse error.
        source: serde_json::Error,
    },
    /// The world has no snapshots, or the stored one is of another world.
    #[error(transparent)]
    World(#[from] SnapshotError),
}

/// Version of the stored format. It changes with the types in it.
const FORM: u32 = 2;

#[derive(Serialize, Deserialize)]
struct Running<S> {
    /// Version of the stored format. The first format has no such field.
    #[serde(default = "first_form")]
    form: u32,
    #[serde(default)]
    state: S,
}

fn first_form() -> u32 {
    1
}

pub(crate) struct Keep<'a> {
    store: &'a mut dyn RunStore,
    key: String,
}

#[derive(Serialize, Deserialize)]
struct Ended {
    task: String,
    result: EpisodeResult,
}

pub(crate) enum Start {
    New,
    /// State, and a note if the world could not be restored.
    Old(Box<State>, Option<String>),
    Ended(EpisodeResult),
}

impl<'a> Keep<'a> {
    pub(crate) fn new(store: &'a mut dyn RunStore, key: &str) -> Self {
        let key = key.to_owned();
        Self { store, key }
    }

    pub(crate) fn save(&mut self, agent: &mut Agent, state: &mut State) -> Result<(), RunError> {
        state.held.clone_from(&agent.robot.held);
        state.perception = agent.robot.perception.save();
        state.planner = agent.planner.save();
        let checkpoint = Checkpoint {
            state: serde_json::to_string(&Running { form: FORM, state })
                .map_err(unreadable(&self.key))?,
            world: (agent.robot.world.rewind())
                .map(|world| world.snapshot().map(|frozen| frozen.bytes))
                .transpose()?,
        };
        Ok(self.store.save(&self.key, &checkpoint)?)
    }

    pub(crate) fn finish(&mut self, task: &str, result: &EpisodeResult) -> Result<(), RunError> {
        let ended = Ended {
            task: task.to_owned(),
            result: result.clone(),
        };
        let text = serde_json::to_string(&ended).map_err(unreadable(&self.key))?;
        Ok(self.store.finish(&self.key, &text)?)
    }
}

fn unreadable(key: &str) -> impl Fn(serde_json::Error) -> RunError {
    let key = key.to_owned();
    move |source| RunError::Unreadable {
        key: key.clone(),
        source,
    }
}

/// Claims the key and restores the robot's state.
pub(crate) fn start(
    agent: &mut Agent,
    task: &str,
    store: &mut dyn RunStore,
    key: &str,
    resume: bool,
) -> Result<Start, RunError> {
    let unreadable = unreadable(key);
    let checkpoint = match store.claim(key, resume)? {
        Claim::Fresh => return Ok(Start::New),
        Claim::Finished(ended) => {
            let ended: Ended = serde_json::from_str(&ended).map_err(&unreadable)?;
            same_task(key, &ended.task, task)?;
            return Ok(Start::Ended(ended.result));
        }
        // The process that owned the run ended before its first checkpoint.
        Claim::Adopted(checkpoint) if checkpoint.state.is_empty() => return Ok(Start::New),
        Claim::Adopted(checkpoint) => checkpoint,
    };
    let kept: Running<Value> = serde_json::from_str(&checkpoint.state).map_err(&unreadable)?;
    if kept.form != FORM {
        return Err(RunError::OtherForm {
            key: key.to_owned(),
            kept: kept.form,
        });
    }
    let mut state: State = serde_json::from_value(kept.state).map_err(unreadable)?;
    same_task(key, &state.task, task)?;
    let not_restored = match (agent.robot.world.rewind(), checkpoint.world) {
        (Some(world), Some(bytes)) => {
            world.restore(&Snapshot { bytes })?;
            None
        }
        _ => {
            // The clock of another process differs.
            state.started_sim_secs = agent.robot.time_secs() - state.sim_secs;
            let what = "the world: it cannot be restored, so it is perceived again";
            Some(what.to_owned())
        }
    };
    agent.robot.held.clone_from(&state.held);
    agent.robot.perception.restore(&state.perception);
    agent.planner.restore(&state.planner);
    Ok(Start::Old(Box::new(state), not_restored))
}

/// Rejects another task under the same key.
fn same_task(key: &str, kept: &str, asked: &str) -> Result<(), RunError> {
    if kept == asked {
        return Ok(());
    }
    Err(RunError::OtherTask {
        key: key.to_owned(),
        kept: kept.to_owned(),
        asked: asked.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_older_version_kept_is_known_by_its_form() {
        let of = |text: &str| {
            serde_json::from_str::<Running<Value>>(text)
                .expect(text)
                .form
        };
        assert_eq!(of(r#"{ "task": "pick the cube", "queue": [] }"#), 1);
        let state = Value::Null;
        let now = serde_json::to_string(&Running { form: FORM, state }).expect("plain data");
        assert_eq!(of(&now), FORM);
        let key = "monday".to_owned();
        let text = RunError::OtherForm { key, kept: 1 }.to_string();
        assert!(
            text.contains("`monday`") && text.contains("format 1, "),
            "{text}"
        );
    }
}
