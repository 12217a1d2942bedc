//! What a phrase by itself names among what is seen: the words for a thing in an argument of a
//! skill, in a goal, or in what perception is asked to look for.

use std::cell::Cell;
use std::rc::Rc;

use regrasp_api::{
    ObjectId, Percept, Reason, ReferenceResolver, Resolution, Unseen, hidden_in, visible,
};

use crate::clause_graph::ClauseGraph;
use crate::explain::explained;
use crate::lexicon::{Language, Lexicon};
use crate::nearest::closest_name;
use crate::outcome::Misunderstanding;
use crate::parse::Parser;
use crate::parse_context::ParseContext;
use crate::referent::{Meant, ReadingError, Referent};
use crate::spelling::expanded;
use crate::tokens::{Token, without_pictures};
use crate::tree::Tree;
use crate::words::pieces_of;

/// Longer sentences would take long to read in every way, and nobody says them.
pub(crate) const MAX_CHARS: usize = 1000;
/// Phrases that are looked up before a text is given up; people's sentences take a tenth of it.
pub(crate) const MAX_PHRASES: usize = 4_000;

/// Resolves phrases by the grammar of commands, as [`resolve`] does.
#[derive(Clone, Copy, Debug, Default)]
pub struct GrammarResolver;

impl ReferenceResolver for GrammarResolver {
    fn resolve<'p>(&self, percept: &'p Percept, phrase: &str) -> Resolution<'p> {
        resolve(percept, phrase)
    }
}

/// Finds what a phrase names: an id (`red_cube`), or words that the grammar of commands reads as
/// one thing ("the mug next to the bowl"). Left and right are the robot's own. A word that names
/// and chooses nothing makes the phrase match nothing, rather than being ignored.
pub fn resolve<'a>(percept: &'a Percept, phrase: &str) -> Resolution<'a> {
    let by_id = |id: &ObjectId| percept.object(id);
    if let Some(object) = by_id(&ObjectId::new(phrase)) {
        return Resolution::One(object);
    }
    let found = named(phrase, &ParseContext::of(percept));
    // What was pointed out is called by all the words for it.
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
        Err(Misunderstanding::Impossible(_)) => nothing(percept, phrase, None),
        Err(_) => nothing(percept, phrase, called),
    }
}

fn nothing<'a>(percept: &'a Percept, phrase: &str, called: Option<ObjectId>) -> Resolution<'a> {
    Resolution::None {
        known: percept.objects.iter().map(|o| o.id.clone()).collect(),
        nearest: called.and_then(|id| closest_name(&percept.objects, id.as_str())),
        unseen: looked_for(percept, phrase),
    }
}

/// The look by that name that was in vain.
fn looked_for<'p>(percept: &'p Percept, phrase: &str) -> Option<&'p Unseen> {
    let id = id_of_phrase(phrase)?;
    let mut unseen = percept.unseen.iter();
    unseen.find(|u| id_of_phrase(&u.phrase).as_ref() == Some(&id))
}

/// The id under which exactly the thing is found that a phrase means: its telling words,
/// joined. `None` for a phrase without any.
pub fn id_of_phrase(phrase: &str) -> Option<ObjectId> {
    let untelling = &Language::English.lexicon().untelling;
    let words: Vec<_> = pieces_of(phrase)
        .filter(|w| !untelling.contains(w))
        .collect();
    (!words.is_empty()).then(|| ObjectId::new(words.join("_")))
}

/// The one thing that a phrase names: "the mug next to the bowl".
///
/// # Errors
///
/// [`Misunderstanding`] if it names several, or none, or a place of a thing.
pub fn named(text: &str, scene: &ParseContext<'_>) -> Result<ObjectId, Misunderstanding> {
    if let Some(object) = scene.percept.object(&ObjectId::new(text)) {
        return Ok(object.id.clone());
    }
    let meant = phrase(text, scene)?;
    match meant.things.as_slice() {
        [Referent::Object(id)] => Ok(id.clone()),
        things => Err(Misunderstanding::Ambiguous {
            reason: Reason::AmbiguousObject,
            question: format!("which one thing is `{text}`?"),
            phrase: text.to_owned(),
            candidates: things.iter().map(Referent::to_string).collect(),
        }),
    }
}

/// What looks like one thing and says another is not guessed at.
pub(crate) fn nothing_hidden(text: &str) -> Result<(), Misunderstanding> {
    match hidden_in(text) {
        None => Ok(()),
        Some(c) => Err(Misunderstanding::Impossible(format!(
            "the text holds the character {} that cannot be seen",
            visible(&c.to_string())
        ))),
    }
}

/// What a noun phrase by itself means.
pub(crate) fn phrase(text: &str, scene: &ParseContext<'_>) -> Result<Meant, Misunderstanding> {
    let text = &*without_pictures(text);
    nothing_hidden(text)?;
    if text.len() > MAX_CHARS {
        return Err(Misunderstanding::Impossible(format!(
            "a phrase of {} bytes names nothing; at most {MAX_CHARS} are read",
            text.len()
        )));
    }
    let lexicon = Language::English.lexicon();
    let tokens = expanded(text, lexicon);
    let names = |word: &str| scene.is_name(word, lexicon);
    let trees = Parser::new(lexicon, &tokens, &names, true).whole("np");
    let patience = Cell::new(MAX_PHRASES);
    let reader = scene.reader(lexicon, &tokens, &patience);
    let mut troubles = vec![];
    for tree in &trees {
        match reader.clone().np(&reader.typed(tree)) {
            Ok(meant) => return Ok(meant),
            Err(trouble) => troubles.push(trouble),
        }
    }
    let why = troubles.into_iter().min_by_key(ReadingError::rank);
    let why = why.unwrap_or_else(|| ReadingError::Unseen {
        phrase: text.to_owned(),
        name: text.to_owned(),
        moved: false,
    });
    Err(explained(why, scene, &reader))
}

/// The words for things in a text, whatever is seen: what perception should look for.
pub fn phrases(text: &str) -> Vec<String> {
    let lexicon = Language::English.lexicon();
    let tokens = expanded(text, lexicon);
    let is_kind = |word: &str| lexicon.is_noun(word);
    let named: [&dyn Fn(&str) -> bool; 2] = [&is_kind, &|_| false];
    let graph = |names| ClauseGraph::of(&mut Parser::new(lexicon, &tokens, names, true));
    let read = named.into_iter().map(graph).find(ClauseGraph::is_read);
    let mut found = vec![];
    for tree in read.iter().flat_map(ClauseGraph::first) {
        collect_names(&tree, &tokens, lexicon, &mut found);
    }
    found
}

fn collect_names(tree: &Tree, tokens: &[Token], lexicon: &Lexicon, found: &mut Vec<String>) {
    let said = |tree: &Rc<Tree>| tokens[tree.from..tree.to].iter().map(Token::shown);
    if matches!(tree.name(), "Noun" | "Owned") {
        let quals = tree.parts.iter().flat_map(|part| &part.parts);
        let quals = quals.filter(|q| matches!(q.name(), "Color" | "Material"));
        let names = tree.parts.iter().filter(|p| p.name() == "Words");
        let names = names.flat_map(said).map(|word| lexicon.singular(&word));
        let words: Vec<String> = quals.flat_map(said).chain(names).collect();
        let phrase = words.join(" ");
        if !phrase.is_empty() && !found.contains(&phrase) {
            found.push(phrase);
        }
    }
    let parts = tree.parts.iter();
    parts.for_each(|part| collect_names(part, tokens, lexicon, found));
}
