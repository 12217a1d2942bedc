//! A store in a temporary folder, with data for the tests.

use std::path::PathBuf;

use regrasp_api::{Case, CaseQuery, Checkpoint, Claim, FailureMemory, Reason, RunStore};
use regrasp_store::SqliteStore;
use tempfile::TempDir;

/// A store in a folder that is deleted with this value.
pub(crate) struct Location {
    _folder: TempDir,
    pub(crate) path: PathBuf,
}

impl Location {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder for the test");
        // Two missing folders, so that every test shows that they are created.
        let path = folder.path().join("made/by the test/store.db");
        Self {
            _folder: folder,
            path,
        }
    }

    pub(crate) fn open(&self) -> SqliteStore {
        SqliteStore::open(&self.path).expect("a store")
    }

    /// Adopts a run and checks that its last checkpoint is that of a step.
    #[track_caller]
    pub(crate) fn check_adopted(&self, step: u32) {
        let claim = self.open().claim("run", true);
        assert_eq!(claim, Ok(Claim::Adopted(checkpoint(step))));
    }
}

/// A checkpoint in which every byte depends on the step.
pub(crate) fn checkpoint(step: u32) -> Checkpoint {
    let n_bytes = 50_000 + 37 * (step as usize % 11);
    let byte = |k: usize| {
        (k as u32)
            .wrapping_mul(2_654_435_761)
            .rotate_left(step % 31) as u8
    };
    Checkpoint {
        state: format!("{{\"step\":{step},\"text\":\"{}\"}}", "ä\\n".repeat(2500)),
        world: Some((0..n_bytes).map(|k| byte(k) ^ step as u8).collect()),
    }
}

/// A case with fixed values for the other fields.
pub(crate) fn case(reason: Reason, skill: &str, task: &str, fix: &str, worked: bool) -> Case {
    Case {
        reason,
        skill: skill.to_owned(),
        task: task.to_owned(),
        scene: "1 table".to_owned(),
        detail: "the tool would be 4.1 mm too low".to_owned(),
        fix: fix.to_owned(),
        worked,
    }
}

/// The answer as `(skill, fix, tried, worked)`.
pub(crate) fn ask(
    store: &mut SqliteStore,
    query: &CaseQuery<'_>,
) -> Vec<(String, String, u32, u32)> {
    let answer = store.similar(query).expect("an answer");
    let short = |c: regrasp_api::PastCase| (c.skill, c.fix, c.n_tried, c.n_worked);
    answer.into_iter().map(short).collect()
}
