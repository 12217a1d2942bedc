//! What is talked about, while a text is read.

use std::collections::BTreeMap;
use std::rc::Rc;

use nalgebra::Vector3;
use regrasp_api::ObjectId;

use crate::parse::Tree;
use crate::thing::{How, Meant, Thing};

/// What is talked about, while a text is read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Context {
    /// What was moved or named last, the latest at the end.
    pub(crate) moved: Vec<Meant>,
    pub(crate) mentioned: Vec<Meant>,
    /// Where something was put last.
    pub(crate) place: Option<Rc<Tree>>,
    /// Where things will be that have been moved by then, m.
    pub(crate) expected: BTreeMap<ObjectId, Vector3<f64>>,
    /// What is being moved: "it" means something else then.
    pub(crate) current: Option<Meant>,
    /// Whether what is looked for has to be hollow.
    pub(crate) wants_inside: bool,
    /// Whether the place itself is looked for, not what tells of it.
    pub(crate) at_place: bool,
    /// The words for the things whose phrases are being read: "the cube on the blue one".
    pub(crate) heads: Vec<Vec<String>>,
    /// Whether what was moved last went into something that can be moved itself.
    pub(crate) went_into_it: bool,
    /// What was opened or closed last.
    pub(crate) slid: Option<Meant>,
    /// Whether that was closed.
    pub(crate) slid_shut: bool,
    /// What was stacked last, and on what; whether both are moved together then.
    pub(crate) stacked: Option<[Thing; 2]>,
    pub(crate) moves_stack: bool,
    /// What phrases mean that "there" takes up later, when other things have been named.
    pub(crate) fixed: Vec<(Rc<Tree>, Meant)>,
    /// How many relations were said of things that nothing else is called like: rather a place
    /// was meant.
    pub(crate) n_idle: usize,
    /// Those of which the next phrase means some: "of the two mugs, the left one".
    pub(crate) within: Option<Vec<Thing>>,
    /// What phrases mean that somebody was asked about.
    pub(crate) answered: Vec<(String, Thing)>,
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

/// The nouns that "one" may stand for, the likeliest first: what was moved, then the rest.
pub(crate) fn nouns_before(context: &Context) -> Vec<(Vec<String>, Vec<String>)> {
    let meant = context
        .moved
        .iter()
        .rev()
        .chain(context.mentioned.iter().rev());
    let heads = context.heads.iter().rev();
    let mut nouns: Vec<(Vec<String>, Vec<String>)> =
        heads.map(|noun| (noun.clone(), vec![])).collect();
    for meant in meant.filter(|m| !m.noun.is_empty()) {
        if nouns.iter().all(|(noun, _)| *noun != meant.noun) {
            nouns.push((meant.noun.clone(), meant.colors.clone()));
        }
    }
    nouns
}

/// What was moved, and what was named by itself: "the other one" is none of these.
pub(crate) fn used(context: &Context) -> Vec<Thing> {
    let single = context.mentioned.iter().filter(|m| m.things.len() == 1);
    let meant = single.chain(&context.moved);
    meant.flat_map(|m| m.things.clone()).collect()
}

pub(crate) fn all_mentioned(context: &Context) -> Vec<Thing> {
    let meant = context.mentioned.iter().chain(&context.moved);
    meant.flat_map(|m| m.things.clone()).collect()
}

pub(crate) fn mentioned(context: &Context, but: &[Thing]) -> Vec<Thing> {
    let last = context.mentioned.len().saturating_sub(1);
    let meant = context.mentioned[..last].iter().chain(&context.moved);
    let all = meant.filter(|m| m.things != but);
    all.flat_map(|m| m.things.clone()).collect()
}

pub(crate) fn last_two(context: &Context) -> Option<Meant> {
    let mut ones: Vec<Thing> = vec![];
    for meant in context
        .moved
        .iter()
        .rev()
        .chain(context.mentioned.iter().rev())
    {
        for thing in &meant.things {
            if !ones.contains(thing) {
                ones.push(thing.clone());
            }
        }
        if ones.len() >= 2 {
            break;
        }
    }
    ones.reverse();
    (ones.len() == 2).then(|| Meant {
        things: ones,
        how: How::All,
        noun: vec![],
        colors: vec![],
        is_rest: false,
    })
}
