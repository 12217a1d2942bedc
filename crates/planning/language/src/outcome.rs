//! Result of reading a text: a task, or the reason why there is none, with the nearest known names
//! and sentences.

use std::collections::BTreeSet;

use regrasp_api::{ObjectId, PerceivedObject, Percept, Reason};
use serde::{Deserialize, Serialize};

use crate::context::PhraseMeaning;
use crate::reader::Reader;
use crate::referent::{ReadingError, Referent};
use crate::task::Task;
use crate::tokens::{Token, joined};

/// A text that was understood.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Understood {
    /// The requested task.
    pub task: Task,
    /// Meaning of each phrase.
    pub meanings: Vec<PhraseMeaning>,
    /// True if the text names sides, so that its meaning depends on the viewpoint.
    pub sides_matter: bool,
}

/// Reason why a text is not understood.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
pub enum Misunderstanding {
    /// The text has several meanings, and a person can decide.
    #[error("{question}")]
    Ambiguous {
        /// `ambiguous_object` or `ambiguous_command`.
        reason: Reason,
        /// Question for the person.
        question: String,
        /// The ambiguous phrase; empty if it is the whole text.
        phrase: String,
        /// Possible meanings.
        candidates: Vec<String>,
    },
    /// The sentence is clear, but no perceived object has this name.
    #[error("no object called `{name}` is seen (known objects: {}){}", .known.join(", "), near(.nearest))]
    Unseen {
        /// The name in the text.
        name: String,
        /// True if the name is that of the first object to be moved.
        moved: bool,
        /// Names of all perceived objects.
        known: Vec<String>,
        /// The known id with the nearest spelling.
        nearest: Option<String>,
    },
    /// The sentence is clear, but impossible in this scene.
    #[error("{0}")]
    Impossible(String),
    /// The words are not understood.
    #[error("not understood: {marked}; {}", like(.nearest, .known, *.is_all_known))]
    Unknown {
        /// The text with its first unknown words between `>` and `<`.
        marked: String,
        /// A similar sentence that would be understood, if there is one.
        nearest: Option<String>,
        /// Words of the text that are known.
        #[serde(default)]
        known: Vec<String>,
        /// True if all words are known: the mark is then where no known sentence goes on.
        #[serde(default)]
        is_all_known: bool,
    },
}

impl Misunderstanding {
    /// Asks which of several meanings a phrase has, or the whole text if the phrase is empty.
    pub(crate) fn asked(phrase: &str, question: String, candidates: Vec<String>) -> Self {
        Self::Ambiguous {
            reason: match phrase {
                "" => Reason::AmbiguousCommand,
                _ => Reason::AmbiguousObject,
            },
            question,
            phrase: phrase.to_owned(),
            candidates,
        }
    }
}

fn near(nearest: &Option<String>) -> String {
    let near = nearest.as_ref();
    near.map_or_else(String::new, |id| format!("; did you mean {id}?"))
}

fn like(nearest: &Option<String>, known: &[String], is_all_known: bool) -> String {
    match (nearest, known.is_empty()) {
        (Some(nearest), _) => format!("a similar sentence that is: `{nearest}`"),
        (None, false) if is_all_known => "each word is known, but not in this order".to_owned(),
        (None, false) => format!("known words: {}", known.join(", ")),
        (None, true) => "none of its words is known".to_owned(),
    }
}

impl Understood {
    /// Formats the goal in one line.
    pub fn goal(&self) -> String {
        self.task.to_string()
    }

    /// Formats the meaning of each phrase with its reason, one per line.
    pub fn because(&self) -> Vec<String> {
        let line = |PhraseMeaning { phrase, means, why }: &_| match means.is_empty() {
            true => format!("`{phrase}`: {why}"),
            false => format!("`{phrase}` = {}: {why}", means.join(", ")),
        };
        self.meanings.iter().map(line).collect()
    }
}

/// Least similarity at which a word counts as a misspelling of another.
const SPELT_ALIKE: f64 = 0.7;
/// Least fraction of common words at which two sentences are near.
const NEAR: f64 = 0.5;

pub(crate) fn explained(error: ReadingError, percept: &Percept) -> Misunderstanding {
    match error {
        ReadingError::Unseen { name, moved, .. } => {
            let objects = &percept.objects;
            let nearest = closest_name(objects, &name.replace(' ', "_"));
            // A misspelt article or quality does not hide the noun.
            let mut words = name.rsplit(' ');
            let nearest = nearest.or_else(|| words.find_map(|word| closest_name(objects, word)));
            Misunderstanding::Unseen {
                known: objects.iter().map(|o| o.id.to_string()).collect(),
                nearest: nearest.map(|id| id.to_string()),
                name,
                moved,
            }
        }
        ReadingError::Several { phrase, candidates } => {
            let described = described(&candidates, percept);
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

/// Describes objects by colour and position, to distinguish them; by height, too, if some are at
/// the same point of the table, as drawers are.
pub(crate) fn described(things: &[Referent], percept: &Percept) -> Vec<String> {
    let seen = |thing: &Referent| percept.object(thing.id());
    let place = |object: &PerceivedObject| {
        let center = object.aabb_in_world().center();
        (format!("x={:.2} y={:.2}", center.x, center.y), center.z)
    };
    let places = || things.iter().filter_map(seen).map(|o| place(o).0);
    let needs_height = places().collect::<BTreeSet<_>>().len() < places().count();
    let one = |thing: &Referent| {
        let Some(object) = seen(thing) else {
            return thing.to_string();
        };
        let color = object.color.as_deref();
        let color = color.map_or_else(String::new, |c| format!("{c}, "));
        let (at, z) = place(object);
        match needs_height {
            true => format!("{thing} ({color}at {at} z={z:.2})"),
            false => format!("{thing} ({color}at {at})"),
        }
    };
    things.iter().map(one).collect()
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
        let likeness = |a: &str, b: &str| strsim::normalized_damerau_levenshtein(a, b);
        let shared = words.iter().map(|word| {
            let like = text.iter().map(|own| likeness(own, word));
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
