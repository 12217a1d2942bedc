//! Gives objects that a model pointed at the ids of their phrases.

use std::collections::{BTreeMap, BTreeSet};

use regrasp_api::{ObjectId, PerceivedObject, Percept, Reason, Resolution, Unseen};
use regrasp_language::{id_of_phrase, resolve};

use super::state::State;

/// Renames objects after their phrases, and reports phrases that were not found. Another object
/// that already has the id of a phrase gets a different one. An object that merely looks like a
/// phrase that was not found loses its kind and colour.
pub(super) fn apply(phrases: &[String], state: &mut State, percept: &mut Percept) {
    let mut renamed: BTreeMap<ObjectId, ObjectId> = BTreeMap::new();
    for phrase in phrases {
        if let Some(missed) = state.missed.get(phrase) {
            percept.unseen.push(missed.unseen.clone());
        }
        let bound = state.bound.get(phrase);
        let bound = bound.filter(|id| percept.object(id).is_some());
        let (Some(id), Some(name)) = (bound, id_of_phrase(phrase)) else {
            continue;
        };
        match renamed.get(id) {
            Some(first) if *first != name => percept.unseen.push(same(phrase, first)),
            _ if renamed.values().any(|taken| *taken == name) => {}
            _ => {
                renamed.insert(id.clone(), name);
            }
        }
    }
    let meant: BTreeSet<ObjectId> = renamed.values().cloned().collect();
    let mut taken = meant.clone();
    taken.extend(percept.objects.iter().map(|o| o.id.clone()));
    let unmeant: Vec<ObjectId> = phrases
        .iter()
        .filter(|phrase| state.missed.contains_key(*phrase))
        .flat_map(|phrase| looking_like(&percept.objects, phrase))
        .filter(|id| !renamed.contains_key(id))
        .collect();
    let hidden = std::mem::take(&mut percept.hidden);
    for object in &mut percept.objects {
        let is_hidden = hidden.contains(&object.id);
        if unmeant.contains(&object.id) {
            make_unnamed(object, state);
        } else if let Some(name) = renamed.get(&object.id) {
            object.id = name.clone();
        } else if meant.contains(&object.id) {
            object.id = other(&object.id, &taken);
            taken.insert(object.id.clone());
        }
        percept.hidden.extend(is_hidden.then(|| object.id.clone()));
    }
}

fn looking_like(objects: &[PerceivedObject], phrase: &str) -> Vec<ObjectId> {
    let mut left = Percept {
        objects: objects.to_vec(),
        ..Percept::default()
    };
    let mut found = vec![];
    loop {
        let ids: Vec<ObjectId> = match resolve(&left, phrase) {
            Resolution::None { .. } => return found,
            Resolution::One(object) => vec![object.id.clone()],
            Resolution::Ambiguous(objects) => objects.iter().map(|o| o.id.clone()).collect(),
        };
        let gone = left.objects.extract_if(.., |o| ids.contains(&o.id));
        found.extend(gone.filter(|o| o.movable).map(|o| o.id));
    }
}

/// Removes kind and colour of an object that, to the model, is not what it looks like.
fn make_unnamed(object: &mut PerceivedObject, state: &mut State) {
    let next = state.unnamed.len() + 1;
    let number = *state.unnamed.entry(object.id.clone()).or_insert(next);
    object.id = ObjectId::new(format!("thing_{number}"));
    object.category = "thing".into();
    object.color = None;
}

/// Reports a second phrase for an object, which keeps the id of the first.
fn same(phrase: &str, first: &ObjectId) -> Unseen {
    let detail = format!("`{phrase}` was pointed out as the same object as {first}");
    Unseen::new(phrase, Reason::ObjectNotFound, detail)
}

fn other(id: &ObjectId, taken: &BTreeSet<ObjectId>) -> ObjectId {
    let mut name = ObjectId::new(format!("other_{id}"));
    let mut n = 1;
    while taken.contains(&name) {
        n += 1;
        name = ObjectId::new(format!("other_{id}_{n}"));
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pointer::state::{Missed, Scene};

    fn cube(id: &str, y: f64) -> PerceivedObject {
        regrasp_testkit::cube(id, 0.02, [0.4, y, 0.05])
    }

    fn two_cubes() -> Percept {
        let cubes = [cube("red_cube", 0.1), cube("red_cube_2", -0.1)];
        regrasp_testkit::percept(cubes.into())
    }

    #[test]
    fn the_thing_that_was_pointed_out_has_the_name_and_no_other_has() {
        let mut percept = two_cubes();
        let bound = [
            ("the red cube", "red_cube_2"),
            ("a cracked cube", "red_cube_2"),
        ];
        let bound = bound.map(|(phrase, id)| (phrase.to_owned(), ObjectId::new(id)));
        let mut state = State {
            bound: bound.into(),
            ..State::default()
        };
        let phrases = ["the red cube".to_owned(), "a cracked cube".to_owned()];
        apply(&phrases, &mut state, &mut percept);
        let ids: Vec<_> = percept.objects.iter().map(|o| o.id.as_str()).collect();
        assert_eq!(ids, ["other_red_cube", "red_cube"]);
        let found = resolve(&percept, "the red cube");
        assert_eq!(found, Resolution::One(&percept.objects[1]));
        let [unseen] = percept.unseen.as_slice() else {
            panic!("expected one unseen phrase: {:?}", percept.unseen);
        };
        assert!(unseen.detail.contains("the same object as red_cube"));
    }

    #[test]
    fn what_the_model_does_not_find_is_not_found_by_its_looks() {
        let mut percept = two_cubes();
        let detail = "it is a picture of a cube";
        let missed = Missed {
            unseen: Unseen::new("the red cube", Reason::ObjectNotFound, detail),
            scene: Scene::default(),
        };
        let mut state = State {
            missed: [("the red cube".to_owned(), missed)].into(),
            ..State::default()
        };
        let phrases = ["the red cube".to_owned()];
        let mut again = percept.clone();
        again.objects.remove(0);
        apply(&phrases, &mut state, &mut percept);
        let found = resolve(&percept, "the red cube");
        assert!(matches!(found, Resolution::None { .. }), "{found:?}");
        assert_eq!(percept.objects.len(), 2, "both remain as obstacles");
        // The generated id must stay the same in the next percept.
        apply(&phrases, &mut state, &mut again);
        assert_eq!(again.objects[0].id, percept.objects[1].id);
    }
}
