//! The client against a server on the loopback interface, over real sockets.

#![expect(
    clippy::unwrap_used,
    reason = "a server or a file that cannot be had fails the test"
)]

mod cassettes;
mod errors;
mod probing;
mod requests;

use std::sync::Arc;
use std::time::Duration;

use regrasp_chat::testing::NotedWaits;
use regrasp_chat::{
    ApiKey, ChatAnswer, ChatImage, ChatModel, ChatRequest, Endpoint, HttpModel, Limits, ModelError,
    Provider, RetryPolicy, Tool,
};
use serde_json::json;

/// Key that is long enough not to be treated as a placeholder.
const KEY: &str = "sk-very-secret-0123456789";

/// Time limits that a local server meets easily, and that are short enough for tests.
fn limits() -> Limits {
    Limits {
        connect: Duration::from_secs(5),
        read: Duration::from_secs(20),
        call: Duration::from_secs(30),
        max_body: 1 << 20,
        retry: RetryPolicy {
            jitter_seed: Some(1),
            ..RetryPolicy::default()
        },
    }
}

fn model_at(provider: Provider, url: &str, limits: Limits) -> (HttpModel, Arc<NotedWaits>) {
    let endpoint = Endpoint::new(provider, Some(url), "test-model", Some(ApiKey::new(KEY)));
    let clock = Arc::new(NotedWaits::default());
    let model = HttpModel::new(endpoint.unwrap(), limits).unwrap();
    (model.with_clock(Arc::clone(&clock) as _), clock)
}

fn ask(model: &dyn ChatModel, request: &ChatRequest) -> Result<ChatAnswer, ModelError> {
    block_on(model.chat(request))
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    runtime.enable_all().build().unwrap().block_on(future)
}

fn question() -> ChatRequest {
    ChatRequest {
        system: "You move things.".into(),
        user: "Put the red cube on the plate.".into(),
        tools: vec![Tool {
            name: "pick".into(),
            description: "Picks something up.".into(),
            schema: json!({
                "type": "object", "additionalProperties": false, "required": ["object"],
                "properties": {
                    "object": { "type": "string" },
                    "force_n": { "type": ["number", "null"], "format": "double" },
                },
            }),
        }],
        must_call: true,
        max_tokens: 500,
        ..ChatRequest::default()
    }
}

fn with_picture(request: ChatRequest) -> ChatRequest {
    ChatRequest {
        images: vec![ChatImage {
            caption: "From above:".into(),
            png: b"\x89PNG not really, but every byte must arrive \x00\xff".to_vec(),
        }],
        ..request
    }
}
