//! Why a text is not understood, for whoever said it.

use regrasp_api::{ObjectId, Reason};

use crate::lexicon::Lexicon;
use crate::nearest::closest_name;
use crate::outcome::Misunderstanding;
use crate::parse_context::ParseContext;
use crate::reader::Reader;
use crate::referent::{ReadingError, Referent};
use crate::tokens::Token;

/// Explains the problem of a reading.
pub(crate) fn explained(
    trouble: ReadingError,
    scene: &ParseContext<'_>,
    reader: &Reader<'_>,
) -> Misunderstanding {
    match trouble {
        ReadingError::Unseen { name, moved, .. } => {
            let known = scene.percept.objects.iter().map(|o| o.id.to_string());
            let objects = &scene.percept.objects;
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
            let told = candidates.iter().map(|thing| reader.told_apart(thing));
            let told: Vec<_> = told.collect();
            Misunderstanding::Ambiguous {
                reason: Reason::AmbiguousObject,
                question: format!("which is `{phrase}`: {}?", told.join(", or ")),
                phrase,
                candidates: candidates.iter().map(Referent::to_string).collect(),
            }
        }
        ReadingError::Unclear { question } => Misunderstanding::Ambiguous {
            reason: Reason::AmbiguousCommand,
            question,
            phrase: String::new(),
            candidates: vec![],
        },
        ReadingError::Itself(thing) => {
            let why = format!("{thing} cannot be brought to itself: name another thing");
            Misunderstanding::Impossible(why)
        }
        ReadingError::Impossible(why) | ReadingError::Nonsense(why) => {
            Misunderstanding::Impossible(why)
        }
    }
}

/// The text with the first words that are not understood between `>` and `<`.
pub(crate) fn marked(
    tokens: &[Token],
    furthest: usize,
    scene: &ParseContext<'_>,
    lexicon: &Lexicon,
) -> String {
    let strange = |token: &Token| {
        token.word().is_some_and(|w| {
            !lexicon.knows(w)
                && !lexicon.is_noun(w)
                && !scene.has_object(w)
                && w.parse::<f64>().is_err()
        })
    };
    let last = furthest.min(tokens.len().saturating_sub(1));
    let at = tokens.iter().position(strange).unwrap_or(last);
    let words = tokens.iter().enumerate().map(|(i, token)| match i == at {
        true => format!(">{}<", token.shown()),
        false => token.shown(),
    });
    words.collect::<Vec<_>>().join(" ")
}
