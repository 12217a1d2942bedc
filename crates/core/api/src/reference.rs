//! Interface for the resolution of phrases to objects.

use crate::{ObjectId, PerceivedObject, Percept, Unseen};

/// Referent of a phrase among the perceived objects.
#[derive(Clone, Debug, PartialEq)]
pub enum Resolution<'a> {
    /// Exactly one object.
    One(&'a PerceivedObject),
    /// No object.
    None {
        /// All perceived objects.
        known: Vec<ObjectId>,
        /// Known name with the most similar spelling.
        nearest: Option<ObjectId>,
        /// Failed search for the phrase, if perception searched for it by name.
        unseen: Option<&'a Unseen>,
    },
    /// Several candidates.
    Ambiguous(Vec<&'a PerceivedObject>),
}

/// Resolves phrases in skill arguments and goals to objects.
pub trait ReferenceResolver: Send + Sync {
    /// Returns the referent of a phrase in a percept.
    fn resolve<'p>(&self, percept: &'p Percept, phrase: &str) -> Resolution<'p>;
}

/// Resolver for ids only: `red_cube`, also written as words ("red cube").
#[derive(Clone, Copy, Debug, Default)]
pub struct ExactNames;

impl ReferenceResolver for ExactNames {
    fn resolve<'p>(&self, percept: &'p Percept, phrase: &str) -> Resolution<'p> {
        let id = ObjectId::new(phrase);
        let joined = |text: &str| {
            let words: Vec<_> = text.split_whitespace().map(str::to_lowercase).collect();
            ObjectId::new(words.join("_"))
        };
        let name = joined(phrase);
        let found = percept.object(&id).or_else(|| percept.object(&name));
        let known = || percept.objects.iter().map(|o| o.id.clone()).collect();
        let looked_for = |u: &&Unseen| joined(&u.phrase) == name;
        found.map_or_else(
            || Resolution::None {
                known: known(),
                nearest: None,
                unseen: percept.unseen.iter().find(looked_for),
            },
            Resolution::One,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Pose, Shape};

    #[test]
    fn only_ids_and_exact_names_are_found_without_a_grammar() {
        let cube = PerceivedObject {
            id: ObjectId::new("red_cube"),
            category: "cube".into(),
            color: Some("red".into()),
            shape: Shape::Box {
                half_extents: [0.012; 3],
            },
            world_from_object: Pose::translation(0.4, 0.1, 0.05),
            position_std_m: 0.0,
            movable: true,
        };
        let percept = Percept {
            objects: vec![cube.clone()],
            ..Percept::default()
        };
        for phrase in ["red_cube", "Red cube"] {
            let found = ExactNames.resolve(&percept, phrase);
            assert_eq!(found, Resolution::One(&cube), "{phrase}");
        }
        for phrase in ["the red cube", "cube", ""] {
            let found = ExactNames.resolve(&percept, phrase);
            let known = vec![cube.id.clone()];
            let nothing = Resolution::None {
                known,
                nearest: None,
                unseen: None,
            };
            assert_eq!(found, nothing, "{phrase}");
        }
    }
}
