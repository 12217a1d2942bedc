//! Result of reading a text: a task, or the reason why there is none.

use regrasp_api::Reason;
use serde::{Deserialize, Serialize};

use crate::context::PhraseMeaning;
use crate::task::Task;

/// A text that was understood.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Understood {
    /// The requested task.
    pub task: Task,
    /// Meaning of each phrase.
    pub meanings: Vec<PhraseMeaning>,
    /// True if the text names sides, so that its meaning depends on the viewpoint.
    pub sides_matter: bool,
}

/// Reason why a text is not understood.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
pub enum Misunderstanding {
    /// The text has several meanings, and a person can decide.
    #[error("{question}")]
    Ambiguous {
        /// `ambiguous_object` or `ambiguous_command`.
        reason: Reason,
        /// Question for the person.
        question: String,
        /// The ambiguous phrase; empty if it is the whole text.
        phrase: String,
        /// Possible meanings.
        candidates: Vec<String>,
    },
    /// The sentence is clear, but no perceived object has this name.
    #[error("no object called `{name}` is seen (known objects: {}){}", .known.join(", "), near(.nearest))]
    Unseen {
        /// The name in the text.
        name: String,
        /// True if the name is that of the first object to be moved.
        moved: bool,
        /// Names of all perceived objects.
        known: Vec<String>,
        /// The known id with the nearest spelling.
        nearest: Option<String>,
    },
    /// The sentence is clear, but impossible in this scene.
    #[error("{0}")]
    Impossible(String),
    /// The words are not understood.
    #[error("not understood: {marked}; {}", like(.nearest, .known, *.is_all_known))]
    Unknown {
        /// The text with its first unknown words between `>` and `<`.
        marked: String,
        /// A similar sentence that would be understood, if there is one.
        nearest: Option<String>,
        /// Words of the text that are known.
        #[serde(default)]
        known: Vec<String>,
        /// True if all words are known: the mark is then where no known sentence goes on.
        #[serde(default)]
        is_all_known: bool,
    },
}

impl Misunderstanding {
    /// Asks which of several meanings a phrase has, or the whole text if the phrase is empty.
    pub(crate) fn asked(phrase: &str, question: String, candidates: Vec<String>) -> Self {
        Self::Ambiguous {
            reason: match phrase {
                "" => Reason::AmbiguousCommand,
                _ => Reason::AmbiguousObject,
            },
            question,
            phrase: phrase.to_owned(),
            candidates,
        }
    }
}

fn near(nearest: &Option<String>) -> String {
    nearest
        .as_ref()
        .map_or_else(String::new, |id| format!("; did you mean {id}?"))
}

fn like(nearest: &Option<String>, known: &[String], is_all_known: bool) -> String {
    match (nearest, known.is_empty()) {
        (Some(nearest), _) => format!("a similar sentence that is: `{nearest}`"),
        (None, false) if is_all_known => "each word is known, but not in this order".to_owned(),
        (None, false) => format!("known words: {}", known.join(", ")),
        (None, true) => "none of its words is known".to_owned(),
    }
}

impl Understood {
    /// Formats the goal in one line.
    pub fn goal(&self) -> String {
        self.task.to_string()
    }

    /// Formats the meaning of each phrase with its reason, one per line.
    pub fn because(&self) -> Vec<String> {
        let line = |meaning: &PhraseMeaning| match meaning.means.is_empty() {
            true => format!("`{}`: {}", meaning.phrase, meaning.why),
            false => format!(
                "`{}` = {}: {}",
                meaning.phrase,
                meaning.means.join(", "),
                meaning.why
            ),
        };
        self.meanings.iter().map(line).collect()
    }
}
