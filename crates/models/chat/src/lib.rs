//! A client for chat models: one request in, one answer out, whatever happens between.
//! The only crate that knows vendors.
//!
//! Where to enter:
//! - [`ChatModel`]: the seam; [`ChatRequest`] in, [`ChatAnswer`] or [`ModelError`] out;
//! - [`Endpoint`] and [`HttpModel`]: a model behind HTTP, either chat completions as OpenAI
//!   defined them (OpenAI, Ollama, vLLM, llama.cpp, OpenRouter, Gemini's compatible
//!   endpoint) or Anthropic's Messages;
//! - [`Recorder`] and [`Player`]: exchanges kept in a file, and played without a network;
//! - [`probe()`]: what an endpoint honours, and how it is best asked.
//!
//! What this crate does not do: it knows no robot, no prompt and no plan. A request is one
//! turn: whoever wants to correct a model puts its answer into the next request. So no
//! server's rules about ids and echoes of earlier calls have to be met.
//!
//! # Invariants
//!
//! - A key is in the header of a request and nowhere else: not in an error, a log, a
//!   cassette or an answer, even if the server sends it back.
//! - Every call ends within its deadline, and reads no more than its cap.
//! - Tried again are only 408, 409, 429, 5xx and broken connections; a server that asks
//!   for a longer wait than the cap is not asked again.
//! - Arguments of calls are handed on as they came: beyond a code fence around them nothing
//!   is mended.
//!
//! # Libraries
//!
//! `reqwest` with `rustls` and `ring` (no OpenSSL of the system, no second build system),
//! `backon` for the pauses between tries, `secrecy` for keys, `httpdate` for dates in
//! `Retry-After`, `parking_lot` for locks without poison. Own types for the wire, all fields optional: client libraries refuse
//! answers that servers really give (`finish_reason: "error"`, calls without a type).
//! The tests' server is written here too: most of what it must do is broken HTTP, which
//! no mock of well-formed HTTP can say.

mod anthropic;
mod blocking;
mod cancel;
mod cassette;
mod chat;
mod client;
mod clock;
mod completions;
mod endpoint;
mod error;
mod events;
mod fence;
mod fields;
mod headers;
mod key;
mod limits;
mod modes;
mod portable;
mod probe;
mod redact;
mod retry;
mod scales;
mod status;
mod stream;
#[cfg(feature = "testing")]
pub mod testing;
mod text_calls;
mod wire;
mod wire_log;

pub use blocking::chat_blocking;
pub use cassette::{Cassette, Player, Recorder};
pub use chat::{
    AnswerFormat, BrokenArguments, ChatAnswer, ChatImage, ChatModel, ChatRequest, Tool, ToolCall,
    Usage,
};
pub use client::HttpModel;
pub use clock::{Clock, SystemClock};
pub use endpoint::{Dialect, Endpoint, Provider, TokenField};
pub use error::{ChatError, Feature, ModelError, Patience};
pub use fence::strip_fence;
pub use key::ApiKey;
pub use limits::Limits;
pub use modes::AnswerMode;
pub use portable::{portable, sorted};
pub use probe::{ProbeReport, Support, probe, probe_blocking, window_blocking};
pub use retry::RetryPolicy;
pub use scales::Scales;
pub use stream::Progress;
pub use text_calls::{calls_in_text, known_name};
pub use wire_log::WireLog;
