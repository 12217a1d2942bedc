//! Answer modes of models.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Way in which a model returns calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerMode {
    /// Tool calls.
    #[default]
    Tools,
    /// JSON with a schema that the server enforces.
    Schema,
    /// JSON in a code fence, requested in the prompt.
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
