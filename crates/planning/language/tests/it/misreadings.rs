//! Texts and their meanings from files: sentences that were once misread, German ones, goals in the
//! goal notation, and single phrases.

#![expect(clippy::expect_used, reason = "a row that is wrong fails the test")]

use crate::common::{Sentence, corpus, goal, read, scene};
use regrasp_api::{ObjectId, Resolution, Viewpoint};
use regrasp_language::{Misunderstanding, id_of_phrase, resolve};
use serde::Deserialize;

/// The goal of a text, or `asked` or `refused` with the message.
fn meaning(heard: &Result<String, Misunderstanding>) -> String {
    match heard {
        Ok(goal) => goal.clone(),
        Err(why @ Misunderstanding::Ambiguous { reason, .. }) => format!("asked: {reason}: {why}"),
        Err(why) => format!("refused: {why}"),
    }
}

/// Returns true if a text means what was expected. A message must contain the expected words.
fn fits(expected: &str, got: &str) -> bool {
    let (what, words) = expected.split_once(": ").unwrap_or((expected, ""));
    match what {
        "asked" | "refused" => got.starts_with(what) && got.contains(words),
        _ => got == expected,
    }
}

#[track_caller]
fn check(file: &str) {
    let rows: Vec<Sentence> = corpus(file);
    let wrong = rows.iter().filter_map(|row| {
        let got = meaning(&row.meaning().map(|meant| meant.goal()));
        let wrong = format!("{}\n  expected {}\n  got {got}", row.say, row.goal);
        (!fits(&row.goal, &got)).then_some(wrong)
    });
    let wrong: Vec<String> = wrong.collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn texts_mean_what_stands_beside_them() {
    for file in [
        "misreadings.yaml",
        "german.yaml",
        "references.yaml",
        "goals.yaml",
    ] {
        check(file);
    }
}

#[test]
fn what_is_far_too_long_is_refused_in_no_time() {
    let list = |n| {
        format!(
            "put {} the apple on the plate",
            "the red cube and ".repeat(n)
        )
    };
    let sentences = "put the red cube on the plate. ".repeat(200);
    let nested = "(".repeat(3000) + "home" + &")".repeat(900);
    for (text, why) in [
        (list(200), "too complicated"),
        (list(2000), "characters"),
        (sentences, "at most 4000 can be read"),
        (nested, ""),
    ] {
        let got = meaning(&goal("table", &text));
        assert!(got.starts_with("refused") && got.contains(why), "{got}");
    }
    // A long list with many readings must not panic.
    let _ = goal("table", &list(50));
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    scene: String,
    say: String,
    finds: Vec<String>,
    nearest: Option<String>,
}

#[test]
fn phrases_find_what_stands_beside_them() {
    for row in corpus::<Vec<Row>>("names.yaml") {
        let (found, nearest) = match resolve(scene(&row.scene), &row.say) {
            Resolution::One(one) => (vec![one], None),
            Resolution::Ambiguous(all) => (all, None),
            Resolution::None { nearest, .. } => (vec![], nearest),
        };
        let found: Vec<_> = found.iter().map(|o| o.id.to_string()).collect();
        let nearest = nearest.map(|id| id.to_string());
        assert_eq!((found, nearest), (row.finds, row.nearest), "{}", row.say);
    }
}

#[test]
fn an_id_is_the_telling_words_of_a_phrase() {
    let id = id_of_phrase("The cracked cube on the left");
    assert_eq!(id, Some(ObjectId::new("cracked_cube_left")));
    assert_eq!(id_of_phrase("the one on the"), None);
}

#[test]
fn an_endless_phrase_names_nothing() {
    let found = resolve(scene("found"), &"red cube ".repeat(100_000)).clone();
    assert!(matches!(found, Resolution::None { .. }), "{found:?}");
}

#[test]
fn a_relative_place_remembers_the_object_from_which_it_was_computed() {
    let references = |text: &str| {
        let meant = read("table", text, Viewpoint::Robot).expect(text);
        let of = meant.task.references.iter().map(|r| r.object.to_string());
        of.collect::<Vec<_>>()
    };
    let from = "put the red cube 10 cm from the green cube";
    assert_eq!(references(from), ["green_cube"]);
    assert_eq!(
        references("move the red cube 5 cm closer to the plate"),
        ["plate"]
    );
    assert!(references("move the red cube 5 cm to the left").is_empty());
    let corrected = "put the red cube 10 cm from the green cube, no, 5 cm from the plate";
    assert_eq!(references(corrected), ["plate"]);
    let moved = format!("{from}, then put the green cube in the bowl");
    assert!(
        references(&moved).is_empty(),
        "an object that the task moves is not a reference"
    );
}
