//! Simulated agent and runs with it.
#![allow(
    dead_code,
    clippy::allow_attributes,
    reason = "each test uses its own part of this module"
)]

use std::path::Path;

use regrasp_api::{CancelToken, EpisodeResult, FinalReason, LastFailure, ObjectId, Reason};
use regrasp_bench::{
    BenchConfig, BenchError, BenchFolder, DrawnTask, EpisodeRecord, Group, InfrastructureFailure,
    RecordKind, RunEpisode, RunOptions, Seeds, Summary, Tally, run_episodes,
};
use regrasp_ground_truth::{Episode, GroundTruth};
use regrasp_scene::{ContentHashes, IDENTITY_VERSION, TaskInstance, builtin_robot, builtin_task};
use serde_json::json;

/// An outcome in which nothing moved and the agent claims `claimed`.
pub(crate) fn outcome(instance: &TaskInstance, claimed: bool, reason: FinalReason) -> Episode {
    let truth = instance.scene.initial_truth(&builtin_robot().unwrap());
    Episode {
        result: EpisodeResult {
            success: claimed,
            goal_met: claimed,
            sim_s: 4.0 + 0.1 * instance.seed as f64,
            seed: instance.seed,
            state_digest: format!("{:016x}", instance.seed),
            ..regrasp_testkit::episode_result(reason)
        },
        last_failure: None,
        first: truth.clone(),
        last: truth,
        after: vec![],
        first_met: None,
        is_from_store: false,
    }
}

pub(crate) fn raise(truth: &mut GroundTruth, id: &str, by_m: f64) {
    let object = truth.objects.iter_mut().find(|o| o.id == ObjectId::new(id));
    let object = object.expect("the object is there");
    object.world_from_object.translation.vector.z += by_m;
}

pub(crate) fn failed(outcome: Episode, reason: Reason, detail: &str) -> Episode {
    let detail = detail.to_owned();
    Episode {
        last_failure: Some(LastFailure { reason, detail }),
        ..outcome
    }
}

/// Lifts the cube in most seeds, and fails in five ways in the others.
pub(crate) fn pretend(instance: &TaskInstance) -> Result<Episode, InfrastructureFailure> {
    let claim = |claimed, reason| outcome(instance, claimed, reason);
    let lifted = |mut outcome: Episode| {
        raise(&mut outcome.last, "red_cube", 0.06);
        outcome
    };
    let missed = "the fingers closed on <nothing> | at all";
    let exhausted = claim(false, FinalReason::ReplanExhausted);
    match instance.seed {
        2 => Ok(claim(true, FinalReason::PlanComplete)),
        4 => Ok(failed(exhausted, Reason::GraspMissed, missed)),
        6 => Ok(claim(false, FinalReason::SimDiverged)),
        7 => Ok(lifted(claim(false, FinalReason::MaxSteps))),
        8 => Err(InfrastructureFailure::new("setup", "no world")),
        _ => Ok(lifted(claim(true, FinalReason::PlanComplete))),
    }
}

pub(crate) fn tasks() -> Vec<Box<dyn DrawnTask>> {
    let boxed = |name| Box::new(builtin_task(name).unwrap()) as Box<dyn DrawnTask>;
    ["pick_cube_scrambled", "pick_cube"].map(boxed).into()
}

/// A configuration of two tasks with `n_seeds` seeds each.
pub(crate) fn config(n_seeds: u64, shard: Option<&str>) -> BenchConfig {
    let mut hashes = ContentHashes::default();
    let group = |task: &dyn DrawnTask| Group::of(task, task.name(), &mut hashes).unwrap();
    BenchConfig {
        records: RecordKind::Episodes,
        version: "0.0.0".into(),
        identity_version: IDENTITY_VERSION,
        planner: "pretend".into(),
        planner_version: None,
        perception: "ground_truth".into(),
        robot: "panda".into(),
        agent: json!({"budgets": {"max_replans": 3, "max_steps": 20}}),
        faults: vec![],
        skills: vec![],
        timeout_s: None,
        groups: tasks().iter().map(AsRef::as_ref).map(group).collect(),
        seeds: Seeds::first(n_seeds),
        shard: shard.map(|text| text.parse().unwrap()),
        repeat: vec!["--planner".into(), "stub".into()],
    }
}

/// Runs the missing episodes of a folder, as the command line does.
pub(crate) fn go_on(folder: &BenchFolder, jobs: usize, run: &RunEpisode<'_>) -> Tally {
    go_on_until(folder, jobs, &CancelToken::new(), run).unwrap()
}

pub(crate) fn go_on_until(
    folder: &BenchFolder,
    jobs: usize,
    stop: &CancelToken,
    run: &RunEpisode<'_>,
) -> Result<Tally, BenchError> {
    let mut ledger = folder.ledger()?;
    let mut tally = Tally::new(folder.config());
    let missing = folder.read(|record: EpisodeRecord| tally.add(&record))?;
    let options = RunOptions {
        jobs,
        stop: stop.clone(),
        ..RunOptions::default()
    };
    let mut each = |record: EpisodeRecord| {
        tally.add(&record);
        ledger.append(&record)
    };
    let (preparing, ended) = (|_: &str| (), |_: &_, _: &_, _: &_| ());
    let tasks = tasks();
    run_episodes(
        &tasks, &missing, &options, &preparing, run, &ended, &mut each,
    )?;
    Ok(tally)
}

pub(crate) fn whole(dir: &Path, config: BenchConfig, jobs: usize) -> (BenchFolder, Summary) {
    let folder = BenchFolder::create(dir, config).unwrap();
    let tally = go_on(&folder, jobs, &|instance, _| pretend(instance));
    (folder, tally.summary())
}
