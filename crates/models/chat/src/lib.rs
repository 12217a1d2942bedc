//! A client for chat models with one request and one answer per call. This is the only crate with
//! code for particular vendors.
//!
//! Entry points:
//!
//! - [`ChatModel`] is the interface, from [`ChatRequest`] to [`ChatAnswer`] or [`ModelError`].
//! - [`Endpoint`] and [`HttpModel`] are a model behind HTTP. The API is either chat completions as
//!   OpenAI defined them (OpenAI, Ollama, vLLM, llama.cpp, OpenRouter, Gemini's compatible
//!   endpoint) or Anthropic's Messages.
//! - [`Recorder`] and [`Player`] record exchanges to a file and replay them without a network.
//! - [`probe()`] tests which features an endpoint supports, and selects the best answer mode.
//!
//! This crate does not depend on robots, prompts or plans. A request is one turn: to correct a
//! model, the caller puts its answer into the next request. Thus the servers' different rules for
//! ids and copies of earlier calls do not matter.
//!
//! # Invariants
//!
//! - A key is in the header of a request and nowhere else: not in an error, a log, a cassette or an
//!   answer, even if the server sends it back.
//! - Every call ends within its deadline and reads no more than its size limit.
//! - Only timeouts, broken connections and the statuses 408, 409, 429 and 5xx are retried. A server
//!   that asks for a longer wait than the limit is not asked again.
//! - Arguments of calls are passed on as received, without a code fence around them, and without a
//!   repetition or an end mark of the model after them. Nothing is repaired.
//!
//! # Libraries
//!
//! `reqwest` with `rustls` and `ring` (no system OpenSSL, no second build system), `backon` for the
//! pauses between attempts, `secrecy` for keys, `httpdate` for dates in `Retry-After`,
//! `parking_lot` for locks without poisoning. The wire types are our own, with all fields optional,
//! because client libraries reject answers that real servers send (`finish_reason: "error"`, calls
//! without a type). The server of the tests is our own, too, because libraries cannot send the
//! broken HTTP that most tests need.

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
pub use endpoint::{ApiKey, Dialect, Endpoint, Provider};
pub use error::{ChatError, Feature, ModelError, Patience};
pub use fields::strip_fence;
pub use portable::{portable, sorted};
pub use probe::{ProbeReport, Support, block_on, chat_blocking, probe};
pub use retry::{Clock, Limits, RetryPolicy, SystemClock};
pub use stream::Progress;
pub use text_calls::{calls_in_text, known_name};
pub use wire_log::WireLog;
