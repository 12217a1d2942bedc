//! Interrupted runs, resumed by another agent with the simulator and a store in a file.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::common::instance;
use regrasp::api::{
    Checkpoint, Claim, EpisodeResult, Event, FinalReason, RunStore, StampedEvent, StoreError,
};
use regrasp::faults::{Fault, StoreTrouble, troubled_store};
use regrasp::ground_truth_perception::NoiseOptions;
use regrasp::{EpisodeError, EpisodeOptions, KeepRun, LoadedRobot};
use regrasp_store::{SqliteStore, StoreOptions};
use regrasp_testkit::says;
use rusqlite::Connection;
use tempfile::TempDir;

/// Creates a store that fails after some saves, as if the process had died.
pub(crate) fn dies(store: SqliteStore, after_saves: usize) -> Box<dyn RunStore> {
    let trouble = StoreTrouble::Full;
    let mut store: Box<dyn RunStore> = Box::new(store);
    let fault = Fault::Store {
        trouble,
        after_saves,
    };
    troubled_store(&fault, Some(&mut store)).unwrap();
    store
}

/// Indices of started steps.
#[derive(Clone, Default)]
struct Begun(Arc<Mutex<Vec<usize>>>);

impl Begun {
    /// Checks that no finished step is repeated.
    #[track_caller]
    fn check_from(&self, n_finished: usize) {
        let begun = self.0.lock().unwrap();
        let is_new = begun.iter().all(|idx| *idx >= n_finished);
        assert!(is_new, "{n_finished} steps were done, {begun:?} began");
    }
}

fn play(
    store: Box<dyn RunStore>,
    resume: bool,
    begun: Begun,
) -> Result<EpisodeResult, EpisodeError> {
    let task = instance("unstack_to_plate", 3);
    let options = EpisodeOptions {
        seed: 3,
        // With noise, the state of perception's random generator must be restored, too.
        noise: NoiseOptions {
            position_std_m: 0.0005,
            ..NoiseOptions::default()
        },
        sink: Box::new(move |event: &StampedEvent| {
            if let Event::StepStarted { step_idx, .. } = event.event {
                begun.0.lock().unwrap().push(step_idx);
            }
        }),
        keep: Some(KeepRun {
            store,
            key: "a run".into(),
            resume,
        }),
        ..EpisodeOptions::default()
    };
    let loaded = LoadedRobot::panda().unwrap();
    let episode = loaded.episode(&task.scene, &task.prompt, options)?;
    Ok(episode.result)
}

fn n_finished(store: &SqliteStore) -> usize {
    let state = store.state("a run").unwrap().unwrap_or_default();
    let state: serde_json::Value = serde_json::from_str(&state).unwrap_or_default();
    state["spent"]["steps"].as_u64().unwrap_or(0) as usize
}

fn timeless(result: EpisodeResult) -> EpisodeResult {
    EpisodeResult {
        wall_s: 0.0,
        ..result
    }
}

/// Result of an uninterrupted run.
fn whole(store: SqliteStore) -> EpisodeResult {
    let whole = timeless(play(Box::new(store), false, Begun::default()).unwrap());
    assert!(whole.success, "{}", whole.final_detail);
    whole
}

#[test]
fn a_run_that_ends_after_any_save_is_resumed_to_the_same_bits() {
    let dir = TempDir::new().unwrap();
    let open = |name: &str| SqliteStore::open(dir.path().join(name)).unwrap();
    let whole = whole(open("whole"));
    for n_saves in [0, 1, 2, 3, 4, 6] {
        let name = n_saves.to_string();
        let dies = dies(open(&name), n_saves);
        let broken = play(dies, false, Begun::default()).unwrap();
        assert_eq!(broken.final_reason, FinalReason::StoreUnavailable);
        let n_finished = n_finished(&open(&name));

        let begun = Begun::default();
        let resumed = play(Box::new(open(&name)), true, begun.clone()).unwrap();
        assert_eq!(timeless(resumed), whole, "resumed after {n_saves} saves");
        begun.check_from(n_finished);
    }
}

#[test]
fn a_key_has_one_writer_and_a_finished_run_answers_at_once() {
    let dir = TempDir::new().unwrap();
    let open = || SqliteStore::open(dir.path().join("store")).unwrap();
    let refused = |words: &str| {
        let error = play(Box::new(open()), false, Begun::default()).unwrap_err();
        says(&error.to_string(), &[words]);
    };
    open().claim("a run", false).unwrap();
    refused("belongs to another");

    let first = play(Box::new(open()), true, Begun::default()).unwrap();
    let begun = Begun::default();
    let again = play(Box::new(open()), true, begun.clone()).unwrap();
    assert_eq!(again, first, "the stored result, including its wall time");
    assert!(begun.0.lock().unwrap().is_empty());
    refused("has already ended");
}

/// Store whose file another connection locks before a certain write.
struct LockedAt {
    inner: SqliteStore,
    path: PathBuf,
    writes_left: usize,
    lock: Option<Connection>,
}

impl LockedAt {
    fn take(&mut self) {
        if self.writes_left == 0 && self.lock.is_none() {
            let other = Connection::open(&self.path).unwrap();
            other.execute_batch("BEGIN EXCLUSIVE").unwrap();
            self.lock = Some(other);
        }
        self.writes_left = self.writes_left.saturating_sub(1);
    }
}

impl RunStore for LockedAt {
    fn claim(&mut self, key: &str, resume: bool) -> Result<Claim, StoreError> {
        self.take();
        self.inner.claim(key, resume)
    }

    fn save(&mut self, key: &str, checkpoint: &Checkpoint) -> Result<(), StoreError> {
        self.take();
        self.inner.save(key, checkpoint)
    }

    fn finish(&mut self, key: &str, result: &str) -> Result<(), StoreError> {
        self.take();
        self.inner.finish(key, result)
    }
}

/// Checks that a run with a failing store ends correctly, keeps its finished steps, and continues
/// to the same bits.
#[track_caller]
fn check_failure(
    path: &Path,
    broken: Result<EpisodeResult, EpisodeError>,
    words: &str,
    whole: &EpisodeResult,
) {
    let (said, n_finished) = match broken {
        Ok(result) => {
            assert_eq!(result.final_reason, FinalReason::StoreUnavailable);
            assert!(!result.success && result.final_answer.is_none());
            let store = SqliteStore::open(path).unwrap();
            (result.final_detail, n_finished(&store))
        }
        Err(error) => (error.to_string(), 0),
    };
    says(&said, &[words]);
    let begun = Begun::default();
    let store = SqliteStore::open(path).unwrap();
    let resumed = play(Box::new(store), true, begun.clone()).unwrap();
    assert_eq!(timeless(resumed), *whole, "resumed after: {said}");
    begun.check_from(n_finished);
}

#[test]
fn a_file_that_is_locked_for_real_ends_the_run_and_loses_nothing() {
    let dir = TempDir::new().unwrap();
    let whole = whole(SqliteStore::open(dir.path().join("whole")).unwrap());
    let n_saves = {
        let store = SqliteStore::open(dir.path().join("whole")).unwrap();
        store.runs().unwrap()[0].revision as usize
    };
    // The writes are the claim, every save, and the final result.
    for n_writes in 0..n_saves + 2 {
        let path = dir.path().join(format!("locked {n_writes}"));
        let options = StoreOptions {
            busy_timeout: Duration::from_millis(5),
            ..StoreOptions::default()
        };
        let store = LockedAt {
            inner: SqliteStore::open_with(&path, options).unwrap(),
            path: path.clone(),
            writes_left: n_writes,
            lock: None,
        };
        let broken = play(Box::new(store), false, Begun::default());
        check_failure(&path, broken, "it is locked by another process", &whole);
    }
}

#[test]
fn a_file_that_is_full_for_real_ends_the_run_and_loses_nothing() {
    let dir = TempDir::new().unwrap();
    let open = |path: &Path, max_bytes| {
        let options = StoreOptions {
            max_bytes: Some(max_bytes),
            ..StoreOptions::default()
        };
        SqliteStore::open_with(path, options)
    };
    let tiny = open(&dir.path().join("tiny"), 20_000).err().unwrap();
    assert!(matches!(tiny, StoreError::Full { .. }), "{tiny}");

    let whole = whole(SqliteStore::open(dir.path().join("whole")).unwrap());
    let mut n_kept = BTreeSet::new();
    for max_bytes in (90_000..400_000).step_by(8192) {
        let path = dir.path().join(format!("full {max_bytes}"));
        let Ok(store) = open(&path, max_bytes) else {
            continue;
        };
        let broken = play(Box::new(store), false, Begun::default());
        if broken.as_ref().is_ok_and(|result| result.success) {
            break;
        }
        let kept = SqliteStore::open(&path).unwrap().runs().unwrap();
        n_kept.insert(kept.first().map_or(0, |run| run.revision));
        check_failure(&path, broken, "there is no space left", &whole);
    }
    assert!(n_kept.len() > 1, "all are full after {n_kept:?} saves");
}
