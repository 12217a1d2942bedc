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

/// A mistake at one line of a file, with what is allowed there.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// The goal needs nothing to be done, however the scene is drawn.
    #[error(
        "the success condition `{condition}` already holds at the start; an agent that does \
         nothing would pass"
    )]
    AlreadyTrue {
        /// The condition.
        condition: String,
    },
    /// Anything else.
    #[error("{0}")]
    Other(String),
}

impl<T: Into<String>> From<T> for Problem {
    fn from(message: T) -> Self {
        Self::Other(message.into())
    }
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

    pub(crate) fn not_yaml(message: impl fmt::Display) -> Self {
        format!("this is not valid YAML: {message}").into()
    }

    /// A key that has to be there is not.
    pub(crate) fn missing_key(key: &str, within: &str) -> Self {
        format!("{within} lacks the key `{key}`").into()
    }

    /// Of several keys, exactly one (or at most one) may be there.
    pub(crate) fn key_combination(within: &str, needs: &str, found: &str) -> Self {
        format!("{within} needs {needs}, found {found}").into()
    }

    /// A key that means nothing here.
    pub(crate) fn unknown_key(key: &str, within: &str, allowed: &[&str]) -> Self {
        let hint = hint(key, allowed.iter().copied());
        format!("unknown key `{key}` in {within}{hint}").into()
    }

    /// A value of another type.
    pub(crate) fn wrong_type(key: &str, expected: &str, got: &str) -> Self {
        format!("`{key}` must be {expected}, but is {got}").into()
    }

    /// A value outside of what is allowed.
    pub(crate) fn not_allowed(
        key: &str,
        got: impl fmt::Display,
        allowed: impl fmt::Display,
    ) -> Self {
        format!("`{key}` is {got}, but must be {allowed}").into()
    }

    /// A word that should be one of `known`.
    pub(crate) fn unknown_word<'a>(
        what: impl fmt::Display,
        word: &str,
        known: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        format!("unknown {what} `{word}`{}", hint(word, known)).into()
    }

    /// A file that this one refers to is missing or unusable.
    pub(crate) fn bad_reference(what: &str, path: &str, message: &str) -> Self {
        let where_from = match message.ends_with("there is no such file") {
            true => "; paths are relative to this file's folder",
            false => "",
        };
        format!("{what} `{path}` cannot be used: {message}{where_from}").into()
    }
}

fn hint<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let known: Vec<String> = known.into_iter().map(str::to_owned).collect();
    let nearest = &nearest(word, &known);
    let known = &known;
    Hint { nearest, known }.to_string()
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
