//! All known elements and attributes, with their treatment.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use crate::ledger::{Fate, Ledger};
use crate::xml::Element;

pub(crate) const OWN_SOLVER: &str = "the simulator has its own time step and solver";

struct Vocabulary {
    /// Attributes, as `geom size`, and elements, as `<asset> skin`, with their treatment.
    known: HashMap<String, (Fate, &'static str)>,
    /// Attributes without an effect at their default value, as `geom condim = 3`.
    usual: HashSet<&'static str>,
}

static VOCABULARY: LazyLock<Vocabulary> = LazyLock::new(|| {
    let (mut known, mut usual) = (HashMap::new(), HashSet::new());
    let mut section = ("", "");
    let text = include_str!("vocabulary.txt").lines();
    for line in text.filter(|line| !line.starts_with('#')) {
        let Some(line) = line.strip_prefix("  ") else {
            section = line.split_once(": ").unwrap_or((line, ""));
            continue;
        };
        let fate = match section.0 {
            "read" => Fate::Read,
            "ignored" => Fate::Ignored,
            "unsupported" => Fate::Unsupported,
            _ => {
                usual.insert(line);
                continue;
            }
        };
        let (tag, names) = line.split_once(": ").unwrap_or((line, ""));
        let attributes = names.split(' ').map(|name| format!("{tag} {name}"));
        known.extend(attributes.map(|attribute| (attribute, (fate, section.1))));
    }
    Vocabulary { known, usual }
});

/// Adds an element that is read, and each of its attributes, to the ledger.
pub(crate) fn note(ledger: &mut Ledger, element: &Element) {
    ledger.read(&element.tag, &element.place);
    note_attributes(ledger, element);
}

/// Adds the attributes of an element to the ledger.
pub(crate) fn note_attributes(ledger: &mut Ledger, element: &Element) {
    for attribute in &element.attributes {
        let what = format!("{} {}", element.tag, attribute.name);
        let known = VOCABULARY.known.get(&what).copied();
        let (fate, why) = known.unwrap_or((Fate::Unsupported, "unknown attribute"));
        let value = format!("{what} = {}", attribute.value.trim());
        if fate != Fate::Read && !VOCABULARY.usual.contains(value.as_str()) {
            ledger.note(fate, &what, why, &attribute.place);
        }
    }
}

/// Treatment of an element inside another one, and the reason if it is not read.
pub(crate) fn element(within: &str, tag: &str) -> (Fate, &'static str) {
    let known = VOCABULARY.known.get(&format!("<{within}> {tag}"));
    *known.unwrap_or(&(Fate::Unsupported, "unknown element"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Attributes of older MuJoCo versions; they affected only the solver.
    const GONE: [&str; 3] = [
        "option apirate",
        "option mpr_tolerance",
        "option mpr_iterations",
    ];

    /// Checks that ignored attributes were tested in MuJoCo: none changes what a scene contains.
    #[test]
    fn what_is_ignored_changes_nothing() {
        let figures = include_str!("../tests/data/mujoco.json");
        let figures: serde_json::Value = serde_json::from_str(figures).unwrap();
        let unchanged = figures["unchanged"].as_array().unwrap();
        let unchanged: Vec<&str> = unchanged.iter().filter_map(|v| v.as_str()).collect();
        assert!(unchanged.len() > 50, "{}", unchanged.len());
        let known = &VOCABULARY.known;
        let is_ignored = |(name, (fate, _)): &(&String, &(Fate, &str))| {
            *fate == Fate::Ignored && !name.starts_with('<')
        };
        for (name, _) in known.iter().filter(is_ignored) {
            let is_proven = unchanged.contains(&name.as_str()) || GONE.contains(&name.as_str());
            assert!(
                is_proven,
                "`{name}` is ignored, but `mujoco.json` does not show that it has no effect"
            );
        }
    }
}
