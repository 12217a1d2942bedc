//! Doubt about a goal that a model derived from a text: no word of the text fits an object of the
//! goal, or the words fit another object better.

use std::collections::BTreeSet;

use regrasp_api::{ObjectId, PerceivedObject, PlanRequest};
use regrasp_language::{Misunderstanding, ParseContext, named};

use super::answer::{Reading, is_same};

/// Returns a question if the text has no word for an object of the goal, or if its words fit
/// another object better. If they fit both equally well, it asks only if the model alone chose
/// between them.
pub(super) fn doubt(
    request: &PlanRequest<'_>,
    goal: &str,
    readings: &[Reading; 2],
) -> Option<String> {
    let is_between = |c: char| !(c.is_alphanumeric() || c == '_');
    let ids: Vec<&str> = goal.split(is_between).collect();
    let objects = request.percept.objects.iter();
    let (of, others): (Vec<_>, Vec<_>) = objects.partition(|o| ids.contains(&o.id.as_str()));
    let said = said(request);
    of.iter().find_map(|object| {
        // A stove is turned on by its knob: the words for the whole are words for such a part.
        let wholes = wholes(object, goal, request);
        let own = std::iter::once(*object).chain(wholes.iter().copied());
        let own: BTreeSet<&str> = own.flat_map(|thing| words_for(thing, &said)).collect();
        if own.is_empty() {
            return Some(format!(
                "is `{goal}` meant? No word of the command is for {}",
                object.id
            ));
        }
        let by_words = is_chosen_by_words(object, goal, readings);
        let rivals = others
            .iter()
            .filter(|other| !wholes.iter().any(|whole| whole.id == other.id));
        // Words for another thing of the goal are spoken for.
        let of_goal = of.iter().filter(|thing| thing.id != object.id);
        let spoken_for: BTreeSet<&str> =
            of_goal.flat_map(|thing| words_for(thing, &said)).collect();
        let unspoken = |other: &PerceivedObject| -> BTreeSet<&str> {
            let words = words_for(other, &said).into_iter();
            words
                .filter(|word| own.contains(word) || !spoken_for.contains(word))
                .collect()
        };
        let rivals = rivals.map(|other| (unspoken(other), other));
        let mut fitting = rivals.filter(|(words, other)| {
            let is_tie = *words == own;
            let is_open = !by_words && !wholes_of(other, request).contains(&&object.id);
            words.is_superset(&own) && (!is_tie || is_open)
        });
        let first = fitting.next()?;
        let (_, rather) = fitting.fold(first, |best, other| match other.0.len() > best.0.len() {
            true => other,
            false => best,
        });
        Some(format!("is {} meant, or {}?", object.id, rather.id))
    })
}

/// Returns true if, in both answers, the grammar found the object by words other than its id.
fn is_chosen_by_words(object: &PerceivedObject, goal: &str, readings: &[Reading; 2]) -> bool {
    readings.iter().all(|reading| {
        let is_read = reading
            .words
            .as_ref()
            .is_some_and(|words| is_same(words, goal));
        is_read && !reading.plain.contains(object.id.as_str())
    })
}

/// A word of a text, and the ids of all objects that the grammar finds for this word alone.
struct Word {
    text: String,
    names: Vec<String>,
}

/// Returns the words of the text and of the person's answers.
fn said(request: &PlanRequest<'_>) -> Vec<Word> {
    let answers = request.answers.iter().map(|(_, answer)| answer.as_str());
    let texts = std::iter::once(request.task).chain(answers);
    let words = texts.flat_map(|text| text.split(|c: char| !c.is_alphanumeric()));
    let words: BTreeSet<String> = words.map(str::to_lowercase).collect();
    let words = words.into_iter().filter(|word| !word.is_empty());
    let scene = ParseContext::from(request);
    let names = |phrase: &str| match named(phrase, &scene) {
        Ok(id) => vec![id.to_string()],
        Err(Misunderstanding::Ambiguous { candidates, .. }) => candidates,
        Err(_) => vec![],
    };
    let any = names("thing");
    words
        .map(|text| {
            // A colour by itself names nothing; "a thing" is called no more than "thing" is.
            let colored = names(&format!("{text} thing"));
            let colored = Some(colored)
                .filter(|found| *found != any)
                .unwrap_or_default();
            let names = [names(&text), colored].concat();
            Word { text, names }
        })
        .collect()
}

/// Returns the words that fit an object: a part of its id, its colour or kind, or a word by which
/// the grammar finds it.
fn words_for<'w>(object: &PerceivedObject, said: &'w [Word]) -> BTreeSet<&'w str> {
    let id = object.id.as_str().to_lowercase();
    let kind = object.category.to_lowercase();
    let color = object.color.as_deref().unwrap_or_default().to_lowercase();
    let own = id.split('_').chain(kind.split('_')).chain([color.as_str()]);
    let own: Vec<&str> = own.map(singular).filter(|word| !word.is_empty()).collect();
    let fits = |word: &&Word| {
        let mut names = word.names.iter();
        own.contains(&singular(&word.text)) || names.any(|name| name == object.id.as_str())
    };
    said.iter()
        .filter(fits)
        .map(|word| word.text.as_str())
        .collect()
}

fn singular(word: &str) -> &str {
    word.strip_suffix('s').unwrap_or(word)
}

/// Returns the objects that a part belongs to, if the goal is to open or close that part.
fn wholes<'a>(
    part: &PerceivedObject,
    goal: &str,
    request: &'a PlanRequest<'_>,
) -> Vec<&'a PerceivedObject> {
    let states = ["open", "closed"].map(|state| format!("{state}({})", part.id));
    if !states.iter().any(|state| goal.contains(state)) {
        return vec![];
    }
    let wholes = wholes_of(part, request).into_iter();
    wholes
        .filter_map(|whole| request.percept.object(whole))
        .collect()
}

fn wholes_of<'a>(part: &PerceivedObject, request: &'a PlanRequest<'_>) -> Vec<&'a ObjectId> {
    let percept = request.percept;
    let known = percept.known.iter().filter(|known| known.object == part.id);
    let known = known.filter_map(|known| known.part_of.as_ref());
    let joints = percept.joints.iter().filter(|joint| joint.child == part.id);
    known.chain(joints.map(|joint| &joint.parent)).collect()
}
