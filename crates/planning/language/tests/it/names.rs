//! Single phrases and the objects that they mean, from a file.

use crate::common::{corpus, scene};
use regrasp_api::{ObjectId, Resolution};
use regrasp_language::{id_of_phrase, resolve};
use serde::Deserialize;

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
