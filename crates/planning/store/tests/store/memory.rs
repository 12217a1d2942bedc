//! Similarity and order of recorded cases.

use regrasp_api::{Case, CaseQuery, FailureMemory, Reason, StoreError};
use regrasp_store::SqliteStore;

use crate::place::{Location, ask, case};

const REASON: Reason = Reason::Unreachable;
const OTHER_REASON: Reason = Reason::GraspMissed;

fn query<'a>(skill: &'a str, task: &'a str) -> CaseQuery<'a> {
    CaseQuery {
        reason: &REASON,
        skill: Some(skill),
        task,
        scene: "1 table",
        limit: 10,
    }
}

fn store_with(cases: &[Case]) -> (Location, SqliteStore) {
    let place = Location::new();
    let mut store = place.open();
    for case in cases {
        FailureMemory::record(&mut store, case).expect("the write succeeds");
    }
    (place, store)
}

fn line(skill: &str, fix: &str, n_tried: u32, n_worked: u32) -> (String, String, u32, u32) {
    (skill.into(), fix.into(), n_tried, n_worked)
}

#[test]
fn nothing_is_similar_in_an_empty_store() {
    let (_place, mut store) = store_with(&[]);
    assert_eq!(ask(&mut store, &query("pick", "pick the cube")), []);
}

#[test]
fn fixes_are_counted_and_the_most_similar_task_is_shown() {
    let (_place, mut store) = store_with(&[
        case(REASON, "pick", "stack the blocks", "push", true),
        case(REASON, "pick", "pick up the red cube", "push", false),
        case(REASON, "pick", "open the drawer", "push", true),
        case(OTHER_REASON, "pick", "pick up the red cube", "push", true),
        case(REASON, "pick", "pick up the blue ball", "unstack", false),
    ]);
    let answer = store
        .similar(&query("pick", "pick the red cube"))
        .expect("an answer");
    let [push, unstack] = answer.as_slice() else {
        panic!("two fixes were recorded: {answer:?}");
    };
    assert_eq!((push.n_tried, push.n_worked), (3, 2));
    assert_eq!(push.task, "pick up the red cube");
    assert_eq!(push.reason, REASON);
    assert_eq!((unstack.n_tried, unstack.n_worked), (1, 0));
}

#[test]
fn another_reason_is_never_similar() {
    let text = "pick up the red cube";
    let custom = Reason::Custom("too_sticky".into());
    let (_place, mut store) = store_with(&[
        case(OTHER_REASON, "pick", text, "push", true),
        case(custom.clone(), "pick", text, "wash", true),
    ]);
    assert_eq!(ask(&mut store, &query("pick", text)), []);
    let same = CaseQuery {
        reason: &custom,
        ..query("pick", text)
    };
    assert_eq!(ask(&mut store, &same), [line("pick", "wash", 1, 1)]);
}

#[test]
fn the_same_skill_comes_first_then_the_text_then_what_helped() {
    let same = "pick the red cube";
    let cases = [
        ("place", same, "other skill, same text", true),
        ("pick", "open a drawer", "same skill, other text", true),
        ("pick", same, "b: helped once", true),
        ("pick", same, "a: never helped", false),
        ("pick", same, "c: helped twice", true),
        ("pick", same, "c: helped twice", true),
        ("pick", same, "a: helped once", true),
        ("pick", "lift the red ball", "some words", true),
    ];
    let cases = cases.map(|(skill, task, fix, worked)| case(REASON, skill, task, fix, worked));
    // With these cases, the words of the query are rare.
    let rare = ["wait", "home", "wave"].map(|task| case(OTHER_REASON, "go", task, "", true));
    let (_place, mut store) = store_with(&[&cases[..], &rare].concat());
    let expected = [
        line("pick", "c: helped twice", 2, 2),
        line("pick", "a: helped once", 1, 1),
        line("pick", "b: helped once", 1, 1),
        line("pick", "a: never helped", 1, 0),
        line("pick", "some words", 1, 1),
        line("pick", "same skill, other text", 1, 1),
        line("place", "other skill, same text", 1, 1),
    ];
    let mut question = query("pick", "pick the red cube");
    assert_eq!(ask(&mut store, &question), expected);
    question.limit = 2;
    assert_eq!(ask(&mut store, &question), expected[..2]);
    question.limit = 0;
    assert_eq!(ask(&mut store, &question), []);
}

#[test]
fn the_scene_tells_cases_apart_whose_tasks_are_the_same() {
    let seen = |scene: &str, fix: &str| Case {
        scene: scene.to_owned(),
        ..case(REASON, "pick", "tidy up", fix, true)
    };
    let cubes = seen("3 cubes, 1 plate", "unstack");
    let drawer = seen("1 drawer, 1 mug", "open the drawer");
    let (_place, mut store) = store_with(&[cubes, drawer, seen("2 balls", "push")]);
    let question = CaseQuery {
        scene: "1 mug in a drawer",
        ..query("pick", "tidy up")
    };
    assert_eq!(ask(&mut store, &question)[0].1, "open the drawer");
}

#[test]
fn of_equally_similar_tasks_the_one_shown_does_not_depend_on_the_order() {
    let mut cases = ["pick cube c", "pick cube a", "pick cube b"]
        .map(|task| case(REASON, "pick", task, "push", true));
    for _ in 0..2 {
        let (_place, mut store) = store_with(&cases);
        let answer = store
            .similar(&query("pick", "pick the cube"))
            .expect("an answer");
        assert_eq!(answer[0].task, "pick cube a");
        cases.reverse();
    }
}

#[test]
fn a_question_without_words_is_answered_by_reason_and_skill() {
    let (_place, mut store) = store_with(&[
        case(REASON, "place", "x", "b", true),
        case(REASON, "pick", "x", "a", true),
    ]);
    let question = CaseQuery {
        scene: "\"*(",
        ..query("--", " \0 ")
    };
    let expected = [line("pick", "a", 1, 1), line("place", "b", 1, 1)];
    assert_eq!(ask(&mut store, &question), expected);
}

#[test]
fn cases_are_shared_and_listed_as_they_came() {
    let cases = [
        case(REASON, "pick", "ü\n'\"", "push", true),
        case(Reason::Custom("too_sticky".into()), "place", "", "", false),
    ];
    let place = Location::new();
    let (mut one, other) = (place.open(), place.open());
    for case in &cases {
        FailureMemory::record(&mut one, case).expect("the write succeeds");
    }
    assert_eq!(other.cases(), Ok::<_, StoreError>(cases.to_vec()));
}
