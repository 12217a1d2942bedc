//! Any text can be stored and queried, and breaks neither SQL nor FTS5.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use regrasp_api::{
    ApprovalLog, Case, CaseQuery, Checkpoint, Claim, FailureMemory, Reason, RunStore,
};
use rusqlite::Connection;

use crate::place::{Location, ask, case};

/// Text with a meaning in SQL, in FTS5, or in neither.
fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("\"".to_owned()),
        Just("'; DROP TABLE cases; --".to_owned()),
        Just(" NEAR(a b, 2) ".to_owned()),
        Just(" AND OR NOT ".to_owned()),
        Just("task: ^ * + - { } ( )".to_owned()),
        Just("\0".to_owned()),
        Just("\u{202e}\u{feff}\u{10ffff}".to_owned()),
        Just("ß ǆ İ Σ ﬁ".to_owned()),
        Just("longword".repeat(600)),
        any::<String>(),
        "[a-z ]{0,12}",
    ];
    prop::collection::vec(piece, 0..6).prop_map(|pieces| pieces.concat())
}

fn cases() -> impl Strategy<Value = Vec<Case>> {
    let reason = prop_oneof![
        Just(Reason::Unreachable),
        text().prop_map(|slug| Reason::from_slug(&slug)),
    ];
    let skill = prop_oneof![Just("pick".to_owned()), text()];
    let case = (reason, skill, text(), text(), text(), text(), any::<bool>());
    let case = case.prop_map(|(reason, skill, task, scene, detail, fix, worked)| Case {
        reason,
        skill,
        task,
        scene,
        detail,
        fix,
        worked,
    });
    prop::collection::vec(case, 1..6)
}

/// Checks that SQLite finds the file and the text index valid.
pub(crate) fn assert_sound(place: &Location) {
    let db = Connection::open(&place.path).expect("a file");
    let verdict = db.query_row("PRAGMA integrity_check", [], |row| row.get(0));
    assert_eq!(verdict, Ok("ok".to_owned()));
    let words = "INSERT INTO case_text (case_text, rank) VALUES ('integrity-check', 1)";
    db.execute_batch(words)
        .expect("an index that agrees with its table");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, rng_seed: RngSeed::Fixed(4), ..ProptestConfig::default() })]

    #[test]
    fn any_text_can_be_recorded_and_asked_for(cases in cases()) {
        let place = Location::new();
        let mut store = place.open();
        for case in &cases {
            FailureMemory::record(&mut store, case).expect("the write succeeds");
            ApprovalLog::record(&mut store, &case.task, false).expect("the write succeeds");
        }
        for case in &cases {
            let query = CaseQuery {
                reason: &case.reason,
                skill: Some(&case.skill),
                task: &case.task,
                scene: &case.scene,
                limit: 100,
            };
            let answer = ask(&mut store, &query);
            let n_tried: u32 = answer.iter().map(|line| line.2).sum();
            let n_same = cases.iter().filter(|c| c.reason == case.reason).count();
            prop_assert!(n_tried as usize >= n_same, "{n_tried} of {n_same} cases were found");
            prop_assert!(store.clean_streak(&case.task).expect("an answer") >= 1);
        }
        prop_assert_eq!(store.cases().expect("a list").len(), cases.len());
        assert_sound(&place);
    }

    #[test]
    fn similar_does_not_depend_on_the_order_of_recording(cases in cases()) {
        let (forwards, backwards) = (Location::new(), Location::new());
        let (mut one, mut other) = (forwards.open(), backwards.open());
        for (case, last_first) in cases.iter().zip(cases.iter().rev()) {
            FailureMemory::record(&mut one, case).expect("the write succeeds");
            FailureMemory::record(&mut other, last_first).expect("the write succeeds");
        }
        let query = CaseQuery {
            reason: &cases[0].reason,
            skill: Some("pick"),
            task: &cases[0].task,
            scene: &cases[0].fix,
            limit: 100,
        };
        prop_assert_eq!(one.similar(&query), other.similar(&query));
    }

    #[test]
    fn any_checkpoint_comes_back_bit_for_bit(
        state in text(),
        world in prop::collection::vec(any::<u8>(), 0..30_000),
        result in text(),
    ) {
        let place = Location::new();
        let mut store = place.open();
        store.claim("run", false).expect("a new run");
        let world = Some(world);
        let checkpoint = Checkpoint { state, world };
        store.save("run", &checkpoint).expect("the write succeeds");
        prop_assert_eq!(place.open().claim("run", true), Ok(Claim::Adopted(checkpoint)));
        store.claim("run", true).expect("its run again");
        store.finish("run", &result).expect("the write succeeds");
        prop_assert_eq!(store.claim("run", true), Ok(Claim::Finished(result)));
    }
}

#[test]
fn megabytes_of_text_are_cut_not_kept() {
    let place = Location::new();
    let mut store = place.open();
    let long = "pick the red cube \"* ".repeat(200_000);
    let reason = Reason::Custom(long.as_str().into());
    for _ in 0..20 {
        let case = case(reason.clone(), &long, &long, &long, true);
        FailureMemory::record(&mut store, &case).expect("the write succeeds");
    }
    let query = CaseQuery {
        reason: &reason,
        skill: Some(&long),
        task: &long,
        scene: &long,
        limit: 3,
    };
    let answer = ask(&mut store, &query);
    let counts = (answer.len(), answer[0].2, answer[0].1.len());
    assert_eq!(counts, (1, 20, 4096));
    drop(store);
    let size = place.path.metadata().expect("the file").len();
    assert!(size < 2_000_000, "20 cases of 16 MB take {size} bytes");
    assert_sound(&place);
}
