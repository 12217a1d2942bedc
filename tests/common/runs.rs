//! Episodes that are played, judged or recorded, and runs of the recovery suite.

use std::path::Path;

use regrasp::agent::AgentOptions;
use regrasp::bench::recovery::{RecoveryReport, classes};
use regrasp::bench::{Seeds, Verdict, judge};
use regrasp::record::EpisodeInfo;
use regrasp::recovery::{Measured, RecoverySuite, Strategy};
use regrasp::scene::{Scene, TaskInstance, builtin_task};
use regrasp::{Episode, EpisodeOptions, LoadedRobot};
use regrasp_export::RecordOptions;

pub(crate) fn instance(task: &str, seed: u64) -> TaskInstance {
    builtin_task(task).unwrap().instantiate(seed).unwrap()
}

/// Runs a command with the Panda and default options.
pub(crate) fn episode(scene: &Scene, command: &str) -> Episode {
    played(scene, command, EpisodeOptions::default())
}

pub(crate) fn played(scene: &Scene, command: &str, options: EpisodeOptions) -> Episode {
    let loaded = LoadedRobot::panda().unwrap();
    loaded.episode(scene, command, options).unwrap()
}

/// Plays an episode of a task with the task's seed, and judges its end.
pub(crate) fn judged(task: &TaskInstance, options: EpisodeOptions) -> (Episode, Verdict) {
    let options = EpisodeOptions {
        seed: task.seed,
        watch_secs: task.success.watch_secs(),
        ..options
    };
    let episode = played(&task.scene, &task.prompt, options);
    let verdict = judge(task, &episode);
    (episode, verdict)
}

/// Records an episode in this process.
pub(crate) fn record(
    task: &TaskInstance,
    path: &Path,
    record: &RecordOptions,
    mut options: EpisodeOptions,
) -> Episode {
    let loaded = LoadedRobot::panda().unwrap();
    options.seed = task.seed;
    let info = EpisodeInfo {
        task: task.prompt.clone(),
        ..EpisodeInfo::default()
    };
    let recorder = record.begin(path, &loaded, &task.scene, info, &mut options);
    let recorder = recorder.unwrap();
    let episode = loaded.episode(&task.scene, &task.prompt, options).unwrap();
    recorder.finish().unwrap();
    episode
}

/// Runs classes of the recovery suite with the standard skills.
pub(crate) fn recovery_suite(
    names: &[&str],
    measured: &Measured<'_>,
    strategies: &[Strategy],
    n_seeds: u64,
    jobs: usize,
) -> RecoveryReport {
    let mut chosen = classes();
    chosen.retain(|class| names.contains(&class.info.name.as_str()));
    assert_eq!(
        chosen.len(),
        names.len(),
        "classes that the suite has, of {names:?}"
    );
    let suite = RecoverySuite {
        loaded: &LoadedRobot::panda().unwrap(),
        measured,
        skills: &regrasp::skills::standard,
        agent: AgentOptions::default(),
        classes: &chosen,
        strategies,
        seeds: Seeds::first(n_seeds),
        jobs,
    };
    suite.run("test").unwrap()
}
