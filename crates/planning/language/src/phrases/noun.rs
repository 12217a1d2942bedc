//! A noun phrase by its words: determiner, qualities, name, and what stands behind it.

use crate::ast::{Det, Determiner, Modified, NounPhrase};
use crate::reader::count;

/// Parts of a noun phrase.
#[derive(Default)]
pub(super) struct Noun<'t> {
    pub(super) det: Option<&'t Determiner>,
    pub(super) quals: Vec<&'t Modified>,
    pub(super) posts: Vec<&'t Modified>,
    pub(super) words: Vec<String>,
    /// Colours that it has because what it takes up has them.
    pub(super) colors: Vec<String>,
    pub(super) plural: bool,
}

impl<'t> Noun<'t> {
    /// The parts of a noun phrase.
    pub(super) fn of(np: &'t NounPhrase) -> Self {
        let parts = |det: Option<&'t Det>, quals: &[&'t [Modified]], posts: &'t [Modified]| Self {
            det: det.map(|det| &det.is),
            quals: quals.iter().copied().flatten().collect(),
            posts: posts.iter().collect(),
            ..Self::default()
        };
        match np {
            NounPhrase::Noun {
                det,
                quals,
                after,
                posts,
                ..
            } => parts(det.as_ref(), &[quals, after], posts),
            NounPhrase::Owned { quals, posts, .. } => parts(None, &[quals], posts),
            NounPhrase::One {
                det, quals, posts, ..
            }
            | NounPhrase::Bare { det, quals, posts } => parts(det.as_ref(), &[quals], posts),
            NounPhrase::OfSet { det, quals, .. } => parts(det.as_ref(), &[quals], &[]),
            _ => Self::default(),
        }
    }

    /// How many there are to be, if the determiner says it.
    pub(super) fn n(&self) -> Option<usize> {
        match self.det? {
            Determiner::Both => Some(2),
            Determiner::Just { n } | Determiner::Number { n } | Determiner::All { n: Some(n) } => {
                Some(count(n))
            }
            _ => None,
        }
    }

    /// Returns true if these are all that are meant: "the two largest".
    pub(super) fn is_exact(&self) -> bool {
        let det = self.det.filter(|_| self.n().is_some());
        det.is_some_and(|det| !matches!(det, Determiner::Number { .. }))
    }

    /// Returns true for "the other one" and "another one".
    pub(super) fn is_other(&self) -> bool {
        matches!(
            self.det,
            Some(Determiner::Other { .. } | Determiner::Another)
        )
    }
}
