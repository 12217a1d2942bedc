//! A client for chat models with one request and one answer per call. This is the only crate that
//! knows vendors.
//!
//! Entry points:
//!
//! - [`ChatModel`] is the interface, from [`ChatRequest`] to [`ChatAnswer`] or [`ModelError`].
//! - [`Endpoint`] and [`HttpModel`] are a model behind HTTP, with either chat completions as OpenAI
//!   defined them (OpenAI, Ollama, vLLM, llama.cpp, OpenRouter, Gemini's compatible endpoint) or
//!   Anthropic's Messages.
//! - [`Recorder`] and [`Player`] record exchanges to a file and replay them without a network.
//! - [`probe()`] finds out which features an endpoint supports and how it is asked best.
//!
//! This crate knows no robot, no prompt and no plan. A request is one turn: to correct a model, its
//! answer is put into the next request. So no server's rules about ids and copies of earlier calls
//! have to be met.
//!
//! # Invariants
//!
//! - A key is in the header of a request and nowhere else: not in an error, a log, a cassette or an
//!   answer, even if the server sends it back.
//! - Every call ends within its deadline and reads no more than its size limit.
//! - Only 408, 409, 429, 5xx and broken connections are retried. A server that asks for a longer
//!   wait than the limit is not asked again.
//! - Arguments of calls are passed on as received. A code fence around them is removed, and nothing
//!   is repaired.
//!
//! # Libraries
//!
//! `reqwest` with `rustls` and `ring` (no system OpenSSL, no second build system), `backon` for the
//! pauses between attempts, `secrecy` for keys, `httpdate` for dates in `Retry-After`,
//! `parking_lot` for locks without poisoning. The wire types are our own, with all fields optional,
//! because client libraries reject answers that real servers send (`finish_reason: "error"`, calls
//! without a type). So is the tests' server: most of its replies are broken HTTP, which a mock of
//! well-formed HTTP cannot send.

mod cassette;
mod chat;
mod client;
mod endpoint;
mod error;
mod events;
mod fields;
mod portable;
mod probe;
mod redact;
mod retry;
mod status;
mod stream;
#[cfg(feature = "testing")]
pub mod testing;
mod text_calls;
mod wire;
mod wire_log;

pub use cassette::{Cassette, Player, Recorder};
pub use chat::{
    AnswerFormat, AnswerMode, BrokenArguments, ChatAnswer, ChatImage, ChatModel, ChatRequest,
    Scales, Tool, ToolCall, Usage,
};
pub use client::HttpModel;
pub use endpoint::{ApiKey, Dialect, Endpoint, Provider, TokenField};
pub use error::{ChatError, Feature, ModelError, Patience};
pub use fields::strip_fence;
pub use portable::{portable, sorted};
pub use probe::{ProbeReport, Support, block_on, chat_blocking, probe};
pub use retry::{Clock, Limits, RetryPolicy, SystemClock};
pub use stream::Progress;
pub use text_calls::{calls_in_text, known_name};
pub use wire_log::WireLog;
