//! Readings as trees: what is in them, and the same with something else in its place.

use std::rc::Rc;

use crate::parse::Tree;

/// Whether a sentence is a clause of a sort.
pub(crate) fn is_clause(sentence: Option<&Rc<Tree>>, label: &str) -> bool {
    sentence.is_some_and(|s| s.parts.iter().any(|p| p.label == label))
}

/// Whether a part of a clause says something by itself.
pub(crate) fn is_said(tree: &Rc<Tree>) -> bool {
    !matches!(tree.label.as_str(), "" | "list" | "if" | "trailer")
}

/// "there", once a thing was named.
pub(crate) fn place_of(np: &Rc<Tree>) -> Rc<Tree> {
    Rc::new(Tree {
        label: "to".into(),
        parts: vec![np.clone()],
        ..(**np).clone()
    })
}

/// The subtrees of an action that are of a sort, not those within them.
pub(crate) fn slots(tree: &Rc<Tree>, is: &dyn Fn(&Tree) -> bool) -> Vec<Rc<Tree>> {
    let mut found = vec![];
    for part in &tree.parts {
        match is(part) {
            true => found.push(part.clone()),
            false => found.extend(slots(part, is)),
        }
    }
    found
}

/// The subtrees of an action that are of a sort, and those within them.
pub(crate) fn every(tree: &Rc<Tree>, is: &dyn Fn(&Tree) -> bool) -> Vec<Rc<Tree>> {
    let mut found = vec![];
    for part in &tree.parts {
        if is(part) {
            found.push(part.clone());
        }
        found.extend(every(part, is));
    }
    found
}

/// A tree with another subtree in the place of one.
pub(crate) fn put_in(tree: &Rc<Tree>, slot: &Rc<Tree>, new: &Rc<Tree>) -> Rc<Tree> {
    if Rc::ptr_eq(tree, slot) {
        return new.clone();
    }
    let mut copy = (**tree).clone();
    for part in &mut copy.parts {
        *part = put_in(part, slot, new);
    }
    Rc::new(copy)
}
