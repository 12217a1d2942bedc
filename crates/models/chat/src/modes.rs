//! How a model is made to answer with calls.

use std::fmt;

use serde::{Deserialize, Serialize};

/// How a model is made to answer with calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerMode {
    /// By calling tools.
    #[default]
    Tools,
    /// By JSON that the server keeps to a schema.
    Schema,
    /// By JSON in a code fence, which the model is asked for in words.
    Text,
}

impl fmt::Display for AnswerMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Tools => "tools",
            Self::Schema => "schema",
            Self::Text => "text",
        })
    }
}
