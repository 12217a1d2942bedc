//! Lines from another process.

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) text: String,
    /// Line number, from 1; `None` for a URL, which returns a single line.
    pub(crate) number: Option<u64>,
}

pub(crate) trait Lines: Send {
    /// Name of the source in messages.
    fn name(&self) -> String;

    /// Returns the newest complete line, if there is any; an error is a sentence.
    fn newest(&mut self) -> Result<Option<Line>, String>;
}
