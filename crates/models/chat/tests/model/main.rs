//! The client against a server on the loopback interface, over real sockets.

#![expect(
    clippy::unwrap_used,
    reason = "a server or file that is not available fails the test"
)]

mod cassettes;
mod errors;
mod probing;
mod requests;

use regrasp_chat::{ChatAnswer, ChatImage, ChatModel, ChatRequest, ModelError, Tool, block_on};
use serde_json::json;

fn ask(model: &dyn ChatModel, request: &ChatRequest) -> Result<ChatAnswer, ModelError> {
    block_on(model.chat(request)).unwrap()
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
