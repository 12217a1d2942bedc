//! A model that never answers, to measure the size of requests.

use std::sync::Arc;

use async_trait::async_trait;
use parking_lot::Mutex;

use crate::{ChatAnswer, ChatError, ChatModel, ChatRequest, ModelError};

/// Model that sends nothing and keeps the first request, for example to estimate its tokens.
#[derive(Clone, Debug, Default)]
pub struct Scales(Arc<Mutex<Option<ChatRequest>>>);

impl Scales {
    /// Takes the request out.
    pub fn take(&self) -> Option<ChatRequest> {
        self.0.lock().take()
    }
}

#[async_trait]
impl ChatModel for Scales {
    fn model(&self) -> &str {
        "scales"
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatAnswer, ModelError> {
        self.0.lock().get_or_insert_with(|| request.clone());
        let detail = "nobody is asked, the request is only weighed".into();
        Err(ChatError::Setup(detail).into())
    }
}
