//! Syntax trees, with search and replacement of subtrees.

use std::rc::Rc;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Many {
    One,
    Optional,
    Any,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Kind<'k> {
    pub(crate) sort: &'k str,
    pub(crate) many: Many,
}

/// Signature of a constructor, against which the rules of a language are checked.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct Signature {
    pub(crate) sort: &'static str,
    pub(crate) name: &'static str,
    pub(crate) fields: Vec<Kind<'static>>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) enum Label {
    /// Words without a meaning, or an absent item.
    #[default]
    Nothing,
    List,
    /// A word of a class.
    Class(String),
    /// A word that does not occur in the text.
    Word(String),
    Node(&'static Signature),
}

/// A reading of some tokens.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tree {
    pub(crate) label: Label,
    pub(crate) parts: Vec<Rc<Tree>>,
    /// First token and end.
    pub(crate) from: usize,
    pub(crate) to: usize,
}

impl Tree {
    pub(crate) fn name(&self) -> &'static str {
        match self.label {
            Label::Node(signature) => signature.name,
            _ => "",
        }
    }

    pub(crate) fn sort(&self) -> &'static str {
        match self.label {
            Label::Node(signature) => signature.sort,
            _ => "",
        }
    }

    /// Returns the outermost subtrees of a sort.
    pub(crate) fn slots(&self, sort: &str) -> Vec<Rc<Self>> {
        let own = |part: &Rc<Self>| match part.sort() == sort {
            true => vec![part.clone()],
            false => part.slots(sort),
        };
        self.parts.iter().flat_map(own).collect()
    }

    /// Returns all subtrees of a sort, nested ones included.
    pub(crate) fn every(&self, sort: &str) -> Vec<Rc<Self>> {
        let slots = self.slots(sort).into_iter();
        let with_inner = slots.map(|slot| [vec![slot.clone()], slot.every(sort)].concat());
        with_inner.flatten().collect()
    }

    /// Returns true if the tree or one of its subtrees satisfies `is`.
    pub(crate) fn has(&self, is: &dyn Fn(&Self) -> bool) -> bool {
        is(self) || self.parts.iter().any(|part| part.has(is))
    }

    /// Returns the tree with a subtree replaced.
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
