//! Signatures of constructors, against which the rules of a language are checked.

use std::hash::{Hash, Hasher};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Many {
    One,
    Optional,
    Any,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Kind<'k> {
    pub(crate) sort: &'k str,
    pub(crate) many: Many,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Signature {
    pub(crate) sort: &'static str,
    pub(crate) name: &'static str,
    pub(crate) fields: Vec<Kind<'static>>,
}

impl Hash for Signature {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}
