//! All attributes of the elements that are read, with their treatment.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use crate::ledger::{Fate, Ledger};
use crate::xml::Element;

const DRAWING: &str = "only for drawing in MuJoCo";
pub(crate) const OWN_SOLVER: &str = "the simulator has its own time step and solver";
const NO_USE: &str = "nothing here uses it";

/// Known attributes, as `geom size`, with their treatment.
struct Vocabulary {
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

/// Treatment of sections that are not read, outside bodies and assets.
pub(crate) fn section(tag: &str) -> (Fate, &'static str) {
    match tag {
        "size" => (Fate::Ignored, "memory is allocated as needed"),
        "visual" | "statistic" => (Fate::Ignored, DRAWING),
        "custom" | "extension" => (Fate::Ignored, NO_USE),
        "keyframe" => (Fate::Ignored, "every body starts at its own pose"),
        "sensor" => (Fate::Ignored, "the robot file gives the sensors"),
        "contact" => (
            Fate::Unsupported,
            "contype and conaffinity decide what collides",
        ),
        "deformable" => (Fate::Unsupported, "everything is rigid"),
        _ => (Fate::Unsupported, "unknown element"),
    }
}

/// Treatment of elements inside a body that are not read.
pub(crate) fn inside_body(tag: &str) -> (Fate, &'static str) {
    match tag {
        "light" => (Fate::Ignored, "rendered images have their own sun and sky"),
        "plugin" => (Fate::Unsupported, "plugins are not supported"),
        "composite" | "flexcomp" | "flex" => (Fate::Unsupported, "everything is rigid"),
        _ => (Fate::Unsupported, "unknown element"),
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a panic is how a test fails")]
mod tests {
    use super::*;

    /// Attributes that today's MuJoCo no longer knows; they affected only the solver.
    const GONE: [&str; 3] = [
        "option apirate",
        "option mpr_tolerance",
        "option mpr_iterations",
    ];

    /// Each attribute was tested in MuJoCo: it changes nothing that a scene contains.
    #[test]
    fn what_is_ignored_changes_nothing() {
        let figures = include_str!("../tests/data/mujoco.json");
        let figures: serde_json::Value = serde_json::from_str(figures).unwrap();
        let unchanged = figures["unchanged"].as_array().unwrap();
        let unchanged: Vec<&str> = unchanged.iter().filter_map(|v| v.as_str()).collect();
        assert!(unchanged.len() > 50, "{}", unchanged.len());
        let known = &VOCABULARY.known;
        for (name, _) in known.iter().filter(|(_, (fate, _))| *fate == Fate::Ignored) {
            let is_proven = unchanged.contains(&name.as_str()) || GONE.contains(&name.as_str());
            assert!(is_proven, "nothing shows that `{name}` changes nothing");
        }
    }
}
