//! Runs that end early and go on in another agent, with the simulator and a real store.

#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot set itself up has failed"
)]

use std::sync::{Arc, Mutex};

use regrasp::api::{
    Checkpoint, Claim, EpisodeResult, Event, EventSink, FinalReason, RunStore, StampedEvent,
    StoreError,
};
use regrasp::perception::NoiseOptions;
use regrasp::scene::builtin_task;
use regrasp::store::SqliteStore;
use regrasp::{EpisodeError, EpisodeOptions, KeepRun, Kit};
use tempfile::TempDir;

/// A store that breaks after some saves, as if the process had died there.
struct Dies {
    inner: SqliteStore,
    saves_left: usize,
}

impl RunStore for Dies {
    fn claim(&mut self, key: &str, resume: bool) -> Result<Claim, StoreError> {
        self.inner.claim(key, resume)
    }

    fn save(&mut self, key: &str, checkpoint: &Checkpoint) -> Result<(), StoreError> {
        if self.saves_left == 0 {
            return Err(StoreError::Full {
                path: "store".into(),
            });
        }
        self.saves_left -= 1;
        self.inner.save(key, checkpoint)
    }

    fn finish(&mut self, key: &str, result: &str) -> Result<(), StoreError> {
        self.inner.finish(key, result)
    }
}

/// Collects the steps that begin.
#[derive(Clone, Default)]
struct Begun(Arc<Mutex<Vec<usize>>>);

impl EventSink for Begun {
    fn emit(&mut self, event: &StampedEvent) {
        if let Event::StepStarted { step_idx, .. } = event.event {
            self.0.lock().unwrap().push(step_idx);
        }
    }
}

fn play(
    store: Box<dyn RunStore>,
    resume: bool,
    sink: Begun,
) -> Result<EpisodeResult, EpisodeError> {
    let task = builtin_task("unstack_to_plate")
        .unwrap()
        .instantiate(3)
        .unwrap();
    let options = EpisodeOptions {
        seed: 3,
        // Noise, so that the random state of perception matters.
        noise: NoiseOptions {
            position_std_m: 0.0005,
            ..NoiseOptions::default()
        },
        sink: Box::new(sink),
        keep: Some(KeepRun {
            store,
            key: "a run".into(),
            resume,
        }),
        ..EpisodeOptions::default()
    };
    let episode = Kit::panda()
        .unwrap()
        .episode(&task.scene, &task.prompt, options)?;
    Ok(episode.result)
}

fn timeless(result: EpisodeResult) -> EpisodeResult {
    EpisodeResult {
        wall_s: 0.0,
        ..result
    }
}

#[test]
fn a_run_that_ends_after_any_save_is_resumed_to_the_same_bits() {
    let dir = TempDir::new().unwrap();
    let open = |name: &str| SqliteStore::open(dir.path().join(name)).unwrap();
    let whole = timeless(play(Box::new(open("whole")), false, Begun::default()).unwrap());
    assert!(whole.success, "{}", whole.final_detail);
    for n_saves in [0, 1, 2, 3, 4, 6] {
        let name = n_saves.to_string();
        let dies = Dies {
            inner: open(&name),
            saves_left: n_saves,
        };
        let broken = play(Box::new(dies), false, Begun::default()).unwrap();
        assert_eq!(broken.final_reason, FinalReason::StoreUnavailable);
        let state = open(&name).state("a run").unwrap().unwrap_or_default();
        let state: serde_json::Value = serde_json::from_str(&state).unwrap_or_default();
        let n_finished = state["spent"]["steps"].as_u64().unwrap_or(0) as usize;

        let begun = Begun::default();
        let resumed = play(Box::new(open(&name)), true, begun.clone()).unwrap();
        assert_eq!(timeless(resumed), whole, "after {n_saves} saves");
        let begun = begun.0.lock().unwrap();
        assert!(
            begun.iter().all(|idx| *idx >= n_finished),
            "{n_finished} steps were finished, and these were begun later: {begun:?}"
        );
    }
}

#[test]
fn a_key_has_one_writer_and_a_finished_run_answers_at_once() {
    let dir = TempDir::new().unwrap();
    let open = || SqliteStore::open(dir.path().join("store")).unwrap();
    open().claim("a run", false).unwrap();
    let second = play(Box::new(open()), false, Begun::default());
    let text = second.unwrap_err().to_string();
    assert!(text.contains("belongs to another"), "{text}");

    let first = play(Box::new(open()), true, Begun::default()).unwrap();
    let begun = Begun::default();
    let again = play(Box::new(open()), true, begun.clone()).unwrap();
    assert_eq!(again, first, "wall time included: it is the stored result");
    assert!(begun.0.lock().unwrap().is_empty());
    let third = play(Box::new(open()), false, Begun::default());
    let text = third.unwrap_err().to_string();
    assert!(text.contains("has ended already"), "{text}");
}
