//! Errors of starting, resuming, merging and writing a benchmark run.

/// A run that cannot be begun, gone on with, put together or written. Messages fit after
/// "failed to …".
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    /// A file cannot be written.
    #[error("write `{path}`: {source}")]
    Write {
        /// Where it should go.
        path: String,
        /// Why it does not.
        source: std::io::Error,
    },
    /// A file cannot be read.
    #[error("read `{path}`: {source}")]
    Read {
        /// The file.
        path: String,
        /// Why not.
        source: std::io::Error,
    },
    /// Something cannot be put into JSON.
    #[error("encode the report: {0}")]
    Encode(#[from] serde_json::Error),
    /// A template cannot be filled in.
    #[error("write the report: {0}")]
    Template(#[from] minijinja::Error),
    /// A line holds something else than it should.
    #[error("understand `{path}`, line {line}: {detail}")]
    BrokenLine {
        /// The file.
        path: String,
        /// Counts from 1.
        line: usize,
        /// What is wrong.
        detail: String,
    },
    /// There is something in a folder that should be new.
    #[error(
        "begin a run in `{path}`: {}",
        if *is_run { "there is one already; --resume goes on with it" }
        else { "the folder is not empty; name another with --out" }
    )]
    NotEmpty {
        /// The folder.
        path: String,
        /// Whether it is the folder of a run.
        is_run: bool,
    },
    /// A folder holds no run.
    #[error("find a run in `{path}`: there is no config.json in it")]
    NoRun {
        /// The folder.
        path: String,
    },
    /// A folder holds a run that was asked for something else.
    #[error(
        "go on with the run in `{path}`: it has another configuration: {}",
        differences.join("; ")
    )]
    OtherConfig {
        /// The folder.
        path: String,
        /// The fields that differ.
        differences: Vec<String>,
    },
    /// A folder holds a run whose tasks are hashed in another form.
    #[error(
        "go on with the run in `{path}`: it identifies its tasks in form {there} and this program \
         in form {here}, so it cannot be said whether they are the same; begin another run with --out"
    )]
    OtherIdentity {
        /// The folder.
        path: String,
        /// The form in the folder.
        there: u32,
        /// The form of this program.
        here: u32,
    },
    /// Another process has the folder.
    #[error("write `{path}`: another process is writing it")]
    Busy {
        /// The file.
        path: String,
    },
    /// Folders that are not the parts of one run.
    #[error("put the shards together: {0}")]
    Merge(String),
    /// Runs that cannot be compared.
    #[error("compare the runs: {0}")]
    Compare(String),
}

impl BenchError {
    /// What is wrong with some JSON, and in which column; its line is told apart.
    pub(crate) fn said(error: &serde_json::Error) -> String {
        let text = error.to_string();
        let what = text.split(" at line ").next().unwrap_or_default();
        format!("{what}, column {}", error.column())
    }
}
