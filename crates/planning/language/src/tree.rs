//! Readings as trees: what is in them, and the same with something else in its place.

use std::rc::Rc;

/// What was matched: a labelled node, a word of a class, or nothing.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tree {
    /// A rule's label, a class, `list`, or empty for what is not there.
    pub(crate) label: String,
    pub(crate) parts: Vec<Rc<Tree>>,
    /// The words it covers.
    pub(crate) from: usize,
    pub(crate) to: usize,
}

/// Labels of noun phrases.
const NPS: &[&str] = &[
    "half_of",
    "part_near_robot",
    "part_near_me",
    "gap",
    "apposed",
    "from_set",
    "noun",
    "one",
    "owned",
    "bare",
    "and",
    "or",
    "except",
    "pronoun",
    "everything",
    "everything_that",
    "something",
    "all_of",
    "both_of",
    "one_of",
    "other_one",
    "some_of",
    "corrected",
    "count_of",
    "rest_of",
    "rest",
    "of_set",
    "contents",
    "things_on",
    "part",
    "part_of",
    "part_alone",
];

/// Labels of what says where something goes.
const PLACES: &[&str] = &[
    "on",
    "in",
    "to",
    "beside",
    "against",
    "side",
    "side_by",
    "under",
    "between",
    "across",
    "point",
    "at_part",
    "numbers",
    "there",
    "free_side",
    "where_is",
    "back_again",
    "at_side_of",
];

/// Labels of qualities, which stand beside the noun and not behind it.
const QUALITIES: &[&str] = &[
    "shape",
    "color",
    "colors",
    "material",
    "most",
    "very",
    "some_most",
    "side",
    "side_most",
    "nth",
    "nth_most",
    "state",
    "count_qual",
    "size",
    "non",
    "color_after",
    "count",
];

impl Tree {
    /// Returns true if its label is one of some.
    pub(crate) fn is(&self, labels: &[&str]) -> bool {
        labels.contains(&self.label.as_str())
    }

    /// The words it covers: where they begin and end.
    pub(crate) fn span(&self) -> (usize, usize) {
        (self.from, self.to)
    }

    /// Returns true for noun phrases.
    pub(crate) fn is_np(&self) -> bool {
        self.is(NPS)
    }

    /// Returns true if it says where something goes.
    pub(crate) fn is_place(&self) -> bool {
        self.is(PLACES) && (!self.parts.is_empty() || self.is(&["there", "back_again"]))
    }

    /// Returns true for qualities, such as a colour.
    pub(crate) fn is_quality(&self) -> bool {
        self.is(QUALITIES)
    }

    /// Returns true if it says something by itself as a part of a clause.
    pub(crate) fn is_said(&self) -> bool {
        !self.is(&["", "list", "if", "trailer"])
    }

    /// The first part with a label.
    pub(crate) fn part(&self, label: &str) -> Option<&Rc<Self>> {
        self.parts.iter().find(|part| part.label == label)
    }

    /// Returns true if a part has a label.
    pub(crate) fn has(&self, label: &str) -> bool {
        self.part(label).is_some()
    }

    /// The noun phrases among its parts.
    pub(crate) fn nps(&self) -> impl DoubleEndedIterator<Item = &Rc<Self>> {
        self.parts.iter().filter(|part| part.is_np())
    }

    /// The first noun phrase among its parts, or itself.
    pub(crate) fn np(self: &Rc<Self>) -> &Rc<Self> {
        self.nps().next().unwrap_or(self)
    }

    /// The last noun phrase among its parts, or itself.
    pub(crate) fn last_np(self: &Rc<Self>) -> &Rc<Self> {
        self.nps().next_back().unwrap_or(self)
    }

    /// The last of its parts, or itself.
    pub(crate) fn last(self: &Rc<Self>) -> &Rc<Self> {
        self.parts.last().unwrap_or(self)
    }

    /// The last part that says where something goes, or itself.
    pub(crate) fn place(self: &Rc<Self>) -> &Rc<Self> {
        self.parts.iter().rfind(|p| p.is_place()).unwrap_or(self)
    }

    /// Items of all parts that are lists.
    pub(crate) fn listed(&self) -> impl Iterator<Item = &Rc<Self>> {
        let lists = self.parts.iter().filter(|part| part.label == "list");
        lists.flat_map(|list| &list.parts)
    }

    /// The parts that are no lists.
    pub(crate) fn unlisted(&self) -> impl DoubleEndedIterator<Item = &Rc<Self>> {
        self.parts.iter().filter(|part| part.label != "list")
    }

    /// A place with another label and other parts that covers the same words.
    pub(crate) fn with(&self, label: &str, parts: Vec<Rc<Self>>) -> Rc<Self> {
        Rc::new(Self {
            label: label.to_owned(),
            parts,
            ..*self
        })
    }

    /// The place "there", once this thing was named.
    pub(crate) fn as_place(self: &Rc<Self>) -> Rc<Self> {
        self.with("to", vec![self.clone()])
    }

    /// The subtrees that are of a sort, not those within them.
    pub(crate) fn slots(&self, is: &dyn Fn(&Self) -> bool) -> Vec<Rc<Self>> {
        let own = |part: &Rc<Self>| match is(part) {
            true => vec![part.clone()],
            false => part.slots(is),
        };
        self.parts.iter().flat_map(own).collect()
    }

    /// The subtrees that are of a sort, and those within them.
    pub(crate) fn every(&self, is: &dyn Fn(&Self) -> bool) -> Vec<Rc<Self>> {
        let own = |part: &Rc<Self>| {
            let itself = Some(part.clone()).filter(|part| is(part));
            itself.into_iter().chain(part.every(is))
        };
        self.parts.iter().flat_map(own).collect()
    }

    /// Itself with another subtree in the place of one.
    pub(crate) fn put_in(self: &Rc<Self>, slot: &Rc<Self>, new: &Rc<Self>) -> Rc<Self> {
        if Rc::ptr_eq(self, slot) {
            return new.clone();
        }
        let parts = self.parts.iter().map(|part| part.put_in(slot, new));
        self.with(&self.label, parts.collect())
    }
}
