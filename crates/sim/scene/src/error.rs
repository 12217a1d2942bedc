//! Errors in scene, task and robot files.

use std::fmt;

pub(crate) type Result<T, E = SceneError> = std::result::Result<T, E>;

/// An error in a file. Messages fit after "failed to …".
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SceneError {
    /// The file cannot be read at all.
    #[error("read `{file}`: {message}")]
    Unreadable {
        /// File that cannot be read.
        file: String,
        /// Message of the operating system.
        message: String,
    },
    /// The file's content is not valid.
    #[error("load {file}:{line}: {problem}")]
    Invalid {
        /// File with the mistake.
        file: String,
        /// Line of the mistake, counted from 1.
        line: usize,
        /// The mistake, and the values that are allowed.
        problem: Box<Problem>,
    },
    /// No built-in task, scene or robot has that name.
    #[error("find the built-in {what} `{name}`{}", hint(name, known))]
    NotBuiltIn {
        /// `task`, `scene` or `robot`.
        what: &'static str,
        /// The requested name.
        name: String,
        /// All known names.
        known: Vec<String>,
    },
}

impl SceneError {
    /// Returns the line of the mistake, if the file could be read.
    pub fn line(&self) -> Option<usize> {
        match self {
            Self::Invalid { line, .. } => Some(*line),
            _ => None,
        }
    }

    /// Returns the mistake in the file, if the file could be read.
    pub fn problem(&self) -> Option<&Problem> {
        match self {
            Self::Invalid { problem, .. } => Some(problem),
            _ => None,
        }
    }
}

/// A mistake at one line of a file, with the values allowed there.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// The goal already holds at the start of the last draw.
    #[error(
        "the success condition `{condition}` already holds at the start; an agent that does \
         nothing would pass"
    )]
    AlreadyTrue {
        /// Condition that already holds.
        condition: String,
    },
    /// Any other mistake.
    #[error("{0}")]
    Other(String),
}

impl<T: Into<String>> From<T> for Problem {
    fn from(message: T) -> Self {
        Self::Other(message.into())
    }
}

impl Problem {
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

    pub(crate) fn missing_key(key: &str, within: &str) -> Self {
        format!("{within} lacks the key `{key}`").into()
    }

    /// Keys of which too many or none are present.
    pub(crate) fn key_combination(within: &str, needs: &str, found: &str) -> Self {
        format!("{within} needs {needs}, found {found}").into()
    }

    pub(crate) fn unknown_key(key: &str, within: &str, allowed: &[&str]) -> Self {
        let hint = hint(key, allowed.iter().copied());
        format!("unknown key `{key}` in {within}{hint}").into()
    }

    pub(crate) fn wrong_type(key: &str, expected: &str, got: &str) -> Self {
        format!("`{key}` must be {expected}, but is {got}").into()
    }

    pub(crate) fn not_allowed(
        key: &str,
        got: impl fmt::Display,
        allowed: impl fmt::Display,
    ) -> Self {
        format!("`{key}` is {got}, but must be {allowed}").into()
    }

    pub(crate) fn unknown_word<'a>(
        what: impl fmt::Display,
        word: &str,
        known: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        format!("unknown {what} `{word}`{}", hint(word, known)).into()
    }

    /// A referenced file that is missing or unusable.
    pub(crate) fn bad_reference(what: &str, path: &str, message: &str) -> Self {
        let where_from = match message.ends_with("there is no such file") {
            true => "; paths are relative to this file's folder",
            false => "",
        };
        format!("{what} `{path}` cannot be used: {message}{where_from}").into()
    }
}

/// Returns "; did you mean `x`? (known: a, b)".
pub(crate) fn hint<T: AsRef<str>>(word: &str, known: impl IntoIterator<Item = T>) -> String {
    let known: Vec<T> = known.into_iter().collect();
    let known: Vec<&str> = known.iter().map(AsRef::as_ref).collect();
    let meant = nearest(word, &known).map(|nearest| format!("; did you mean `{nearest}`?"));
    let meant = meant.unwrap_or_default();
    match known.is_empty() {
        true => " (none known)".to_owned(),
        false => format!("{meant} (known: {})", known.join(", ")),
    }
}

/// Returns the known word with the nearest spelling, if at most a third of the letters differ.
fn nearest<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    let distance = |k: &&str| strsim::damerau_levenshtein(word, k);
    let length = word.chars().count();
    let is_near = |n_off: usize, k: &str| 3 * n_off <= length.max(k.chars().count());
    // A word in a file may be a megabyte long: reject by length before comparing.
    let alike = |k: &&str| is_near(length.abs_diff(k.chars().count()), k);
    let best = known.iter().copied().filter(alike).min_by_key(distance)?;
    is_near(distance(&best), best).then_some(best)
}
