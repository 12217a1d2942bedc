//! Ledger of a model's elements: read, ignored or unsupported.

use std::collections::BTreeMap;

use crate::SourceLine;

/// Treatment of an element or attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Fate {
    /// An element that the scene represents.
    Read,
    /// An element without an effect on a scene.
    Ignored,
    /// An element with an effect that the scene lacks.
    Unsupported,
}

impl Fate {
    /// Name in snake case.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// One kind of element or attribute in a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Treatment of this kind.
    pub fate: Fate,
    /// An element (`geom`), or an attribute of one (`geom solref`).
    pub what: String,
    /// Reason why this kind was not read; empty if it was.
    pub why: String,
    /// All lines with this element or attribute.
    pub places: Vec<SourceLine>,
}

impl Entry {
    /// Formats the entry in one line, with its first place.
    pub fn line(&self) -> String {
        let first = self.places.first();
        let first = first.map_or(String::new(), ToString::to_string);
        let place = match self.places.len() {
            0 | 1 => first,
            n => format!("{n} lines, first {first}"),
        };
        format!("{}: {} ({place})", self.what, self.why)
    }
}

/// Treatment of everything in a model, by kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ledger {
    entries: BTreeMap<(Fate, String, String), Vec<SourceLine>>,
}

impl Ledger {
    pub(crate) fn note(&mut self, fate: Fate, what: &str, why: &str, place: &SourceLine) {
        let key = (fate, what.to_owned(), why.to_owned());
        let places = self.entries.entry(key).or_default();
        if places.last() != Some(place) {
            places.push(place.clone());
        }
    }

    pub(crate) fn read(&mut self, what: &str, place: &SourceLine) {
        let key = (Fate::Read, what.to_owned(), String::new());
        self.entries.entry(key).or_default().push(place.clone());
    }

    pub(crate) fn absorb(&mut self, other: Self) {
        for (key, places) in other.entries {
            self.entries.entry(key).or_default().extend(places);
        }
    }

    /// Returns all entries of one fate, in alphabetical order.
    pub fn entries(&self, fate: Fate) -> impl Iterator<Item = Entry> {
        let of_fate = self.entries.iter().filter(move |((f, ..), _)| *f == fate);
        of_fate.map(|((fate, what, why), places)| Entry {
            fate: *fate,
            what: what.clone(),
            why: why.clone(),
            places: {
                let mut places = places.clone();
                places.sort();
                places
            },
        })
    }

    /// Number of occurrences of one fate.
    pub fn count(&self, fate: Fate) -> usize {
        let of_fate = self.entries.iter().filter(|((f, ..), _)| *f == fate);
        of_fate.map(|(_, places)| places.len()).sum()
    }
}
