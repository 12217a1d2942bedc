//! A noun phrase by its words: determiner, qualities, name, and what stands behind it.

use std::rc::Rc;

use crate::tree::Tree;

/// Parts of a noun phrase.
#[derive(Default)]
pub(super) struct Noun<'t> {
    /// Its determiner.
    pub(super) det: Option<&'t Tree>,
    pub(super) quals: Vec<&'t Rc<Tree>>,
    pub(super) posts: Vec<&'t Rc<Tree>>,
    pub(super) words: Vec<String>,
    /// Colours that it has because what it takes up has them.
    pub(super) colors: Vec<String>,
    pub(super) plural: bool,
    /// The name in it, and the phrase for what it belongs to.
    pub(super) name: Option<&'t Rc<Tree>>,
    pub(super) owner: Option<&'t Rc<Tree>>,
}

impl<'t> Noun<'t> {
    /// The parts of a noun phrase.
    pub(super) fn of(tree: &'t Tree) -> Self {
        let mut noun = Self::default();
        for (i, part) in tree.parts.iter().enumerate() {
            match part.label.as_str() {
                "" => {}
                "noun" | "pronoun" if i == 0 => noun.owner = Some(part),
                "name" | "name_of" => noun.name = Some(part),
                "list" => part.parts.iter().for_each(|part| noun.add(part)),
                _ if i == 0 => noun.det = Some(part),
                _ => noun.add(part),
            }
        }
        if tree.label == "bare" {
            // Its determiner is not optional, and one quality stands by itself.
            noun.det = tree.parts.first().map(|p| &**p);
        }
        noun
    }

    fn add(&mut self, part: &'t Rc<Tree>) {
        match part.is_quality() {
            true => self.quals.push(part),
            false => self.posts.push(part),
        }
    }

    /// Returns true for "the other one" and "another one".
    pub(super) fn is_other(&self) -> bool {
        self.det.is_some_and(|det| det.is(&["other", "another"]))
    }

    /// Returns true if its determiner is there, or is not.
    pub(super) fn has_det(&self, wanted: bool) -> bool {
        self.det.is_some_and(|det| det.label.is_empty() != wanted)
    }
}
