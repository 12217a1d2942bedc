//! Explains to the speaker why a text is not understood, with the nearest known names and sentences.

use regrasp_api::{ObjectId, PerceivedObject, Percept};

use crate::lists::joined;
use crate::outcome::Misunderstanding;
use crate::reader::Reader;
use crate::referent::{ReadingError, Referent};
use crate::tokens::Token;

/// Least similarity at which a word counts as a misspelling of another.
const SPELT_ALIKE: f64 = 0.7;
/// Least fraction of common words at which two sentences are near.
const NEAR: f64 = 0.5;

pub(crate) fn explained(error: ReadingError, percept: &Percept) -> Misunderstanding {
    match error {
        ReadingError::Unseen { name, moved, .. } => {
            let objects = &percept.objects;
            let known = objects.iter().map(|o| o.id.to_string());
            let nearest = closest_name(objects, &name.replace(' ', "_"));
            let is_said = |id: &&ObjectId| name.split(' ').any(|word| word == id.as_str());
            let nearest = nearest.or_else(|| objects.iter().map(|o| &o.id).find(is_said).cloned());
            Misunderstanding::Unseen {
                known: known.collect(),
                nearest: nearest.map(|id| id.to_string()),
                name,
                moved,
            }
        }
        ReadingError::Several { phrase, candidates } => {
            let described = candidates.iter().map(|thing| described(thing, percept));
            let question = format!("which is `{phrase}`: {}?", joined(described, ", or "));
            let candidates = candidates.iter().map(Referent::to_string).collect();
            Misunderstanding::asked(&phrase, question, candidates)
        }
        ReadingError::Unclear(question) => Misunderstanding::asked("", question, vec![]),
        ReadingError::None(why) | ReadingError::Impossible(why) | ReadingError::Nonsense(why) => {
            Misunderstanding::Impossible(why)
        }
    }
}

/// Describes an object by colour and position, to distinguish it from others.
fn described(thing: &Referent, percept: &Percept) -> String {
    let Some(object) = percept.object(thing.id()) else {
        return thing.to_string();
    };
    let center = object.aabb_in_world().center();
    let color = object.color.as_deref();
    let color = color.map_or_else(String::new, |c| format!("{c}, "));
    format!("{thing} ({color}at x={:.2} y={:.2})", center.x, center.y)
}

/// Reports a text without any reading, with those of its words that are known.
pub(crate) fn unknown(reader: &Reader<'_>, furthest: usize) -> Misunderstanding {
    let (tokens, lexicon) = (reader.tokens, reader.lexicon);
    let is_number = |word: &str| word.parse::<f64>().is_ok();
    let names = |word: &str| lexicon.is_noun(word) || reader.scene.has_object(word);
    let is_known = |word: &str| lexicon.knows(word) || names(word) || is_number(word);
    let strange = |token: &Token| token.word().is_some_and(|word| !is_known(word));
    let last = furthest.min(tokens.len().saturating_sub(1));
    let at = tokens.iter().position(strange).unwrap_or(last);
    let marked = tokens.iter().enumerate().map(|(i, token)| match i == at {
        true => format!(">{}<", token.shown()),
        false => token.shown(),
    });
    let words = || tokens.iter().filter_map(Token::word);
    let describes = |word: &&str| !names(word) && !lexicon.nondescript.contains(*word);
    let telling: Vec<&str> = words().filter(describes).collect();
    Misunderstanding::Unknown {
        marked: joined(marked, " "),
        nearest: nearest_sentence(&telling, &lexicon.examples),
        known: words().filter(|w| is_known(w)).map(str::to_owned).collect(),
        is_all_known: !tokens.iter().any(strange),
    }
}

/// Returns the example sentence that shares most words with a text, if at least half of the words
/// of both are the same, not counting nouns.
fn nearest_sentence(text: &[&str], examples: &[String]) -> Option<String> {
    let nearness = |sentence: &String| {
        let words = sentence.split_whitespace();
        let words: Vec<_> = words.filter(|w| !matches!(*w, "X" | "Y" | "Z")).collect();
        let shared = words.iter().map(|word| {
            let like = text
                .iter()
                .map(|s| strsim::normalized_damerau_levenshtein(s, word));
            like.filter(|like| *like > SPELT_ALIKE).fold(0.0, f64::max)
        });
        2.0 * shared.sum::<f64>() / (words.len() + text.len()) as f64
    };
    let scored = examples.iter().map(|own| (nearness(own), own));
    let near = scored.filter(|(nearness, _)| *nearness >= NEAR);
    let best = near.max_by(|(a, _), (b, _)| a.total_cmp(b));
    best.map(|(_, sentence)| sentence.clone())
}

/// Returns the known id whose spelling is nearest to `name`, if at most a third of the letters
/// differ.
pub(crate) fn closest_name(objects: &[PerceivedObject], name: &str) -> Option<ObjectId> {
    let distance = |o: &&PerceivedObject| strsim::damerau_levenshtein(o.id.as_str(), name);
    let best = objects.iter().min_by_key(distance)?;
    (3 * distance(&best) <= name.len().max(best.id.as_str().len())).then(|| best.id.clone())
}
