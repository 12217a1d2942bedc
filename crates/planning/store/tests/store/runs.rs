//! Stored runs: one owner at a time, and a resumed run is bit-equal.

use std::sync::Barrier;
use std::thread;

use regrasp_api::{Claim, RunStore, StoreError};
use regrasp_store::{RunEntry, SqliteStore};
use regrasp_testkit::says;

use crate::place::{Location, checkpoint};

fn concurrent(key: &str) -> StoreError {
    StoreError::ConcurrentRun { key: key.into() }
}

#[test]
fn a_new_key_is_fresh_with_and_without_resume() {
    let mut store = Location::new().open();
    assert_eq!(store.claim("a", false), Ok(Claim::Fresh));
    assert_eq!(store.claim("b", true), Ok(Claim::Fresh));
}

#[test]
fn the_second_writer_on_a_key_is_refused() {
    let place = Location::new();
    let (mut first, mut second) = (place.open(), place.open());
    first.claim("run", false).expect("a new run");
    assert_eq!(second.claim("run", false), Err(concurrent("run")));
    assert_eq!(second.save("run", &checkpoint(1)), Err(concurrent("run")));
    assert_eq!(second.finish("run", "{}"), Err(concurrent("run")));
    first.save("run", &checkpoint(1)).expect("its own run");
}

#[test]
fn of_many_that_claim_a_key_at_once_one_gets_it() {
    let place = Location::new();
    let barrier = Barrier::new(8);
    // All threads open a missing file at the same time.
    let claim = || {
        barrier.wait();
        let mut store = place.open();
        let claim = store.claim("run", false);
        (store, claim)
    };
    let claims: Vec<_> = thread::scope(|scope| {
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(claim)).collect();
        let join = |t: thread::ScopedJoinHandle<'_, _>| t.join().expect("no panic");
        threads.into_iter().map(join).collect()
    });
    let (won, lost): (Vec<_>, Vec<_>) = claims.into_iter().partition(|(_, claim)| claim.is_ok());
    assert_eq!(won.len(), 1);
    let refused = Err(concurrent("run"));
    assert!(lost.iter().all(|(_, claim)| *claim == refused));
}

#[test]
fn many_may_make_the_same_store_at_once() {
    for _ in 0..20 {
        let place = Location::new();
        let barrier = Barrier::new(8);
        let open = || {
            barrier.wait();
            SqliteStore::open(&place.path).map(|store| store.runs())
        };
        thread::scope(|scope| {
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(open)).collect();
            for thread in threads {
                let runs = thread.join().expect("no panic").expect("a store");
                assert_eq!(runs, Ok(Vec::new()));
            }
        });
    }
}

#[test]
fn an_adopted_run_is_bit_equal_and_its_first_owner_is_refused() {
    let place = Location::new();
    let (mut first, mut second) = (place.open(), place.open());
    first.claim("run", false).expect("a new run");
    for step in 0..5 {
        first.save("run", &checkpoint(step)).expect("its own run");
    }
    let adopted = second.claim("run", true);
    assert_eq!(adopted, Ok(Claim::Adopted(checkpoint(4))));

    assert_eq!(first.save("run", &checkpoint(5)), Err(concurrent("run")));
    assert_eq!(first.finish("run", "{}"), Err(concurrent("run")));
    assert_eq!(second.state("run"), Ok(Some(checkpoint(4).state)));
    second.save("run", &checkpoint(6)).expect("its run now");

    // Only the last claim counts.
    assert_eq!(first.claim("run", true), Ok(Claim::Adopted(checkpoint(6))));
    assert_eq!(second.save("run", &checkpoint(7)), Err(concurrent("run")));
    first.finish("run", "{}").expect("its run again");
    assert_eq!(second.save("run", &checkpoint(7)), Err(concurrent("run")));
}

#[test]
fn a_run_that_ended_before_its_first_checkpoint_begins_anew() {
    let place = Location::new();
    let (mut first, mut second) = (place.open(), place.open());
    first.claim("run", false).expect("a new run");
    assert_eq!(second.claim("run", true), Ok(Claim::Fresh));
    assert_eq!(first.save("run", &checkpoint(0)), Err(concurrent("run")));
}

#[test]
fn a_finished_run_is_answered_from_the_store() {
    let place = Location::new();
    let mut first = place.open();
    let result = r#"{"success":true,"text":"\u0000 ü"}"#;
    first.claim("run", false).expect("a new run");
    first.save("run", &checkpoint(0)).expect("its own run");
    first.finish("run", result).expect("its own run");
    let ended = StoreError::AlreadyFinished { key: "run".into() };
    assert_eq!(first.save("run", &checkpoint(1)), Err(ended.clone()));
    assert_eq!(first.finish("run", "{}"), Err(ended.clone()));
    drop(first);

    let mut second = place.open();
    assert_eq!(second.claim("run", false), Err(ended));
    let finished = Claim::Finished(result.into());
    assert_eq!(second.claim("run", true), Ok(finished));
    assert_eq!(second.state("run"), Ok(Some(checkpoint(0).state)));
}

#[test]
fn the_world_of_a_finished_run_is_freed_for_the_next() {
    let place = Location::new();
    let mut store = place.open();
    let mut sizes = Vec::new();
    for run in 0..40 {
        let key = format!("run {run}");
        store.claim(&key, false).expect("a new run");
        store.save(&key, &checkpoint(run)).expect("its own run");
        store.finish(&key, "{}").expect("its own run");
        drop(store);
        sizes.push(place.path.metadata().expect("the file").len());
        store = place.open();
    }
    // The states of about 15 kB each stay; 40 worlds would be 2 MB.
    let growth = sizes[39] - sizes[0];
    assert!(
        growth < 39 * 25_000,
        "40 runs grew the file by {growth} bytes"
    );
}

#[test]
fn runs_are_listed_by_key() {
    let mut store = Location::new().open();
    for key in ["b", "a", "ü"] {
        store.claim(key, false).expect("a new run");
    }
    store.save("b", &checkpoint(0)).expect("its own run");
    store.save("b", &checkpoint(1)).expect("its own run");
    store.finish("b", "\"done\"").expect("its own run");
    let entry = |key: &str, revision, result: Option<&str>| RunEntry {
        key: key.into(),
        revision,
        result: result.map(str::to_owned),
    };
    let named = entry("b", 2, Some("\"done\""));
    let all = [entry("a", 0, None), named, entry("ü", 0, None)];
    assert_eq!(store.runs(), Ok(all.to_vec()));
    assert_eq!(all.map(|run| run.is_finished()), [false, true, false]);
    assert_eq!(store.state("a"), Ok(None));
    assert_eq!(store.state("nobody's"), Ok(None));
}

#[test]
fn a_run_that_nobody_claimed_cannot_be_written() {
    let mut store = Location::new().open();
    for outcome in [store.save("x", &checkpoint(0)), store.finish("x", "{}")] {
        let error = outcome.expect_err("no such run").to_string();
        assert!(error.contains("the run `x` was not claimed"), "{error}");
    }
}

#[test]
fn keys_that_no_list_could_show_are_refused() {
    let mut store = Location::new().open();
    for (key, why) in [
        (String::new(), "1 to 200 characters"),
        ("x".repeat(201), "characters, not 201"),
        ("a\nb".into(), "control characters"),
        ("a\0b".into(), "control characters"),
    ] {
        let error = store.claim(&key, true).expect_err("a wrong key");
        says(&error.to_string(), &[why]);
    }
    assert_eq!(store.runs(), Ok(Vec::new()));
    let odd = "'; DROP TABLE runs; -- \u{202e} ü".repeat(5);
    assert_eq!(store.claim(&odd, false), Ok(Claim::Fresh));
}
