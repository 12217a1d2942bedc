//! Readings as trees: what is in them, and the same with something else in its place.

use std::rc::Rc;

use crate::signature::Signature;

/// The kind of a match.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) enum Label {
    /// Mere words, or what is not there.
    #[default]
    Nothing,
    /// Any number of something.
    List,
    /// A word of a class.
    Class(String),
    /// A word that is not said.
    Word(String),
    Node(&'static Signature),
}

/// A reading of some words.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tree {
    pub(crate) label: Label,
    pub(crate) parts: Vec<Rc<Tree>>,
    /// The words it covers.
    pub(crate) from: usize,
    pub(crate) to: usize,
}

impl Tree {
    /// The name of its constructor.
    pub(crate) fn name(&self) -> &'static str {
        match self.label {
            Label::Node(signature) => signature.name,
            _ => "",
        }
    }

    /// The sort of what it is.
    pub(crate) fn sort(&self) -> &'static str {
        match self.label {
            Label::Node(signature) => signature.sort,
            _ => "",
        }
    }

    /// The subtrees of a sort, not those within them.
    pub(crate) fn slots(&self, sort: &str) -> Vec<Rc<Self>> {
        let own = |part: &Rc<Self>| match part.sort() == sort {
            true => vec![part.clone()],
            false => part.slots(sort),
        };
        self.parts.iter().flat_map(own).collect()
    }

    /// The subtrees of a sort, and those within them.
    pub(crate) fn every(&self, sort: &str) -> Vec<Rc<Self>> {
        let own = |part: &Rc<Self>| {
            let itself = Some(part.clone()).filter(|part| part.sort() == sort);
            itself.into_iter().chain(part.every(sort))
        };
        self.parts.iter().flat_map(own).collect()
    }

    /// Returns true if it is so, or has a part that is.
    pub(crate) fn has(&self, is: &dyn Fn(&Self) -> bool) -> bool {
        is(self) || self.parts.iter().any(|part| part.has(is))
    }

    /// Itself with another subtree in the place of one.
    pub(crate) fn put_in(self: &Rc<Self>, slot: &Rc<Self>, new: &Rc<Self>) -> Rc<Self> {
        if Rc::ptr_eq(self, slot) {
            return new.clone();
        }
        let parts = self.parts.iter().map(|part| part.put_in(slot, new));
        Rc::new(Self {
            label: self.label.clone(),
            parts: parts.collect(),
            ..**self
        })
    }
}
