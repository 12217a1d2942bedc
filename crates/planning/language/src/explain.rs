//! Explains to the speaker why a text is not understood.

use regrasp_api::{ObjectId, Percept};

use crate::lexicon::Lexicon;
use crate::lists::joined;
use crate::nearest::{closest_name, nearest_sentence};
use crate::outcome::Misunderstanding;
use crate::parse_context::ParseContext;
use crate::referent::{ReadingError, Referent};
use crate::tokens::Token;

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
        ReadingError::None { phrase, why } => {
            Misunderstanding::Impossible(format!("`{phrase}`: {why}"))
        }
        ReadingError::Several { phrase, candidates } => {
            let described = candidates.iter().map(|thing| described(thing, percept));
            let question = format!("which is `{phrase}`: {}?", joined(described, ", or "));
            let candidates = candidates.iter().map(Referent::to_string).collect();
            Misunderstanding::asked(&phrase, question, candidates)
        }
        ReadingError::Unclear(question) => Misunderstanding::asked("", question, vec![]),
        ReadingError::Impossible(why) | ReadingError::Nonsense(why) => {
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
pub(crate) fn unknown(
    tokens: &[Token],
    furthest: usize,
    scene: &ParseContext<'_>,
    lexicon: &Lexicon,
) -> Misunderstanding {
    let is_number = |word: &str| word.parse::<f64>().is_ok();
    let names = |word: &str| lexicon.is_noun(word) || scene.has_object(word);
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
