//! Chat calls from code without an async runtime.

use std::panic::resume_unwind;
use std::thread;

use tokio::runtime::{Builder, Runtime};

use crate::{ChatAnswer, ChatError, ChatModel, ChatRequest, ModelError};

/// Asks once and blocks until the answer. May be called anywhere, also within a runtime, since the
/// model is polled on a thread of its own.
///
/// # Errors
///
/// As [`ChatModel::chat`], and [`ChatError::Setup`] if no runtime can be created.
pub fn chat_blocking(
    model: &dyn ChatModel,
    request: &ChatRequest,
) -> Result<ChatAnswer, ModelError> {
    let asked = || match runtime() {
        Ok(runtime) => runtime.block_on(model.chat(request)),
        Err(error) => {
            let detail = format!("no runtime could be started to wait for the answer: {error}");
            Err(ModelError::from(ChatError::Setup(detail)))
        }
    };
    thread::scope(|scope| match scope.spawn(asked).join() {
        Ok(outcome) => outcome,
        Err(panic) => resume_unwind(panic),
    })
}

pub(crate) fn runtime() -> std::io::Result<Runtime> {
    Builder::new_current_thread().enable_all().build()
}
