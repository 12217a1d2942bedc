//! Resolves single phrases in the scene: objects in arguments of skills, in goals, or in requests
//! to perception.

use std::rc::Rc;

use regrasp_api::{ObjectId, Percept, ReferenceResolver, Resolution, hidden_in, visible};

use crate::asides::expanded;
use crate::clause_graph::ClauseGraph;
use crate::lexicon::ENGLISH;
use crate::outcome::{Misunderstanding, closest_name, explained};
use crate::parse::Parser;
use crate::parse_context::ParseContext;
use crate::reader::Reader;
use crate::referent::{Meant, ReadingError, Referent};
use crate::tokens::{Token, joined, without_pictures};
use crate::tree::Tree;
use crate::words::pieces_of;

/// Largest length of a phrase, bytes. Longer ones take long to read in every way, and people do not
/// say them.
pub(crate) const MAX_CHARS: usize = 1000;

/// Resolver of phrases by the command grammar, as [`resolve`].
#[derive(Clone, Copy, Debug, Default)]
pub struct GrammarResolver;

impl ReferenceResolver for GrammarResolver {
    fn resolve<'p>(&self, percept: &'p Percept, phrase: &str) -> Resolution<'p> {
        resolve(percept, phrase)
    }
}

/// Resolves a phrase: an id (`red_cube`, or in words, "the red cube"), or words that the command
/// grammar reads as one object ("the mug next to the bowl"). Left and right are the robot's. A
/// phrase with an unknown word, unless it is such an id, matches nothing; no word is ignored.
pub fn resolve<'a>(percept: &'a Percept, phrase: &str) -> Resolution<'a> {
    let by_id = |id: &ObjectId| percept.object(id);
    if let Some(object) = by_id(&ObjectId::new(phrase)) {
        return Resolution::One(object);
    }
    let found = named(phrase, &ParseContext::of(percept));
    // The id of an object at which a model pointed consists of all words of its phrase.
    let is_readable = !matches!(found, Err(Misunderstanding::Impossible(_)));
    let called = id_of_phrase(phrase).filter(|_| is_readable);
    if let Some(object) = called.as_ref().and_then(by_id) {
        return Resolution::One(object);
    }
    match found {
        Ok(id) => by_id(&id).map_or_else(|| nothing(percept, phrase, None), Resolution::One),
        Err(Misunderstanding::Ambiguous { candidates, .. }) => {
            let all = candidates.iter().map(ObjectId::new);
            Resolution::Ambiguous(all.filter_map(|id| by_id(&id)).collect())
        }
        Err(_) => nothing(percept, phrase, called),
    }
}

fn nothing<'a>(percept: &'a Percept, phrase: &str, called: Option<ObjectId>) -> Resolution<'a> {
    let id = id_of_phrase(phrase);
    let mut searches = percept.unseen.iter();
    Resolution::None {
        known: percept.objects.iter().map(|o| o.id.clone()).collect(),
        nearest: called.and_then(|id| closest_name(&percept.objects, id.as_str())),
        unseen: searches.find(|unseen| id.is_some() && id_of_phrase(&unseen.phrase) == id),
    }
}

/// Returns the id for an object that a phrase means: its descriptive words, joined. `None` for a
/// phrase without any.
pub fn id_of_phrase(phrase: &str) -> Option<ObjectId> {
    let words = pieces_of(phrase).filter(|w| !ENGLISH.nondescript.contains(w));
    let id = joined(words, "_");
    (!id.is_empty()).then(|| ObjectId::new(id))
}

/// Resolves a phrase that means one object, such as "the mug next to the bowl".
///
/// # Errors
///
/// [`Misunderstanding`] if it means several objects, none, or a zone of an object.
pub fn named(text: &str, scene: &ParseContext<'_>) -> Result<ObjectId, Misunderstanding> {
    if let Some(object) = scene.percept.object(&ObjectId::new(text)) {
        return Ok(object.id.clone());
    }
    let meant = phrase(text, scene)?;
    match meant.things.as_slice() {
        [Referent::Object(id)] => Ok(id.clone()),
        things => {
            let question = format!("which single object is `{text}`?");
            let candidates = things.iter().map(Referent::to_string).collect();
            Err(Misunderstanding::asked(text, question, candidates))
        }
    }
}

/// Rejects text with invisible characters, which may mean something else than it shows.
pub(crate) fn nothing_hidden(text: &str) -> Result<(), Misunderstanding> {
    hidden_in(text).map_or(Ok(()), |c| {
        let c = c.to_string();
        let why = format!("the text contains the invisible character {}", visible(&c));
        Err(Misunderstanding::Impossible(why))
    })
}

pub(crate) fn phrase(text: &str, scene: &ParseContext<'_>) -> Result<Meant, Misunderstanding> {
    let text = &*without_pictures(text);
    nothing_hidden(text)?;
    let n = text.len();
    if n > MAX_CHARS {
        let why = format!("the phrase has {n} bytes; at most {MAX_CHARS} can be read");
        return Err(Misunderstanding::Impossible(why));
    }
    let tokens = expanded(text, &ENGLISH);
    let reader = Reader::new(scene, &ENGLISH, &tokens);
    let mut errors = vec![];
    for tree in &reader.parser(true).whole("np") {
        match reader.clone().np(&reader.typed(tree)) {
            Ok(meant) => return Ok(meant),
            Err(error) => errors.push(error),
        }
    }
    let why = errors.into_iter().min_by_key(ReadingError::rank);
    let why = why.unwrap_or_else(|| ReadingError::Unseen {
        name: text.to_owned(),
        moved: false,
    });
    Err(explained(why, scene.percept))
}

/// Returns the noun phrases of a text, whatever the scene. Perception should look for these.
pub fn phrases(text: &str) -> Vec<String> {
    let tokens = expanded(text, &ENGLISH);
    let is_kind = |word: &str| ENGLISH.is_noun(word);
    let named: [&dyn Fn(&str) -> bool; 2] = [&is_kind, &|_| false];
    let graph = |names| ClauseGraph::of(&mut Parser::new(&ENGLISH, &tokens, names, true));
    let read = named.into_iter().map(graph).find(ClauseGraph::is_read);
    let clauses = read.iter().flat_map(ClauseGraph::first);
    let nouns = clauses.flat_map(|clause| clause.every("NounPhrase"));
    let said = |tree: &Rc<Tree>| tokens[tree.from..tree.to].iter().map(Token::shown);
    let mut found = vec![];
    let has_name = |np: &Rc<Tree>| ["Words", "Of"].contains(&np.parts[2].name());
    for noun in nouns.filter(|np| np.name() == "Noun" && has_name(np)) {
        let quals = noun.parts.iter().flat_map(|part| &part.parts);
        let quals = quals.filter(|q| matches!(q.name(), "Color" | "Material"));
        let names = noun.parts.iter().filter(|p| p.name() == "Words");
        let names = names.flat_map(said).map(|word| ENGLISH.singular(&word));
        let phrase = joined(quals.flat_map(said).chain(names), " ");
        if !phrase.is_empty() && !found.contains(&phrase) {
            found.push(phrase);
        }
    }
    found
}
