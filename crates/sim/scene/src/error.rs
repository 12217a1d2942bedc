//! What can be wrong with a file, as data.

use std::fmt;

/// A file that cannot be used. Messages fit after "failed to …".
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SceneError {
    /// The file cannot be read at all.
    #[error("read `{file}`: {message}")]
    Unreadable {
        /// The file.
        file: String,
        /// What the system says.
        message: String,
    },
    /// Something in the file is wrong.
    #[error("load {file}:{line}: {problem}")]
    Invalid {
        /// The file.
        file: String,
        /// Line of the culprit, counted from 1.
        line: usize,
        /// What is wrong, and what is allowed.
        problem: Box<Problem>,
    },
    /// No built-in task, scene or robot has that name.
    #[error("find the built-in {what} `{name}`{}", Hint { nearest, known })]
    NotBuiltIn {
        /// `task`, `scene` or `robot`.
        what: &'static str,
        /// The name that was asked for.
        name: String,
        /// The known name that is spelt most like it.
        nearest: Option<String>,
        /// Every known name.
        known: Vec<String>,
    },
}

impl SceneError {
    /// The line of the culprit, if the file could be read.
    pub fn line(&self) -> Option<usize> {
        match self {
            Self::Invalid { line, .. } => Some(*line),
            _ => None,
        }
    }

    /// What is wrong inside the file, if it could be read.
    pub fn problem(&self) -> Option<&Problem> {
        match self {
            Self::Invalid { problem, .. } => Some(problem),
            _ => None,
        }
    }
}

/// What is wrong at one line of a file.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// Not YAML.
    #[error("this is not valid YAML: {message}")]
    Syntax {
        /// What the parser says.
        message: String,
    },
    /// A key that means nothing here.
    #[error("unknown key `{key}` in {within}{}", Hint { nearest, known: allowed })]
    UnknownKey {
        /// The key.
        key: String,
        /// What it stands in.
        within: String,
        /// The allowed key that is spelt most like it.
        nearest: Option<String>,
        /// Every allowed key.
        allowed: Vec<String>,
    },
    /// A key that has to be there is not.
    #[error("{within} lacks the key `{key}`")]
    MissingKey {
        /// The key.
        key: String,
        /// What it should stand in.
        within: String,
    },
    /// Of several keys, exactly one (or at most one) may be there.
    #[error("{within} needs {needs}, found {found}")]
    KeyCombination {
        /// What the keys stand in.
        within: String,
        /// What is asked for.
        needs: String,
        /// What is there.
        found: String,
    },
    /// A value of another type.
    #[error("`{key}` must be {expected}, but is {got}")]
    WrongType {
        /// The key.
        key: String,
        /// What is allowed.
        expected: String,
        /// What is there.
        got: String,
    },
    /// A value outside of what is allowed.
    #[error("`{key}` is {got}, but must be {allowed}")]
    NotAllowed {
        /// The key.
        key: String,
        /// The value.
        got: String,
        /// What is allowed.
        allowed: String,
    },
    /// A word that is not one of the known ones.
    #[error("unknown {what} `{word}`{}", Hint { nearest, known })]
    UnknownWord {
        /// What it should be (`object`, `colour`, `kind of object`).
        what: String,
        /// The word.
        word: String,
        /// The known word that is spelt most like it.
        nearest: Option<String>,
        /// Every known word.
        known: Vec<String>,
    },
    /// Two objects of one name.
    #[error("the object `{id}` is already defined in line {first_line}; ids must be unique")]
    DuplicateId {
        /// The name.
        id: String,
        /// Where it was first used.
        first_line: usize,
    },
    /// A file that this one refers to is missing or unusable.
    #[error("{what} `{path}` cannot be used: {message}; paths are relative to this file's folder")]
    BadReference {
        /// `the mesh file`, `the URDF`, `the scene file`.
        what: &'static str,
        /// The path as resolved.
        path: String,
        /// Why.
        message: String,
    },
    /// Points that do not span a solid, or too many of them.
    #[error("{what}: {message}")]
    BadShape {
        /// Which shape.
        what: String,
        /// Why it is none.
        message: String,
    },
    /// Nothing of an object is below one of its zones.
    #[error(
        "`{object}` should stand in the zone `{zone}` of `{support}`, but there is nothing of \
         `{support}` below it: let the zone begin on what things stand on there"
    )]
    NoFloor {
        /// What should stand.
        object: String,
        /// In which zone.
        zone: String,
        /// Of what.
        support: String,
    },
    /// An object that should stand on another is not above it.
    #[error(
        "`{object}` should stand on `{support}`, but at ({x:.3}, {y:.3}) m there is nothing of it; \
         `{support}` spans x {x_min:.3} … {x_max:.3} and y {y_min:.3} … {y_max:.3} m"
    )]
    NotAbove {
        /// What should stand.
        object: String,
        /// What it should stand on.
        support: String,
        /// Where it should stand, m.
        x: f64,
        /// Where it should stand, m.
        y: f64,
        /// Extent of the support, m.
        x_min: f64,
        /// Extent of the support, m.
        x_max: f64,
        /// Extent of the support, m.
        y_min: f64,
        /// Extent of the support, m.
        y_max: f64,
    },
    /// Something else, in its own words.
    #[error("{message}")]
    Other {
        /// What is wrong, and what is allowed.
        message: String,
    },
    /// The arm stands on something that is not fixed.
    #[error("the arm stands on `{object}`, which is not `fixed`")]
    LooseMount {
        /// What it stands on.
        object: String,
    },
    /// Objects that stand on each other in a circle.
    #[error("`{object}` stands on itself: {cycle}")]
    CircularSupport {
        /// One of them.
        object: String,
        /// The circle, as text.
        cycle: String,
    },
    /// Objects that are placed relative to each other in a circle.
    #[error("`{object}` is placed relative to something whose own place depends on it")]
    CircularPlacement {
        /// One of them.
        object: String,
    },
    /// Two objects inside each other.
    #[error(
        "`{a}` and `{b}` overlap by {:.1} mm at the start (at most {:.0} mm is tolerated); \
         move one of them, or let it stand on something with `on:`",
        depth_m * 1e3, limit_m * 1e3
    )]
    Overlap {
        /// One.
        a: String,
        /// The other.
        b: String,
        /// How deep, m.
        depth_m: f64,
        /// How deep it may be, m.
        limit_m: f64,
    },
    /// The goal needs nothing to be done.
    #[error(
        "the success condition `{condition}` already holds at the start; an agent that does \
         nothing would pass"
    )]
    AlreadyTrue {
        /// The condition.
        condition: String,
    },
    /// Two objects of a placement are closer than they may be.
    #[error("`{a}` and `{b}` are {distance_m:.4} m apart, but must be at least {min_m:.4} m")]
    TooClose {
        /// One.
        a: String,
        /// The other.
        b: String,
        /// Distance of their origins seen from above, m.
        distance_m: f64,
        /// How much it must be, m.
        min_m: f64,
    },
    /// A draw leaves no room for a shift of an object.
    #[error("`{object}` cannot be shifted by ({:.3}, {:.3}) m: {cause}", by_m[0], by_m[1])]
    NoRoom {
        /// The object.
        object: String,
        /// The shift along World's x and y, m.
        by_m: [f64; 2],
        /// The cause, as a clause.
        cause: String,
    },
    /// No draw of the random placement fits.
    #[error(
        "none of {attempts} random placements for seed {seed} fits; the last one failed because \
         {last}; widen the ranges or lower the separation"
    )]
    ImpossiblePlacement {
        /// How many were tried.
        attempts: usize,
        /// The seed.
        seed: u64,
        /// Why the last one does not fit.
        last: Box<Problem>,
    },
}

impl Problem {
    /// Puts the problem at its place.
    pub(crate) fn at(self, file: &str, line: usize) -> SceneError {
        SceneError::Invalid {
            file: file.to_owned(),
            line,
            problem: Box::new(self),
        }
    }

    /// A word that should be one of `known`.
    pub(crate) fn unknown_word<'a>(
        what: impl Into<String>,
        word: &str,
        known: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        let known: Vec<String> = known.into_iter().map(str::to_owned).collect();
        Self::UnknownWord {
            what: what.into(),
            word: word.to_owned(),
            nearest: nearest(word, &known),
            known,
        }
    }
}

/// The known word that is spelt most like `word`, if at most a third of the letters
/// differ.
pub(crate) fn nearest(word: &str, known: &[String]) -> Option<String> {
    let distance = |k: &&String| strsim::damerau_levenshtein(word, k);
    let length = word.chars().count();
    let is_near = |n_off: usize, k: &&String| 3 * n_off <= length.max(k.chars().count());
    // What a file calls so may be a megabyte long: its length alone says that it is none of these.
    let alike = |k: &&String| is_near(length.abs_diff(k.chars().count()), k);
    let best = known.iter().filter(alike).min_by_key(distance)?;
    is_near(distance(&best), &best).then(|| best.clone())
}

/// "; did you mean `x`? (known: a, b)".
struct Hint<'a> {
    nearest: &'a Option<String>,
    known: &'a [String],
}

impl fmt::Display for Hint<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(nearest) = self.nearest {
            write!(f, "; did you mean `{nearest}`?")?;
        }
        if self.known.is_empty() {
            write!(f, " (there is none)")
        } else {
            write!(f, " (known: {})", self.known.join(", "))
        }
    }
}
