//! Words of a text, and the objects that they fit.

use std::collections::BTreeSet;

use regrasp_api::{ObjectId, PerceivedObject, PlanRequest};
use regrasp_language::{Misunderstanding, ParseContext, named};

use super::described::Described;
use crate::Names;

/// Words of a text that fit an object.
pub(super) type Words = BTreeSet<String>;

/// A text, with the goal that a model derived from it.
pub(super) struct Text<'a> {
    pub(super) request: &'a PlanRequest<'a>,
    pub(super) goal: &'a str,
    words: Vec<Word>,
    scene: Described<'a>,
}

impl<'a> Text<'a> {
    pub(super) fn new(request: &'a PlanRequest<'a>, names: &'a Names, goal: &'a str) -> Self {
        Self {
            request,
            goal,
            words: said(request),
            scene: Described::new(request, names),
        }
    }

    /// Returns all words of the text.
    pub(super) fn words(&self) -> impl Iterator<Item = &String> {
        self.words.iter().map(|word| &word.text)
    }

    /// Returns the words for an object of the goal. For a part that the goal opens or closes, these
    /// include the words for its whole: a stove is turned on by its knob.
    pub(super) fn own(&self, object: &PerceivedObject) -> Words {
        let wholes = wholes(object, self.goal, self.request).into_iter();
        let things = std::iter::once(object).chain(wholes);
        things.flat_map(|thing| self.fitting(thing)).collect()
    }

    /// Returns the words for the supports and neighbours of an object.
    pub(super) fn around(&self, object: &PerceivedObject) -> Words {
        let around = self.scene.around(object).into_iter();
        around.flat_map(|thing| self.fitting(thing)).collect()
    }

    /// Returns the words that fit an object: a part of its id or of a zone's name, its colour or
    /// kind, or a word by which the grammar finds it.
    pub(super) fn fitting(&self, object: &PerceivedObject) -> Words {
        let id = object.id.as_str().to_lowercase();
        let kind = object.category.to_lowercase();
        let color = object.color.as_deref().unwrap_or_default().to_lowercase();
        let zones = self.request.percept.known(&object.id).into_iter();
        let zones = zones.flat_map(|known| known.zones.iter().map(|zone| zone.name.as_str()));
        let own = [id.as_str(), &kind, &color].into_iter().chain(zones);
        let own = own.flat_map(|name| name.split('_'));
        let own: Vec<&str> = own.map(singular).filter(|word| !word.is_empty()).collect();
        let fits = |word: &&Word| {
            let mut names = word.names.iter();
            own.contains(&singular(&word.text)) || names.any(|name| name == object.id.as_str())
        };
        let fitting = self.words.iter().filter(fits);
        fitting.map(|word| word.text.clone()).collect()
    }
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
            // A colour names an object only before a noun. A word that names every object
            // distinguishes none.
            let found = [names(&text), names(&format!("{text} thing"))].into_iter();
            let names = found.filter(|found| *found != any).flatten().collect();
            Word { text, names }
        })
        .collect()
}

pub(super) fn singular(word: &str) -> &str {
    word.strip_suffix('s').unwrap_or(word)
}

/// Returns the objects that a part belongs to, if the goal is to open or close that part.
pub(super) fn wholes<'a>(
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

pub(super) fn wholes_of<'a>(
    part: &PerceivedObject,
    request: &'a PlanRequest<'_>,
) -> Vec<&'a ObjectId> {
    let percept = request.percept;
    let joints = percept.joints.iter().filter(|joint| joint.child == part.id);
    let known = percept.whole_of(&part.id).into_iter();
    known.chain(joints.map(|joint| &joint.parent)).collect()
}
