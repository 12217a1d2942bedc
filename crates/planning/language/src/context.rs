//! Discourse context while a text is read.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use nalgebra::Vector3;
use regrasp_api::{Goal, ObjectId};

use crate::ast::{Node, Order};
use crate::referent::{Destination, How, Meant, Referent, join, those};
use crate::task::Reference;

#[derive(Clone, Debug, Default)]
pub(crate) struct Context {
    /// Moved objects, the latest last.
    pub(crate) moved: Vec<Meant>,
    pub(crate) mentioned: Vec<Meant>,
    /// Destination of the last object.
    pub(crate) place: Option<Destination>,
    /// Expected positions of objects that the previous steps moved, m; `None` if the steps leave
    /// them open.
    pub(crate) expected: BTreeMap<ObjectId, Option<Vector3<f64>>>,
    /// Expected supports or containers of objects after the previous steps.
    pub(crate) carried_by: BTreeMap<ObjectId, ObjectId>,
    /// Objects that the previous steps put somewhere.
    pub(crate) placed: BTreeSet<ObjectId>,
    /// True while a condition or a support is read, which is judged after the previous steps.
    pub(crate) is_after: bool,
    /// Goals for objects that go along with moved ones: "the bowl with the apple in it".
    pub(crate) carried: Vec<Goal>,
    /// Object that "it" meant as the place of the last clause: "put the apple in it", after which
    /// "it" still means the bowl and not the apple.
    pub(crate) center: Option<Meant>,
    /// Object of the current clause. It is not what "it" means there.
    pub(crate) current: Option<Meant>,
    /// True while the phrase must mean a container.
    pub(crate) wants_inside: bool,
    /// True while the phrase is the destination itself, and not a modifier of it.
    pub(crate) at_place: bool,
    /// Nouns of the phrases that are being read, for "one" in "the cube on the blue one".
    pub(crate) heads: Vec<Meant>,
    /// True if the last moved object went into a movable container.
    pub(crate) went_into_it: bool,
    /// Articulated object that was opened or closed last.
    pub(crate) slid: Option<Meant>,
    /// Expected openings after the previous steps, m or rad; `None` if the amount was not stated.
    pub(crate) openings: BTreeMap<ObjectId, Option<f64>>,
    /// Last stack from the bottom, for "stack the bowls and put them in the tray".
    pub(crate) stacked: Option<Meant>,
    pub(crate) moves_stack: bool,
    /// Order of the objects in the current clause, until a row or a stack takes it.
    pub(crate) order: Option<Rc<Node<Order>>>,
    /// Number of modifiers that were not needed to tell an object apart, of words that were left
    /// out, and of directions that were assumed. A reading with fewer of them is preferred.
    pub(crate) n_idle: usize,
    /// Objects to which the next phrase is restricted: "of the two mugs, the left one".
    pub(crate) within: Option<Vec<Referent>>,
    /// Objects relative to which destinations were computed so far.
    pub(crate) references: Vec<Reference>,
    /// Meanings of phrases from answers to questions.
    pub(crate) answered: Vec<(String, Referent)>,
    /// Explanations of the phrases so far.
    pub(crate) meanings: Vec<PhraseMeaning>,
}

/// Meaning of a phrase, with the reason.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct PhraseMeaning {
    /// The phrase.
    pub phrase: String,
    /// Names of the objects that the phrase means.
    pub means: Vec<String>,
    /// Reason why the phrase has this meaning.
    pub why: String,
}

impl Context {
    /// Moved objects, then mentioned ones, the latest first.
    pub(crate) fn earlier(&self) -> impl Iterator<Item = &Meant> {
        self.moved.iter().rev().chain(self.mentioned.iter().rev())
    }

    /// Nouns and colours for which "one" may stand, the most likely first.
    pub(crate) fn nouns_before(&self) -> Vec<(Vec<String>, Vec<String>)> {
        let heads = self.heads.iter().rev();
        let mut nouns: Vec<(Vec<String>, Vec<String>)> = vec![];
        for meant in heads.chain(self.earlier()) {
            if !meant.noun.is_empty() && nouns.iter().all(|(noun, _)| *noun != meant.noun) {
                nouns.push((meant.noun.clone(), meant.colors.clone()));
            }
        }
        nouns
    }

    /// Objects that were moved or mentioned singly, which "the other one" excludes.
    pub(crate) fn used(&self) -> Vec<Referent> {
        let single = self.mentioned.iter().filter(|m| m.things.len() == 1);
        things_of(single.chain(&self.moved))
    }

    pub(crate) fn all_mentioned(&self) -> Vec<Referent> {
        things_of(self.mentioned.iter().chain(&self.moved))
    }

    pub(crate) fn last_two(&self, fits: impl Fn(&Meant) -> bool) -> Option<Meant> {
        let mut ones: Vec<Referent> = vec![];
        for meant in self.earlier().filter(|meant| fits(meant)) {
            // Which objects these are depends on a choice.
            if meant.is_any() {
                return None;
            }
            ones = join(ones, meant.things.clone());
            if ones.len() >= 2 {
                break;
            }
        }
        ones.reverse();
        (ones.len() == 2).then(|| Meant::all(ones))
    }

    /// Returns true if the last moved objects are those of the last stack.
    pub(crate) fn has_moved_stack(&self) -> bool {
        let all = |meant: &Meant| meant.things.iter().cloned().collect::<BTreeSet<_>>();
        let last = self.moved.last().filter(|last| last.things.len() > 1);
        last.is_some_and(|last| self.stacked.as_ref().map(all) == Some(all(last)))
    }

    /// Returns the last two moved or mentioned objects, if one or two were moved.
    pub(crate) fn moved_two(&self) -> Option<Meant> {
        let moved = self.moved.iter().filter_map(Meant::single).cloned();
        let n = join(vec![], moved.collect()).len();
        self.last_two(|_| true).filter(|_| (1..=2).contains(&n))
    }

    /// Returns true if the rest of a text means the same in both contexts.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        let last = |of: &[Meant]| of.last().map(|m| (m.things.clone(), m.how, m.noun.clone()));
        let used = |own: &Self| own.used().into_iter().collect::<BTreeSet<_>>();
        let slid = |own: &Self| own.slid.as_ref().map(|slid| slid.things.clone());
        let flags = |own: &Self| (own.went_into_it, own.moves_stack);
        last(&self.moved) == last(&other.moved)
            && last(&self.mentioned) == last(&other.mentioned)
            && (&self.place, &self.center) == (&other.place, &other.center)
            && slid(self) == slid(other)
            && self.last_two(|_| true) == other.last_two(|_| true)
            && used(self) == used(other)
            && flags(self) == flags(other)
            && self.stacked == other.stacked
            && self.openings == other.openings
            && self.expected == other.expected
            && self.carried_by == other.carried_by
    }

    /// Replaces each choice among objects by the chosen objects, in the order of `ids`, in all
    /// phrases that mean it.
    pub(crate) fn decide(&mut self, ids: &[&str]) {
        let mut place = vec![];
        if let Some(Destination::At(_, meant)) = &mut self.place {
            place.push(meant);
        }
        let phrases = [&mut self.moved, &mut self.mentioned].map(|all| all.iter_mut().collect());
        for phrases in phrases.into_iter().chain([place]) {
            let (mut own, mut left): (&[&str], _) = (&[], ids);
            for meant in phrases {
                let How::Any(n) = meant.how else { continue };
                // Another indefinite phrase means other objects.
                if meant.is_new || own.is_empty() {
                    (own, left) = left.split_at(n.min(left.len()));
                }
                let things = those(&meant.things, |t| own.contains(&t.id().as_str()));
                if things.len() == n {
                    meant.how = if n == 1 { How::The } else { How::All };
                    meant.things = things;
                }
            }
        }
    }

    /// Returns the noun of the last phrase that means some of several objects.
    pub(crate) fn divided(&self) -> Option<&[String]> {
        let last = self.moved.iter().rev().find(|m| !m.noun.is_empty())?;
        last.is_new.then_some(&last.noun[..])
    }

    /// Makes an object the last one that was mentioned.
    pub(crate) fn refer_to(&mut self, thing: &Referent) {
        self.moved.push(Meant::one(thing.clone()));
    }
}

fn things_of<'m>(meant: impl Iterator<Item = &'m Meant>) -> Vec<Referent> {
    meant.flat_map(|m| m.things.clone()).collect()
}
