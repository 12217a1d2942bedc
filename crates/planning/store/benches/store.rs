//! Costs of a step in the store, and of looking up similar failures.
//!
//! The files are in the system's temporary folder. If that is in memory, the figures of
//! `Durability::Power` are meaningless.

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use regrasp_api::{Case, CaseQuery, Checkpoint, FailureMemory, Reason, RunStore};
use regrasp_store::{Durability, SqliteStore, StoreOptions};
use tempfile::TempDir;

/// Sizes of a checkpoint: a world with about ten bodies, and an agent with a few plans.
const WORLD_BYTES: usize = 50_000;
const STATE_BYTES: usize = 10_000;

const STEPS: usize = 50;

/// Checkpoints that differ in every byte and a little in size, as in a real run.
fn checkpoints() -> Vec<Checkpoint> {
    let world = |i: usize| (0..WORLD_BYTES + 400 * i).map(move |k| (k * 31 + i * 101) as u8);
    let state = |i: usize| {
        "abcdefghij"
            .chars()
            .cycle()
            .skip(i)
            .take(STATE_BYTES + 90 * i)
    };
    (0..7)
        .map(|i| Checkpoint {
            state: state(i).collect(),
            world: Some(world(i).collect()),
        })
        .collect()
}

/// A new store with a run in it. The folder lives as long as the store.
fn new_run(durability: Durability) -> (SqliteStore, TempDir) {
    let folder = tempfile::tempdir().expect("a folder");
    let options = StoreOptions {
        durability,
        ..StoreOptions::default()
    };
    let path = folder.path().join("store.db");
    let mut store = SqliteStore::open_with(path, options).expect("a store");
    store.claim("run", false).expect("a new run");
    (store, folder)
}

/// Saves of one episode, before the log is full: the time that a step waits.
fn save_in_an_episode(criterion: &mut Criterion) {
    let checkpoints = checkpoints();
    let episode = |(mut store, folder): (SqliteStore, TempDir)| {
        for checkpoint in checkpoints.iter().cycle().take(STEPS) {
            store.save("run", checkpoint).expect("the write succeeds");
        }
        // The store is returned, so that closing and deleting it is not measured.
        (store, folder)
    };
    criterion.bench_function(&format!("{STEPS} saves of 60 kB"), |bencher| {
        let fresh = || new_run(Durability::Process);
        bencher.iter_batched(fresh, episode, BatchSize::PerIteration);
    });
}

/// Saves in a row, including the occasional emptying of the log.
fn save(criterion: &mut Criterion, name: &str, durability: Durability) {
    let (mut store, _folder) = new_run(durability);
    let checkpoints = checkpoints();
    let mut next = checkpoints.iter().cycle();
    criterion.bench_function(name, |bencher| {
        bencher.iter(|| store.save("run", next.next().expect("a cycle has no end")));
    });
}

fn runs(criterion: &mut Criterion) {
    save_in_an_episode(criterion);
    save(criterion, "save 60 kB, without end", Durability::Process);
    let what = "save 60 kB, waiting for the disk";
    save(criterion, what, Durability::Power);

    let folder = tempfile::tempdir().expect("a folder");
    let mut store = SqliteStore::open(folder.path().join("store.db")).expect("a store");
    let mut n_runs = 0;
    criterion.bench_function("claim and finish a run", |bencher| {
        let key = || {
            n_runs += 1;
            format!("run {n_runs}")
        };
        let run = |key: String| {
            store.claim(&key, false).expect("a new run");
            store.finish(&key, "{}").expect("a run of ours");
        };
        bencher.iter_batched(key, run, BatchSize::SmallInput);
    });
}

/// Case number `i`. The cases have 5 reasons, 3 skills, 40 fixes and 1000 different texts.
fn case(i: usize) -> Case {
    let colour = ["red", "green", "blue", "white"][i % 4];
    Case {
        reason: Reason::BUILT_IN[i % 5].clone(),
        skill: ["pick", "place", "place_at"][i % 3].to_owned(),
        task: format!("put the {colour} cube {} on the plate", i % 1000),
        scene: format!("{} cubes, 1 plate, {colour}", i % 7),
        detail: "the tool would be 4.1 mm too low".to_owned(),
        fix: format!("push object{}, pick", i % 40),
        worked: i % 5 < 3,
    }
}

fn memory(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a folder");
    let mut store = SqliteStore::open(folder.path().join("store.db")).expect("a store");
    let mut n_cases = 0;
    for up_to in [100, 10_000] {
        for i in n_cases..up_to {
            FailureMemory::record(&mut store, &case(i)).expect("the write succeeds");
        }
        n_cases = up_to;
        let query = CaseQuery {
            reason: &Reason::BUILT_IN[2],
            skill: Some("pick"),
            task: "put the blue cube on the green plate",
            scene: "3 cubes, 1 plate, blue, green",
            limit: 3,
        };
        criterion.bench_function(&format!("similar among {up_to} cases"), |bencher| {
            bencher.iter(|| store.similar(&query));
        });
    }
    criterion.bench_function("record a case", |bencher| {
        bencher.iter(|| {
            n_cases += 1;
            FailureMemory::record(&mut store, &case(n_cases))
        });
    });
}

criterion_group!(benches, runs, memory);
criterion_main!(benches);
