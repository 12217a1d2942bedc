//! Parts of a noun phrase: determiner, qualities, name, and modifiers after it.

use crate::ast::{Determiner, Modified, NounPhrase};
use crate::reader::count;

#[derive(Default)]
pub(super) struct Noun<'t> {
    pub(super) det: Option<&'t Determiner>,
    pub(super) quals: &'t [Modified],
    pub(super) posts: &'t [Modified],
    pub(super) words: Vec<String>,
    /// Colours from the phrase for which "one" stands.
    pub(super) colors: Vec<String>,
    pub(super) plural: bool,
}

impl<'t> Noun<'t> {
    pub(super) fn of(np: &'t NounPhrase) -> Self {
        let (det, quals, posts): (_, _, &[Modified]) = match np {
            NounPhrase::Noun {
                det, quals, posts, ..
            }
            | NounPhrase::One {
                det, quals, posts, ..
            }
            | NounPhrase::Bare { det, quals, posts } => (det.as_ref(), quals, posts),
            NounPhrase::Owned { quals, posts, .. } => (None, quals, posts),
            NounPhrase::OfSet { det, quals, .. } => (det.as_ref(), quals, &[]),
            _ => return Self::default(),
        };
        Self {
            det: det.map(|det| &det.is),
            quals,
            posts,
            ..Self::default()
        }
    }

    /// Returns true for "the other one" and "another one".
    pub(super) fn is_other(&self) -> bool {
        matches!(
            self.det,
            Some(Determiner::Other { .. } | Determiner::Another)
        )
    }
}

impl Determiner {
    /// Number of objects, and true if there must be exactly that many.
    pub(super) fn number(&self) -> Option<(usize, bool)> {
        match self {
            Self::A | Self::Another => Some((1, false)),
            Self::Number { n } => Some((count(n), false)),
            Self::Both => Some((2, true)),
            Self::Just { n } | Self::All { n: Some(n) } | Self::Other { n: Some(n) } => {
                Some((count(n), true))
            }
            Self::The | Self::All { n: None } | Self::Other { n: None } | Self::No => None,
        }
    }
}
