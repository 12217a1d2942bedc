//! What is talked about, while a text is read.

use std::collections::{BTreeMap, BTreeSet};

use nalgebra::Vector3;
use regrasp_api::ObjectId;

use crate::destination::Destination;
use crate::referent::{How, Meant, Referent, join, those};

/// What is talked about, while a text is read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Context {
    /// What was moved or named last, the latest at the end.
    pub(crate) moved: Vec<Meant>,
    pub(crate) mentioned: Vec<Meant>,
    /// Where something was put last.
    pub(crate) place: Option<Destination>,
    /// Where things will be that have been moved by then, m.
    pub(crate) expected: BTreeMap<ObjectId, Vector3<f64>>,
    /// The things that they will be on or in then, if they were brought there.
    pub(crate) carried_by: BTreeMap<ObjectId, ObjectId>,
    /// What is being moved: "it" means something else then.
    pub(crate) current: Option<Meant>,
    /// True if what is looked for has to be hollow.
    pub(crate) wants_inside: bool,
    /// True if the place itself is looked for, not what tells of it.
    pub(crate) at_place: bool,
    /// The words for the things whose phrases are being read: "the cube on the blue one".
    pub(crate) heads: Vec<Vec<String>>,
    /// True if what was moved last went into something that can be moved itself.
    pub(crate) went_into_it: bool,
    /// What was opened or closed last.
    pub(crate) slid: Option<Meant>,
    /// True if that was closed.
    pub(crate) slid_shut: bool,
    /// Set if that was only so far.
    pub(crate) slid_partly: bool,
    /// What was stacked last, and on what; whether both are moved together then.
    pub(crate) stacked: Option<[Referent; 2]>,
    pub(crate) moves_stack: bool,
    /// How many relations were said of things that nothing else is called like: rather a place
    /// was meant.
    pub(crate) n_idle: usize,
    /// Those of which the next phrase means some: "of the two mugs, the left one".
    pub(crate) within: Option<Vec<Referent>>,
    /// What phrases mean that somebody was asked about.
    pub(crate) answered: Vec<(String, Referent)>,
    /// What phrases were found to mean, for whoever asks.
    pub(crate) said: Vec<Said>,
}

/// What a phrase was found to mean, and why.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Said {
    /// The words.
    pub phrase: String,
    /// What they mean.
    pub means: Vec<String>,
    /// Why.
    pub why: String,
}

impl Context {
    /// Things that were moved, then things that were named, the latest first.
    pub(crate) fn earlier(&self) -> impl Iterator<Item = &Meant> {
        self.moved.iter().rev().chain(self.mentioned.iter().rev())
    }

    /// The nouns that "one" may stand for, the likeliest first: what was moved, then the rest.
    pub(crate) fn nouns_before(&self) -> Vec<(Vec<String>, Vec<String>)> {
        let heads = self.heads.iter().rev();
        let mut nouns: Vec<_> = heads.map(|noun| (noun.clone(), vec![])).collect();
        for meant in self.earlier().filter(|m| !m.noun.is_empty()) {
            if nouns.iter().all(|(noun, _)| *noun != meant.noun) {
                nouns.push((meant.noun.clone(), meant.colors.clone()));
            }
        }
        nouns
    }

    /// What was moved, and what was named by itself: "the other one" is none of these.
    pub(crate) fn used(&self) -> Vec<Referent> {
        let single = self.mentioned.iter().filter(|m| m.things.len() == 1);
        things_of(single.chain(&self.moved))
    }

    pub(crate) fn all_mentioned(&self) -> Vec<Referent> {
        things_of(self.mentioned.iter().chain(&self.moved))
    }

    /// Those of some things that were mentioned.
    pub(crate) fn spoken_of(&self, things: &[Referent]) -> Vec<Referent> {
        let known = self.all_mentioned();
        those(things, |thing| known.contains(thing))
    }

    /// Things mentioned before the last, other than just these.
    pub(crate) fn mentioned_but(&self, things: &[Referent]) -> Vec<Referent> {
        let last = self.mentioned.len().saturating_sub(1);
        let meant = self.mentioned[..last].iter().chain(&self.moved);
        things_of(meant.filter(|m| m.things != things))
    }

    pub(crate) fn last_two(&self) -> Option<Meant> {
        let mut ones: Vec<Referent> = vec![];
        for meant in self.earlier() {
            ones = join(ones, meant.things.clone());
            if ones.len() >= 2 {
                break;
            }
        }
        ones.reverse();
        (ones.len() == 2).then(|| Meant::all(ones))
    }

    /// What was stacked, from below: "stack the bowls and put them in the tray".
    pub(crate) fn stack(&self) -> Option<Meant> {
        let [upper, lower] = self.stacked.clone()?;
        Some(Meant::all(vec![lower, upper]))
    }

    /// Returns true if what is said next means the same after both.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        let last = |of: &[Meant]| of.last().map(|m| (m.things.clone(), m.how, m.noun.clone()));
        let used = |own: &Self| own.used().into_iter().collect::<BTreeSet<_>>();
        let slid = |own: &Self| own.slid.as_ref().map(|m| (m.things.clone(), own.slid_shut));
        let flags = |own: &Self| (own.went_into_it, own.slid_partly, own.moves_stack);
        last(&self.moved) == last(&other.moved)
            && last(&self.mentioned) == last(&other.mentioned)
            && self.place == other.place
            && slid(self) == slid(other)
            && self.last_two() == other.last_two()
            && used(self) == used(other)
            && flags(self) == flags(other)
            && self.stacked == other.stacked
            && self.expected == other.expected
            && self.carried_by == other.carried_by
    }

    /// Takes a thing as the one that was meant where any of some was.
    pub(crate) fn decide(&mut self, id: &str) {
        for meant in self.moved.iter_mut().chain(&mut self.mentioned) {
            let own = meant.things.iter().find(|t| t.id().as_str() == id);
            if let (How::Any(1), Some(own)) = (meant.how, own.cloned()) {
                (meant.things, meant.how) = (vec![own], How::The);
            }
        }
    }

    /// Takes a thing as what was spoken of last.
    pub(crate) fn refer_to(&mut self, thing: &Referent) {
        self.moved.push(Meant::one(thing.clone()));
    }
}

fn things_of<'m>(meant: impl Iterator<Item = &'m Meant>) -> Vec<Referent> {
    meant.flat_map(|m| m.things.clone()).collect()
}
