//! Files that must not be opened are rejected and keep every byte.

use std::fs;
use std::path::Path;
use std::time::Duration;

use regrasp_api::{ApprovalLog, FailureMemory, Reason, RunStore, StoreError};
use regrasp_store::{Durability, SqliteStore, StoreOptions};
use rusqlite::Connection;

use crate::hostile::assert_sound;
use crate::place::{Location, case, checkpoint};

fn refused(path: &Path, options: StoreOptions) -> String {
    let error = SqliteStore::open_with(path, options).expect_err("the file must be refused");
    match error {
        StoreError::Unusable {
            path: named,
            detail,
        } => {
            assert_eq!(named, path.display().to_string());
            detail
        }
        other => panic!("expected the error `Unusable`, got {other:?}"),
    }
}

/// Checks that the file is rejected and unchanged.
fn check_refused(path: &Path, why: &str) {
    let before = fs::read(path).expect("the file");
    let detail = refused(path, StoreOptions::default());
    assert!(detail.contains(why), "{detail}");
    assert_eq!(fs::read(path).expect("the file"), before);
}

fn in_folder(name: &str) -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(name);
    (folder, path)
}

fn execute(path: &Path, sql: &str) {
    let done = Connection::open(path).and_then(|db| db.execute_batch(sql));
    done.expect("a database");
}
#[test]
fn files_that_are_no_store_are_refused_and_left_alone() {
    let (_folder, path) = in_folder("notes.txt");
    fs::write(&path, "these are my notes, not a store\n".repeat(100)).expect("a file");
    check_refused(&path, "file is not a database");

    let (_folder, path) = in_folder("photos.db");
    let photos = "CREATE TABLE photos (id INTEGER); PRAGMA user_version = 1";
    execute(&path, photos);
    check_refused(&path, "a database of another program");
}

#[test]
fn a_newer_version_is_refused_with_both_numbers() {
    let place = Location::new();
    drop(place.open());
    let newer = "PRAGMA user_version = 7; PRAGMA journal_mode = DELETE";
    execute(&place.path, newer);
    let why = "it has version 7, but this program reads only version 1";
    check_refused(&place.path, why);
}

#[test]
fn what_cannot_be_opened_says_why() {
    let (folder, path) = in_folder("a file");
    fs::write(&path, "").expect("a file");
    let detail = refused(&path.join("store.db"), StoreOptions::default());
    assert!(detail.starts_with("cannot create its folder:"), "{detail}");
    let detail = refused(folder.path(), StoreOptions::default());
    assert!(detail.contains("unable to open"), "{detail}");
    let options = StoreOptions {
        create: false,
        ..StoreOptions::default()
    };
    let missing = folder.path().join("missing/store.db");
    assert_eq!(refused(&missing, options), "the file does not exist");
    assert!(!folder.path().join("missing").exists());
}

#[test]
fn names_that_sqlite_reads_its_own_way_are_files() {
    let (folder, path) = in_folder("file:store.db?mode=memory");
    drop(SqliteStore::open(&path).expect("a store"));
    assert!(path.exists());
    let odd = folder.path().join(":memory:");
    drop(SqliteStore::open(&odd).expect("a store"));
    assert!(odd.exists());
}

#[test]
fn a_store_that_somebody_else_writes_to_is_locked() {
    let place = Location::new();
    let options = StoreOptions {
        busy_timeout: Duration::from_millis(5),
        ..StoreOptions::default()
    };
    let mut store = SqliteStore::open_with(&place.path, options).expect("a store");
    store.claim("run", false).expect("a new run");
    store.save("run", &checkpoint(0)).expect("its own run");
    let other = Connection::open(&place.path).expect("the file");
    other.execute_batch("BEGIN IMMEDIATE").expect("the lock");

    let locked = StoreError::Locked {
        path: place.path.display().to_string(),
    };
    let case = case(Reason::Unreachable, "pick", "a", "b", true);
    assert_eq!(store.save("run", &checkpoint(1)), Err(locked.clone()));
    assert_eq!(store.finish("run", "{}"), Err(locked.clone()));
    assert_eq!(store.claim("new", false), Err(locked.clone()));
    let recorded = FailureMemory::record(&mut store, &case);
    assert_eq!(recorded, Err(locked.clone()));
    assert_eq!(ApprovalLog::record(&mut store, "fast", false), Err(locked));
    // Neither reading nor opening an existing store waits for a writer.
    assert_eq!(place.open().state("run"), Ok(Some(checkpoint(0).state)));

    other
        .execute_batch("ROLLBACK")
        .expect("the lock is given back");
    store.save("run", &checkpoint(2)).expect("free again");
    place.check_adopted(2);
}

#[test]
fn a_full_store_keeps_what_it_had() {
    let place = Location::new();
    let options = StoreOptions {
        max_bytes: Some(400_000),
        ..StoreOptions::default()
    };
    let mut store = SqliteStore::open_with(&place.path, options).expect("a store");
    let full = StoreError::Full {
        path: place.path.display().to_string(),
    };
    store.claim("run", false).expect("a new run");
    store
        .save("run", &checkpoint(0))
        .expect("the write succeeds");
    let mut large = checkpoint(1);
    large.world.get_or_insert_default().resize(500_000, 7);
    assert_eq!(store.save("run", &large), Err(full.clone()));
    assert_eq!(store.state("run"), Ok(Some(checkpoint(0).state)));
    store
        .save("run", &checkpoint(2))
        .expect("a smaller checkpoint fits");

    let case = case(Reason::Unreachable, "pick", &"word ".repeat(800), "b", true);
    let mut n_cases = 0;
    let error = loop {
        match FailureMemory::record(&mut store, &case) {
            Ok(()) if n_cases < 1000 => n_cases += 1,
            Ok(()) => panic!("1000 cases of 4 kB fit into 400 kB"),
            Err(error) => break error,
        }
    };
    assert_eq!(error, full);
    assert_eq!(store.cases().map(|cases| cases.len()), Ok(n_cases));
    place.check_adopted(2);
    drop(store);
    let size = place.path.metadata().expect("the file").len();
    assert!(size <= 400_000, "the file has {size} bytes");
    assert_sound(&place);
}

#[test]
fn a_damaged_store_is_unusable_not_a_panic() {
    let place = Location::new();
    let mut store = place.open();
    store.claim("run", false).expect("a new run");
    store.save("run", &checkpoint(0)).expect("its own run");
    drop(store);
    let mut bytes = fs::read(&place.path).expect("the file");
    for byte in bytes.iter_mut().skip(8192) {
        *byte = 0xa5;
    }
    fs::write(&place.path, bytes).expect("the file");
    let mut store = place.open();
    let error = store.claim("run", true).expect_err("damaged tables");
    assert!(matches!(error, StoreError::Unusable { .. }), "{error:?}");
}

#[test]
fn a_power_proof_store_works_alike() {
    let place = Location::new();
    let options = StoreOptions {
        durability: Durability::Power,
        ..StoreOptions::default()
    };
    let mut store = SqliteStore::open_with(&place.path, options).expect("a store");
    store.claim("run", false).expect("a new run");
    store.save("run", &checkpoint(3)).expect("its own run");
    place.check_adopted(3);
}
