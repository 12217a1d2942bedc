//! The keys of every mapping in a file, from `formats.yaml`: the readers, the schemas for editors
//! and the tables of the documentation all use them.

use std::sync::LazyLock;

use crate::Result;
use crate::fields::Field;

const TEXT: &str = include_str!("formats.yaml");

static FORMATS: LazyLock<Formats> = LazyLock::new(|| Formats::read(TEXT));

pub(crate) struct Key {
    pub(crate) name: &'static str,
    pub(crate) needed: bool,
    /// Type of the value, in the notation that `formats.yaml` explains.
    pub(crate) is: &'static str,
    pub(crate) says: &'static str,
}

#[derive(Default)]
pub(crate) struct Format {
    pub(crate) name: &'static str,
    pub(crate) keys: Vec<Key>,
    pub(crate) names: Vec<&'static str>,
    /// Keys that exclude each other; one is required.
    pub(crate) one_of: Vec<&'static str>,
}

pub(crate) struct Kind {
    pub(crate) name: &'static str,
    /// Keys of `shape` that belong to this kind.
    pub(crate) keys: Vec<&'static str>,
    /// Description in `docs/files.md`.
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "the page is compared with it by a test")
    )]
    pub(crate) says: &'static str,
}

#[derive(Default)]
struct Formats {
    mappings: Vec<Format>,
    kinds: Vec<Kind>,
    part_kinds: Vec<&'static str>,
}

impl Formats {
    fn read(text: &'static str) -> Self {
        let mut all = Self::default();
        let mut section = "";
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            let Some((key, value)) = line.trim().split_once(':') else {
                continue;
            };
            let value = value.trim();
            match (line.len() - line.trim_start().len(), section) {
                _ if key.starts_with('#') => {}
                (0, _) if key == "part_kinds" => all.part_kinds = words(value),
                (0, _) => section = key,
                (_, "kinds") => {
                    let (keys, says) = described(value);
                    let keys = words(keys);
                    all.kinds.push(Kind {
                        name: key,
                        keys,
                        says,
                    });
                }
                (2, _) => all.mappings.push(Format {
                    name: key,
                    ..Format::default()
                }),
                _ => {
                    let last = all.mappings.last_mut().into_iter();
                    last.for_each(|m| m.add(key, value));
                }
            }
        }
        all
    }
}

impl Format {
    fn add(&mut self, key: &'static str, value: &'static str) {
        if key == "one_of" {
            self.one_of = words(value);
            return;
        }
        let name = key.trim_end_matches('!');
        let (is, says) = described(value);
        self.names.push(name);
        self.keys.push(Key {
            name,
            needed: name != key,
            is,
            says,
        });
    }
}

/// Splits a value from its description.
fn described(value: &'static str) -> (&'static str, &'static str) {
    value.split_once(" -- ").unwrap_or((value, ""))
}

pub(crate) fn words(list: &'static str) -> Vec<&'static str> {
    list.split(',').map(str::trim).collect()
}

pub(crate) fn all() -> &'static [Format] {
    &FORMATS.mappings
}

pub(crate) fn format(name: &str) -> Option<&'static Format> {
    all().iter().find(|format| format.name == name)
}

pub(crate) fn keys(name: &str) -> &'static [&'static str] {
    let found = format(name);
    debug_assert!(found.is_some(), "`formats.yaml` has no mapping `{name}`");
    found.map_or(&[], |format| &format.names)
}

pub(crate) fn kinds() -> &'static [Kind] {
    &FORMATS.kinds
}

/// Reads the name of a kind of object.
pub(crate) fn kind(field: &Field<'_>) -> Result<&'static Kind> {
    let names = kinds().iter().map(|kind| kind.name);
    field.known("kind of object", names, |word| {
        kinds().iter().find(|kind| kind.name == word)
    })
}

/// Kinds allowed for a part of a compound.
pub(crate) fn part_kinds() -> &'static [&'static str] {
    &FORMATS.part_kinds
}
