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
    let joined = words_of(phrase).join("_");
    (!joined.is_empty()).then(|| ObjectId::new(joined))
}

fn words_of(phrase: &str) -> Vec<String> {
    let untelling = &Language::English.lexicon().untelling;
    phrase
        .split(|c: char| !c.is_alphanumeric())
        .filter(|w| !w.is_empty())
        .map(str::to_lowercase)
        .filter(|w| !untelling.contains(w))
        .collect()
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

#[cfg(test)]
mod tests {
    use super::*;
    use regrasp_api::PerceivedObject;
    use regrasp_testkit::{cube, percept as seen};

    fn cube_at(id: &str, y: f64) -> PerceivedObject {
        cube(id, 0.012, [0.4, y, 0.05])
    }

    #[test]
    fn phrases_name_what_people_mean() {
        let objects = [("red_cube", -0.07), ("green_cube", 0.0), ("b", 0.07)];
        let mut objects = objects.map(|(id, y)| cube_at(id, y));
        objects[2].color = Some("blue".into());
        let percept = seen(objects.to_vec());
        let all: &[&str] = &["red_cube", "green_cube", "b"];
        for (phrase, expected) in [
            ("red_cube", &all[..1]),
            ("the Red Cube", &all[..1]),
            ("the cube on the left", &all[2..]),
            ("rightmost cube", &all[..1]),
            ("middle block", &all[1..2]),
            ("cube", all),
            ("blue cubes", &all[2..]),
            ("purple cube", &[]),
            ("", &[]),
            ("largest cube", all),
        ] {
            let found = match resolve(&percept, phrase) {
                Resolution::One(one) => vec![one],
                Resolution::None { .. } => vec![],
                Resolution::Ambiguous(all) => all,
            };
            let found: Vec<_> = found.iter().map(|o| o.id.as_str()).collect();
            assert_eq!(found, expected, "{phrase}");
        }
    }

    #[test]
    fn what_rests_on_something_can_be_named_by_it() {
        let mut on_red = cube_at("blue_cube", -0.07);
        on_red.world_from_object.translation.z += 0.024;
        let objects = [
            cube_at("red_cube", -0.07),
            cube_at("green_cube", 0.0),
            on_red,
        ];
        for phrase in ["the cube on the red cube", "block on top of the red one"] {
            let percept = seen(objects.to_vec());
            let Resolution::One(found) = resolve(&percept, phrase) else {
                panic!("`{phrase}` names one cube: {:?}", resolve(&percept, phrase));
            };
            assert_eq!(found.id.as_str(), "blue_cube", "{phrase}");
        }
        for phrase in ["the cube on the green cube", "the mug on the red cube"] {
            assert!(
                matches!(
                    resolve(&seen(objects.to_vec()), phrase),
                    Resolution::None { .. }
                ),
                "{phrase}"
            );
        }
    }

    #[test]
    fn a_phrase_finds_what_has_its_id() {
        let id = id_of_phrase("The cracked cube on the left").expect("it has words");
        assert_eq!(id.as_str(), "cracked_cube_left");
        let objects = [cube_at("red_cube", 0.2), cube_at(id.as_str(), 0.0)];
        for phrase in ["the cracked cube on the left", "a cracked cube on the left"] {
            let percept = seen(objects.to_vec());
            let found = resolve(&percept, phrase);
            assert_eq!(found, Resolution::One(&objects[1]), "{phrase}");
        }
        assert_eq!(id_of_phrase("the one on the"), None);
    }

    #[test]
    fn a_misspelt_name_gets_the_nearest_one() {
        let objects = [cube_at("red_cube", 0.0), cube_at("green_cube", 0.1)];
        assert_eq!(
            closest_name(&objects, "red_cub"),
            Some(ObjectId::new("red_cube"))
        );
        assert_eq!(closest_name(&objects, "teapot"), None);
    }

    /// What looks like a name and is none is not guessed at.
    #[test]
    fn hidden_characters_and_endless_phrases_name_nothing() {
        let objects = [cube_at("red_cube", 0.0), cube_at("odd\u{200b}id", 0.1)];
        let percept = seen(objects.to_vec());
        let endless = "red cube ".repeat(100_000);
        for phrase in [
            "red_\u{200b}cube",
            "red_cube\0",
            "red\u{202e} cube",
            &endless,
        ] {
            let found = resolve(&percept, phrase);
            assert!(matches!(found, Resolution::None { .. }), "{found:?}");
        }
        let exact = resolve(&percept, "odd\u{200b}id");
        assert!(matches!(exact, Resolution::One(_)), "{exact:?}");
    }
}
