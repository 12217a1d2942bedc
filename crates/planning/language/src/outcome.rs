//! Outcome of reading a text: a task, or why it is not understood.

use regrasp_api::Reason;
use serde::{Deserialize, Serialize};

use crate::context::Said;
use crate::task::Task;

/// A text that is understood.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Understood {
    /// What it asks for.
    pub task: Task,
    /// What each phrase was found to mean.
    pub said: Vec<Said>,
    /// True if sides were named, so that it matters whose left it is.
    pub sides_matter: bool,
}

/// Why a text is not understood. Nothing was moved for it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
pub enum Misunderstanding {
    /// It may mean several things: a person could say which.
    #[error("{question}")]
    Ambiguous {
        /// `ambiguous_object` or `ambiguous_command`.
        reason: Reason,
        /// What to ask.
        question: String,
        /// The phrase that means several things; empty if it is the whole.
        phrase: String,
        /// What it may mean.
        candidates: Vec<String>,
    },
    /// The sentence is clear, but nothing that is seen is called so.
    #[error("nothing that is seen is called `{name}` (known objects: {}){}", .known.join(", "), near(.nearest))]
    Unseen {
        /// The words for it.
        name: String,
        /// True if it is what should be moved first.
        moved: bool,
        /// Everything that is seen.
        known: Vec<String>,
        /// The known id that is spelt most like it.
        nearest: Option<String>,
    },
    /// The sentence is clear, but it cannot be meant so here.
    #[error("{0}")]
    Impossible(String),
    /// The words are not understood.
    #[error("not understood: {marked}; {}", like(.nearest, .known))]
    Unknown {
        /// The text, with the first words that are not understood between `>` and `<`.
        marked: String,
        /// A sentence like it that would be understood, if one is near.
        nearest: Option<String>,
        /// Its words that mean something.
        #[serde(default)]
        known: Vec<String>,
    },
}

fn near(nearest: &Option<String>) -> String {
    nearest
        .as_ref()
        .map_or_else(String::new, |id| format!("; did you mean {id}?"))
}

fn like(nearest: &Option<String>, known: &[String]) -> String {
    match (nearest, known.is_empty()) {
        (Some(nearest), _) => format!("the nearest that is: `{nearest}`"),
        (None, false) => format!("words of it that are: {}", known.join(", ")),
        (None, true) => "none of its words is".to_owned(),
    }
}

impl Understood {
    /// The goal in one line.
    pub fn goal(&self) -> String {
        self.task.to_string()
    }

    /// What each phrase was resolved to and why, a line each.
    pub fn because(&self) -> Vec<String> {
        let line = |said: &Said| match said.means.is_empty() {
            true => format!("`{}`: {}", said.phrase, said.why),
            false => format!(
                "`{}` = {}: {}",
                said.phrase,
                said.means.join(", "),
                said.why
            ),
        };
        self.said.iter().map(line).collect()
    }
}
