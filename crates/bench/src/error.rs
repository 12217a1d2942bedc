use regrasp_scene::SceneError;

/// A suite that cannot be run or written. Messages fit after "failed to …".
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    /// A task cannot be drawn.
    #[error("draw task `{task}` with seed {seed}: {source}")]
    Instantiate {
        /// The task.
        task: String,
        /// The seed.
        seed: u64,
        /// Why.
        source: SceneError,
    },
    /// The report cannot be written.
    #[error("write the report to `{path}`: {source}")]
    Write {
        /// Where it should go.
        path: String,
        /// Why it does not.
        source: std::io::Error,
    },
    /// The report cannot be put into JSON.
    #[error("encode the report: {0}")]
    Encode(#[from] serde_json::Error),
}
