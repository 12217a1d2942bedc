use crate::{is_inside, is_supported_by};
use regrasp_api::{ObjectId, PerceivedObject, hidden_in};

/// Longest phrase for a thing.
const MAX_PHRASE_BYTES: usize = 1000;

/// What a phrase names.
#[derive(Clone, Debug, PartialEq)]
pub enum Resolution<'a> {
    /// Exactly one object.
    One(&'a PerceivedObject),
    /// Nothing that is seen.
    None {
        /// Everything that is seen.
        known: Vec<ObjectId>,
        /// The known name that is spelt most like the phrase.
        nearest: Option<ObjectId>,
    },
    /// More than one.
    Ambiguous(Vec<&'a PerceivedObject>),
}

/// Finds what a phrase names, as people say it: an id (`red_cube`), a kind with a
/// colour ("the red cube"), and a word that chooses among several ("the cube on
/// the left", "nearest cube", "largest block").
///
/// "X on Y" (or "on top of") names the X that rests on Y, "X in Y" the X that is inside it
/// (on it, if it is not hollow). Left and right are the
/// robot's own: left is +y in World, nearest is smallest x.
/// A word that neither names a kind, a colour, nor chooses makes the phrase match
/// nothing, rather than being ignored.
///
/// A phrase that [hides](crate::hidden_in) a character, or is longer than anybody would say it,
/// names only what is called exactly so.
pub fn resolve<'a>(objects: &'a [PerceivedObject], phrase: &str) -> Resolution<'a> {
    if let Some(object) = objects.iter().find(|o| o.id.as_str() == phrase) {
        return Resolution::One(object);
    }
    if phrase.len() > MAX_PHRASE_BYTES || hidden_in(phrase).is_some() {
        return Resolution::None {
            known: objects.iter().map(|o| o.id.clone()).collect(),
            nearest: None,
        };
    }
    let words = words_of(phrase);
    let joined = words.join("_");
    if let Some(object) = objects.iter().find(|o| o.id.as_str() == joined) {
        return Resolution::One(object);
    }
    if let Some((top, below, is_in)) = split_at_relation(phrase) {
        return resting_on(objects, top, below, is_in);
    }
    resolve_among(objects, objects.iter().collect(), &words)
}

/// The id under which exactly the thing is found that a phrase means: its telling words,
/// joined. `None` for a phrase without any.
pub fn id_of_phrase(phrase: &str) -> Option<ObjectId> {
    let joined = words_of(phrase).join("_");
    (!joined.is_empty()).then(|| ObjectId::new(joined))
}

/// What words name among candidates that are part of what is seen.
fn resolve_among<'a>(
    seen: &[PerceivedObject],
    candidates: Vec<&'a PerceivedObject>,
    words: &[String],
) -> Resolution<'a> {
    let (choosers, describing): (Vec<_>, Vec<_>) =
        words.iter().partition(|w| Chooser::from_word(w).is_some());
    let matches: Vec<_> = candidates
        .into_iter()
        .filter(|o| describes(o, &describing))
        .collect();
    if describing.is_empty() || matches.is_empty() {
        return Resolution::None {
            known: seen.iter().map(|o| o.id.clone()).collect(),
            nearest: closest_name(seen, &words.join("_")),
        };
    }
    match (
        matches.as_slice(),
        choosers.first().and_then(|w| Chooser::from_word(w)),
    ) {
        ([one], _) => Resolution::One(one),
        (_, Some(chooser)) => chooser.choose(&matches),
        _ => Resolution::Ambiguous(matches),
    }
}

/// Splits "X on Y" and "X in Y" where both sides name something: "the cube on the left" does
/// not. The last is whether it says "in".
fn split_at_relation(phrase: &str) -> Option<(&str, &str, bool)> {
    let relations = [(" on ", false), (" inside ", true), (" in ", true)];
    let (top, below, is_in) = relations.into_iter().find_map(|(relation, is_in)| {
        let (top, below) = phrase.split_once(relation)?;
        Some((top, below, is_in))
    })?;
    let below = below.strip_prefix("top of ").unwrap_or(below);
    let names = |part: &str| {
        words_of(part)
            .iter()
            .any(|w| Chooser::from_word(w).is_none())
    };
    (names(top) && names(below)).then_some((top, below, is_in))
}

/// What `top` names among the things that rest on (or in) what `below` names.
fn resting_on<'a>(
    objects: &'a [PerceivedObject],
    top: &str,
    below: &str,
    is_in: bool,
) -> Resolution<'a> {
    match resolve(objects, below) {
        Resolution::One(support) => {
            let is_there = |o: &&PerceivedObject| match is_in && support.shape.cavity().is_some() {
                true => is_inside(o, support),
                false => is_supported_by(o, support),
            };
            let resting = objects.iter().filter(is_there).collect();
            resolve_among(objects, resting, &words_of(top))
        }
        other => other,
    }
}

/// The known id that is spelt most like `name`, if one is close: at most a third of
/// the letters differ.
pub fn closest_name(objects: &[PerceivedObject], name: &str) -> Option<ObjectId> {
    let distance = |o: &&PerceivedObject| strsim::damerau_levenshtein(o.id.as_str(), name);
    let best = objects.iter().min_by_key(distance)?;
    (3 * distance(&best) <= name.len().max(best.id.as_str().len())).then(|| best.id.clone())
}

fn words_of(phrase: &str) -> Vec<String> {
    const FILLERS: [&str; 13] = [
        "the", "a", "an", "on", "in", "at", "to", "of", "one", "object", "that", "is", "my",
    ];
    phrase
        .split(|c: char| !c.is_alphanumeric())
        .filter(|w| !w.is_empty())
        .map(str::to_lowercase)
        .filter(|w| !FILLERS.contains(&w.as_str()))
        .collect()
}

fn describes(object: &PerceivedObject, words: &[&String]) -> bool {
    let category = words_of(&object.category);
    let id_words = words_of(object.id.as_str());
    words.iter().all(|word| {
        let word = singular(word);
        object.color.as_deref() == Some(word)
            || category
                .iter()
                .chain(&id_words)
                .any(|c| singular(c) == word)
            || (word == "block" && category.iter().any(|c| c == "cube" || c == "box"))
    })
}

fn singular(word: &str) -> &str {
    word.strip_suffix('s')
        .filter(|w| w.len() > 2)
        .unwrap_or(word)
}

/// A word that picks one of several objects.
#[derive(Clone, Copy, Debug)]
enum Chooser {
    Left,
    Right,
    Nearest,
    Farthest,
    Largest,
    Smallest,
    Tallest,
    Middle,
}

impl Chooser {
    fn from_word(word: &str) -> Option<Self> {
        Some(match word {
            "left" | "leftmost" => Self::Left,
            "right" | "rightmost" => Self::Right,
            "nearest" | "closest" | "front" => Self::Nearest,
            "farthest" | "furthest" | "back" => Self::Farthest,
            "largest" | "biggest" => Self::Largest,
            "smallest" => Self::Smallest,
            "tallest" | "highest" => Self::Tallest,
            "middle" | "center" | "centre" => Self::Middle,
            _ => return None,
        })
    }

    /// Picks the one with the largest score; a tie within a millimetre (or a tenth
    /// of a percent of volume) stays ambiguous.
    fn choose<'a>(self, matches: &[&'a PerceivedObject]) -> Resolution<'a> {
        let mean_y = matches.iter().map(|o| o.position().y).sum::<f64>() / matches.len() as f64;
        let score = |o: &PerceivedObject| {
            let (p, size) = (o.position(), o.aabb_in_world().size());
            let mean_edge = (size.x * size.y * size.z).cbrt();
            match self {
                Self::Left => p.y,
                Self::Right => -p.y,
                Self::Nearest => -p.x,
                Self::Farthest => p.x,
                Self::Largest => mean_edge,
                Self::Smallest => -mean_edge,
                Self::Tallest => o.aabb_in_world().max[2],
                Self::Middle => -(p.y - mean_y).abs(),
            }
        };
        const MARGIN_M: f64 = 0.001;
        let best = matches
            .iter()
            .map(|o| score(o))
            .fold(f64::NEG_INFINITY, f64::max);
        let winners: Vec<_> = matches
            .iter()
            .copied()
            .filter(|o| score(o) > best - MARGIN_M)
            .collect();
        match winners.as_slice() {
            [one] => Resolution::One(one),
            _ => Resolution::Ambiguous(winners),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use regrasp_api::{Pose, Shape};

    fn cube(id: &str, color: &str, y: f64) -> PerceivedObject {
        PerceivedObject {
            id: ObjectId::new(id),
            category: "cube".into(),
            color: Some(color.into()),
            shape: Shape::Box {
                half_extents: [0.012; 3],
            },
            world_from_object: Pose::translation(0.4, y, 0.05),
            position_std_m: 0.0,
            movable: true,
        }
    }

    fn check(phrase: &str, expected: &[&str]) {
        let objects = [
            cube("red_cube", "red", -0.07),
            cube("green_cube", "green", 0.0),
            cube("b", "blue", 0.07),
        ];
        let found: Vec<_> = match resolve(&objects, phrase) {
            Resolution::One(o) => vec![o.id.as_str().to_owned()],
            Resolution::None { .. } => vec![],
            Resolution::Ambiguous(all) => all.iter().map(|o| o.id.as_str().to_owned()).collect(),
        };
        assert_eq!(found, expected, "{phrase}");
    }

    #[test]
    fn phrases_name_what_people_mean() {
        check("red_cube", &["red_cube"]);
        check("the Red Cube", &["red_cube"]);
        check("the cube on the left", &["b"]);
        check("rightmost cube", &["red_cube"]);
        check("middle block", &["green_cube"]);
        check("cube", &["red_cube", "green_cube", "b"]);
        check("blue cubes", &["b"]);
        check("purple cube", &[]);
        check("", &[]);
        check("largest cube", &["red_cube", "green_cube", "b"]);
    }

    #[test]
    fn what_rests_on_something_can_be_named_by_it() {
        let mut on_red = cube("blue_cube", "blue", -0.07);
        on_red.world_from_object.translation.z += 0.024;
        let objects = [
            cube("red_cube", "red", -0.07),
            cube("green_cube", "green", 0.0),
            on_red,
        ];
        for phrase in ["the cube on the red cube", "block on top of the red one"] {
            let Resolution::One(found) = resolve(&objects, phrase) else {
                panic!("`{phrase}` names one cube: {:?}", resolve(&objects, phrase));
            };
            assert_eq!(found.id.as_str(), "blue_cube", "{phrase}");
        }
        for phrase in ["the cube on the green cube", "the mug on the red cube"] {
            assert!(
                matches!(resolve(&objects, phrase), Resolution::None { .. }),
                "{phrase}"
            );
        }
    }

    #[test]
    fn a_phrase_finds_what_has_its_id() {
        let id = id_of_phrase("The cracked cube on the left").expect("it has words");
        assert_eq!(id.as_str(), "cracked_cube_left");
        let objects = [cube("red_cube", "red", 0.2), cube(id.as_str(), "blue", 0.0)];
        for phrase in ["the cracked cube on the left", "a cracked cube on the left"] {
            let found = resolve(&objects, phrase);
            assert_eq!(found, Resolution::One(&objects[1]), "{phrase}");
        }
        assert_eq!(id_of_phrase("the one on the"), None);
    }

    #[test]
    fn a_misspelt_name_gets_the_nearest_one() {
        let objects = [
            cube("red_cube", "red", 0.0),
            cube("green_cube", "green", 0.1),
        ];
        assert_eq!(
            closest_name(&objects, "red_cub"),
            Some(ObjectId::new("red_cube"))
        );
        assert_eq!(closest_name(&objects, "teapot"), None);
    }

    /// What looks like a name and is none is not guessed at.
    #[test]
    fn hidden_characters_and_endless_phrases_name_nothing() {
        let seen = [
            cube("red_cube", "red", 0.0),
            cube("odd\u{200b}id", "red", 0.1),
        ];
        let endless = "red cube ".repeat(100_000);
        for phrase in [
            "red_\u{200b}cube",
            "red_cube\0",
            "red\u{202e} cube",
            &endless,
        ] {
            let found = resolve(&seen, phrase);
            assert!(matches!(found, Resolution::None { .. }), "{found:?}");
        }
        let exact = resolve(&seen, "odd\u{200b}id");
        assert!(matches!(exact, Resolution::One(_)), "{exact:?}");
    }
}
