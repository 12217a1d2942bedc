//! Lines that somebody writes.

/// The newest line of a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) text: String,
    /// Counted from 1; a URL gives one line and has no count.
    pub(crate) number: Option<u64>,
}

/// A place where somebody writes lines.
pub(crate) trait Lines: Send {
    /// As messages call it.
    fn name(&self) -> String;

    /// The newest complete line, if there is any; an error is a sentence.
    fn newest(&mut self) -> Result<Option<Line>, String>;
}
